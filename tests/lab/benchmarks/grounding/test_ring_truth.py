"""Whether the ring is on the control that the first step names: read off windows, judged by a walk."""

from dataclasses import dataclass, field, replace

import pytest

from demo.virtual_desktop.windows import WindowInfo, ringed
from lab.benchmarks.grounding.ring_truth import RingSeen, judge_ring, named, overlap
from storage.ports import SPOTLIGHT_TITLE, HelpPage, HelpStep
from storage.records import Box, ControlRole, ControlState, Element

EDIT = Element(role=ControlRole.MENU, box=Box(100, 20, 40, 24), name="_Edit")
HELP = Element(role=ControlRole.MENU, box=Box(200, 20, 40, 24), name="Help")
PAGES = Element(role=ControlRole.RADIO_BUTTON, box=Box(10, 90, 40, 24), name="Pages")
PAGE = HelpPage(
    page_id="x",
    title="Find",
    steps=(
        HelpStep(text="Think."),
        HelpStep(text="Choose Format > Page.", controls=("Format", "Page")),
        HelpStep(text="Choose Edit > Find.", controls=("Edit", "Find")),
        HelpStep(text="Look in Help.", controls=("Help",)),
    ),
    source="",
)


@dataclass
class Screen:
    """Windows that are there."""

    windows: list[WindowInfo] = field(default_factory=list)

    def list_all(self) -> list[WindowInfo]:
        return self.windows


def window(box: Box, title: str = SPOTLIGHT_TITLE) -> WindowInfo:
    return WindowInfo(xid=1, app="kairos", title=title, pid=1, box=box, popup=True)


def ring_around(box: Box) -> list[WindowInfo]:
    """Return the four strips that the interface draws around a box, and its label."""
    x, y, w, h = box.x - 9, box.y - 9, box.w + 18, box.h + 18
    strips = (Box(x, y, w, 7), Box(x, y + h - 7, w, 7), Box(x, y + 7, 7, h - 14), Box(x + w - 7, y + 7, 7, h - 14))
    return [window(strip) for strip in strips] + [window(Box(x, y + h + 4, 60, 22))]


def test_a_ring_is_read_off_its_windows() -> None:
    screen = Screen(ring_around(EDIT.box))
    assert ringed(screen) == EDIT.box  # type: ignore[arg-type]  # only its list of windows is asked
    assert ringed(Screen([window(Box(1, 1, 7, 50), "Kairos offer")])) is None  # type: ignore[arg-type]  # only its list is asked


@pytest.mark.parametrize(
    ("ring", "on_control"), [(EDIT.box, True), (Box(102, 21, 40, 24), True), (HELP.box, False), (None, False)]
)
def test_the_ring_belongs_on_the_first_control_in_sight(ring: Box | None, *, on_control: bool) -> None:
    page = replace(PAGE, steps=PAGE.steps[1:])
    judged = judge_ring(page, RingSeen(box=ring, elements=(HELP, PAGES, EDIT)))
    assert (judged.step, judged.name, judged.control) == (1, "Edit", EDIT.box)
    assert judged.on_control is on_control
    assert judged.facts["on_control"] is on_control


def test_where_the_first_step_is_the_person_s_no_ring_is_right() -> None:
    """In a dialog it is behind them; a ring elsewhere is as wrong as ever (the controls)."""
    judged = judge_ring(PAGE, RingSeen(box=None, elements=(HELP, EDIT)))
    assert (judged.step, judged.name, judged.on_control) == (0, "", True)
    assert not judge_ring(PAGE, RingSeen(box=None, elements=(CANCEL,))).on_control
    assert not judge_ring(PAGE, RingSeen(box=HELP.box, elements=(HELP, EDIT))).on_control


def test_without_a_control_in_sight_no_ring_is_right() -> None:
    assert not judge_ring(PAGE, RingSeen(box=PAGES.box, elements=(PAGES,))).on_control
    assert not judge_ring(None, RingSeen(box=EDIT.box, elements=(EDIT,))).on_control


CANCEL = Element(role=ControlRole.BUTTON, box=Box(300, 400, 80, 30), name="Cancel")


def test_a_control_that_takes_no_click_is_not_the_one_to_ring() -> None:
    """What counts is a later step's; the ring around the grey one is wrong."""
    grey = replace(EDIT, state=ControlState.DISABLED)
    judged = judge_ring(PAGE, RingSeen(box=grey.box, elements=(HELP, grey)))
    assert (judged.step, judged.name, judged.on_control) == (3, "Help", False)


