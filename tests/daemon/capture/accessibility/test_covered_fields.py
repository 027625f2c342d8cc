"""A password field is covered until it is empty, hidden or gone, wherever its window moves meanwhile."""

from dataclasses import replace

import pytest

from daemon.capture.accessibility.covered_fields import FOLLOWS_NS, KEPT_NS, MARGIN, MAX_FIELDS, CoveredFields
from daemon.capture.control_source import FieldSeen
from daemon.capture.scene import DesktopWindow
from storage.clock import NS_PER_S
from storage.records import Box
from tests.fakes.desktop.windows import scene, window

MS = 1_000_000
PID = 7
PLACE = Box(40, 50, 200, 30)
FORM = window(1, "Form", Box(0, 0, 400, 300), pid=PID)
OTHER = window(2, "Other", Box(0, 0, 900, 900), pid=8)
LATE_NS = 3600 * NS_PER_S


def around(box: Box) -> Box:
    return Box(box.x - MARGIN, box.y - MARGIN, box.w + 2 * MARGIN, box.h + 2 * MARGIN)


def moved(right: int, down: int, shown: DesktopWindow = FORM) -> DesktopWindow:
    return replace(shown, box=shown.box._replace(x=shown.box.x + right, y=shown.box.y + down))


class Stage:
    """Covered fields, and one that the keyboard has left, on a desktop with its form."""

    def __init__(self, box: Box | None = PLACE, *windows: DesktopWindow) -> None:
        self.fields = CoveredFields()
        self.scene(1000, *(windows or (OTHER, FORM)))
        self.fields.entered(PID, "/p", box)
        self.fields.left(PID, "/p", 2000 * MS)

    def scene(self, ms: int, *windows: DesktopWindow, hidden: tuple[DesktopWindow, ...] = ()) -> None:
        self.fields.follow(scene(*windows, active=1, t_ns=ms * MS, hidden=hidden), ms * MS)

    def say(self, ms: int, *, holds: bool, box: Box | None = PLACE, key: str = "/p") -> None:
        self.fields.seen(FieldSeen(t_ns=ms * MS, pid=PID, key=key, holds=holds, box=box))

    @property
    def covered(self) -> set[Box]:
        return set(self.fields.covered(LATE_NS))


def test_a_field_that_the_keyboard_left_is_covered_until_it_says_that_it_is_empty() -> None:
    """What it says of the time before the keyboard left it is not about what was typed; filled again it is covered."""
    stage = Stage()
    assert stage.covered == {around(PLACE)}
    stage.say(1990, holds=False)
    assert stage.covered == {around(PLACE)}
    stage.say(2100, holds=True)
    assert stage.covered == {around(PLACE)}
    stage.say(2200, holds=False)
    stage.say(2300, holds=False)
    assert stage.covered == set()
    assert stage.fields.covered(2190 * MS) == {around(PLACE)}
    assert stage.fields.covered(2210 * MS) == frozenset()
    stage.say(2400, holds=True)
    assert stage.covered == {around(PLACE)}


def test_what_a_field_says_while_it_has_the_keyboard_tells_only_where_it_is() -> None:
    """It may be typed into the moment after; a field that was never heard of counts once it holds something."""
    stage = Stage()
    stage.fields.entered(PID, "/p", PLACE)
    stage.say(2500, holds=False)
    stage.say(2600, holds=True, box=Box(40, 90, 200, 30))
    assert stage.covered == {around(Box(40, 90, 200, 30))}
    stage.fields.left(PID, "/p", 2700 * MS)
    assert stage.covered
    stage.fields.left(PID, "/unknown", 2700 * MS)
    stage.say(2800, holds=False, key="/q")
    assert len(stage.covered) == 1
    stage.say(2900, holds=True, key="/q", box=Box(40, 200, 200, 30))
    assert len(stage.covered) == 2


def test_a_field_moves_with_its_window_and_what_is_said_meanwhile_may_be_about_either_place() -> None:
    """Both are covered until the program has had the time to follow."""
    stage, there = Stage(), PLACE._replace(x=140, y=250)
    stage.scene(3000, OTHER, moved(100, 200))
    assert stage.covered == {around(PLACE), around(there)}
    stage.say(3100, holds=True, box=Box(90, 90, 200, 30))
    assert stage.covered == {around(PLACE), around(there)}
    stage.say(3000 + FOLLOWS_NS // MS, holds=True, box=there)
    assert stage.covered == {around(there)}
    stage.scene(5000, OTHER, moved(0, 0))
    assert stage.covered == {around(PLACE), around(there)}


def test_a_window_that_is_hidden_shows_nothing_and_one_that_comes_back_does_at_once() -> None:
    """Nobody is asked for that, so it holds for a program that hangs, too."""
    stage = Stage()
    stage.scene(3000, OTHER, hidden=(FORM,))
    assert stage.covered == set()
    assert stage.fields.covered(2990 * MS)
    stage.scene(20_000, OTHER, hidden=(FORM,))
    stage.scene(21_000, OTHER, FORM)
    assert stage.covered == {around(PLACE)}


@pytest.mark.parametrize("beneath", [True, False])
def test_a_field_ends_with_its_window_unless_it_may_be_in_the_one_below(*, beneath: bool) -> None:
    """Which of two windows of a program holds it was not said; only the program can tell then."""
    below = window(3, "Form", Box(0, 0, 800, 600), pid=PID if beneath else 8)
    stage = Stage(PLACE, below, FORM)
    stage.scene(3000, below)
    assert bool(stage.covered) is beneath
    stage.scene(3000 + KEPT_NS // MS + 1, below)
    assert bool(stage.fields.covered(0)) is beneath


def test_a_field_without_a_place_is_its_program_until_the_window_closes_that_was_active() -> None:
    """As in GTK 4, where nobody can say where it is."""
    stage = Stage(None)
    assert stage.covered == set()
    assert stage.fields.placeless(LATE_NS) == {PID}
    stage.scene(3000, OTHER)
    assert stage.fields.placeless(LATE_NS) == set()
    behind = Stage(None, replace(FORM, client=5))  # another one is active
    assert behind.fields.placeless(LATE_NS) == {PID}


def test_a_field_that_nobody_tells_of_any_more_stays_covered_while_its_window_is_known() -> None:
    """Its program's adapter went away; one without a window would stay for ever."""
    stage = Stage()
    stage.fields.entered(9, "/elsewhere", Box(700, 700, 10, 10))
    stage.fields.entered(PID, "/p", PLACE)
    stage.fields.lose()
    assert stage.covered == {around(PLACE)}
    stage.fields.clear()
    assert stage.covered == set()


def test_of_many_fields_empty_ones_are_forgotten_first_and_then_the_oldest_is_its_program() -> None:
    """Memory is bounded, and none is uncovered for it."""
    stage = Stage()
    stage.say(2100, holds=False)
    for number in range(MAX_FIELDS):
        stage.fields.entered(PID, number, Box(10, 10 + number, 20, 20))
    assert len(stage.covered) == MAX_FIELDS
    assert not stage.fields.placeless(LATE_NS)
    stage.fields.entered(PID, "one more", Box(300, 10, 20, 20))
    assert stage.fields.placeless(LATE_NS) == {PID}
    assert len(stage.covered) == MAX_FIELDS - 1
    full = CoveredFields()
    for number in range(MAX_FIELDS + 1):
        full.entered(number, "/p", PLACE)
    assert not full.placeless(LATE_NS)
