"""Loads AitZ (Android in the Zoo): people's episodes on a phone, one row a step, points in fractions of the screen.

Fields read: `episode_id step_id instruction image_path result_action_type result_action_text result_touch_yx
result_lift_yx`. Rows that say "task complete" are dropped, as they confused models (Identifying User Goals, B.4); their
picture is that of the end. The data was not at hand: this was tried on rows of our own making alone.
"""

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path, PurePosixPath

import msgspec

from daemon.history.trajectory.files import MAX_STEPS, MAX_TEXT, MAX_TRAJECTORIES, FilePictures, files_of, picture_name
from daemon.history.trajectory.trajectory import Step, StepAction, Trajectory, TrajectorySet, Verb
from lab.trajectories.rows import decode_inside, decode_row, raw_rows
from storage.errors import BadFile

LAYOUT = "aitz"
TAP_SHARE = 0.04
"""Touch and lift that are no farther apart, in fractions of the screen, are a tap (Android in the Wild, its code)."""

PERSON = "person"
APP = "phone"
PARTS = ("train", "test")
DOMAINS = ("general", "google_apps", "install", "web_shopping", "single")

_TYPES: dict[int | str, str] = {
    3: "type",
    4: "point",
    5: "back",
    6: "home",
    7: "enter",
    10: "complete",
    11: "impossible",
}
_NAMES = {
    "type": "type",
    "dual_point": "point",
    "press_back": "back",
    "press_home": "home",
    "press_enter": "enter",
    "status_task_complete": "complete",
    "task_complete": "complete",
    "status_task_impossible": "impossible",
    "task_impossible": "impossible",
}
_POINT = 2
_OFF = 0.05


class _Row(msgspec.Struct):
    episode_id: str | int
    step_id: int
    instruction: str
    result_action_type: int | str
    image_path: str | None = None
    result_action_text: str | None = None
    result_touch_yx: str | list[float] | None = None
    result_lift_yx: str | list[float] | None = None


_DECODER = msgspec.json.Decoder(_Row)


def load(path: Path) -> TrajectorySet:
    """Return the episodes in a file or below a folder.

    Raises:
        BadFile: there are none, or a row does not fit; says which.
    """
    root, files = files_of(path, (".json", ".jsonl"))
    episodes: dict[str, list[tuple[str, _Row]]] = {}
    for file in files:
        for where, raw in raw_rows(file):
            row = decode_row(_DECODER, raw, where, "a step of AitZ")
            steps = episodes.setdefault(str(row.episode_id)[:MAX_TEXT], [])
            steps.append((where, row))
            if len(episodes) > MAX_TRAJECTORIES or len(steps) > MAX_STEPS:
                raise BadFile(f"{path} holds too many episodes or steps", remedy="name a part of it")
    left_out: Counter[str] = Counter()
    trajectories, domains = [], {}
    for key, rows in episodes.items():
        found = _trajectory(key, sorted(rows, key=lambda one: one[1].step_id), left_out)
        if found is None:
            left_out["episodes without an act"] += 1
            continue
        trajectories.append(found)
        if domain := _domain(rows[0][1].image_path):
            domains[key] = domain
    if not trajectories:
        raise BadFile(f"{path} holds no episode of AitZ")
    return TrajectorySet(
        layout=LAYOUT,
        trajectories=tuple(trajectories),
        pictures=FilePictures(root, _places(root)),
        domains=domains,
        left_out=dict(left_out),
    )


def _places(root: Path) -> tuple[str, ...]:
    """Return where the names of pictures may begin: in the folder itself, or in a part such as `train`."""
    return (*(part for part in PARTS if (root / part).is_dir()), "")


def _trajectory(key: str, rows: list[tuple[str, _Row]], left_out: Counter[str]) -> Trajectory | None:
    for (_, first), (where, second) in pairwise(rows):
        if first.step_id == second.step_id or first.instruction != second.instruction:
            raise BadFile(f"{where} does not fit the rest of its episode")
    pictures = [None if row.image_path is None else picture_name(where, row.image_path) for where, row in rows]
    steps: list[Step] = []
    last = pictures[-1]
    for place, (where, row) in enumerate(rows):
        kind = _kind(where, row.result_action_type)
        if kind == "complete":
            left_out["rows that say that the task is complete"] += 1
            continue
        steps.append(
            Step(
                number=len(steps) + 1,
                at_s=0.0,
                app=APP,
                action=_action(where, kind, row),
                before=pictures[place],
                after=pictures[place + 1] if place + 1 < len(rows) else None,
            )
        )
    if not steps:
        return None
    return Trajectory(
        key=key,
        source=LAYOUT,
        whose=PERSON,
        app=APP,
        goal=rows[0][1].instruction[:MAX_TEXT] or None,
        steps=tuple(steps),
        last_picture=last,
    )


def _kind(where: str, given: int | str) -> str:
    text = str(given).strip().casefold().replace(" ", "_")
    kind = _TYPES.get(int(text)) if text.isdecimal() and len(text) < 4 else _NAMES.get(text)  # noqa: PLR2004  # digits
    if kind is None:
        raise BadFile(f"{where} has a kind of act that is not known")
    return kind


def _action(where: str, kind: str, row: _Row) -> StepAction:
    match kind:
        case "type":
            return StepAction(verb=Verb.TYPE, args={"text": (row.result_action_text or "")[:MAX_TEXT]})
        case "impossible":
            return StepAction(verb=Verb.FINISH, args={"text": "impossible"})
        case "point":
            touch, lift = _point(where, row.result_touch_yx), _point(where, row.result_lift_yx)
            args: dict[str, str | int | float] = {"x_share": touch[1], "y_share": touch[0]}
            if math.dist(touch, lift) <= TAP_SHARE:
                return StepAction(verb=Verb.CLICK, args=args)
            return StepAction(verb=Verb.DRAG, args=args | {"to_x_share": lift[1], "to_y_share": lift[0]})
        case _:
            return StepAction(verb=Verb.KEY, args={"key": kind})


def _point(where: str, given: str | list[float] | None) -> tuple[float, float]:
    """Return down and across, each from 0 to 1; what was touched just off the screen is moved to its edge.

    Raises:
        BadFile: it is no point.
    """
    values = decode_inside(given, list[float], where, "point") if isinstance(given, str) else given
    if values is None or len(values) != _POINT or not all(-_OFF <= number <= 1.0 + _OFF for number in values):
        raise BadFile(f"{where} has a point that is not on the screen")
    down, across = (min(1.0, max(0.0, value)) for value in values)
    return down, across


def _domain(picture: str | None) -> str | None:
    parts = [part.casefold() for part in PurePosixPath(picture or "").parts]
    return next((part for part in parts if part in DOMAINS), None)
