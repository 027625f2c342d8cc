"""Recognizes the layout of files by what they hold, and loads them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from daemon.history.trajectory.files import (
    DECODE_ERRORS,
    MAX_LINE_BYTES,
    MAX_TRAJECTORIES,
    FilePictures,
    files_of,
    read_whole,
)
from daemon.history.trajectory.layouts import agent_reward_bench, aitz, mind2web
from daemon.history.trajectory.layouts.layout import LAYOUTS, Layout
from daemon.history.trajectory.layouts.trajectory_set import TrajectorySet
from daemon.history.trajectory.plain import read_trajectory
from daemon.history.trajectory.trajectory import Trajectory
from storage.errors import BadFile
from storage.files import read_lines

_MARKS: Mapping[Layout, frozenset[str]] = {
    Layout.PLAIN: frozenset({"trajectory", "key"}),
    Layout.MIND2WEB: frozenset({"annotation_id", "action_reprs"}),
    Layout.AITZ: frozenset({"episode_id", "step_id"}),
    Layout.AGENT_REWARD_BENCH: frozenset({"benchmark", "steps"}),
}
_REMEDY = f"name one with --layout: {', '.join(LAYOUTS)}"


def load_trajectories(path: Path, layout: Layout | None = None) -> TrajectorySet:
    """Return the trajectories in a file or below a folder, in the layout given or the one that is recognized.

    Raises:
        BadFile: the layout is not recognized, or a row does not fit; says which.
        EnvironmentFault: a package that the files need is missing.
    """
    return _LOADERS[layout or recognize(path)](path)


def recognize(path: Path) -> Layout:
    """Return the layout of a file, or of the first file of a folder, by the fields of its first row.

    Raises:
        BadFile: its layout is unknown.
    """
    _, files = files_of(path, (".jsonl", ".json", mind2web.PARQUET))
    if not files:
        raise BadFile(
            f"{path} holds no JSON, JSON lines or Parquet", remedy="name files of trajectories or their folder"
        )
    first = files[0]
    if first.suffix.lower() == mind2web.PARQUET:
        return Layout.MIND2WEB
    fields = _fields(first)
    for layout, marks in _MARKS.items():
        if marks <= fields:
            return layout
    raise BadFile(f"the layout of {first} is not known", remedy=_REMEDY)


def load_plain(path: Path) -> TrajectorySet:
    """Return the trajectories in plain JSON lines, one file each.

    Raises:
        BadFile: there are none, or a line does not fit; says which.
    """
    root, files = files_of(path, (".jsonl",))
    found: dict[str, Trajectory] = {}
    for file in files:
        one = read_trajectory(file, root=root)
        if one.key in found:
            raise BadFile(f"{file} has the key of a trajectory that was there before")
        if len(found) == MAX_TRAJECTORIES:
            raise BadFile(f"{path} holds more than {MAX_TRAJECTORIES} trajectories", remedy="name a part of it")
        found[one.key] = one
    if not found:
        raise BadFile(f"{path} holds no trajectory in plain JSON lines")
    return TrajectorySet(
        layout=Layout.PLAIN, trajectories=tuple(found.values()), pictures=FilePictures(root), whole_pages=True
    )


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


_LOADERS: Mapping[Layout, Callable[[Path], TrajectorySet]] = {
    Layout.PLAIN: load_plain,
    Layout.AGENT_REWARD_BENCH: agent_reward_bench.load,
    Layout.MIND2WEB: mind2web.load,
    Layout.AITZ: aitz.load,
}
