"""Loads AndroidBench (Pan et al. 2024): agents' trajectories on a phone with people's verdicts, a folder a policy.

`trajectory_log.json` holds `uid intent steps[img other{action}]`, pictures lie in `images`, and verdicts in
`evals/*.jsonl`: `task_uid user_uid annotation`, one of Success, Failure, Unsure and Emulator Error. Of several people
the first counts; unsure is no outcome, and where the emulator failed the trajectory is left out. Acts are sentences
("Action Type: DualPoint, Touch Point: (0.5, 0.2), ..."). The data was not at hand: this was tried on rows of our own
making alone.
"""

import math
import re
from collections import Counter
from pathlib import Path

import msgspec

from daemon.history.trajectory.files import MAX_STEPS, MAX_TEXT, MAX_TRAJECTORIES, FilePictures, picture_name
from daemon.history.trajectory.trajectory import API, Step, StepAction, Trajectory, TrajectorySet, Verb
from lab.trajectories.rows import decode_row, raw_rows
from storage.errors import BadFile
from storage.files import list_entries

LAYOUT = "android-bench"
LOG, IMAGES, EVALS = "trajectory_log.json", "images", "evals"
APP, AGENT = "phone", "agent"
TAP_SHARE = 0.05
"""Touch and lift that are no farther apart, in fractions of the screen, are a tap (the authors' code)."""

_OUTCOMES = {"success": True, "failure": False}
_BROKEN = "emulator error"
_MOST_FILES = 1_000
_KIND = re.compile(r"Action Type: (\w+)")
_POINTS = re.compile(r"(Touch|Lift) Point: \((-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)\)")
_TEXT = re.compile(r"Typed Text: (.*)", re.DOTALL)
_KEYS = {"goback": "back", "gohome": "home", "enter": "enter"}
_ENDS = {"taskcomplete": "complete", "taskimpossible": "impossible"}
_WAYS = ("up", "down", "left", "right")


class _Other(msgspec.Struct):
    action: str = ""


class _Step(msgspec.Struct):
    img: str
    other: _Other = msgspec.field(default_factory=_Other)


class _Row(msgspec.Struct):
    uid: str
    intent: str | None
    steps: list[_Step]


class _Verdict(msgspec.Struct):
    task_uid: str
    annotation: str = ""


_ROW, _VERDICT = msgspec.json.Decoder(_Row), msgspec.json.Decoder(_Verdict)


def load(path: Path) -> TrajectorySet:
    """Return the trajectories of a policy's folder, or of its log.

    Raises:
        BadFile: there are none, or a row does not fit; says which.
    """
    root = path if path.is_dir() else path.parent
    verdicts = _verdicts(root)
    left_out: Counter[str] = Counter()
    found: dict[str, Trajectory] = {}
    for where, raw in raw_rows(root / LOG):
        row = decode_row(_ROW, raw, where, "a trajectory of AndroidBench")
        key = f"{root.name}/{row.uid}"[:MAX_TEXT]
        if key in found or len(found) == MAX_TRAJECTORIES or len(row.steps) > MAX_STEPS:
            raise BadFile(f"{where} was there before, or is one too many", remedy="name a part of it")
        said = verdicts.get(row.uid, "")
        if said == _BROKEN:
            left_out["trajectories in which the emulator failed"] += 1
            continue
        if not row.steps:
            left_out["trajectories without an act"] += 1
            continue
        left_out["outcomes of which the annotator was unsure"] += bool(said) and said not in _OUTCOMES
        found[key] = _trajectory(key, where, row, _OUTCOMES.get(said))
    if not found:
        raise BadFile(f"{path} holds no trajectory of AndroidBench")
    pictures = FilePictures(root, (IMAGES,))
    return TrajectorySet(layout=LAYOUT, trajectories=tuple(found.values()), pictures=pictures, left_out=dict(+left_out))


def _verdicts(root: Path) -> dict[str, str]:
    """Return the first verdict of each trajectory."""
    found: dict[str, str] = {}
    if (root / EVALS).is_dir():
        for file in list_entries(root / EVALS, most=_MOST_FILES):
            if file.suffix == ".jsonl":
                for where, raw in raw_rows(file):
                    verdict = decode_row(_VERDICT, raw, where, "a verdict of AndroidBench")
                    found.setdefault(verdict.task_uid, verdict.annotation.strip().casefold())
    return found


def _trajectory(key: str, where: str, row: _Row, outcome: bool | None) -> Trajectory:
    pictures = [picture_name(where, step.img) for step in row.steps]
    steps = [
        Step(
            number=number,
            at_s=0.0,
            app=APP,
            action=_action(step.other.action),
            before=pictures[number - 1],
            after=pictures[number] if number < len(pictures) else None,
        )
        for number, step in enumerate(row.steps, start=1)
    ]
    return Trajectory(
        key=key,
        source=LAYOUT,
        whose=AGENT,
        app=APP,
        goal=(row.intent or "")[:MAX_TEXT] or None,
        steps=tuple(steps),
        outcome=outcome,
        last_picture=pictures[-1],
    )


def _action(text: str) -> StepAction:
    kind = found[1].casefold() if (found := _KIND.search(text)) else ""
    points = {name: (float(x), float(y)) for name, x, y in _POINTS.findall(text)}
    if kind == "dualpoint" and len(points) == 2:  # noqa: PLR2004  # where it was touched, and let go
        (x, y), (to_x, to_y) = points["Touch"], points["Lift"]
        args: dict[str, str | int | float] = {"x_share": x, "y_share": y}
        if math.dist(points["Touch"], points["Lift"]) <= TAP_SHARE:
            return StepAction(verb=Verb.CLICK, args=args)
        return StepAction(verb=Verb.DRAG, args=args | {"to_x_share": to_x, "to_y_share": to_y})
    if kind == "type":
        typed = found[1].strip().strip("'\"") if (found := _TEXT.search(text)) else ""
        return StepAction(verb=Verb.TYPE, args={"text": typed[:MAX_TEXT]})
    if kind in _KEYS:
        return StepAction(verb=Verb.KEY, args={"key": _KEYS[kind]})
    if kind in _ENDS:
        return StepAction(verb=Verb.FINISH, args={"text": _ENDS[kind]})
    if kind in _WAYS:
        return StepAction(verb=Verb.SCROLL, args={"way": kind})
    return StepAction(verb=Verb.WAIT) if kind in ("", "idle") else StepAction(verb=f"{API}{kind[:40]}")
