"""A scripted user works, gets stuck, notices the card and answers it, all by the clock and the log."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from demo.user import PATIENCE_S, DemoUser, FluentTask
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.sample_text import labels, sentence
from demo.virtual_desktop.windows import WindowInfo, Windows
from storage.clock import ManualClock
from storage.errors import EnvironmentFault
from storage.ports import ACCEPT_POINT
from storage.records import Box

S = 1_000_000_000
CARD = WindowInfo(xid=7, app="kairos", title="Kairos offer", pid=1, box=Box(1500, 800, 340, 180), popup=False)


@dataclass
class FakeLog:
    """Keeps lines with the time of the manual clock."""

    clock: ManualClock
    lines: list[dict[str, Any]] = field(default_factory=list)

    def write(self, kind: str, **facts: object) -> int:
        self.lines.append({"kind": kind, "t_ns": self.clock.now_ns(), **facts})
        return self.clock.now_ns()

    def kinds(self) -> list[str]:
        return [line["kind"] for line in self.lines]


class FakeHands:
    """Hands that only let time pass."""

    def __init__(self, clock: ManualClock) -> None:
        self.rng = random.Random(4)
        self.glance: Callable[[], None] = lambda: None
        self.clicks: list[tuple[int, int]] = []
        self.pressed: list[str] = []
        self.on_click: Callable[[], None] = lambda: None
        self.on_chord: Callable[[], None] = lambda: None
        self._clock = clock

    def wait(self, seconds: float) -> None:
        for _ in range(max(1, int(seconds / 0.1))):
            self._clock.advance(S // 10)
            self.glance()

    def pause(self, seconds: float, why: str) -> None:
        self.wait(seconds)

    def about(self, median: float, spread: float = 0.35) -> float:
        return median

    def text(self, text: str, *, rate: float) -> None:
        self.pressed.append(text)

    def chord(self, keys: str) -> None:
        self.pressed.append(keys)
        self.on_chord()
        self.wait(0.2)

    def click(self, x: int, y: int, *, count: int = 1) -> None:
        self.clicks.append((x, y))
        self.on_click()


@dataclass
class FakeWindows:
    """A screen on which a card and a menu may be."""

    shown: WindowInfo | None = None
    menus: list[WindowInfo] = field(default_factory=list)
    asks_back: bool = False

    def wait(self, app: str, title: str, *, timeout_s: float) -> WindowInfo:
        if not self.asks_back:
            raise EnvironmentFault(f"no {title} within {timeout_s} s", remedy="")
        return replace(CARD, app=app, title=title)

    def card(self) -> WindowInfo | None:
        return self.shown

    def popups(self) -> Sequence[WindowInfo]:
        return self.menus


@dataclass
class FakeWork:
    """Work whose every task and attempt takes three seconds."""

    hands: FakeHands
    app: str = "fake"
    sought: str = "zoom in"
    stuck_kinds: Sequence[str] = ("loop",)
    done: list[str] = field(default_factory=list)

    def open(self, desktop: Any) -> None:
        raise NotImplementedError

    def begin(self) -> None:
        self.done.append("begin")

    def tasks(self) -> Sequence[FluentTask]:
        return (
            FluentTask("write", lambda: self.hands.wait(3)),
            FluentTask("list", lambda: self.hands.wait(3)),
            FluentTask("undo", lambda: self.hands.wait(3), 0.0, hard_negative=True),
        )

    def attempt(self, kind: str) -> str:
        self.hands.wait(3)
        return kind

    def recover(self) -> None:
        self.done.append("recover")


@dataclass
class Scene:
    """A user with everything around."""

    clock: ManualClock
    hands: FakeHands
    windows: FakeWindows
    log: FakeLog
    work: FakeWork
    user: DemoUser
    seen: list[int]


@pytest.fixture
def scene() -> Scene:
    clock = ManualClock(1)
    hands, windows, log, seen = FakeHands(clock), FakeWindows(), FakeLog(clock), list[int]()
    user = DemoUser(
        cast("Hands", hands),
        cast("Windows", windows),
        cast("ScriptLog", log),
        clock=clock,
        on_card=lambda: seen.append(clock.now_ns()),
    )
    return Scene(clock, hands, windows, log, FakeWork(hands), user, seen)


def test_fluent_work_lasts_as_long_as_asked(scene: Scene) -> None:
    """Tasks follow each other until the time is up, and never the same twice in a row."""
    scene.user.work(scene.work, seconds=60)
    names = [line["name"] for line in scene.log.lines if line["kind"] == "piece"]
    assert 60 <= scene.clock.now_ns() / S < 66
    assert all(first != second for first, second in itertools.pairwise(names))


def test_hard_negatives_come_first_if_asked_for(scene: Scene) -> None:
    """With `hard_negatives_first` a trap of no weight is done once; without it never."""
    scene.user.work(scene.work, seconds=60, hard_negatives_first=True)
    assert [line["name"] for line in scene.log.lines if line.get("trap")] == ["undo"]


def test_a_person_gives_up_after_their_patience(scene: Scene) -> None:
    assert not scene.user.struggle(scene.work, "loop")
    attempts = [line for line in scene.log.lines if line["kind"] == "attempt"]
    assert attempts[-1]["outcome"] == "abandoned"
    assert attempts[-1]["t_ns"] - attempts[1]["t_ns"] >= PATIENCE_S * S
    assert scene.work.done == ["recover"]


def test_a_card_is_noticed_and_accepted_at_its_button(scene: Scene) -> None:
    scene.windows.shown = CARD
    scene.hands.on_click = lambda: setattr(scene.windows, "shown", None)
    assert scene.user.struggle(scene.work, "loop")
    right, up = ACCEPT_POINT
    assert scene.hands.clicks == [(1500 + right, 800 + 180 - up)]
    assert len(scene.seen) == 1
    answered = next(line for line in scene.log.lines if line["kind"] == "answered")
    assert 1.5 * S <= answered["t_ns"] - scene.seen[0] <= 8 * S
    assert scene.log.lines[-1]["outcome"] == "succeeded"


def test_a_click_without_effect_is_tried_again(scene: Scene) -> None:
    scene.windows.shown = CARD
    scene.windows.menus = [WindowInfo(xid=9, app="fake", title="", pid=1, box=Box(0, 0, 100, 200), popup=True)]

    def react() -> None:
        if len(scene.hands.clicks) == 2:
            scene.windows.shown = None

    scene.hands.on_click = react
    assert scene.user.struggle(scene.work, "loop")
    assert len(scene.hands.clicks) == 2
    assert "Escape" in scene.hands.pressed


def test_who_is_asked_what_they_look_for_says_it_and_waits_for_the_answer(scene: Scene) -> None:
    scene.windows.shown = CARD
    scene.windows.asks_back = True
    scene.hands.on_click = lambda: setattr(scene.windows, "shown", None)
    scene.hands.on_chord = lambda: setattr(scene.windows, "shown", CARD)
    assert scene.user.struggle(scene.work, "loop")
    assert scene.hands.pressed == ["zoom in", "Return"]


def test_a_card_in_fluent_work_is_seen_and_left_alone(scene: Scene) -> None:
    scene.windows.shown = CARD
    scene.user.work(scene.work, seconds=20)
    assert scene.hands.clicks == []
    assert scene.log.kinds().count("card") == 1


def test_how_long_the_steps_took_to_come_is_in_the_log(scene: Scene) -> None:
    scene.windows.shown = CARD
    clicked: list[int] = []
    scene.hands.on_click = lambda: clicked.append(scene.clock.now_ns())
    shown = scene.windows.card

    def card() -> WindowInfo | None:
        return None if len(clicked) == 2 and scene.clock.now_ns() >= clicked[1] + S // 4 else shown()

    scene.windows.card = card  # type: ignore[method-assign]  # it reacts a quarter of a second after the second click
    assert scene.user.struggle(scene.work, "loop")
    answered = next(line for line in scene.log.lines if line["kind"] == "answered")
    assert 250 <= answered["shown_ms"] <= 350


def test_words_follow_the_seed_and_labels_do_not_complete_each_other() -> None:
    assert sentence(random.Random(3)) == sentence(random.Random(3))
    assert len({sentence(random.Random(seed)) for seed in range(30)}) > 20
    names = labels(random.Random(1))
    assert not [(a, b) for a in names for b in names if a != b and b.lower().startswith(a.lower())]
