"""Words for a control lead to that control, or to none: never to one that only looks like it."""

from dataclasses import replace

import pytest

from daemon.help.grounding import ground, ground_page, is_all_of, likeness, plain_name
from storage.ports import HelpPage, HelpStep
from storage.records import Box, ControlRole, ControlState, Element


def element(role: str, name: str | None, x: int = 0, state: ControlState = ControlState.PLAIN) -> Element:
    return Element(role=role, name=name, box=Box(x, 0, 10, 10), state=state)


FILE, VIEW = element("menu", "File"), element("menu", "View")
SAVE, GREY = element("menu_item", "Save"), ControlState.DISABLED
FREEZE = element("menu_item", "Freeze Rows and Columns")
WINDOW = [FILE, VIEW, element("button", "Save"), element("toggle", "Bold (Ctrl+B)"), element("entry", "Name:")]


def step(*controls: str, text: str = "") -> HelpStep:
    return HelpStep(text=text or f"Choose {' - '.join(controls)}.", controls=controls)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("_File", "file"),
        ("&File", "file"),
        ("~File", "file"),
        ("Save _As...", "save as"),
        ("Save As…", "save as"),
        ("Save\tCtrl+S", "save"),
        ("Save  Ctrl+Shift+S", "save"),
        ("Full Screen\tF11", "full screen"),
        ("Bold (Ctrl+B)", "bold"),
        ("文件(F)", "文件"),
        ("文件(_F)", "文件"),
        ("Name:", "name"),
        ("Find & Replace...", "find & replace"),
        ("  Two \n words ", "two words"),
        ("Font size (pt)", "font size (pt)"),
        ("C", "c"),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_name_is_compared_as_people_read_it(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Save As", "Save _As..."),
        ("Undo", "Undo: Typing"),
        ("Colour", "Color"),
        ("Find & Replace", "Find and Replace..."),
        ("Column", "Columns"),
        ("Merge the Cells", "Merge Cells"),
    ],
)
def test_names_that_mean_the_same_are_alike(wanted: str, name: str) -> None:
    assert likeness(wanted, name) >= 0.75


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Insert Rows Above", "Insert Rows Below"),
        ("Undo", "Redo"),
        ("Sort Ascending", "Sort Descending"),
        ("Sheet 1", "Sheet 2"),
        ("Save", "Save As..."),
        ("Align Left", "Align Right"),
        ("Import", "Export"),
        ("Show Grid", "Hide Grid"),
        ("Delete Rows", "Delete Columns"),
        ("Increase Indent", "Decrease Indent"),
        ("Save", ""),
        ("", "Save"),
        ("...", "..."),
        ("word " * 60, "word " * 60),
    ],
)
def test_names_that_only_look_alike_are_not(wanted: str, name: str) -> None:
    """A ring around the wrong control is worse than none."""
    assert likeness(wanted, name) < 0.75


def test_the_first_control_that_is_there_is_the_one_to_point_at() -> None:
    path = step("View", "Freeze Rows and Columns")
    assert ground(path, WINDOW).element == VIEW
    assert ground(path, [*WINDOW, FREEZE]).element == FREEZE
    assert ground(step("Window", "Split", "View"), WINDOW).element == VIEW


def test_a_path_goes_on_only_through_menus() -> None:
    """A button that is called like an item of a closed menu is not that item, and siblings are not a path."""
    assert ground(step("View", "Bold"), WINDOW).element == VIEW
    assert ground(step("Save", "Bold"), WINDOW).element == WINDOW[2]


def test_the_only_field_without_a_name_is_the_one_that_a_step_calls_so() -> None:
    """In a dialog, where its label is not tied to it. Control: of two, in a window with menus, for a button: none."""
    field, other = element("entry", ""), element("entry", "Replace With", 20)
    find = step("Find", text="Enter the text to find in the Find text box.")
    assert ground(find, [field, other]).element == field
    assert ground(find, [field, replace(field, box=Box(9, 9, 9, 9)), other]).element is None
    assert ground(find, [VIEW, field, other]).element is None
    assert ground(step("Find", text="Click Find."), [field, other]).element is None
    assert ground(find, [field, element("entry", "Find:", 30)]).element == element("entry", "Find:", 30)


def test_a_title_beside_a_menu_is_nothing_that_is_in_it() -> None:
    """The way "View > Styles" begins at "View", though a menu "Styles" stands beside it, and goes on to its entry.

    Control: the title is found where it is what the step begins with.
    """
    bar = [replace(VIEW, box=Box(80, 20, 40, 25)), replace(VIEW, name="Styles", box=Box(240, 20, 50, 25))]
    entry = element("menu_item", "Styles")
    below = replace(entry, box=Box(80, 90, 200, 25))
    path = step("View", "Styles")
    assert ground(path, bar).element == bar[0]
    assert ground(path, [*bar, below]).element == below
    left = step("Styles")
    assert ground(left, bar, opened="View").element is None
    assert ground(left, [*bar, below], opened="View").element == below
    assert ground(left, bar).element == bar[1]
    assert ground(step("Styles", "Load"), [*bar, below]).element == bar[1]
    texts = [replace(control, role=ControlRole.TEXT) for control in bar]
    assert ground(path, texts).element == texts[0]


