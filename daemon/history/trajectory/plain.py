"""Reads trajectories of agents, or of anybody, from plain JSON lines with pictures beside them.

The first line is `{"trajectory": 1, "key": ..., "source": ..., "whose": "agent", "app": ..., "goal": ...}`, every other
line a step with the fields of `Step`; what is missing is not known. Pictures are named by their place below the file's
folder. Files come from outside: fields of another type, unknown ones and names that lead elsewhere are refused.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import msgspec

from daemon.history.trajectory.files import MAX_STEPS, MAX_TEXT, MAX_TRAJECTORIES, FilePictures, files_of, picture_name
from daemon.history.trajectory.trajectory import API, PLAIN, Step, StepAction, Target, Trajectory, TrajectorySet, Verb
from storage.errors import BadFile
from storage.files import read_lines
from storage.records import Box, Element

VERSION = 1
MAX_LINE_BYTES = 1 << 20
LAB_READS = "kairos-lab also reads trajectories of Mind2Web, AitZ and AgentRewardBench; install it beside"

_API = re.compile(re.escape(API) + r"[\w.:-]{1,100}")
_VERBS = frozenset(Verb)
_WHOSE = ("person", "agent")


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    trajectory: int
    key: str
    source: str
    app: str
    whose: str = "agent"
    goal: str | None = None
    outcome: bool | None = None
    last_picture: str | None = None


class _Target(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None = None
    role: str | None = None
    box: tuple[int, int, int, int] | None = None
    id: str | None = None


class _Element(msgspec.Struct, forbid_unknown_fields=True):
    role: str
    box: tuple[int, int, int, int]
    name: str | None = None


class _Action(msgspec.Struct, forbid_unknown_fields=True):
    verb: str
    args: dict[str, str | int | float] = {}


class _Step(msgspec.Struct, forbid_unknown_fields=True):
    number: int
    action: _Action
    at_s: float = 0.0
    app: str = ""
    target: _Target | None = None
    before: str | None = None
    after: str | None = None
    elements: list[_Element] | None = None
    said: str | None = None


_HEAD = msgspec.json.Decoder(_Head)
_STEP = msgspec.json.Decoder(_Step)


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
        raise BadFile(f"{path} holds no trajectory in plain JSON lines", remedy=LAB_READS)
    return TrajectorySet(
        layout=PLAIN, trajectories=tuple(found.values()), pictures=FilePictures(root), whole_pages=True
    )


def read_trajectory(path: Path, *, root: Path | None = None) -> Trajectory:
    """Return the trajectory in a file; its pictures are named from `root`, by default the file's own folder.

    Raises:
        BadFile: it is no plain file, or a line of it does not fit; says which.
    """
    lines = _numbered(path)
    number, line = next(lines, (1, b""))
    try:
        head = _HEAD.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # its message may quote the line
        raise BadFile(f"{path}: line {number} is not the head of a trajectory", remedy=LAB_READS) from None
    if head.trajectory != VERSION:
        raise BadFile(f"{path} has version {head.trajectory} of trajectories, this Kairos reads {VERSION}")
    if head.whose not in _WHOSE:
        raise BadFile(f"{path}: whose must be one of {', '.join(_WHOSE)}")
    steps: list[Step] = []
    for number, line in lines:
        if len(steps) == MAX_STEPS:
            raise BadFile(f"{path} has more than {MAX_STEPS} steps")
        steps.append(_step(path, number, line, steps[-1] if steps else None))
    if not steps:
        raise BadFile(f"{path} has no steps")
    below = PurePosixPath() if root is None else PurePosixPath(path.parent.relative_to(root).as_posix())
    if below.parts:
        steps = [replace(step, before=_below(below, step.before), after=_below(below, step.after)) for step in steps]
    return Trajectory(
        key=head.key[:MAX_TEXT],
        source=head.source[:MAX_TEXT],
        whose=head.whose,
        app=head.app[:MAX_TEXT],
        goal=None if head.goal is None else head.goal[:MAX_TEXT],
        steps=tuple(steps),
        outcome=head.outcome,
        last_picture=_below(below, _picture(path, head.last_picture)),
    )


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(read_lines(path, longest=MAX_LINE_BYTES), start=1):
        if line.strip():
            yield number, line


def _step(path: Path, number: int, line: bytes, before: Step | None) -> Step:
    try:
        one = _STEP.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # its message may quote the line
        raise BadFile(f"{path}: line {number} is not a step") from None
    if one.number != (1 if before is None else before.number + 1):
        raise BadFile(f"{path}: line {number} is not the next step")
    if before is not None and one.at_s < before.at_s:
        raise BadFile(f"{path}: the step in line {number} is earlier than the one before")
    if one.action.verb not in _VERBS and not _API.fullmatch(one.action.verb):
        raise BadFile(f"{path}: line {number} has an act that is none of {', '.join(Verb)} or {API}NAME")
    target = one.target
    return Step(
        number=one.number,
        at_s=one.at_s,
        app=one.app[:MAX_TEXT],
        action=StepAction(verb=one.action.verb, args=one.action.args),
        target=None
        if target is None
        else Target(
            name=target.name, role=target.role, box=None if target.box is None else Box(*target.box), id=target.id
        ),
        before=_picture(path, one.before),
        after=_picture(path, one.after),
        elements=None
        if one.elements is None
        else tuple(Element(role=each.role, box=Box(*each.box), name=each.name) for each in one.elements),
        said=None if one.said is None else one.said[:MAX_TEXT],
    )


def _below(folder: PurePosixPath, name: str | None) -> str | None:
    return None if name is None else str(folder / name)


def _picture(path: Path, name: str | None) -> str | None:
    """Return the name of a picture below the file's folder.

    Raises:
        BadFile: it leads elsewhere, or is no name of a picture.
    """
    return None if name is None else picture_name(str(path), name)
