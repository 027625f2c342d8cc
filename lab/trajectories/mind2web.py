"""Loads Multimodal-Mind2Web: people's tasks on web pages, one row a step with a picture of the whole page before it.

Fields read: `annotation_id confirmed_task action_reprs operation screenshot pos_candidates`, and `website domain
target_action_index` where they are there. Rows are JSON lines, or Parquet where pyarrow is installed; there a picture
is named by its file and row and read when it is needed. The data was not at hand: this was tried on rows of our own
making alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from daemon.history.trajectory.files import (
    MAX_PICTURE_BYTES,
    MAX_STEPS,
    MAX_TEXT,
    MAX_TRAJECTORIES,
    FilePictures,
    files_of,
    picture_name,
)
from daemon.history.trajectory.trajectory import (
    PictureReader,
    Step,
    StepAction,
    Target,
    Trajectory,
    TrajectorySet,
    Verb,
)
from lab.trajectories.rows import decode_inside, decode_row, raw_rows
from storage.errors import BadFile, EnvironmentFault
from storage.records import Box

LAYOUT = "mind2web"
PERSON = "person"
PARQUET = ".parquet"

_VERBS = {"CLICK": Verb.CLICK, "HOVER": Verb.CLICK, "ENTER": Verb.CLICK, "TYPE": Verb.TYPE, "SELECT": Verb.SELECT}
_REPR = re.compile(r"\s*\[(?P<role>[^\]]{0,200})\](?P<name>.*?)\s*->\s*[A-Z]+\s*(?::.*)?", re.DOTALL)
_REQUIRED = ("annotation_id", "confirmed_task", "action_reprs", "operation")
_OPTIONAL = ("pos_candidates", "website", "domain", "target_action_index")
_PICTURE = "screenshot"
_IN_PARQUET = re.compile(r"(?P<file>.+\.parquet)#(?P<row>\d{1,9})")
_ROWS_AT_ONCE = 16
_MOST_CANDIDATES = 100
_BOX = 4
_FARTHEST = 1_000_000


class _Image(msgspec.Struct):
    path: str | None = None


class _Operation(msgspec.Struct):
    op: str
    value: str | None = None


class _Candidate(msgspec.Struct):
    attributes: str | dict[str, Any] = ""
    tag: str = ""
    is_original_target: bool = False


class _Row(msgspec.Struct):
    annotation_id: str
    confirmed_task: str
    action_reprs: list[str]
    operation: str | _Operation
    screenshot: str | _Image | None = None
    pos_candidates: list[str | _Candidate] | None = None
    website: str | None = None
    domain: str | None = None
    target_action_index: str | int | None = None


class _Attributes(msgspec.Struct):
    bounding_box_rect: str = ""


_DECODER = msgspec.json.Decoder(_Row)


@dataclass(frozen=True, slots=True)
class ParquetPictures:
    """Pictures that are cells of Parquet files below a folder, named `FILE#ROW`."""

    folder: Path

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture.

        Raises:
            BadFile: there is none of this name, or it is too large.
        """
        match = _IN_PARQUET.fullmatch(name)
        found = None
        if match is not None and ".." not in name and not name.startswith("/"):
            found = _picture_cell(self.folder / match["file"], int(match["row"]))
        if not isinstance(found, bytes) or not 0 < len(found) <= MAX_PICTURE_BYTES:
            raise BadFile(f"{self.folder} holds no such picture")
        return found


def load(path: Path) -> TrajectorySet:
    """Return the tasks in a file or below a folder.

    Raises:
        BadFile: there are none, or a row does not fit; says which.
        EnvironmentFault: the files are Parquet, and pyarrow is missing.
    """
    root, files = files_of(path, (".jsonl", ".json", PARQUET))
    tables = [file for file in files if file.suffix.lower() == PARQUET]
    tasks: dict[str, list[tuple[str, _Row, str | None]]] = {}
    for file in tables or files:
        for where, row, picture in _parquet_rows(file, root) if tables else _json_rows(file):
            rows = tasks.setdefault(row.annotation_id[:MAX_TEXT], [])
            rows.append((where, row, picture))
            if len(tasks) > MAX_TRAJECTORIES or len(rows) > MAX_STEPS:
                raise BadFile(f"{path} holds too many tasks or steps", remedy="name a part of it")
    if not tasks:
        raise BadFile(f"{path} holds no task of Mind2Web")
    left_out: Counter[str] = Counter()
    trajectories = tuple(_trajectory(key, rows, left_out) for key, rows in tasks.items())
    pictures: PictureReader = ParquetPictures(root) if tables else FilePictures(root)
    return TrajectorySet(
        layout=LAYOUT,
        trajectories=trajectories,
        pictures=pictures,
        domains={key: domain.casefold()[:MAX_TEXT] for key, rows in tasks.items() if (domain := rows[0][1].domain)},
        whole_pages=True,
        left_out=dict(+left_out),
    )


def _json_rows(file: Path) -> Iterator[tuple[str, _Row, str | None]]:
    for where, raw in raw_rows(file):
        row = decode_row(_DECODER, raw, where, "a step of Mind2Web")
        shown = row.screenshot.path if isinstance(row.screenshot, _Image) else row.screenshot
        yield where, row, None if not shown else picture_name(where, shown)


