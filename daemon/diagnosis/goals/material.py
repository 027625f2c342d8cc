"""What a question shows of a trajectory: its steps in words and pictures with the act of each step drawn in.

What an agent wrote down as its thought is left out: it would name the goal. Long trajectories are shown in part, which
the words say. Text that comes from files and screens is reduced to one line each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.diagnosis.goals import wording
from daemon.history.trajectory.pictures.decoding import as_jpegs
from daemon.history.trajectory.pictures.marks import mark_step
from daemon.history.trajectory.trajectory import API, Step, Target, Trajectory, TrajectorySet, Verb
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import Pictures, QueryPicture
from storage.errors import BadFile

MAX_STEPS = 300
"""Of a longer trajectory the first and the last half of so many are shown."""

MAX_PICTURES = 50
"""Of more the first and the last stay, others evenly."""

_FIXED_TOKENS, _STEP_TOKENS = 2000, 60

NAME_LIMIT = 80
TEXT_LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A trajectory as questions show it; `number` counts its steps, shown or not."""

    key: str
    steps: tuple[str, ...]
    number: int
    pictures: tuple[QueryPicture, ...] = ()
    captions: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The steps as lines, and what the pictures show."""
        shown = [wording.PICTURES_SHOWN] if self.pictures else [wording.NO_PICTURES]
        if self.captions and self.captions[-1] == wording.CAPTION_END:
            shown.append(wording.END_SHOWN)
        return "\n".join((*shown, "", wording.STEPS, *(self.steps or (wording.NO_STEPS,))))


def material_of(whole: TrajectorySet, trajectory: Trajectory, *, skip_lost: bool = False) -> Material:
    """Return what questions show of a trajectory.

    Args:
        whole: the set that the trajectory is in.
        trajectory: one with or without pictures.
        skip_lost: whether a picture that cannot be read is left out, as of a recording that was cut off.

    Raises:
        BadFile: a picture is missing, no PNG or JPEG, or too large.
    """
    lines = _lines(trajectory.steps)
    if skip_lost:
        return _without_lost(whole, trajectory, lines)
    shown = chosen_steps(trajectory)
    end = _end_of(trajectory, shown)
    raws = as_jpegs(
        [whole.pictures.read(step.before or "") for step in shown] + ([whole.pictures.read(end)] if end else [])
    )
    cache = Pictures(size=MAX_PICTURES + 1)
    marked = [
        mark_step(raw, one, area=whole.areas.get(one.before or ""), whole_page=whole.whole_pages)
        for raw, one in zip(raws, shown, strict=False)
    ]
    return Material(
        key=trajectory.key,
        steps=lines,
        number=len(trajectory.steps),
        pictures=tuple(cache.picture_of(raw) for raw in (*marked, *raws[len(shown) :])),
        captions=(
            *(wording.CAPTION.format(number=step.number) for step in shown),
            *([wording.CAPTION_END] if end else []),
        ),
    )


def _without_lost(whole: TrajectorySet, trajectory: Trajectory, lines: tuple[str, ...]) -> Material:
    cache = Pictures(size=MAX_PICTURES)
    found: list[tuple[str, QueryPicture]] = []
    for step in chosen_steps(trajectory):
        try:
            raw = mark_step(
                whole.pictures.read(step.before or ""),
                step,
                area=whole.areas.get(step.before or ""),
                whole_page=whole.whole_pages,
            )
        except BadFile:
            continue
        found.append((wording.CAPTION.format(number=step.number), cache.picture_of(raw)))
    return Material(
        key=trajectory.key,
        steps=lines,
        number=len(trajectory.steps),
        pictures=tuple(picture for _, picture in found),
        captions=tuple(caption for caption, _ in found),
    )


def chosen_steps(trajectory: Trajectory, most: int = MAX_PICTURES) -> list[Step]:
    """Return the steps whose pictures are shown: all that have one, or the first, the last, and others evenly."""
    found = [step for step in trajectory.steps if step.before is not None]
    if len(found) <= most:
        return found
    return [found[round(place * (len(found) - 1) / (most - 1))] for place in range(most)]


def picture_count(trajectory: Trajectory) -> int:
    """Return how many pictures a question about a trajectory holds at most."""
    shown = chosen_steps(trajectory)
    return len(shown) + (_end_of(trajectory, shown) is not None)


def text_tokens(trajectories: Sequence[Trajectory]) -> int:
    """Return how many tokens the words of a question about one of these hold at most; rather too high."""
    longest = max((len(trajectory.steps) for trajectory in trajectories), default=0)
    return _FIXED_TOKENS + _STEP_TOKENS * min(longest, MAX_STEPS)


def _end_of(trajectory: Trajectory, shown: Sequence[Step]) -> str | None:
    """Return the picture of how it ended, where that is none of the others."""
    return trajectory.last_picture if shown and trajectory.last_picture != shown[-1].before else None


def quoted(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return words from a file or screen as one line in quotation marks, which none of them can close."""
    return wording.QUOTED.format(text=one_line(text, limit).replace('"', "'"))


def step_text(step: Step) -> str:
    """Return one step in words."""
    verb = "api" if step.action.verb.startswith(API) else step.action.verb
    target = _target_text(step.target)
    args = step.action.args
    return (
        wording.ACTS[verb]
        .format(
            on=wording.ON.format(target=target) if target else "",
            into=wording.INTO.format(target=target) if target else "",
            in_=wording.IN.format(target=target) if target else "",
            way=str(args.get("way", ""))[:TEXT_LIMIT],
            what=_what(verb, args),
            app=one_line(step.app, NAME_LIMIT) or wording.SOMETHING,
            seconds=wording.SECONDS.format(seconds=args["seconds"]) if "seconds" in args else "",
            with_=wording.WITH.format(what=quoted(str(args["text"]))) if args.get("text") else "",
            name=step.action.verb.removeprefix(API),
        )
        .replace("  ", " ")
        .strip()
    )


def _what(verb: str, args: Mapping[str, str | int | float]) -> str:
    """Return what was typed, pressed or chosen; of a person's typing no more than how much."""
    field = {"type": "text", "key": "key", "select": "value"}.get(verb, "")
    given = args.get(field)
    if verb == Verb.TYPE and given is None:
        count = args.get("count")
        return wording.SOME_TEXT if count is None else wording.CHARACTERS.format(count=count)
    text = (
        one_line(str(given or wording.SOMETHING), NAME_LIMIT).replace("_", " ")
        if verb == Verb.KEY
        else quoted(str(given or ""))
    )
    count = args.get("count")
    return text if count in (None, 1) else wording.TIMES.format(what=text, count=count)


def _target_text(target: Target | None) -> str:
    if target is None or not (target.name or target.role):
        return ""
    role = one_line((target.role or wording.CONTROL).replace("_", " "), NAME_LIMIT)
    if not target.name:
        return wording.TARGET_ROLE.format(role=role)
    return wording.TARGET_NAMED.format(role=role, name=one_line(target.name, NAME_LIMIT).replace('"', "'"))


def _lines(steps: Sequence[Step]) -> tuple[str, ...]:
    lines = [wording.STEP.format(number=step.number, text=step_text(step)) for step in steps]
    if len(lines) <= MAX_STEPS:
        return tuple(lines)
    half = MAX_STEPS // 2
    return (*lines[:half], wording.SKIPPED.format(count=len(lines) - 2 * half), *lines[-half:])
