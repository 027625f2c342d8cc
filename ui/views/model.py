"""What the interface shows, worked out without Qt: tray, card and notices.

Everything here is a pure function, so that wording, order and what can be clicked are tested without a screen. Help
written by a model is hostile until shown otherwise: it is cut to a length, stripped of control and direction
characters, and marked as a model's.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto

from storage.messages import EVIDENCE, PROBLEMS, EvidenceWords
from storage.ports import FirstDay, RunState, Status
from storage.records import FeedbackKind, Offer

NO_TRAY = "no_tray"
"""Problem code of the interface's own: no panel shows tray icons."""

FIRST_DAY = "first_day"
"""Code of the notice that sums the quiet first day up."""

MODEL_TEXT_LIMIT = 480
"""Characters of a model's text that the card shows: about nine lines."""

BY_MODEL = "Written by a language model. It may be wrong."


class Glyph(Enum):
    """The tray icon's shapes: told apart by form, not only by colour."""

    DOT = auto()
    HOLLOW = auto()
    BARS = auto()
    SHUT = auto()
    BANG = auto()


class Action(Enum):
    """What a click in the tray menu asks for."""

    NONE = auto()
    PAUSE_SHORT = auto()
    PAUSE_LONG = auto()
    PAUSE_OPEN = auto()
    RESUME = auto()
    PRIVATE = auto()
    REVOKE = auto()
    QUIT = auto()


PAUSE_S: Mapping[Action, float | None] = {Action.PAUSE_SHORT: 900.0, Action.PAUSE_LONG: 3600.0, Action.PAUSE_OPEN: None}
"""How long each way to pause lasts; None is until the person resumes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the tray menu; `checked` is None for a line without a tick. `Action.NONE` without text separates."""

    action: Action
    text: str = ""
    enabled: bool = True
    checked: bool | None = None


@dataclass(frozen=True, slots=True)
class TrayView:
    """What the tray shows; `recording` adds a mark to the icon."""

    glyph: Glyph
    recording: bool
    tooltip: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Button:
    """A button of the card and the answer it stands for."""

    kind: FeedbackKind
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class CardView:
    """What the card says about an offer; `note` is who wrote the advice if it was not us."""

    offer_id: str
    title: str
    reason: str
    advice: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class NoticeView:
    """What happened and what to do about it."""

    title: str
    text: str


ACCEPT = Button(FeedbackKind.ACCEPTED, "Show me")
DISMISS = Button(FeedbackKind.DISMISSED, "Not now", "Not about this for a while")
MORE: tuple[tuple[Button, ...], ...] = (
    (
        Button(FeedbackKind.TOO_EARLY, "Too early", "I would have managed on my own"),
        Button(FeedbackKind.TOO_LATE, "Too late", "I needed this before"),
        Button(FeedbackKind.WRONG, "Wrong", "This is not what I am doing"),
    ),
    (
        Button(FeedbackKind.SNOOZED, "Snooze", "No offers at all for a while"),
        Button(
            FeedbackKind.MUTED,
            "Don't offer this again",
            "Never about this again, anywhere. To undo: kairos why --learned says how",
        ),
    ),
)
"""The rows behind the "more" button."""

FIRST_DAY_TITLE = "The quiet first day is over"
FIRST_DAY_LINES = 6
"""Offers that the summary of the first day names one by one."""

_UNKNOWN = EvidenceWords(
    "Need a hand?",
    "It looks as if this is not going the way you want.",
    "Go back to the last point that was right, change one thing, and look at what it does before the next.",
)
"""For a topic that our table does not know: a detector from elsewhere."""

_SEPARATOR = Entry(Action.NONE)

_STATES: Mapping[RunState, tuple[Glyph, str]] = {
    RunState.STARTING: (Glyph.HOLLOW, "Starting"),
    RunState.WATCHING: (Glyph.DOT, "Watching"),
    RunState.PAUSED: (Glyph.BARS, "Paused"),
    RunState.PRIVATE: (Glyph.SHUT, "Private: nothing is watched"),
    RunState.EXCLUDED: (Glyph.SHUT, "An excluded window is open: it is not watched"),
    RunState.PROBLEM: (Glyph.BANG, "Something is wrong"),
    RunState.STOPPED: (Glyph.HOLLOW, "Stopped"),
}