def _trajectory(key: str, rows: list[tuple[str, _Row, str | None]], left_out: Counter[str]) -> Trajectory:
    by_place: dict[int, tuple[str, _Row, str | None]] = {}
    for number, one in enumerate(rows):
        by_place.setdefault(_place(one[0], one[1], number), one)
    left_out["rows of a step that was there before"] += len(rows) - len(by_place)
    ordered = sorted(by_place.items())
    task = rows[0][1].confirmed_task
    if any(row.confirmed_task != task for _, row, _ in rows):
        raise BadFile(f"{rows[0][0]}: its task is worded in two ways")
    left_out["steps that are named but have no row"] += max(0, len(rows[0][1].action_reprs) - len(ordered))
    steps = []
    for number, (place, (where, row, picture)) in enumerate(ordered, start=1):
        after = ordered[number][1][2] if number < len(ordered) else None
        app = (row.website or "web page")[:MAX_TEXT]
        action, target = _act(where, row, place)
        steps.append(Step(number=number, at_s=0.0, app=app, action=action, target=target, before=picture, after=after))
    return Trajectory(
        key=key,
        source=LAYOUT,
        whose=PERSON,
        app=steps[0].app,
        goal=task[:MAX_TEXT] or None,
        steps=tuple(steps),
        last_picture=steps[-1].before,
    )


def _place(where: str, row: _Row, number: int) -> int:
    if row.target_action_index is None:
        return number
    text = str(row.target_action_index)
    if not text.isdecimal() or int(text[:9]) >= MAX_STEPS:
        raise BadFile(f"{where} is not numbered as a step")
    return int(text)


def _act(where: str, row: _Row, place: int) -> tuple[StepAction, Target]:
    given = row.operation
    operation = decode_inside(given, _Operation, where, "operation") if isinstance(given, str) else given
    verb = _VERBS.get(operation.op.upper())
    if verb is None:
        raise BadFile(f"{where} has a kind of act that is not known")
    field = {Verb.TYPE: "text", Verb.SELECT: "value"}.get(verb)
    shown = _REPR.fullmatch(row.action_reprs[place][:MAX_TEXT]) if place < len(row.action_reprs) else None
    target = Target(
        name=(shown["name"].strip() or None) if shown else None,
        role=(shown["role"].strip() or None) if shown else None,
        box=_box(where, row.pos_candidates or ()),
    )
    return StepAction(verb=verb, args={field: (operation.value or "")[:MAX_TEXT]} if field else {}), target


def _box(where: str, candidates: Sequence[str | _Candidate]) -> Box | None:
    """Return the box of the control that was meant, in pixels of the page; None if it is empty."""
    found = [
        decode_inside(candidate, _Candidate, where, "candidate") if isinstance(candidate, str) else candidate
        for candidate in candidates[:_MOST_CANDIDATES]
    ]
    for candidate in sorted(found, key=lambda each: not each.is_original_target):
        given = candidate.attributes
        text = given.get("bounding_box_rect", "") if isinstance(given, dict) else ""
        if isinstance(given, str) and given:
            text = decode_inside(given, _Attributes, where, "candidate").bounding_box_rect
        try:
            values = [float(part) for part in str(text)[:200].split(",")]
        except ValueError:
            continue
        if len(values) == _BOX and all(abs(value) <= _FARTHEST for value in values):
            box = Box(*(round(value) for value in values))
            if box.w > 0 and box.h > 0:
                return box
    return None


# ---------------------------------------------------------------- Parquet


def _parquet() -> Any:
    try:
        return import_module("pyarrow.parquet")
    except ImportError as error:
        raise EnvironmentFault(
            "Parquet files need pyarrow, which is not installed",
            remedy="pip install 'kairos-assistant[study]', or turn the rows into JSON lines",
        ) from error


def _parquet_rows(file: Path, root: Path) -> Iterator[tuple[str, _Row, str | None]]:
    """Yield the rows of a file without their pictures, a few at a time."""
    parquet = _parquet()
    if file.is_symlink():
        raise BadFile(f"{file} is a link")
    number = 0
    with _open_table(parquet, file) as table:
        names = set(table.schema_arrow.names)
        if missing := [name for name in _REQUIRED if name not in names]:
            raise BadFile(f"{file} has no column {missing[0]}")
        columns = [*_REQUIRED, *(name for name in _OPTIONAL if name in names)]
        batches = iter(table.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns))
        while True:
            try:
                batch = next(batches, None)
                found = None if batch is None else batch.to_pylist()
            except (OSError, ValueError):  # pyarrow's errors are these
                raise BadFile(f"{file} is damaged behind row {number}") from None
            if found is None:
                return
            for value in found:
                number += 1
                where = f"{file}: row {number}"
                try:
                    row = msgspec.convert(value, _Row)
                except msgspec.ValidationError:
                    raise BadFile(f"{where} is not a step of Mind2Web") from None
                picture = f"{file.relative_to(root).as_posix()}#{number - 1}" if _PICTURE in names else None
                yield where, row, picture


def _open_table(parquet: Any, file: Path) -> Any:
    try:
        return parquet.ParquetFile(file)
    except (OSError, ValueError):
        raise BadFile(f"{file} is no Parquet file") from None


def _picture_cell(file: Path, row: int) -> Any:
    """Return the picture in a row: its group of rows is read, and no other."""
    parquet = _parquet()
    if file.is_symlink() or not file.is_file():
        raise BadFile(f"{file} is not there")
    with _open_table(parquet, file) as table:
        try:
            for group in range(table.num_row_groups):
                count = table.metadata.row_group(group).num_rows
                if row < count:
                    cells = table.read_row_group(group, columns=[_PICTURE]).column(0)
                    cell = cells[row].as_py()
                    return cell.get("bytes") if isinstance(cell, dict) else cell
                row -= count
        except (OSError, ValueError, KeyError, IndexError):
            raise BadFile(f"{file} holds no readable pictures") from None
    return None