@pytest.mark.parametrize(("ring", "on_control"), [(CANCEL.box, True), (PAGES.box, False), (None, False)])
def test_a_dialog_with_nothing_of_the_page_is_to_be_closed_first(ring: Box | None, *, on_control: bool) -> None:
    """By *Cancel*; control: a window with menus is no dialog, and a dialog that has a step's control is not closed."""
    judged = judge_ring(PAGE, RingSeen(box=ring, elements=(PAGES, CANCEL)))
    assert (judged.name, judged.control, judged.way_out, judged.on_control) == ("Cancel", CANCEL.box, True, on_control)
    other = replace(EDIT, name="Other")
    assert not judge_ring(PAGE, RingSeen(box=CANCEL.box, elements=(other, CANCEL))).on_control
    button = replace(CANCEL, name="Find", box=Box(1, 1, 9, 9))
    assert judge_ring(PAGE, RingSeen(box=ring, elements=(button, CANCEL))).name == "Find"


def test_a_dialog_that_the_first_step_opens_is_not_to_be_closed() -> None:
    """Nothing else of the page is in it, so there is nothing to ring, which is a miss; the control: another dialog."""
    page = replace(PAGE, steps=(HelpStep(text="Choose Format > Cells.", controls=("Format", "Cells")),))
    for title, name in (("Format Cells", ""), ("Merge", "Cancel")):
        judged = judge_ring(page, RingSeen(box=CANCEL.box, elements=(CANCEL,), title=title))
        assert (judged.name, judged.on_control) == (name, bool(name))


def test_a_field_without_a_name_is_the_one_that_a_step_calls_so() -> None:
    """Where it is the only one of a dialog; else the dialog has nothing of the page."""
    field = Element(role=ControlRole.ENTRY, box=Box(10, 10, 200, 30), name="")
    page = replace(PAGE, steps=(HelpStep(text="Type it in the Find text box.", controls=("Find",)),))
    judged = judge_ring(page, RingSeen(box=field.box, elements=(field, CANCEL)))
    assert (judged.name, judged.on_control, judged.way_out) == ("Find", True, False)
    two = (field, replace(field, box=Box(10, 60, 200, 30)), CANCEL)
    assert judge_ring(page, RingSeen(box=field.box, elements=two)).name == "Cancel"


def test_a_tab_that_a_step_names_comes_before_what_ends_the_dialog() -> None:
    """Control: without such a tab, or where ending it is the first step, that is the one."""
    tab = Element(role=ControlRole.TAB, box=Box(10, 10, 90, 30), name="Cell Protection")
    ok = replace(CANCEL, name="OK", box=Box(400, 400, 80, 30))
    opens = HelpStep(text="Choose Format > Cells and click the Cell Protection tab.", controls=("Format", "Cells"))
    end = HelpStep(text="Click OK.", controls=("OK",))
    page = replace(PAGE, steps=(opens, HelpStep(text="Tick Protected.", controls=("Protected",)), end))
    judged = judge_ring(page, RingSeen(box=tab.box, elements=(tab, ok)))
    assert (judged.step, judged.name, judged.on_control) == (0, "Cell Protection", True)
    assert judge_ring(page, RingSeen(box=ok.box, elements=(ok,))).on_control
    assert judge_ring(replace(PAGE, steps=(end, opens)), RingSeen(box=ok.box, elements=(tab, ok))).on_control
    wrong = replace(tab, name="Cells", box=Box(110, 10, 90, 30))
    assert judge_ring(page, RingSeen(box=tab.box, elements=(wrong, tab, ok))).on_control
    box = Element(role=ControlRole.CHECK_BOX, box=Box(20, 80, 90, 30), name="Protected")
    assert judge_ring(page, RingSeen(box=box.box, elements=(tab, box, ok))).on_control


def test_names_are_compared_whole() -> None:
    """Without mnemonics; "Pages" is not "Page"."""
    assert named("Edit", [EDIT, PAGES]) == [EDIT]
    assert named("Page", [PAGES]) == []


def test_the_overlap_of_two_boxes() -> None:
    assert overlap(EDIT.box, EDIT.box) == 1.0
    assert overlap(EDIT.box, HELP.box) == 0.0
    assert overlap(Box(0, 0, 10, 10), Box(0, 0, 10, 5)) == 0.5
    assert overlap(EDIT.box, None) == 0.0