def view_tray(status: Status, paused_until: datetime | None = None, silent_until: datetime | None = None) -> TrayView:
    """Say what the tray shows; the two times are those of `status` in the person's time zone.

    A problem comes before everything but what the person asked for: whether Kairos is paused must stay visible.
    """
    glyph, line = _STATES[status.state]
    if status.state is RunState.PAUSED:
        line = "Paused until you resume" if paused_until is None else f"Paused until {paused_until:%H:%M}"
    if status.state is RunState.WATCHING and status.recording:
        line = "Watching and recording"
    if status.state is RunState.WATCHING and silent_until is not None:
        line += f"; no offers until {silent_until:%a %H:%M}"
    asked_for = status.state in (RunState.PAUSED, RunState.PRIVATE)
    if status.problem is not None and not asked_for:
        glyph, line = Glyph.BANG, view_problem(status.problem).title
    live = status.state not in (RunState.STARTING, RunState.STOPPED)
    entries = (
        Entry(Action.NONE, line, enabled=False),
        _SEPARATOR,
        Entry(Action.PAUSE_SHORT, "Pause for 15 minutes", enabled=live),
        Entry(Action.PAUSE_LONG, "Pause for 1 hour", enabled=live),
        Entry(Action.PAUSE_OPEN, "Pause until I resume", enabled=live),
        Entry(Action.RESUME, "Resume", enabled=status.state is RunState.PAUSED),
        _SEPARATOR,
        Entry(Action.PRIVATE, "Private", enabled=live, checked=status.state is RunState.PRIVATE),
        _SEPARATOR,
        Entry(Action.REVOKE, "Take back my consent and quit", enabled=live),
        Entry(Action.QUIT, "Quit Kairos", enabled=status.state is not RunState.STOPPED),
    )
    return TrayView(glyph, status.recording and glyph is Glyph.DOT, f"Kairos: {line}", entries)


def local_time(wall_ns: int | None) -> datetime | None:
    """Turn wall-clock nanoseconds into the person's local time."""
    return None if wall_ns is None else datetime.fromtimestamp(wall_ns / 1e9, tz=UTC).astimezone()


def view_card(offer: Offer) -> CardView:
    """Say what the card shows for an offer, from its evidence code and numbers."""
    words = EVIDENCE.get(offer.topic, _UNKNOWN)
    numbers = next((evidence.numbers for evidence in offer.evidence if evidence.code == offer.topic), {})
    written = plain(offer.help or "", MODEL_TEXT_LIMIT)
    return CardView(
        offer_id=offer.offer_id,
        title=words.title,
        reason=fill(words.reason, numbers),
        advice=written or words.advice,
        note=BY_MODEL if written else "",
    )


def view_problem(code: str) -> NoticeView:
    """Say what a problem code means."""
    title, text = PROBLEMS.get(code, ("Something is wrong", "Run “kairos doctor” in a terminal to see what."))
    return NoticeView(title, text)


def view_first_day(day: FirstDay) -> NoticeView:
    """Sum up what would have been offered on a quiet first day: how often, when and about what."""
    looked = f"Kairos judged {day.decisions} moments"
    after = "From now on offers are shown. Every moment and its reason: kairos why --last 2d"
    count = len(day.offers)
    if not count:
        return NoticeView(FIRST_DAY_TITLE, f"{looked}, and would have offered help at none of them. {after}")
    lines = []
    for offer in day.offers[:FIRST_DAY_LINES]:
        at, words = local_time(offer.wall_ns), EVIDENCE.get(offer.topic, _UNKNOWN)
        lines.append(f"{at:%a %H:%M}  {words.title}")
    if count > FIRST_DAY_LINES:
        lines.append(f"and {count - FIRST_DAY_LINES} more")
    times = {1: "once", 2: "twice"}.get(count, f"{count} times")
    listed = "\n".join(lines)
    return NoticeView(FIRST_DAY_TITLE, f"{looked}. Help would have been offered {times}:\n{listed}\n{after}")


def fill(template: str, numbers: Mapping[str, float]) -> str:
    """Put numbers into a sentence, whole ones without a fraction.

    Raises:
        KeyError: the sentence names a number that the evidence does not carry.
    """
    return template.format_map({name: int(n) if float(n).is_integer() else n for name, n in numbers.items()})


def plain(text: str, limit: int) -> str:
    """Reduce text from outside to plain characters in at most `limit` of them, keeping line breaks."""
    lines = (" ".join(_printable(line).split()) for line in text[: 4 * limit].splitlines())
    kept = "\n".join(line for line in lines if line)
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"


def _printable(line: str) -> str:
    """Drop format characters (direction marks, zero widths) and turn control characters into spaces."""
    kept = (c for c in line if unicodedata.category(c) not in ("Cf", "Cs", "Co", "Cn"))
    return "".join(" " if unicodedata.category(c) == "Cc" else c for c in kept)
