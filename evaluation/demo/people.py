"""Scripted people: they work fluently in a real program, get stuck as a novice does, notice the card and answer it.

What a person tries and how it went is in the script's log: `phase`, `attempt` (the thing tried and its outcome),
`break`, `card` (seen on the screen), `answered` and `end`. A person never waits for the assistant: stuck work goes on
until the card is noticed or `PATIENCE_S` after the second failure.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluation.demo.judge import FAILURES
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.hands import Hands, ScriptLog
from evaluation.stage.windows import WindowInfo, Windows
from storage.clock import NS_PER_S, Clock
from storage.ports import ACCEPT_POINT
from storage.records import Box

PATIENCE_S = 60.0
"""How long after onset a person stays stuck before giving up."""

_LOOK_S = 0.25
_NOTICE_S = (1.5, 4.0)
_HESITATION_S = (1.5, 4.0)
_MENU_HEIGHT = 50  # tool tips of two programs are 45 high
_CLICKS = 3
_REACTION_S = 2.0
_TYPO_SHARE = 0.012
_NEIGHBOURS = dict(zip("abcdefghijklmnopqrstuvwxyz", "svfdrgjhokjlmnipetrdyibcxa", strict=True))


class CardNoticed(Exception):  # noqa: N818  # not an error: it ends what the person was doing
    """The person has noticed the card."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of fluent work; `trap` names what a hasty judge could take for trouble (a hard negative)."""

    name: str
    do: Callable[[], None]
    weight: float = 1.0
    trap: bool = False


