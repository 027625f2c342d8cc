"""The moment of work that a search starts from: what was touched, undone and said lately in the program in use.

Folded from the rows of a session. Words are never held here but for the title in front: they are looked up behind their
digests when a search begins, where they stay for a minute and vanish with a pause.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from daemon.help.context import CAME_BACK, GoalClue, HelpContext
from daemon.help.programs import program_of
from detectors.acts import ProgramInUse, UndoneSteps, stops_observation
from storage.clock import NS_PER_S
from storage.plain_text import quotable
from storage.records import (
    ControlAct,
    ControlRole,
    DialogSeen,
    Estimate,
    EventKind,
    Focus,
    GoalKind,
    InputEvent,
    MessageClass,
    MessageSeen,
    Record,
    State,
)

Lookup = Callable[[str, int], str | None]
"""Returns the words behind a digest at a time; None where they are not in memory."""

LATELY_NS = 60 * NS_PER_S
MAX_ROWS = 200
MAX_NAMES = 12
"""Most names of a kind in one context: the newest."""

MAX_NAME = 32
"""Characters of a name that a goal quotes; a longer one is none."""

APART_NS = NS_PER_S
"""Appearances of a message closer than this are one, as for what an offer names."""

AGAIN = 2
"""Uses of a control from which on it is more than one among others."""

_CUT = "…"

_PLACES = (ControlRole.CELL, ControlRole.TEXT, ControlRole.DOCUMENT, ControlRole.TERMINAL)
"""What is worked on and not with: names such as "A12" say nothing of what somebody wants."""

_MARKED = (ControlRole.ENTRY, ControlRole.TEXT, ControlRole.COMBO_BOX, ControlRole.SPIN_BUTTON)
"""What a program marks as wrong: that has a page of its own."""

_BY_ITSELF = frozenset({"chosen", "toggled"})
"""Acts that programs report too where nobody did anything."""

_TOUCHES = frozenset({EventKind.KEY, EventKind.BUTTON_DOWN})
_WORD = re.compile(r"[^\W_]+")
_TELLING = (MessageClass.ERROR, MessageClass.WARNING, MessageClass.QUESTION)
_Seen = ControlAct | DialogSeen | MessageSeen

_TERMINALS = frozenset(
    {
        *("alacritty", "blackbox", "console", "contour", "cool-retro-term", "deepin-terminal", "eterm"),
        *("foot", "footclient", "ghostty", "gnome-terminal", "gnome-terminal-server", "guake", "hyper"),
        *("kgx", "kitty", "konsole", "lxterminal", "mate-terminal", "mlterm", "ptyxis", "qterminal", "rxvt"),
        *("sakura", "st", "st-256color", "tabby", "terminal", "terminator", "terminology", "tilda", "tilix"),
        *("urxvt", "uxterm", "warp", "wezterm", "wezterm-gui", "xfce4-terminal", "xterm", "yakuake"),
    }
)
"""Programs in which commands are typed: who asks in one means the program that was used before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Undone:
    """A step was undone, by the digest of its label."""

    t_ns: int
    label_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Closed:
    """A dialog of the program was left, by the digest of its title."""

    t_ns: int
    title_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _CameBack:
    """An error or its dialog appeared again after somebody had acted."""

    t_ns: int


_Row = _Seen | _Undone | _Closed | _CameBack


