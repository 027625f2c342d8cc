"""What the tray shows: icon, tool tip and menu, from the status alone.

Where there is no tray a small window shows the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum, auto

from storage.ports import RunState, Status, StudyProgress
from storage.translation import tr, translatable
from ui.views.forget import LAST_MINUTES
from ui.views.notice import view_problem
from ui.views.study import HOLD, LEAVE, LOOK, RESUME, REVOKE, REVOKE_IN_STUDY, study_line, task_line
from ui.views.text import weekday_clock


class Glyph(Enum):
    """The tray icon's shapes: told apart by form, not only by colour."""

    DOT = auto()
    HOLLOW = auto()
    BARS = auto()
    CLOSED = auto()
    BANG = auto()
    NO_MODEL = auto()


class Action(Enum):
    """What a click in the tray menu asks for."""

    NONE = auto()
    ASK = auto()
    SEEN = auto()
    SETTINGS = auto()
    PAUSE_SHORT = auto()
    PAUSE_LONG = auto()
    PAUSE_TOMORROW = auto()
    PAUSE_OPEN = auto()
    RESUME = auto()
    PRIVATE = auto()
    FORGET = auto()
    STUDY_TASK = auto()
    STUDY_LOOK = auto()
    STUDY_HOLD = auto()
    STUDY_LEAVE = auto()
    REVOKE = auto()
    QUIT = auto()


PAUSE_S: Mapping[Action, float | None] = {Action.PAUSE_SHORT: 900.0, Action.PAUSE_LONG: 3600.0, Action.PAUSE_OPEN: None}
"""How long each way to pause lasts; None is until the person resumes. That until tomorrow depends on when."""

ASKING = (RunState.WATCHING, RunState.PROBLEM)
"""States in which somebody can ask."""

ASKED_FOR = (RunState.PAUSED, RunState.PRIVATE)
"""States that the person asked for, and ends."""

TOMORROW = time(6)
"""When a pause until tomorrow ends: before most people begin, and after those who work late have stopped."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the tray menu; `checked` is None for a line without a tick. `Action.NONE` without text separates.

    A line that is not visible keeps its place: the menu's lines are made once.
    """

    action: Action
    text: str = ""
    enabled: bool = True
    checked: bool | None = None
    visible: bool = True


@dataclass(frozen=True, slots=True)
class TrayView:
    """What the tray shows; `recording` and an open `microphone` each add a mark to the icon."""

    glyph: Glyph
    recording: bool
    microphone: bool
    tooltip: str
    entries: tuple[Entry, ...]


END_PAUSE = translatable("Resume")
_SEPARATOR = Entry(Action.NONE)

_STATES: Mapping[RunState, tuple[Glyph, str]] = {
    RunState.STARTING: (Glyph.HOLLOW, translatable("Starting")),
    RunState.WATCHING: (Glyph.DOT, translatable("Watching")),
    RunState.PAUSED: (Glyph.BARS, translatable("Paused")),
    RunState.PRIVATE: (Glyph.CLOSED, translatable("Private until you resume")),
    RunState.EXCLUDED: (Glyph.CLOSED, translatable("An excluded window is open: it is not watched")),
    RunState.PROBLEM: (Glyph.BANG, translatable("Something is wrong")),
    RunState.STOPPED: (Glyph.HOLLOW, translatable("Stopped")),
}


def view_tray(status: Status, paused_until: datetime | None = None, silent_until: datetime | None = None) -> TrayView:
    """Say what the tray shows; the two times are those of `status` in the person's time zone.

    A problem comes before everything but what the person asked for: whether Kairos is paused must stay visible.
    """
    glyph, state = _STATES[status.state]
    line = tr(state)
    if status.state is RunState.PAUSED:
        line = tr("Paused until you resume")
        if paused_until is not None:
            line = tr("Paused until {time}", time=f"{paused_until:%H:%M}")
    if status.state is RunState.WATCHING and status.recording:
        line = tr("Watching and recording")
    if status.state is RunState.WATCHING and silent_until is not None:
        line = tr("{state}; no offers until {time}", state=line, time=weekday_clock(silent_until, short=True))
    if status.state is RunState.WATCHING and status.model_off:
        glyph, line = Glyph.NO_MODEL, tr("{state}; a model cannot be asked now", state=line)
    asked_for = status.state in ASKED_FOR
    if status.problem is not None and not asked_for:
        glyph, line = Glyph.BANG, view_problem(status.problem).title
    if status.microphone:
        line = tr("{state}; the microphone is open", state=line)
    live = status.state not in (RunState.STARTING, RunState.STOPPED)
    entries = (
        Entry(
            Action.SEEN, line, enabled=live
        ),  # what Kairos is doing; a line that nobody can click is too pale to read
        _SEPARATOR,
        Entry(Action.ASK, tr("Ask…"), enabled=status.state in ASKING),
        Entry(Action.SEEN, tr("What Kairos saw"), enabled=live),
        Entry(Action.SETTINGS, tr("Settings"), enabled=live),
        _SEPARATOR,
        Entry(Action.PAUSE_SHORT, tr("Pause for 15 minutes"), enabled=live),
        Entry(Action.PAUSE_LONG, tr("Pause for 1 hour"), enabled=live),
        Entry(Action.PAUSE_TOMORROW, tr("Pause until tomorrow, {time}", time=f"{TOMORROW:%H:%M}"), enabled=live),
        Entry(Action.PAUSE_OPEN, tr("Pause until I resume"), enabled=live),
        Entry(Action.RESUME, tr(END_PAUSE), enabled=asked_for),
        _SEPARATOR,
        Entry(Action.PRIVATE, tr("Private now"), enabled=live, checked=status.state is RunState.PRIVATE),
        Entry(Action.FORGET, tr("Forget the last {minutes:minute|minutes}…", minutes=LAST_MINUTES), enabled=live),
        *_study_entries(status.study, live=live),
        _SEPARATOR,
        Entry(Action.REVOKE, tr(REVOKE_IN_STUDY) if status.study is not None else tr(REVOKE), enabled=live),
        Entry(Action.QUIT, tr("Quit Kairos"), enabled=status.state is not RunState.STOPPED),
    )
    recording = status.recording and glyph in (Glyph.DOT, Glyph.NO_MODEL)
    return TrayView(glyph, recording, status.microphone, f"Kairos: {line}", entries)


def until_tomorrow_s(now: datetime) -> float:
    """Return the seconds until the next day begins for this person, by their own time."""
    morning = datetime.combine(now.date() + timedelta(days=1), TOMORROW).astimezone()
    return (morning - now).total_seconds()


def _study_entries(study: StudyProgress | None, *, live: bool) -> tuple[Entry, ...]:
    """Return the lines about the study; invisible for somebody who takes part in none."""
    there = study is not None
    task = study.task if study is not None else None
    return (
        Entry(Action.NONE, visible=there),
        Entry(Action.STUDY_LOOK, study_line(study) if study is not None else tr("Study"), enabled=live, visible=there),
        Entry(Action.STUDY_TASK, task_line(task), enabled=live, visible=task is not None),
        Entry(Action.STUDY_LOOK, tr(LOOK), enabled=live, visible=there),
        Entry(
            Action.STUDY_HOLD,
            tr(RESUME) if study is not None and study.held else tr(HOLD),
            enabled=live,
            visible=there,
        ),
        Entry(Action.STUDY_LEAVE, tr(LEAVE), enabled=live, visible=there),
    )