class Work(Protocol):
    """What a person does in one program."""

    app: str
    stuck_kinds: Sequence[str]

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the program and wait until it takes input."""
        ...

    def begin(self) -> None:
        """Do what comes first: put the caret where work starts."""
        ...

    def pieces(self) -> Sequence[Piece]:
        """Return the pieces of fluent work to choose from."""
        ...

    def attempt(self, kind: str) -> str:
        """Try once, in vain, in the way of `kind`, and return what was tried."""
        ...

    def recover(self) -> None:
        """Get out of whatever is open, and do a last piece of work that succeeds."""
        ...


class Person:
    """Somebody at the desktop, with a pace of their own.

    `saw_card` is called once for each new card, while the person has not reacted yet.
    """

    def __init__(
        self,
        hands: Hands,
        windows: Windows,
        log: ScriptLog,
        *,
        clock: Clock,
        saw_card: Callable[[], None],
    ) -> None:
        """Sit down; all variation comes from the hands' random numbers."""
        self.hands = hands
        self.windows = windows
        self.rng: random.Random = hands.rng
        self.rate = self.rng.uniform(4.5, 7.5)
        self.slips = _TYPO_SHARE
        self.log = log
        self._clock = clock
        self._saw_card = saw_card
        self._stuck = False
        self._looked_ns = 0
        self._card: WindowInfo | None = None
        self._react_ns = 0
        hands.glance = self._glance

    # ------------------------------------------------------------------ the two stories

    def work(self, work: Work, *, seconds: float, traps_first: bool = False) -> None:
        """Work fluently for about `seconds`; with `traps_first` every hard negative comes at least once."""
        self.log.write("phase", name="fluent")
        end_ns = self._clock.now_ns() + int(seconds * NS_PER_S)
        work.begin()
        pieces = work.pieces()
        due = [piece for piece in pieces if piece.trap] if traps_first else []
        self.rng.shuffle(due)
        last = ""
        while self._clock.now_ns() < end_ns:
            others = [piece for piece in pieces if piece.name != last]
            if due and self.chance(0.5):
                piece = due.pop()
            else:
                piece = self.rng.choices(others, [one.weight for one in others])[0]
            self.log.write("piece", name=piece.name, trap=piece.trap)
            piece.do()
            last = piece.name
            self.hands.pause(self.hands.about(1.0, 0.5), "between two pieces")

    def struggle(self, work: Work, kind: str) -> bool:
        """Get stuck in the way of `kind` until the card is noticed, and accept it; tell whether that happened."""
        self.log.write("phase", name="stuck", stuck_kind=kind)
        self._stuck = True
        deadline_ns = None
        failed = 0
        try:
            while deadline_ns is None or self._clock.now_ns() < deadline_ns:
                thing = work.attempt(kind)
                failed_ns = self.log.write("attempt", thing=thing, outcome="failed")
                failed += 1
                if failed == FAILURES:
                    deadline_ns = failed_ns + int(PATIENCE_S * NS_PER_S)
                self.hands.pause(self.rng.uniform(*_HESITATION_S), "at a loss")
        except CardNoticed:
            answered = self._accept()
        else:
            answered = False
        self._stuck = False
        work.recover()
        self.log.write("attempt", thing=kind, outcome="succeeded" if answered else "abandoned")
        return answered

    # ------------------------------------------------------------------ habits that scripts share

    def write(self, text: str, *, rate: float | None = None) -> None:
        """Type text, with a slip and its correction now and then."""
        pace = rate or self.rate
        for character in text:
            if character in _NEIGHBOURS and self.chance(self.slips):
                self.hands.text(_NEIGHBOURS[character], rate=pace)
                self.hands.wait(self.hands.about(0.3))
                self.hands.chord("BackSpace")
            self.hands.text(character, rate=pace)

    def chance(self, share: float) -> bool:
        """Throw a coin that says yes in `share` of the cases."""
        return self.rng.random() < share

    def read(self, shortest: float, longest: float) -> None:
        """Do nothing but look."""
        self.hands.pause(self.rng.uniform(shortest, longest), "reading")

    def open_menu(self, x: int, y: int) -> WindowInfo:
        """Click on a menu's title and return the menu that opened."""
        before = {menu.xid: menu.box for menu in self._menus()}
        self.hands.click(x, y)
        return self._new_menu(before)

    def next_menu(self, x: int, y: int) -> WindowInfo:
        """Go to another menu's title while one is open, which opens it; return the menu."""
        before = {menu.xid: menu.box for menu in self._menus()}
        self.hands.move(x, y)
        return self._new_menu(before)

    def _new_menu(self, before: Mapping[int, Box]) -> WindowInfo:
        """Wait for a menu that was not there before, or not there in this place: some programs use one window.

        On the way to a title the pointer may have opened its menu already; then that one stays.
        """
        for _ in range(100):
            menus = self._menus()
            for menu in menus:
                if before.get(menu.xid) != menu.box:
                    return menu
            self.hands.wait(0.05)
        if menus:
            return menus[-1]
        raise LookupError("no menu opened")

    def close_menus(self) -> None:
        """Press Escape until no menu is open."""
        for _ in range(4):
            if not self._menus():
                return
            self.hands.chord("Escape")
            self.hands.wait(0.15)

    def wait_dialog(self, title: str) -> WindowInfo:
        """Wait for a dialog, look at it for a moment (it may still change its size), and return it."""
        for _ in range(100):
            if self.windows.find(title=title) is not None:
                self.hands.wait(self.rng.uniform(0.5, 0.9))
                if (window := self.windows.find(title=title)) is not None:
                    return window
            self.hands.wait(0.05)
        raise LookupError(f"no dialog {title!r} opened")

    def close_dialog(self, title: str) -> None:
        """Leave a dialog with Escape and wait until it is gone."""
        for _ in range(3):
            self.hands.chord("Escape")
            if self._is_gone(title, timeout_s=1.0):
                return
        raise LookupError(f"the dialog {title!r} did not close")

    def wait_title_gone(self, title: str) -> None:
        """Wait until a dialog that was answered is gone."""
        if not self._is_gone(title, timeout_s=10.0):
            raise LookupError(f"the dialog {title!r} did not close")

    def _is_gone(self, title: str, *, timeout_s: float) -> bool:
        for _ in range(int(timeout_s / 0.1)):
            if self.windows.find(title=title) is None:
                return True
            self.hands.wait(0.1)
        return False

    # ------------------------------------------------------------------ the card

    def _menus(self) -> list[WindowInfo]:
        return [popup for popup in self.windows.popups() if popup.box.h >= _MENU_HEIGHT]

    def _glance(self) -> None:
        now_ns = self._clock.now_ns()
        if now_ns - self._looked_ns >= _LOOK_S * NS_PER_S:
            self._looked_ns = now_ns
            card = self.windows.card()
            if card is not None and self._card is None:
                self.log.write("card", box=list(card.box))
                self._react_ns = now_ns + int(self.rng.uniform(*_NOTICE_S) * NS_PER_S)
                self._saw_card()
            self._card = card
        if self._stuck and self._card is not None and now_ns >= self._react_ns:
            raise CardNoticed

    def _accept(self) -> bool:
        """Click on "Show me"; an open menu swallows the first click, so close it before, as one learns to."""
        self.hands.glance = lambda: None
        try:
            self.close_menus()
            for _ in range(_CLICKS):
                card = self.windows.card()
                if card is None:
                    return False
                right, up = ACCEPT_POINT
                self.hands.click(card.box.x + right, card.box.y + card.box.h - up)
                if self._has_reacted(card):
                    self.log.write("answered", kind_of_answer="accepted")
                    self.read(3.0, 5.0)
                    return True
            return False
        finally:
            self.hands.glance = self._glance

    def _has_reacted(self, card: WindowInfo) -> bool:
        """Tell whether the card changed its shape or went away: what a person takes for an answer."""
        for _ in range(int(_REACTION_S / 0.1)):
            now = self.windows.card()
            if now is None or now.box != card.box:
                return True
            self.hands.wait(0.1)
        return False