def test_a_control_that_is_not_there_is_missing() -> None:
    assert ground(step("Sort"), WINDOW).missing
    assert not ground(step("Save"), WINDOW).missing
    assert not ground(HelpStep(text="Think about it."), WINDOW).missing
    assert not ground(step("Sort"), []).missing
    assert not ground(step("Sort"), WINDOW, complete=False).missing


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Open the Numbers tab.", "tab"),
        ('Click the "Numbers" button.', "button"),
        ("Tick the Numbers check box.", "check_box"),
        ("Type it in the Numbers field.", "entry"),
        ("Open the Numbers menu.", "menu"),
        ("Numbers", "button"),
    ],
)
def test_what_a_step_calls_a_control_decides_between_equal_names(text: str, role: str) -> None:
    roles = ["button", "tab", "check_box", "entry", "menu"]
    found = ground(step("Numbers", text=text), [element(some_role, "Numbers") for some_role in roles]).element
    assert found is not None
    assert found.role == role


def test_what_an_earlier_step_opens_is_not_missing() -> None:
    """A menu that is not there is missing all the same: menus do not come with a dialog."""
    view, look = step("View", "Freeze Rows and Columns"), HelpStep(text="Look.")
    steps = (step("Sort"), view, look, step("Options"), step("Frobnicate", "Options"))
    page = HelpPage(page_id="p", title="t", source="s", steps=steps)
    grounded = ground_page(page, WINDOW)
    assert [grounded_step.step for grounded_step in grounded] == list(page.steps)
    assert [grounded_step.missing for grounded_step in grounded] == [True, False, False, False, True]
    assert [grounded_step.element for grounded_step in grounded] == [None, VIEW, None, None, None]
    assert not any(grounded_step.missing for grounded_step in ground_page(page, WINDOW, complete=False))


def test_of_equal_controls_one_that_can_be_used_counts_and_then_the_first() -> None:
    grey = element("button", "Save", state=ControlState.DISABLED)
    first, second = element("button", "Save", 1), element("button", "Save", 2)
    assert ground(step("Save"), [grey, first, second]).element == first
    assert ground(step("Column"), [element("button", "Columns"), element("button", "Column", 9)]).element == element(
        "button", "Column", 9
    )


def test_a_control_that_takes_no_click_is_there_and_not_pointed_at() -> None:
    """It is not missing either, at the end of a path too; the control: one that takes clicks."""
    for grey in ([element("button", "Save", state=ControlState.DISABLED)], [FILE, replace(SAVE, state=GREY)]):
        found = ground(step("File", "Save") if FILE in grey else step("Save"), grey)
        assert (found.element, found.greyed, found.missing) == (None, True, False)
    found = ground(step("File", "Save"), [FILE, SAVE])
    assert (found.element, found.greyed) == (SAVE, False)


def test_controls_without_a_name_are_never_found() -> None:
    """Those of a log without the recording have none."""
    assert ground(step("Save"), [element("button", None), element("button", "")]).element is None


def test_where_the_way_is_not_there_only_the_very_name_counts() -> None:
    """No "Pages:" of another dialog for "Format > Page"; with its menu in sight what is nearly the same counts."""
    step = HelpStep(text="Choose Format > Page.", controls=("Format", "Page"))
    pages = Element(role=ControlRole.RADIO_BUTTON, box=Box(1, 2, 30, 20), name="Pages:")
    page = Element(role=ControlRole.TAB, box=Box(5, 2, 30, 20), name="Page")
    menu = Element(role=ControlRole.MENU, box=Box(9, 2, 30, 20), name="Format")
    entry = Element(role=ControlRole.MENU_ITEM, box=Box(9, 50, 30, 20), name="Pages...")
    assert ground(step, [pages]).element is None
    assert ground(step, [pages, page]).element == page
    assert ground(step, [menu, entry]).element == entry


def test_a_text_of_a_picture_may_be_an_entry_of_a_menu() -> None:
    """Nobody knows what it is: what comes later in a path is pointed at once it is there."""
    step = HelpStep(text="Choose View > Zoom.", controls=("View", "Zoom"))
    view = Element(role=ControlRole.TEXT, box=Box(1, 2, 30, 20), name="View")
    zoom = Element(role=ControlRole.TEXT, box=Box(1, 50, 30, 20), name="Zoom...")
    assert ground(step, [view]).element == view
    assert ground(step, [view, zoom]).element == zoom


def test_a_control_on_a_bar_is_no_similar_one_elsewhere() -> None:
    """A "Function icon on the Formula Bar" is no "Functions" of the side bar; by its very name it is found."""
    one = step("Function", text="Click the Function icon on the Formula Bar.")
    side_bar, very_name = element("toggle", "Functions"), element("button", "Function", x=40)
    assert ground(one, [side_bar, VIEW]).missing
    assert ground(one, [side_bar, very_name]).element is very_name
    assert ground(step("Function", text="Click Function."), [side_bar, VIEW]).element is side_bar


@pytest.mark.parametrize(
    ("controls", "title", "opens"),
    [
        (("Format", "Cells"), "Format Cells", True),
        (("Tools", "Word Count..."), "Word Count", True),
        (("Search", "Find and Replace"), "Find & Replace", True),
        (("Insert",), "Insert Table", False),
        (("Insert", "Chart"), "Chart Type", False),
        ((), "Insert", False),
    ],
)
def test_a_dialog_is_all_of_a_step_where_its_title_says_no_more(
    controls: tuple[str, ...], title: str, *, opens: bool
) -> None:
    assert is_all_of(HelpStep(text="", controls=controls), title) is opens


def test_a_tab_that_a_step_names_is_no_menu_of_the_same_name() -> None:
    """Writer has a menu "Styles", and a tab of that name in dialogs."""
    menu, tab = element("menu", "Styles"), element("tab", "Styles", 5)
    click = step("Styles", text="Click the Styles tab.")
    assert ground(click, [menu]).element is None
    assert ground(click, [menu, tab]).element == tab
    path = step("Styles", "Tab Size", text="Choose Styles > Tab Size.")
    assert ground(path, [menu, tab]).element == menu, "the control: no tab is named"
    assert ground(step("Styles"), [menu]).element == menu