class WorkMoment:
    """Collects rows in log order, and says what a search starts from now. Used in the core's thread."""

    def __init__(self, lookup: Lookup) -> None:
        """Start with nothing seen."""
        self._lookup = lookup
        self._seen: deque[tuple[_Row, str]] = deque(maxlen=MAX_ROWS)
        self._owners: dict[str, str] = {}
        self._undone = UndoneSteps()
        self._program = ProgramInUse()
        self._worked_in = ""
        self._used: dict[str, bool] = {}
        self._title = self._dialog = self._title_digest = ""
        self._estimate: Estimate | None = None
        self._dialog_digest = ""
        self._dialog_ns = self._input_ns = 0

    @property
    def app(self) -> str:
        """The program in use."""
        return self._program.app

    @property
    def app_before_terminal(self) -> str:
        """The program in use, or if that is a terminal the one before it."""
        return self._worked_in or self.app

    def named(self, app: str) -> str:
        """Return the program used last that somebody may mean by a name: "gimp", "calc"; the name where none is."""
        wanted = set(_WORD.findall(program_of(app)))
        used = [name for name in reversed(self._used) if wanted and wanted <= set(_WORD.findall(program_of(name)))]
        return app if app in self._used else next(iter(used), app)

    def clear(self) -> None:
        """Forget everything but the programs: the gate was closed."""
        self._seen.clear()
        self._owners.clear()
        self._undone.forget()
        self._title = self._dialog = self._title_digest = ""
        self._estimate = None
        self._used = dict.fromkeys(self._used, False)

    def observe(self, rows: Iterable[Record]) -> None:
        """Take in the rows of one step."""
        for row in rows:
            if isinstance(row, InputEvent) and row.own:
                continue
            if isinstance(row, InputEvent) and row.kind in _TOUCHES:
                self._input_ns = row.t_ns
            label = self._undone.take(row)
            if label and isinstance(row, InputEvent):
                self._seen.append((_Undone(t_ns=row.t_ns, label_digest=label), self.app))
            match row:
                case Focus() if not row.own:
                    self._take_focus(row)
                case ControlAct() if row.what in _BY_ITSELF and self._dialog and self._input_ns <= self._dialog_ns:
                    pass  # a dialog sets up its lists as it opens, before anybody has touched it
                case ControlAct() | DialogSeen() | MessageSeen():
                    if self._comes_back(row):
                        self._seen.append((_CameBack(t_ns=row.t_ns), row.app))
                    self._seen.append((row, row.app))
                case Estimate() if not row.abstained:
                    self._estimate = row
                case _ if stops_observation(row):
                    self.clear()
                case _:
                    pass

    def context(self, now_ns: int, words: str = "", goal: str = "", app: str = "") -> HelpContext:
        """Return what a search starts from now; `words` are the person's own, `goal` what they seem to be about.

        Of an `app` other than the one in use nothing is known but its name.
        """
        if app and app != self.app:
            return HelpContext(app=app, seen=self._used.get(app, False), words=words)
        here = self._here(now_ns)
        estimate = self._estimate if self._estimate is not None and self._estimate.app == self.app else None
        probs = estimate.state_probs if estimate is not None else {}
        told = [row for row in here if isinstance(row, (DialogSeen, MessageSeen)) and row.about in _TELLING]
        came_back = (CAME_BACK,) if any(isinstance(row, _CameBack) for row in here) else ()
        return HelpContext(
            app=self.app,
            title=self._title,
            dialog=self._dialog,
            controls=self._words(_touched(here), now_ns),
            undone=self._words((row.label_digest for row in here if isinstance(row, _Undone)), now_ns, repeated=True),
            messages=self._words((row.text_digest for row in told), now_ns),
            errors=self._words((row.text_digest for row in told if row.about is MessageClass.ERROR), now_ns),
            typed_in=_typed_into(here),
            state=State(max(probs, key=probs.__getitem__)) if probs else None,
            evidence=(*came_back, *(item.code for item in (estimate.evidence if estimate is not None else ()))),
            words=words,
            goal=goal,
        )

    def _comes_back(self, row: _Seen) -> bool:
        """Return whether an error has appeared before, lately, and somebody has acted in between."""
        words = _error_of(row)
        return bool(words) and any(
            app == row.app and before.t_ns <= row.t_ns - APART_NS and before.t_ns < self._input_ns
            for before, app in self._seen
            if before.t_ns >= row.t_ns - LATELY_NS and _error_of(before) == words
        )

    def _take_focus(self, focus: Focus) -> None:
        """Note the window in front. A dialog belongs to the program before it, whose class may be another."""
        title = self._lookup(focus.title_digest, focus.at_ns) or "" if focus.title_digest else ""
        if focus.dialog and self.app:
            self._owners[focus.app] = self.app
            self._dialog, self._dialog_digest = title, focus.title_digest
            self._dialog_ns = focus.t_ns
            return
        if self._dialog and self._dialog_digest:
            self._seen.append((_Closed(t_ns=focus.t_ns, title_digest=self._dialog_digest), self.app))
        self._dialog, self._dialog_ns = "", 0
        if not focus.app:
            return
        self._used.pop(focus.app, None)
        self._used[focus.app] = True
        if self._program.take(focus):
            self._undone.forget()
        if program_of(focus.app) not in _TERMINALS:
            self._worked_in = focus.app
        self._title, self._title_digest = title, focus.title_digest

    def clue(self, now_ns: int) -> GoalClue | None:
        """Return what somebody seems to be about, as in "Use “Freeze Rows”"; None where too little is known.

        What is done again and again says most; of equals the newest counts. The names are from the screen: they are
        quoted.
        """
        here = self._here(now_ns)
        undone = [row.label_digest for row in here if isinstance(row, _Undone)]
        used = _touched(here)
        times = Counter(used)
        most = max(times.values(), default=0)
        control = next((digest for digest in reversed(used) if times[digest] == most >= AGAIN), "")
        for kind, verb, digest, words in (
            (GoalKind.DIALOG, "Fill in", self._dialog_digest if self._dialog else "", self._dialog),
            (GoalKind.UNDONE, "Get right", undone[-1] if undone and undone.count(undone[-1]) > 1 else "", ""),
            (GoalKind.CONTROL, "Use", control, ""),
            (GoalKind.DOCUMENT, "Work on", self._title_digest, self._title),
        ):
            name = quotable(words or (self._lookup(digest, now_ns) if digest else "") or "", MAX_NAME)
            if name and (_CUT not in name or kind is not GoalKind.CONTROL):
                return GoalClue(kind=kind, digest=digest, words=f"{verb} “{name}”")
        return None

    def _here(self, now_ns: int) -> list[_Row]:
        """Return what was seen of the program in use within the last minute."""
        own = (row for row, app in self._seen if self.app in (app, self._owners.get(app)))
        return [row for row in own if row.t_ns >= now_ns - LATELY_NS]

    def _words(self, digests: Iterable[str], now_ns: int, *, repeated: bool = False) -> tuple[str, ...]:
        """Return the words behind digests, oldest first; of equal neighbors one, unless `repeated`."""
        found: list[str] = []
        for digest in digests:
            text = self._lookup(digest, now_ns) if digest else None
            if text and (repeated or not found or found[-1] != text):
                found.append(text)
        return tuple(found[-MAX_NAMES:])


def _error_of(row: _Row) -> str:
    """Return the digest of an error that appeared; empty for all else, and for an entry that is marked as wrong."""
    if isinstance(row, DialogSeen) and row.about is MessageClass.ERROR:
        return row.text_digest or row.title_digest
    if isinstance(row, MessageSeen) and row.about is MessageClass.ERROR and row.role not in _MARKED:
        return row.text_digest
    return ""


def _typed_into(rows: Iterable[_Row]) -> ControlRole | None:
    """Return what was typed into last; a cell where one was used: programs tell what is typed there of another text."""
    acts = (row for row in rows if isinstance(row, ControlAct))
    roles = [act.role for act in acts if act.what == "entered" or act.role is ControlRole.CELL]
    return ControlRole.CELL if ControlRole.CELL in roles else next(reversed(roles), None)


def _touched(rows: Iterable[_Row]) -> list[str]:
    """Return the digests of the controls that were touched and of the dialogs that were left, oldest first."""
    return [
        row.title_digest if isinstance(row, _Closed) else row.name_digest
        for row in rows
        if isinstance(row, _Closed) or (isinstance(row, ControlAct) and row.role not in _PLACES)
    ]
