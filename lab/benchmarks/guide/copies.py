"""Takes a session that is deleted out of an export; the product calls it, by the entry point `kairos.exports`."""

import csv
import io
import json
import shutil
from pathlib import Path

from lab.benchmarks.guide.clips import ANNOTATIONS
from lab.benchmarks.guide.export import write_anew
from lab.benchmarks.guide.layout import LISTED, MARK, VIDEOS, Wrong, table_of
from storage.errors import BadFile
from storage.files import write_whole


def take_out(copy: Path, part: str, left: Path | None = None) -> bool:
    """Take the part of one session out of an export of either layout; tell whether that was done.

    What is `left` of the session is written there anew, with the wrong answers that it had.
    """
    if not (copy / MARK).is_file() or part in ("", ".", "..") or Path(part).name != part:
        return False
    try:
        wrong = _take_out_video(copy, part) if (copy / ANNOTATIONS).is_dir() else _take_out_folder(copy / part)
        if left is not None:
            write_anew(copy, part, left, wrong)
    except (OSError, ValueError, AttributeError, BadFile):  # not as we have written it
        return False
    return True


def _take_out_folder(path: Path) -> Wrong:
    if path.is_dir():
        shutil.rmtree(path)
    return {}


def _take_out_video(copy: Path, video_id: str) -> Wrong:
    wrong: dict[tuple[str, str], list[str]] = {}
    for path in (copy / ANNOTATIONS).glob("*.json"):
        rows = json.loads(path.read_bytes())
        kept = [row for row in rows if row.get("video_id") != video_id]
        for row in rows:
            if "distractors" in row and row["video_id"] == video_id:
                kind = "help" if "help_content" in row else "goal"
                wrong[kind, row["help_content" if kind == "help" else "intent"]] = row["distractors"]
        write_whole(path, json.dumps(kept, indent=1, ensure_ascii=False).encode())
    listed = copy / VIDEOS / LISTED
    rows = [row for row in csv.reader(io.StringIO(listed.read_text("utf-8"))) if row[:1] != [video_id]]
    write_whole(listed, table_of(rows))
    (copy / VIDEOS / f"{video_id}.mp4").unlink(missing_ok=True)
    return wrong
