"""Recognizes the layout of files by what they hold, and loads them; the product asks `load` for what is not plain."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from daemon.history.trajectory.files import files_of
from daemon.history.trajectory.plain import load_plain
from daemon.history.trajectory.trajectory import PLAIN, TrajectorySet
from lab.trajectories import LAYOUTS, agent_reward_bench, aitz, android_bench, mind2web
from lab.trajectories.rows import DECODE_ERRORS, MAX_LINE_BYTES, read_whole
from storage.errors import BadFile
from storage.files import read_lines

_LOADERS: Mapping[str, Callable[[Path], TrajectorySet]] = {
    PLAIN: load_plain,
    agent_reward_bench.LAYOUT: agent_reward_bench.load,
    android_bench.LAYOUT: android_bench.load,
    mind2web.LAYOUT: mind2web.load,
    aitz.LAYOUT: aitz.load,
}
_MARKS: Mapping[str, frozenset[str]] = {
    PLAIN: frozenset({"trajectory", "key"}),
    mind2web.LAYOUT: frozenset({"annotation_id", "action_reprs"}),
    aitz.LAYOUT: frozenset({"episode_id", "step_id"}),
    agent_reward_bench.LAYOUT: frozenset({"benchmark", "steps"}),
    android_bench.LAYOUT: frozenset({"uid", "intent", "steps"}),
}
_REMEDY = f"known layouts: {', '.join(LAYOUTS)}"


def load(path: Path) -> TrajectorySet | None:
    """Return what is in files that are not plain JSON lines; None where they are.

    Raises:
        BadFile: the layout is not recognized, or a row does not fit; says which.
        EnvironmentFault: a package that the files need is missing.
    """
    layout = recognize(path)
    return None if layout == PLAIN else _LOADERS[layout](path)


def load_in(path: Path, layout: str | None) -> TrajectorySet:
    """Return the trajectories in a file or below a folder, in the layout given or the one that is recognized.

    Raises:
        BadFile: the layout is not recognized, or a row does not fit; says which.
        EnvironmentFault: a package that the files need is missing.
    """
    return _LOADERS[layout or recognize(path)](path)


def recognize(path: Path) -> str:
    """Return the layout of a file, or of the first file of a folder, by the fields of its first row.

    Raises:
        BadFile: its layout is unknown.
    """
    _, files = files_of(path, (".jsonl", ".json", mind2web.PARQUET))
    if not files:
        raise BadFile(
            f"{path} holds no JSON, JSON lines or Parquet", remedy="name files of trajectories or their folder"
        )
    first = next((file for file in files if file.name == android_bench.LOG), files[0])
    if first.suffix.lower() == mind2web.PARQUET:
        return mind2web.LAYOUT
    fields = _fields(first)
    for layout, marks in _MARKS.items():
        if marks <= fields:
            return layout
    raise BadFile(f"the layout of {first} is not known", remedy=_REMEDY)


def _fields(path: Path) -> set[str]:
    """Return the names of the fields of a file's first row.

    Raises:
        BadFile: it holds no rows.
    """
    if path.suffix.lower() == ".jsonl":
        raw = next((line for line in read_lines(path, longest=MAX_LINE_BYTES) if line.strip()), b"")
    else:
        raw = read_whole(path)
        if raw.lstrip().startswith(b"["):
            try:
                raw = bytes(next(iter(msgspec.json.decode(raw, type=list[msgspec.Raw])), b""))
            except DECODE_ERRORS:
                raise BadFile(f"{path} is not JSON") from None
    if not raw.strip():
        raise BadFile(f"{path} is empty", remedy="name files of trajectories or their folder")
    try:
        return set(msgspec.json.decode(raw, type=dict[str, msgspec.Raw]))
    except DECODE_ERRORS:
        raise BadFile(f"the layout of {path} is not known", remedy=_REMEDY) from None
