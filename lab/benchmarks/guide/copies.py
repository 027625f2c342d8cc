"""Takes a session that is deleted out of an export; the product calls it, by the entry point `kairos.exports`."""

import csv
import io
import json
import shutil
from pathlib import Path

from storage.files import write_whole

MARK = "kairos-export"
"""Lies in what may be written anew."""

VIDEOS, LISTED = "videos", "video_urls.csv"


def take_out(copy: Path, part: str) -> bool:
    """Take the part of one session out of an export of either layout; tell whether that was done."""
    if not (copy / MARK).is_file() or part in ("", ".", "..") or Path(part).name != part:
        return False
    try:
        if (copy / part).is_dir():
            shutil.rmtree(copy / part)
        else:
            _take_out_video(copy, part)
    except (OSError, ValueError, AttributeError):  # not as we have written it
        return False
    return True


def _take_out_video(copy: Path, video_id: str) -> None:
    for path in (copy / "annotations").glob("*.json"):
        rows = [row for row in json.loads(path.read_bytes()) if row.get("video_id") != video_id]
        write_whole(path, json.dumps(rows, indent=1, ensure_ascii=False).encode())
    listed = copy / VIDEOS / LISTED
    rows = [row for row in csv.reader(io.StringIO(listed.read_text("utf-8"))) if row[:1] != [video_id]]
    write_whole(listed, table_of(rows))
    (copy / VIDEOS / f"{video_id}.mp4").unlink(missing_ok=True)


def table_of(rows: list[list[str]]) -> bytes:
    """Return the list of videos as a file has it."""
    table = io.StringIO()
    csv.writer(table).writerows(rows)
    return table.getvalue().encode()
