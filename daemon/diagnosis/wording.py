"""What reports of a diagnosis say in words; the same on the terminal and on the page. Texts are plain, not escaped."""

from collections.abc import Iterator, Mapping

from daemon.diagnosis.episodes import Ending, Place, PlaceKind, ShortStep
from daemon.diagnosis.summary import FEW, RECURS_DAYS, RECURS_TIMES, Diagnosis, Spot, StuckPlace
from daemon.history.program_names import named
from detectors.need_threshold import FALSE_SHARE
from storage.messages import EVIDENCE
from storage.plain_text import format_count, format_duration, format_percent, format_times, printable

TITLE = "Where you get stuck"
FILES_TITLE = "How the work went"
"""Of a page about files of trajectories alone: nobody at this desk was stuck there."""

GOALS_TITLE = "What this session was for, as a model guessed from its steps:"
TOO_FEW = "too few to tell"
NOWHERE = f"Nothing has come back yet: no sign at one place {RECURS_TIMES} times on {RECURS_DAYS} days."
NOT_WHY = "After is an order in time: it is not known whether what came last is what helped."

_LEAST_SHOWN = 0.01
_FOUND, _FALSE_LOW, _FALSE_HIGH = 0.51, 0.04, 0.06
"""Of the shipped model on held-out simulated sessions (detectors/models/HELD_OUT.md), at its thresholds."""

ENDINGS: Mapping[Ending, str] = {
    Ending.OFFER_ACCEPTED: "an offer that you accepted",
    Ending.HELP_SOUGHT: "help that you looked for",
    Ending.WORK_WENT_ON: "work that went on",
    Ending.LEFT: "leaving for 5 minutes or more",
    Ending.STOPPED: "a pause, or the end of watching",
}

SHORT_ENDINGS: Mapping[Ending, str] = {
    Ending.OFFER_ACCEPTED: "offer accepted",
    Ending.HELP_SOUGHT: "help sought",
    Ending.WORK_WENT_ON: "work went on",
    Ending.LEFT: "left for long",
    Ending.STOPPED: "watching ended",
}

_VERBS = {
    "click": "clicked",
    "double_click": "double-clicked",
    "right_click": "right-clicked",
    "drag": "dragged",
    "scroll": "scrolled",
    "type": "typed",
    "key": "pressed",
    "select": "selected",
    "switch_app": "went to",
    "wait": "waited",
}


def program_name(app: str) -> str:
    """Return an application as reports name it."""
    return named(app) or "an unknown program"


def evidence_label(code: str) -> str:
    """Return what an evidence code stands for; an unknown code as it is."""
    known = EVIDENCE.get(code)
    return printable(code) if known is None else known.label


def place_name(place: Place | None) -> str:
    """Return a place by its name; empty where the log has none."""
    if place is None or not place.name:
        return ""
    role = "dialog" if place.kind is PlaceKind.DIALOG else printable(place.role).replace("_", " ") or "control"
    return f"the {role} “{printable(place.name)}”"


def where(app: str, place: Place | None) -> str:
    """Return program and place."""
    name = place_name(place)
    return f"{program_name(app)}, {name}" if name else program_name(app)


def how_often(one: Spot | StuckPlace) -> str:
    """Return how often somebody was stuck at a place."""
    return "once" if one.times == 1 else f"{format_times(one.times)} on {format_count(one.days, 'day')}"


def signs_text(signs: Mapping[str, int], most: int = 4) -> str:
    """Return what was seen, the most frequent first; of one sign alone its count is known already."""
    counts = {code: f" ({count})" if len(signs) > 1 else "" for code, count in signs.items()}
    shown = [f"{evidence_label(code).lower()}{count}" for code, count in counts.items()][:most]
    return ", ".join(shown) + (" and more" if len(signs) > most else "")


def small_percent(share: float) -> str:
    """Return a share as a percentage, which is not nothing unless the share is."""
    return "under 1 %" if 0.0 < share < _LEAST_SHOWN else format_percent(share)


