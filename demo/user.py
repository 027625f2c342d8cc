"""The demo's user: works fluently in a real program, gets stuck as a novice does, notices the card and accepts it.

What is tried and how it went is in the script's log: `phase`, `attempt` (the thing tried and its outcome), `break`,
`card` (seen on the screen), `answered` and `end`. The user never waits for the assistant: stuck work goes on until the
card is noticed or `PATIENCE_S` after the second failure.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from demo.judge import FAILURES
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.user import ScriptedUser
from demo.virtual_desktop.windows import CARD_CLASS, WindowInfo, Windows, poll
from storage.clock import NS_PER_MS, NS_PER_S, Clock
from storage.errors import EnvironmentFault
from storage.ports import ACCEPT_POINT, ASK_TITLE

PATIENCE_S = 60.0  # how long after onset a user stays stuck before giving up
_LOOK_S = 0.25
_NOTICE_S = (1.5, 4.0)
_HESITATION_S = (1.5, 4.0)
_CLICKS = 3
_REACTION_S = 2.0
_GLIMPSE_S = 0.01
_ANSWERED_S = 10.0


class CardNoticed(Exception):  # noqa: N818  # not an error: it ends what the user was doing
    """The user has noticed the card."""


@dataclass(frozen=True, slots=True)
class FluentTask:
    """A piece of fluent work; a `hard_negative` is what could be mistaken for trouble."""

    name: str
    run: Callable[[], None]
    weight: float = 1.0
    hard_negative: bool = False


class WorkScript(Protocol):
    """What a user does in one program; `sought` is what they say who are asked what they look for."""

    sought: str

    def begin(self) -> None:
        """Do what comes first: put the caret where work starts."""

    def tasks(self) -> Sequence[FluentTask]:
        """Return the tasks of fluent work to choose from."""

    def attempt(self, kind: str) -> str:
        """Try once, in vain, in the way of `kind`, and return what was tried."""

    def recover(self) -> None:
        """Get out of whatever is open, and do a last piece of work that succeeds."""


class DemoUser(ScriptedUser):
    """A user who may be offered help.

    `on_card` is called once for each new card, before the user has reacted to it; `on_answer` once it was accepted.
    """

    def __init__(
        self,
        hands: Hands,
        windows: Windows,
        log: ScriptLog,
        *,
        clock: Clock,
        on_card: Callable[[], None],
        on_answer: Callable[[], None] = lambda: None,
    ) -> None:
        """Begin with a calm look at the screen now and then, for the card."""
        super().__init__(hands, windows, log, clock=clock)
        self._on_card = on_card
        self._on_answer = on_answer
        self._stuck = False
        self._looked_ns = 0
        self._card: WindowInfo | None = None
        self._react_ns = 0
        hands.glance = self._glance

    def work(self, work: WorkScript, *, seconds: float, hard_negatives_first: bool = False) -> None:
        """Work fluently for about `seconds`; with `hard_negatives_first` every hard negative comes at least once."""
        self.log.write("phase", name="fluent")
        end_ns = self.clock.now_ns() + int(seconds * NS_PER_S)
        work.begin()
        tasks = work.tasks()
        due = [task for task in tasks if task.hard_negative] if hard_negatives_first else []
        self.rng.shuffle(due)
        last = ""
        while self.clock.now_ns() < end_ns:
            others = [task for task in tasks if task.name != last]
            if due and self.chance(0.5):
                task = due.pop()
            else:
                task = self.rng.choices(others, [other.weight for other in others])[0]
            self.log.write("piece", name=task.name, trap=task.hard_negative)
            task.run()
            last = task.name
            self.hands.pause(self.hands.about(1.0, 0.5), "between two pieces")

    def struggle(self, work: WorkScript, kind: str) -> bool:
        """Get stuck in the way of `kind` until the card is noticed, and accept it; return whether that happened."""
        self.log.write("phase", name="stuck", stuck_kind=kind)
        self._stuck = True
        deadline_ns = None
        failed = 0
        try:
            while deadline_ns is None or self.clock.now_ns() < deadline_ns:
                thing = work.attempt(kind)
                failed_ns = self.log.write("attempt", thing=thing, outcome="failed")
                failed += 1
                if failed == FAILURES:
                    deadline_ns = failed_ns + int(PATIENCE_S * NS_PER_S)
                self.hands.pause(self.rng.uniform(*_HESITATION_S), "at a loss")
        except CardNoticed:
            answered = self._accept(work.sought)
        else:
            answered = False
        self._stuck = False
        work.recover()
        self.log.write("attempt", thing=kind, outcome="succeeded" if answered else "abandoned")
        return answered

    def _glance(self) -> None:
        now_ns = self.clock.now_ns()
        if now_ns - self._looked_ns >= _LOOK_S * NS_PER_S:
            self._looked_ns = now_ns
            card = self.windows.card()
            if card is not None and self._card is None:
                self.log.write("card", box=list(card.box))
                self._react_ns = now_ns + int(self.rng.uniform(*_NOTICE_S) * NS_PER_S)
                self._on_card()
            self._card = card
        if self._stuck and self._card is not None and now_ns >= self._react_ns:
            raise CardNoticed

    def _accept(self, sought: str) -> bool:
        """Click on the card's main button; an open menu swallows the first click, so close it before, as one learns to.

        Where the card has asked what they look for, say it.
        """
        self.hands.glance = lambda: None
        try:
            self.close_menus()
            for _ in range(_CLICKS):
                card = self.windows.card()
                if card is None:
                    return False
                right, up = ACCEPT_POINT
                self.hands.click(card.box.x + right, card.box.y + card.box.h - up)
                clicked_ns = self.clock.now_ns()
                if self._has_reacted(card):
                    shown_ms = round((self.clock.now_ns() - clicked_ns) / NS_PER_MS, 1)
                    self.log.write("answered", kind_of_answer="accepted", shown_ms=shown_ms)
                    if self.windows.card() is None:
                        self._say(sought)
                    self.read(3.0, 5.0)
                    self._on_answer()
                    return True
            return False
        finally:
            self.hands.glance = self._glance

    def _say(self, words: str) -> None:
        with suppress(EnvironmentFault):  # there is no field where the card was taken back
            self.windows.wait(CARD_CLASS, ASK_TITLE, timeout_s=_REACTION_S)
            self.hands.text(words, rate=self.rate)
            self.hands.chord("Return")
            poll(self.windows.card, what="the answer", timeout_s=_ANSWERED_S)

    def _has_reacted(self, card: WindowInfo) -> bool:
        """Return whether the card changed its shape or went away: what a user takes for an answer."""
        until_ns = self.clock.now_ns() + round(_REACTION_S * NS_PER_S)
        while self.clock.now_ns() < until_ns:
            now = self.windows.card()
            if now is None or now.box != card.box:
                return True
            self.hands.wait(_GLIMPSE_S)
        return False