def spot_endings(spot: Spot) -> str:
    """Return after what the episodes of a spot ended."""
    counts = [(count, SHORT_ENDINGS[Ending(ending)]) for ending, count in spot.endings.items()]
    listed = ", ".join(f"{text} ({count})" for count, text in sorted(counts, key=lambda one: -one[0]))
    return f"then: {listed}" + (f"; {TOO_FEW}" if spot.times < FEW else "")


def length(seconds: float) -> str:
    """Return how long an episode was."""
    return format_duration(seconds) if seconds else "one moment"


def headline(found: Diagnosis) -> str:
    """Return the whole in a sentence or two."""
    if not found.sessions:
        return "There are no sessions to look at. Kairos records them while it runs; see: kairos sessions list"
    rests = (
        f"{format_duration(found.input_s)} of input, in {format_count(found.sessions, 'session')} on "
        f"{format_count(found.days, 'day')}"
    )
    if found.simulated:
        rests += f" ({found.simulated} of them simulated: nobody worked there)"
    if not found.episodes:
        return f"No episode of likely trouble in {rests}."
    text = f"{format_count(len(found.episodes), 'episode')} of likely trouble in {rests}."
    first = found.places[0]
    if first.times > 1:
        text += f" Most often: {where(first.app, first.place)}, {how_often(first)} ({signs_text(first.signs, most=2)})."
    return text


def step_text(step: ShortStep) -> str:
    """Return one step; text that was typed is in no log."""
    verb = _VERBS.get(step.verb, printable(step.verb))
    name = f"“{printable(step.name)}”" if step.name else ""
    target = " ".join(part for part in ("the", printable(step.role).replace("_", " "), name) if part)
    at = f" {target}" if step.role or name else ""
    match step.verb:
        case "type":
            return f"{verb} {format_count(step.count, 'character')}" + (f" in{at}" if at else "")
        case "key":
            times = f", {format_times(step.count)}" if step.count > 1 else ""
            return f"{verb} {printable(step.detail).replace('_', ' ')}{times}" + (f" at{at}" if at else "")
        case "scroll":
            return f"{verb} {printable(step.detail)}"
        case "switch_app":
            return f"{verb} {program_name(step.detail)}"
        case "wait":
            return f"{verb} {printable(step.detail)} s"
        case _:
            return f"{verb}{at}"


def limits(found: Diagnosis) -> Iterator[str]:
    """Yield what a diagnosis rests on and what it cannot know, a sentence or two each."""
    yield (
        f"It rests on {format_duration(found.input_s)} of input and {format_count(found.windows, 'judged window')}. "
        "Time with input runs from one key, click or move of the pointer to the next, at most a window (24 s)."
    )
    if not found.windows:
        yield "No window was judged in these sessions, so nothing could be found in them."
    if found.shipped:
        yield (
            "Kairos misses most need, and sees some that is none. On simulated people it found "
            f"{format_percent(_FOUND)} of the windows in which help was needed, and took {100 * _FALSE_LOW:.0f} to "
            f"{format_percent(_FALSE_HIGH)} of the others for trouble; of those here {format_percent(FALSE_SHARE)} "
            f"would be {found.windows * FALSE_SHARE:.0f}. A single episode says little, what comes back says more."
        )
    if found.shipped < found.sessions:
        yield (
            f"In {format_count(found.sessions - found.shipped, 'session')} need counted from one half on, since the "
            "detector at work there comes with no threshold of its own. Most need is missed by it, too."
        )
    nameless = found.sessions - found.recordings
    if nameless:
        yield (
            f"{format_count(nameless, 'session')} {'has' if nameless == 1 else 'have'} the journal alone, without any "
            "name. Episodes there are joined by program and sign, not by place."
        )
    if found.controls < found.sessions:
        yield (
            f"In {format_count(found.sessions - found.controls, 'session')} no control was understood, so no place "
            "is named."
        )
    yield (
        "Why somebody was stuck is not known, nor what was done in excluded programs, in private time and in pauses. "
        "An episode lasts from its first estimate to its last, which leaves out how long it took until the first."
    )
    yield "Intervals hold 95 %; those of rates take episodes as if one did not bring on the next."
