"""The adapter against programs made up on a bus of its own: what is reported, what is asked, and what is left alone."""

import asyncio
import os
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from dbus_fast import Message

from daemon.capture.accessibility.atspi.connection import Connection
from daemon.capture.accessibility.atspi.keyboard import SHORT
from daemon.capture.accessibility.atspi.recent import BURST, BURST_NS
from daemon.capture.accessibility.atspi.signals import Signal, SignalKind, parse, rule
from daemon.capture.accessibility.atspi.source import AtSpiSource
from daemon.capture.control_source import (
    Access,
    Acted,
    ActKind,
    BrowserWindowNamed,
    Control,
    DialogOpened,
    FocusMoved,
    Lost,
    MessageShown,
    PageLoaded,
    ProgramQuiet,
    UndoNamed,
)
from daemon.capture.source_thread import SourceGone
from storage.clock import NS_PER_S, SystemClock
from storage.records import Box, ControlRole, ControlState, MessageClass
from tests.fakes.accessibility.atspi import (
    ACTIVE,
    CHECKABLE,
    FOCUSES,
    LETTERS,
    ROOT,
    SENSITIVE,
    WRITES,
    Adapter,
    FakeProgram,
    Limits,
    Node,
    OpenGuard,
    Role,
    flood,
    running_adapter,
    until,
)
from tests.fakes.accessibility.private_bus import address_in, private_bus

BROWSER = {"class": "BrowserRootView"}
NODES = {
    ROOT: Node(Role.APPLICATION, children=["/frame"]),
    "/frame": Node(Role.FRAME, "Editor", SENSITIVE | ACTIVE, ["/panel"], Box(0, 0, 500, 500), attributes=BROWSER),
    "/panel": Node(Role.PANEL, children=["/save", "/grey", "/bold", "/italic"], box=Box(0, 0, 500, 500)),
    "/save": Node(Role.BUTTON, "Save", box=Box(100, 100, 50, 20), children=["/leaf"]),
    "/leaf": Node(Role.LABEL, "Save", box=Box(110, 105, 30, 10), parent="/save"),
    "/grey": Node(Role.BUTTON, "Compile", states=0, box=Box(200, 100, 50, 20)),
    "/bold": Node(Role.CHECK, "Bold", states=SENSITIVE | CHECKABLE, box=Box(300, 100, 50, 20)),
    "/italic": Node(Role.CHECK, "Italic", states=SENSITIVE | CHECKABLE, box=Box(400, 100, 50, 20)),
    "/text": Node(Role.TEXT, "Name"),
    "/secret": Node(Role.PASSWORD, "Password", box=Box(10, 20, 30, 40)),
    "/dialog": Node(Role.ALERT, "Question", children=["/words"]),
    "/words": Node(Role.PANEL, children=["/label", "/secret"]),
    "/label": Node(Role.LABEL, "The file could not be opened"),
    "/alert": Node(Role.ALERT, children=["/label"]),
    "/notice": Node(Role.DIALOG, children=["/noticewords", "/noticerow"], parent="/frame"),
    "/noticewords": Node(Role.PARAGRAPH, children=["/noticetext"]),
    "/noticetext": Node(Role.LABEL, "Wrong password"),
    "/noticerow": Node(Role.PANEL, children=["/noticeok"], parent="/notice"),
    "/noticeok": Node(Role.BUTTON, "OK", parent="/noticerow"),
    "/status": Node(Role.LABEL, "Ready"),
    "/page": Node(Role.INTERNAL_FRAME, children=["/document"], parent="/frame"),
    "/document": Node(Role.DOCUMENT_WEB, "A page", parent="/page"),
}


GTK, GTK_4, CHROMIUM, GECKO = (
    pytest.mark.parametrize("toolkit", [toolkit]) for toolkit in ("gtk", "GTK", "Chromium", "Gecko")
)
FIELDS = pytest.mark.parametrize("access", [Access.FIELDS])
CLOSED = pytest.mark.parametrize("epoch", [None])
CREATED, NAMED = "window:create", "object:property-change:accessible-name"
CHECKED = "object:state-changed:checked"
ANSWERS = ["GetExtents", "GetRole", "GetState", "Name"]


@pytest.fixture
def epoch() -> int | None:
    """Return the time of the gate; None while it is closed."""
    return 0


@pytest.fixture
def stage(tmp_path: Path, toolkit: str, access: Access, epoch: int | None) -> AbstractAsyncContextManager[Adapter]:
    """Return a running adapter, with a program that was there before; if that is of GTK 3, this is known."""
    guard = OpenGuard(os.getpid(), access, epoch)
    return running_adapter(tmp_path, NODES, toolkit, guard, is_known=toolkit == "gtk" and access is Access.ALL)


async def open_dialog(stage: Adapter) -> None:
    await stage.program.signal(CREATED, "/dialog", 0, "Question")
    await until(lambda: stage.of(DialogOpened), "the dialog")


def test_the_rules_name_member_and_first_argument() -> None:
    """An unfiltered rule would let everything through that a program says."""
    assert rule(SignalKind.FOCUSED) == (
        "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged',arg0='focused'"
    )
    assert all("member='" in rule(kind) for kind in SignalKind)


async def test_what_a_program_says_becomes_acts_dialogs_messages_and_loads(stage: Adapter) -> None:
    """Each signal gives one observation, with what was asked about it."""
    program = stage.program
    await stage.focus("/text")
    await program.type("/text", 2)
    assert await stage.at(310, 110) is not None
    await program.signal(CHECKED, "/bold", 1)
    await program.signal(NAMED, "/status", 0, "Undo: Typing")
    await program.signal(NAMED, "/status", 0, "Error: no such file")
    await program.signal("document:load-complete", "/frame")
    await open_dialog(stage)
    await until(lambda: len(stage.of(Acted)) == 2, "the toggle")
    entered, toggled = stage.of(Acted)
    assert (entered.what, entered.control.name) == (ActKind.ENTERED, "Name")
    assert (toggled.what, toggled.control.name, toggled.control.state) == (ActKind.TOGGLED, "Bold", ControlState.ON)
    assert [seen.label for seen in stage.of(UndoNamed)] == ["Typing"]
    assert [item.text for item in stage.of(MessageShown)] == ["Error: no such file"]
    assert [entry.title for entry in stage.of(PageLoaded)] == ["Editor"]
    (dialog,) = stage.of(DialogOpened)
    assert (dialog.role, dialog.title, dialog.asks_password) == (ControlRole.ALERT, "Question", True)
    assert dialog.text == "The file could not be opened"
    assert LETTERS not in repr(stage.seen)


async def test_toggles_that_follow_the_selection_are_no_acts_and_cost_no_question(stage: Adapter) -> None:
    """Nobody pressed; then one was pressed and another follows; then one has the keyboard."""
    program = stage.program
    await stage.focus("/text")
    program.asked.clear()
    for path in ("/bold", "/italic"):
        await program.signal(CHECKED, path, 1)
    await asyncio.sleep(2 * BURST_NS / NS_PER_S)
    assert program.asked == []
    assert await stage.at(410, 110) is not None
    for path in ("/bold", "/italic"):
        await program.signal(CHECKED, path, 0)
    await until(lambda: stage.of(Acted), "the toggle that was pressed")
    await stage.focus("/bold")
    stage.listener.pointer.pressed = None
    await program.signal(CHECKED, "/bold", 1)
    await until(lambda: len(stage.of(Acted)) == 2, "the toggle with the keyboard")
    toggled = [(seen.control.name, seen.control.state) for seen in stage.of(Acted)]
    assert toggled == [("Italic", ControlState.OFF), ("Bold", ControlState.ON)]


async def test_a_click_finds_the_control_and_not_its_label_in_few_questions(stage: Adapter) -> None:
    """From the active window down: a leaf stands for its button, a grey button says so, at most 16 questions."""
    await stage.known_process()
    for x, name, state in ((115, "Save", ControlState.PLAIN), (210, "Compile", ControlState.DISABLED)):
        stage.program.asked.clear()
        found = await stage.clicked(x, 108)
        assert (found.role, found.name, found.state) == (ControlRole.BUTTON, name, state)
        assert len(stage.program.asked) <= 16
    assert await stage.at(400, 400) is not None  # the panel
    assert await stage.at(900, 900) is None


@pytest.mark.parametrize(("late", "found"), [("/leaf", "Save"), ("/panel", None)])
async def test_a_program_that_is_busy_with_what_a_click_began_is_asked_what_was_clicked(
    stage: Adapter, limits: Limits, late: str, found: str | None
) -> None:
    """Qt answers only once its dialog is built; what was found until then counts if it is no mere container."""
    limits("pointer", AT_POINT_S=2.0)
    await stage.known_process()
    stage.program.late[late, "GetAccessibleAtPoint"] = 3.0
    control = await stage.at(115, 108)
    assert (control.name if control is not None else None) == found
    assert len(stage.program.asked) <= 16


async def test_a_click_in_a_menu_is_on_the_item_below_it_that_has_the_focus_or_gets_it(
    stage: Adapter, limits: Limits
) -> None:
    """Qt takes it from the item at the press and gives it back; without one the menu's title does not stand for it."""
    limits("pointer", AT_POINT_S=0.5)
    stage.program.nodes["/file"] = Node(Role.MENU_ITEM, "File", box=Box(0, 0, 50, 20))
    stage.program.nodes["/open"] = Node(Role.MENU_ITEM, "Open", box=Box(0, 20, 50, 20))
    await stage.hold("/file")
    asked = len(stage.program.asked)
    assert await stage.source.focused_at(os.getpid(), 10, 30) is None
    assert len(stage.program.asked) == asked
    await stage.hold("/open")
    await stage.release("/open")
    pressed = asyncio.create_task(stage.source.focused_at(os.getpid(), 10, 30))
    await stage.program.signal(FOCUSES, "/open", 1)
    control = await pressed
    assert control is not None
    assert control.name == "Open"


async def visit(stage: Adapter, *paths: str) -> None:
    """Give controls the keyboard one after the other, and leave it there for a moment once each is known."""
    for path in paths:
        await stage.focus(path)
        await asyncio.sleep(0.15)


@pytest.mark.parametrize("toolkit", ["Chromium", "gtk"])
async def test_a_dialog_of_a_page_is_found_where_the_focus_goes(stage: Adapter, toolkit: str) -> None:
    """It opens no window; going about in it is no second one. Of other programs nothing more is asked (the control)."""
    await stage.known_toolkit()
    await visit(stage, "/text", "/noticeok", "/noticerow", "/text", "/noticeok")
    if toolkit == "Chromium":
        await until(lambda: stage.of(DialogOpened), "the dialog")
    await asyncio.sleep(0.2)
    found = [(seen.role, seen.text) for seen in stage.of(DialogOpened)]
    assert found == ([(ControlRole.DIALOG, "Wrong password")] if toolkit == "Chromium" else [])


@pytest.mark.parametrize("calls", [16, 8])
@CHROMIUM
async def test_a_dialog_whose_questions_are_used_up_is_read_a_second_later(
    stage: Adapter, limits: Limits, calls: int
) -> None:
    """A click and the focus that it moves ask much; a page's dialog without words, or its name, would be of no use."""
    limits("budget", CALLS_PER_S=calls)
    await stage.known_toolkit()
    await asyncio.sleep(1.1)
    await stage.program.signal(FOCUSES, "/noticeok", 1)
    await until(lambda: stage.of(DialogOpened), "the dialog")
    assert [seen.text for seen in stage.of(DialogOpened)] == ["Wrong password"]


@pytest.mark.parametrize("frame", [Role.INTERNAL_FRAME, Role.PANEL])
@GECKO
async def test_a_panel_in_a_frame_of_its_own_is_a_dialog(stage: Adapter, frame: int) -> None:
    """Firefox calls a dialog of a page so in some runs; a panel in another one (the control) is none."""
    program = stage.program
    program.nodes["/notice"] = replace(NODES["/notice"], role=Role.PANEL, parent="/page")
    program.nodes["/page"] = replace(NODES["/page"], role=frame)
    await stage.known_toolkit()
    await visit(stage, "/text", "/noticeok", "/text", "/noticeok")
    await until(lambda: ("/page", "GetRole") in program.asked, "looking above")
    await asyncio.sleep(0.2)
    texts = [seen.text for seen in stage.of(DialogOpened)]
    assert texts == (["Wrong password"] if frame == Role.INTERNAL_FRAME else [])


@FIELDS
async def test_a_password_field_is_told_by_the_number_of_its_role_alone(stage: Adapter) -> None:
    """Where only that may be asked, nothing else is: not a name, not a text, not another control.

    Of the field also where it is, whether it is visible, and how long its text is.
    """
    await stage.program.signal(FOCUSES, "/secret", 1)
    await stage.program.signal(FOCUSES, "/text", 1)
    await stage.program.signal(CREATED, "/dialog", 0, "Question")
    await stage.program.signal(WRITES, "/text")
    await until(lambda: len(stage.of(FocusMoved)) == 2, "both")
    await asyncio.sleep(0.1)
    moved = sorted(stage.of(FocusMoved), key=lambda report: report.number)  # a later answer may be quicker
    secret, text = (report.control for report in moved)
    assert secret == Control(key="/secret", role=ControlRole.PASSWORD, name="", box=Box(10, 20, 30, 40))
    assert text is not None
    assert (text.role, text.name) == (ControlRole.TEXT, "")
    asked = {member for _, member in stage.program.asked}
    about_field = {"GetExtents", "GetState", "CharacterCount"}
    assert "GetRole" in asked
    assert asked - about_field - {"GetRole", "ToolkitName"} == set()  # the toolkit may be asked again
    assert {path for path, member in stage.program.asked if member in about_field - {"GetExtents"}} <= {"/secret"}
    assert not stage.of(DialogOpened)
    assert not stage.of(Acted)


@pytest.mark.parametrize("label", ["/label", ""])
@pytest.mark.parametrize("parent", ["/choice", "/panel"])
@pytest.mark.parametrize("toolkit", ["Qt"])
async def test_what_is_typed_into_the_entry_of_a_list_is_typed_into_the_list(
    stage: Adapter, parent: str, label: str
) -> None:
    """In Qt the list has the keyboard and its entry the letters; it is called by its label, not by what is in it.

    Letters that appear elsewhere meanwhile are nobody's.
    """
    stage.program.nodes["/choice"] = Node(Role.COMBO_BOX, "spring", label=label)
    stage.program.nodes["/label"] = Node(Role.LABEL, "Find:")
    stage.program.nodes["/entry"] = Node(Role.TEXT, "", parent=parent)
    await stage.hold("/choice")
    await stage.known_toolkit()
    await stage.program.type("/entry", 3)
    await until(lambda: ("/entry", "Parent") in stage.program.asked, "whose it is")
    await asyncio.sleep(0.2)
    acts = [(seen.what, seen.control.role, seen.control.name) for seen in stage.of(Acted)]
    name = "Find:" if label else ""
    assert acts == ([(ActKind.ENTERED, ControlRole.COMBO_BOX, name)] if parent == "/choice" else [])
    assert stage.program.asked.count(("/entry", "Parent")) == 1


@pytest.mark.parametrize(("name", "label"), [("Password", ""), ("GtkEntry", "/label"), ("GtkEntry", "")])
@pytest.mark.parametrize("toolkit", ["GTK", "gtk"])
@FIELDS
async def test_a_password_field_of_gtk_4_is_known_by_its_name_or_label(
    stage: Adapter, toolkit: str, name: str, label: str
) -> None:
    """Its role may be that of any entry; in other toolkits the role alone counts, and no name is asked for it."""
    stage.program.nodes["/secret"] = Node(Role.TEXT, name, label=label)
    stage.program.nodes["/label"] = Node(Role.LABEL, "New password")
    is_secret = toolkit == "GTK" and (name, label) != ("GtkEntry", "")
    await stage.program.signal(FOCUSES, "/secret", 1)
    control = await stage.moved_to()
    assert (control.role is ControlRole.PASSWORD) is is_secret
    assert control.name == ""
    asked = {member for _, member in stage.program.asked}
    assert ("Name" in asked) is (toolkit == "GTK")


@GTK_4
@FIELDS
async def test_a_field_of_gtk_4_whose_label_is_late_counts_as_a_password(stage: Adapter) -> None:
    """Its keys must not be counted while it is open whether they may be."""
    await stage.program.signal(FOCUSES, "/grey", 1)
    await stage.moved_to()
    stage.program.nodes["/field"] = Node(Role.TEXT, "GtkEntry", label="/label")
    stage.program.late["/field", "GetRelationSet"] = 8.0
    await stage.program.signal(FOCUSES, "/field", 1)
    await until(lambda: len(stage.of(FocusMoved)) == 2, "the field", timeout_s=12.0)
    assert (await stage.moved_to(1)).role is ControlRole.PASSWORD


@pytest.mark.parametrize("member", ["ToolkitName", "GetRelationSet"])
@pytest.mark.parametrize("toolkit", ["GTK", "Qt"])
async def test_a_program_that_does_not_say_all_is_understood_all_the_same(
    stage: Adapter, limits: Limits, member: str
) -> None:
    """What has the keyboard and what was clicked is known where one question is refused for long."""
    limits("program", REFUSING_NS=0)
    stage.program.refused.add(member)
    await stage.known_process()
    stage.guard.permit = replace(stage.guard.permit, content=Box(0, 0, 500, 500))
    stage.program.nodes["/text"] = Node(Role.TEXT, "First name", box=Box(1, 2, 30, 40))
    await stage.hold("/text")
    assert stage.listener.keyboard.focus == Control(
        key="/text", role=ControlRole.TEXT, name="First name", box=Box(1, 2, 30, 40)
    )
    assert (await stage.clicked(115, 108)).name == "Save"


@GTK_4
async def test_a_program_that_says_late_what_it_is_built_with_is_asked_again(stage: Adapter, limits: Limits) -> None:
    """Else a window of GTK 4 that started on a busy machine could never be read; the control is before that."""
    limits("program", REFUSING_NS=0, AGAIN_NS=0)
    stage.program.refused.add("ToolkitName")
    await stage.known_process()
    stage.listener.program._toolkit = None  # it may have been asked before it refused
    assert not await stage.listener.program.is_gtk4()
    stage.program.refused.clear()
    assert await stage.listener.program.is_gtk4()
    asked = len(stage.program.asked)
    assert await stage.listener.program.is_gtk4()
    assert len(stage.program.asked) == asked


@GTK_4
@FIELDS
async def test_a_password_field_that_is_signalled_before_it_can_be_asked_is_known(stage: Adapter) -> None:
    """GTK 4 does so as it starts: neither the field nor the program itself is there for whoever asks."""
    await stage.known_process()
    nodes = dict(stage.program.nodes)
    stage.program.nodes.clear()
    await stage.program.signal(FOCUSES, "/secret", 1)
    await until(lambda: ("/secret", "GetRole") in stage.program.asked, "the question")
    stage.program.nodes.update(nodes)
    control = await stage.moved_to()
    assert (control.role, control.box) == (ControlRole.PASSWORD, None)


@GTK_4
async def test_an_object_that_cannot_be_there_costs_that_question_alone(stage: Adapter) -> None:
    """A path that no object can have would end the connection, and with it the protection of all programs."""
    stage.program.nodes["/text"] = Node(Role.TEXT, "GtkEntry", label="not a path")
    stage.program.loose = True
    await stage.program.signal(FOCUSES, "/text", 1)
    await stage.moved_to()
    assert stage.source.state.connected


@GTK_4
@FIELDS
async def test_where_a_password_field_of_gtk_4_is_nobody_says(stage: Adapter) -> None:
    """GTK 4 counts from the window: covering what it says would leave the field to be seen."""
    await stage.program.signal(FOCUSES, "/secret", 1)
    control = await stage.moved_to()
    assert (control.role, control.box) == (ControlRole.PASSWORD, None)


@pytest.mark.parametrize(
    ("content", "corner", "scale"),
    [(Box(40, 60, 510, 510), (45, 65), 1), (Box(40, 60, 1000, 1000), (40, 60), 2), (Box(40, 60, 300, 900), None, 1)],
)
@GTK_4
async def test_gtk_4_counts_from_its_window(
    stage: Adapter, content: Box, corner: tuple[int, int] | None, scale: int
) -> None:
    """A click is looked for as the program counts, and what is found is where the desktop has it.

    Of a window that is not the active one nothing is known; a name that is only the type of a widget is none.
    """
    await stage.known_process()
    x, y = corner or (45, 65)
    point = (x + 115 * scale, y + 108 * scale)
    assert await stage.at(*point) is None
    stage.guard.permit = replace(stage.guard.permit, content=content)
    if corner is None:
        assert await stage.at(*point) is None
        return
    found = await stage.clicked(*point)
    assert (found.name, found.box) == ("Save", Box(x + 100 * scale, y + 100 * scale, 50 * scale, 20 * scale))
    stage.program.nodes["/text"] = Node(Role.TEXT, "EditorSearchEntry", box=Box(1, 2, 30, 40))
    await stage.hold("/text")
    field = stage.listener.keyboard.focus
    assert field is not None
    assert (field.name, field.box) == ("", Box(x + scale, y + 2 * scale, 30 * scale, 40 * scale))


@pytest.mark.parametrize(
    ("toolkit", "access"), [("Chromium", Access.FIELDS), ("gtk", Access.FIELDS), ("Chromium", Access.ALL)]
)
async def test_a_browser_that_was_there_before_is_known_without_any_signal(stage: Adapter, toolkit: str) -> None:
    """Its windows are named, and its pages are woken by the question about attributes; other programs are let be.

    They speak only after that, and the browser says nothing before of its own accord.
    """
    is_browser = toolkit == "Chromium"
    if is_browser:
        await until(lambda: stage.of(BrowserWindowNamed), "its window")
        await until(lambda: (ROOT, "GetAttributes") in stage.program.asked, "its attributes")
    await asyncio.sleep(0.2)
    named = [(seen.name, seen.pid) for seen in stage.of(BrowserWindowNamed)]
    assert named == [("Editor", os.getpid())] * is_browser
    assert ((ROOT, "GetAttributes") in stage.program.asked) is is_browser


@pytest.mark.parametrize("toolkit", ["Gecko", "gtk"])
async def test_what_a_page_writes_where_messages_stand_is_a_message(stage: Adapter, toolkit: str) -> None:
    """A live region that changes is read; a label or a field is not, nor what is typed where the keyboard is.

    Other programs have no such regions, and are asked nothing about what they write.
    """
    await stage.known_toolkit()
    await stage.focus("/text")
    stage.program.asked.clear()
    for path in ("/label", "/grey", "/text", "/alert"):
        await stage.program.signal(WRITES, path)
    if toolkit == "Gecko":
        await until(lambda: stage.of(MessageShown), "the message")
    await asyncio.sleep(0.4)
    asked = stage.program.asked
    found = [seen.text for seen in stage.of(MessageShown)]
    if toolkit == "Gecko":
        assert found == ["The file could not be opened"]
        assert ("/label", "Name") not in asked[: asked.index(("/alert", "GetRole"))]
    else:
        assert (found, asked) == ([], [])


@pytest.mark.parametrize("epoch", [None, 0], ids=["closed", "control"])
async def test_nothing_is_looked_at_while_the_gate_is_closed(stage: Adapter, epoch: int | None) -> None:
    """And the same signals are answered with questions while it is open (the control)."""
    closed = epoch is None
    await stage.program.signal(CREATED, "/dialog", 0, "Question")
    await stage.program.signal(FOCUSES, "/text", 1)
    if not closed:
        await until(lambda: stage.of(DialogOpened), "the dialog")
    await asyncio.sleep(0.2)
    assert bool(stage.program.asked) is not closed
    assert (stage.of(DialogOpened) == []) is closed


async def appeared(stage: Adapter) -> None:
    """Wait until what shows next is no part of what has appeared."""
    listener, clock = stage.listener, SystemClock()
    await until(lambda: not listener._flushing and clock.now_ns() > listener._appears_until_ns, "the window")


async def test_a_window_that_appears_is_not_asked_about_each_of_its_controls(
    stage: Adapter, taken: list[SignalKind], limits: Limits
) -> None:
    """Hundreds of controls that show at once are one window; nobody hears of most of them, and a few are looked at."""
    limits("listener", APPEARING_NS=NS_PER_S // 10)
    for _ in range(12):
        await stage.program.show("/dialog", 20)
        await stage.taken_in()
    await appeared(stage)
    assert stage.source._subscriptions is not None
    reasons = stage.source._subscriptions._reasons[SignalKind.SHOWING]
    await until(lambda: not reasons, "listening again")
    await stage.taken_in()
    assert taken.count(SignalKind.SHOWING) < 120
    assert not [path for path, _ in stage.program.asked if path != ROOT]
    await stage.program.show("/dialog")
    await until(lambda: stage.of(MessageShown), "an alert that shows alone")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[SignalKind]:
    taken: list[SignalKind] = []

    def noting(message: Message) -> Signal | None:
        found = parse(message)
        if found is not None:
            taken.append(found.kind)
        return found

    monkeypatch.setattr("daemon.capture.accessibility.atspi.source.parse", noting)
    return taken


async def enter_a_word(stage: Adapter, path: str = "/text", number: int = 1) -> None:
    await stage.hold(path)
    await stage.taken_in()
    await stage.program.type(path, SHORT)
    await until(lambda: len(stage.of(Acted)) == number, "the entry")
    await stage.taken_in()


@GTK
async def test_after_a_pause_a_letter_tells_of_the_password_field_that_has_the_keyboard(stage: Adapter) -> None:
    """Although letters were not signalled any more before it, and nothing else is."""
    program = stage.program
    await enter_a_word(stage)
    moved = len(stage.of(FocusMoved))
    await program.type("/secret")
    await asyncio.sleep(0.2)
    assert len(stage.of(FocusMoved)) == moved  # it is not heard: the control
    stage.guard.epoch = 1
    stage.source.begin_anew()
    await stage.taken_in()
    await program.type("/secret")
    await until(lambda: len(stage.of(FocusMoved)) > moved, "the field")
    assert (await stage.moved_to(-1)).role is ControlRole.PASSWORD


@pytest.mark.parametrize("path", ["/text", "/secret"])
@GTK
async def test_what_could_not_be_asked_when_it_got_the_keyboard_is_asked_at_the_next_letter(
    stage: Adapter, path: str
) -> None:
    """As where a program has the keyboard before its window is known; once it is known it is not asked again."""
    program, permit = stage.program, stage.guard.permit
    stage.guard.permit = replace(permit, programs={})
    await program.signal(FOCUSES, path, 1)
    await until(lambda: stage.of(FocusMoved), "the focus")
    assert stage.of(FocusMoved)[-1].control is None
    stage.guard.permit = permit
    await program.type(path)
    await until(lambda: stage.of(FocusMoved)[-1].control is not None, "the control")
    role = (await stage.moved_to(-1)).role
    assert role is (ControlRole.PASSWORD if path == "/secret" else ControlRole.TEXT)
    if path == "/text":
        await until(lambda: stage.keyboard is not None, "its name")
    moved = len(stage.of(FocusMoved))
    await program.type(path)
    await asyncio.sleep(0.2)
    assert len(stage.of(FocusMoved)) == moved
    assert [seen.what for seen in stage.of(Acted)] == ([] if path == "/secret" else [ActKind.ENTERED])


@pytest.mark.parametrize("way", ["nothing", "activated", "left"])
@GTK
async def test_letters_are_heard_again_where_another_program_may_have_the_keyboard(
    stage: Adapter, tmp_path: Path, limits: Limits, way: str
) -> None:
    """One with a password field that has had it all the time, and says nothing; else (the control) it is not heard.

    The program before it is still the active one when it says that the keyboard left it.
    """
    limits("connection", URGENT_S=3.0)
    async with FakeProgram(address_in(tmp_path), NODES, "gtk") as other:
        program = stage.program
        await other.signal(FOCUSES, "/text", 0)
        await until(lambda: {program.name, other.name} <= stage.source._listeners.keys(), "both programs")
        await enter_a_word(stage)
        moved = len(stage.of(FocusMoved))
        if way == "activated":
            stage.source.note_active()
        elif way == "left":
            await other.signal("window:activate", "/frame", 0, "Other")
            await program.signal(FOCUSES, "/text", 0)
        await stage.taken_in(other)
        await other.type("/secret")
        if way == "nothing":
            await asyncio.sleep(0.2)
            assert len(stage.of(FocusMoved)) == moved
            return

        def is_known() -> bool:
            found = [seen.control for seen in stage.of(FocusMoved)[moved:]]
            return any(item is not None and item.role is ControlRole.PASSWORD for item in found)

        await until(is_known, "the field")


@pytest.mark.parametrize("toolkit", ["gtk", "Chromium"])
async def test_a_thousand_letters_ask_nothing_and_are_not_even_signalled(
    stage: Adapter, taken: list[SignalKind], limits: Limits, toolkit: str
) -> None:
    """Once it is known that something was typed there, and more than a word; where the keyboard goes next it is heard.

    Pages write with the same signals, so of a browser they are all heard (the control).
    """
    limits("recent", FLOOD_PER_S=1_000_000)
    program = stage.program
    await stage.known_toolkit()
    for number, path in enumerate(("/text", "/bold"), start=1):
        await enter_a_word(stage, path, number)
        program.asked.clear()
        taken.clear()
        for _ in range(50):
            await program.type(path, 20)
            await stage.taken_in()
        assert program.asked == []
        assert len(taken) == (1_000 if toolkit == "Chromium" else 0)
    assert [seen.what for seen in stage.of(Acted)] == [ActKind.ENTERED] * 2


@GTK
async def test_a_formula_without_a_result_is_an_error_of_its_cell(stage: Adapter) -> None:
    """Once the cell is left that was edited; neither a result, nor no formula, nor a look at it (the controls)."""
    program = stage.program
    for path, formula in (("/a1", "summ(B1)"), ("/a2", "1+1"), ("/a3", ""), ("/a4", "1/0")):
        program.nodes[path] = Node(Role.CELL, attributes={"Formula": formula}, characters=int(path == "/a2"))
    program.nodes["/a5"] = Node(Role.CELL)

    def chosen() -> int:
        return sum(item.what is ActKind.CHOSEN for item in stage.of(Acted))

    async def go_to(path: str, *, edited: bool) -> None:
        await program.signal(WRITES, "/name", 0, "A")
        if edited:
            await stage.hold("/text")
            await program.signal(FOCUSES, "/text", 0)
        before = chosen()
        await program.choose("/sheet", path)
        await until(lambda: chosen() > before, "the choice")

    await go_to("/a1", edited=False)
    for path, edited in (("/a2", True), ("/a3", True), ("/a4", True), ("/a5", False), ("/a1", False)):
        await go_to(path, edited=edited)
    await go_to("/a2", edited=True)
    await until(lambda: len(stage.of(MessageShown)) == 2, "the error again")
    found = [(seen.role, seen.text, seen.about) for seen in stage.of(MessageShown)]
    assert found == [(ControlRole.CELL, "", MessageClass.ERROR)] * 2
    asked = [(path, member) for path, member in program.asked if member in ("CharacterCount", "GetAttributes")]
    a1, a3 = ([(path, "CharacterCount"), (path, "GetAttributes")] for path in ("/a1", "/a3"))
    assert asked == [*a1, ("/a2", "CharacterCount"), *a3, *a1]


@pytest.mark.parametrize(
    ("path", "toolkit", "times"), [("/panel", "gtk", 1), ("/text", "gtk", 3), ("/panel", "Chromium", 3)]
)
async def test_what_has_the_keyboard_is_asked_its_role_each_time_but_for_a_place_outside_of_pages(
    stage: Adapter, path: str, toolkit: str, times: int
) -> None:
    """It may be a password field by now; a place can be none, but in a page anything may become anything."""
    await stage.known_toolkit()
    for _ in range(3):
        await stage.hold(path)
        await stage.release(path)
    assert stage.program.asked.count((path, "GetRole")) == times


@pytest.mark.parametrize(("refused", "role"), [("Name", ControlRole.BUTTON), ("GetRole", None)])
@GTK
async def test_a_control_that_does_not_say_what_it_is_called_is_known_by_its_role(
    stage: Adapter, refused: str, role: ControlRole | None
) -> None:
    """As a button whose dialog closes at once: it was pressed by Enter. Without its role nobody knows it (control)."""
    stage.program.refused = {refused}
    await stage.program.signal(FOCUSES, "/save", 1)
    await until(lambda: stage.of(FocusMoved), "the answer")
    await asyncio.sleep(0.3)
    last = stage.of(FocusMoved)[-1].control
    assert (last.role if last is not None else None) is role


@pytest.mark.parametrize("toolkit", ["gtk", "Chromium"])
async def test_a_click_in_a_sheet_is_looked_for_from_around_the_sheet(stage: Adapter, toolkit: str) -> None:
    """After the first cell of it: what lies on it is still found, what is beside it too, and so is all once it is gone.

    In a page it is looked for from the window down each time: anything may lie upon anything there (the control).
    """
    program = stage.program
    program.nodes |= {
        "/frame": Node(Role.FRAME, "Sheets", ACTIVE | SENSITIVE, ["/outer", "/tool"], Box(0, 0, 900, 900)),
        "/outer": Node(Role.PANEL, children=["/around"], box=Box(0, 100, 900, 800)),
        "/around": Node(Role.PANEL, children=["/chart", "/sheet"], box=Box(0, 100, 900, 800)),
        "/sheet": Node(Role.TABLE, "Sheet 1", children=["/cell1", "/cell2"], box=Box(0, 100, 900, 800)),
        "/cell1": Node(Role.CELL, "A1", box=Box(0, 100, 80, 17)),
        "/cell2": Node(Role.CELL, "A2", box=Box(0, 117, 80, 17)),
        "/chart": Node(Role.BUTTON, "Chart", box=Box(300, 300, 50, 50)),
        "/tool": Node(Role.BUTTON, "Save", box=Box(0, 0, 50, 50)),
    }
    await stage.known_toolkit()

    async def press(x: int, y: int) -> tuple[str, list[str]]:
        program.asked.clear()
        found = await stage.at(x, y)
        return found.name if found is not None else "", [p for p, m in program.asked if m.endswith("AtPoint")]

    below = ["/frame", "/outer", "/around", "/sheet"]
    shortcut = ["/around", "/sheet"] if toolkit == "gtk" else below
    beside = ["/around"] if toolkit == "gtk" else []
    assert await press(10, 105) == ("A1", [*below, "/cell1"])
    assert await press(10, 120) == ("A2", [*shortcut, "/cell2"])
    assert await press(10, 10) == ("Save", [*beside, "/frame", "/tool"])
    assert await press(310, 310) == ("Chart", [*(beside or below[:3]), "/chart"])
    del program.nodes["/around"]
    program.nodes["/outer"].children[:] = ["/sheet"]
    assert await press(10, 105) == ("A1", [*beside, "/frame", "/outer", "/sheet", "/cell1"])


@GTK
async def test_what_the_lists_of_a_window_that_appears_choose_is_no_act(stage: Adapter) -> None:
    """They come with a row chosen already; a list that has the keyboard (the control) chooses for the person.

    So it does where the keyboard has moved on since, as from a cell to the next.
    """
    program = stage.program

    async def appear(then: str = "") -> None:
        await program.show("/save", BURST + 1)
        await program.choose("/panel", "/text")
        if then:
            await stage.hold(then)
        await asyncio.sleep(0.6)

    await appear()
    assert stage.of(Acted) == []
    assert ("/text", "Name") not in program.asked
    await stage.hold("/panel")
    await appear()
    await until(lambda: stage.of(Acted), "the choice")
    assert [(seen.what, seen.control.name) for seen in stage.of(Acted)] == [(ActKind.CHOSEN, "Name")]
    await asyncio.sleep(0.6)  # until a window that appears is a new one
    await appear(then="/bold")
    await until(lambda: len(stage.of(Acted)) >= 2, "the second choice")
    assert len(stage.of(Acted)) == 2


async def test_a_program_that_hangs_is_left_alone_and_named(stage: Adapter, tmp_path: Path, limits: Limits) -> None:
    """After three unanswered questions it is asked nothing more; another program is not affected."""
    limits("connection", ANSWER_S=0.2, HUNG_S=0.1)
    limits("budget", FIRST_REST_NS=50_000_000)
    async with FakeProgram(address_in(tmp_path), NODES) as healthy:
        stage.program.hangs = True
        for _ in range(100):
            if stage.source.state.left_alone:
                break
            await stage.program.signal(CREATED, "/dialog", 0, "Question")
            await asyncio.sleep(0.1)
        assert len(stage.source.state.left_alone) == 1
        asked = len(stage.program.asked)
        await stage.program.signal(FOCUSES, "/text", 1)
        await healthy.signal(CREATED, "/dialog", 0, "Question")
        await until(lambda: stage.of(DialogOpened), "the dialog of the other program")
        assert len(stage.program.asked) == asked


@GTK
async def test_a_program_that_is_not_asked_for_a_while_is_reported_and_named_until_it_is_asked_again(
    stage: Adapter,
) -> None:
    """A silent sense must not look like a person who does nothing."""
    budget = stage.source._budget
    assert not stage.of(ProgramQuiet)
    enough, budget._busy_per_minute_ns = budget._busy_per_minute_ns, 0
    await stage.program.signal(CREATED, "/dialog", 0, "Question")
    await until(lambda: stage.of(ProgramQuiet), "the report")
    assert len(stage.source.state.spent) == 1
    assert not stage.of(DialogOpened)
    budget._busy_per_minute_ns = enough
    await open_dialog(stage)
    assert [(seen.pid, seen.on) for seen in stage.of(ProgramQuiet)] == [(os.getpid(), True), (os.getpid(), False)]
    assert not stage.source.state.spent


async def test_ten_thousand_signals_are_dropped_and_counted(stage: Adapter, tmp_path: Path, limits: Limits) -> None:
    """Only the first few hundred are looked at; afterwards the sense works as before."""
    limits("recent", QUIET_NS=100_000_000)
    # Where other tests take most of the time, ten thousand signals can come at fewer than the real limit in a second.
    limits("recent", FLOOD_PER_S=50)
    muted: list[str] = []
    limits("signals.Subscriptions", mute=lambda _self, _kinds, reason: muted.append(reason))
    await asyncio.to_thread(flood, address_in(tmp_path), 10_000)
    # Where the flood itself is held up, it is counted in several parts.
    await until(lambda: sum(seen.count for seen in stage.of(Lost)) > 9_000, "counting", 20.0)
    assert muted[:1] == ["flood"]
    assert len(stage.program.asked) < 1_500
    await asyncio.sleep(1.1)
    await open_dialog(stage)  # it works as before


async def test_a_bus_that_goes_away_ends_the_watch(stage: Adapter) -> None:
    """Whoever runs the adapter hears of it and may try again."""
    assert stage.source.state.connected
    stage.daemon.kill()
    with pytest.raises(SourceGone):
        await asyncio.wait_for(stage.watching, 5.0)
    assert not stage.source.state.connected


def test_without_a_bus_there_is_nothing_to_watch(tmp_path: Path) -> None:
    """No address, or a launcher that is not there: the adapter says so and starts nothing."""

    async def watch(env: dict[str, str]) -> None:
        await AtSpiSource(env, OpenGuard(1), SystemClock()).watch(lambda _: None)

    with pytest.raises(SourceGone):
        asyncio.run(watch({"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/none"}))
    with private_bus(tmp_path), pytest.raises(SourceGone):
        asyncio.run(watch({"DBUS_SESSION_BUS_ADDRESS": address_in(tmp_path)}))


@CHROMIUM
@CLOSED
async def test_a_browser_that_was_there_before_is_woken_after_a_pause(stage: Adapter) -> None:
    """Nothing is asked while the gate is closed; the first click or signal after it is enough."""
    await stage.program.signal(FOCUSES, "/text", 1)
    await asyncio.sleep(0.2)
    assert stage.program.asked == []
    stage.guard.epoch = 1
    await stage.at(110, 110)
    await until(lambda: (ROOT, "GetAttributes") in stage.program.asked, "waking its pages")


@GECKO
async def test_a_page_with_the_focus_is_no_dialog(stage: Adapter) -> None:
    """Firefox puts each page into an internal frame."""
    await stage.known_toolkit()
    await stage.focus("/document")
    await stage.program.signal(FOCUSES, "/noticeok", 1)
    await until(lambda: stage.of(DialogOpened), "a dialog, the control")
    assert [seen.text for seen in stage.of(DialogOpened)] == ["Wrong password"]


@pytest.mark.parametrize(("toolkit", "access"), [("Chromium", Access.NOTHING), ("gtk", Access.ALL)])
async def test_a_program_that_was_there_before_is_woken_only_if_it_is_a_browser_and_may_be_asked(
    stage: Adapter, access: Access
) -> None:
    """Others are asked once what they are built with, and an excluded one nothing at all."""
    await asyncio.sleep(0.5)
    assert stage.program.asked == ([(ROOT, "ToolkitName")] if access is Access.ALL else [])


@GTK_4
async def test_where_gtk_4_counts_from_is_asked_again_until_its_frame_fits(stage: Adapter, limits: Limits) -> None:
    """The display server knows the new size of a window before its program has followed."""
    limits("program", ORIGIN_NS=NS_PER_S // 5)
    await stage.known_process()
    stage.guard.permit = replace(stage.guard.permit, content=Box(40, 60, 500, 500))
    point = (40 + 115, 60 + 108)
    frame = stage.program.nodes["/frame"]
    stage.program.nodes["/frame"] = replace(frame, box=Box(0, 0, 300, 300))
    assert await stage.at(*point) is None
    stage.program.nodes["/frame"] = replace(frame, box=Box(0, 0, 440, 440))
    off = await stage.at(*point)
    assert off is None or off.box != Box(140, 160, 50, 20)
    stage.program.nodes["/frame"] = frame
    await asyncio.sleep(0.3)
    assert (await stage.clicked(*point)).box == Box(140, 160, 50, 20)


@GTK
async def test_the_lists_of_a_window_that_appears_are_no_messages(stage: Adapter) -> None:
    """Nobody is asked about their rows; of a list that was there before a new row is read (the control)."""

    def rows() -> int:
        return [member for _, member in stage.program.asked].count("GetAccessibleAt")

    await stage.program.signal("object:row-inserted", "/panel", 1)
    await until(lambda: rows() == 1, "reading the new row")
    await stage.program.signal(CREATED, "/frame", 0, "Editor")
    await stage.program.signal("object:row-inserted", "/panel", 1)
    await until(lambda: ("/frame", "GetRole") in stage.program.asked, "reading the window")
    await asyncio.sleep(0.5)
    assert rows() == 1


@pytest.fixture
def asked_of_bus(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    ask_bus = Connection.ask_bus

    async def note(self: Connection, member: str, signature: str = "", *body: object) -> object:
        asked.append(member)
        return await ask_bus(self, member, signature, *body)

    monkeypatch.setattr(Connection, "ask_bus", note)
    return asked


@GTK
async def test_short_entries_ask_the_bus_for_nothing(stage: Adapter, asked_of_bus: list[str]) -> None:
    """A cell is left before it would be worth it; a longer entry (the control) is not heard to its end."""
    program = stage.program
    asked_of_bus.clear()
    for number, (path, letters) in enumerate((("/text", 5), ("/bold", 5), ("/text", 3 * SHORT)), start=1):
        await stage.hold(path)
        await program.type(path, letters)
        await until(lambda: len(stage.of(Acted)) == number, "the entry")  # noqa: B023  # awaited here
        if letters > SHORT:
            await until(lambda: asked_of_bus, "no longer listening")
        await asyncio.sleep(0.1)
        assert asked_of_bus == (["RemoveMatch"] if letters > SHORT else [])


async def test_cells_that_are_chosen_and_clicked_are_asked_about_once(stage: Adapter) -> None:
    """A cell that was clicked is known; the next one is asked what it is called, but not what it is; the sheet nothing.

    Anything else that is chosen is asked all of it (the control).
    """
    program = stage.program
    for number, name in enumerate(("H16", "H17")):
        program.nodes[f"/cell{number}"] = Node(Role.CELL, name, box=Box(100, 300 + 17 * number, 80, 17))
    program.nodes["/panel"] = replace(NODES["/panel"], children=["/cell0", "/cell1"])
    program.nodes["/sheet"] = Node(Role.TABLE, "Sheet 1")

    async def ask(*acts: tuple[str, str]) -> list[str]:
        program.asked.clear()
        acted = len(stage.of(Acted))
        for container, path in acts:
            await program.choose(container, path)
            await until(lambda: len(stage.of(Acted)) > acted, "the choice")  # noqa: B023  # awaited here
            acted += 1
        return sorted(member for _, member in program.asked)

    await stage.known_toolkit()
    await program.signal("window:activate", "/frame", 0, "Sheets")
    await until(lambda: stage.listener.program.window == "/frame", "the window")
    assert (await stage.clicked(110, 305)).name == "H16"
    assert await ask(("/sheet", "/cell0")) == []
    assert await ask(("/sheet", "/cell1")) == ANSWERS
    program.nodes["/cell2"] = Node(Role.CELL, "H18")
    assert await ask(("/sheet", "/cell2")) == ["GetExtents", "GetState", "Name"]
    assert await ask(("/sheet", "/cell1")) == []
    assert await ask(("/list", "/bold")) == ANSWERS
    assert await ask(("/list", "/bold")) == ANSWERS
    assert [seen.control.name for seen in stage.of(Acted)] == ["H16", "H17", "H18", "H17", "Bold", "Bold"]

    program.asked.clear()
    for _ in range(3):
        await stage.hold("/sheet")
        await stage.release("/sheet")
    assert sorted(member for _, member in program.asked) == ANSWERS


async def test_a_window_that_is_activated_again_is_not_asked_what_it_is(stage: Adapter) -> None:
    """One that is made is asked each time, and so is one that nobody has asked about (the control)."""
    program = stage.program
    program.nodes["/other"] = Node(Role.FRAME, "Other")
    for path in ("/frame", "/frame", "/other"):
        await program.signal("window:activate", path, 0, "Window")
    await until(lambda: ("/other", "GetRole") in program.asked, "what the other window is")
    assert program.asked.count(("/frame", "GetRole")) == 1
    for number in (2, 3):
        await program.signal(CREATED, "/frame", 0, "Window")
        await until(lambda: program.asked.count(("/frame", "GetRole")) == number, "what it is")  # noqa: B023  # awaited here


@GTK
async def test_what_shows_with_a_new_window_is_not_asked_about(stage: Adapter) -> None:
    """Though it is too little for a storm; what shows later is (the control)."""
    program = stage.program
    for number in range(8):
        program.nodes[f"/part{number}"] = Node(Role.BUTTON, "part")

    async def show(*, window: bool) -> list[str]:
        program.asked.clear()
        for number in range(8):
            await program.show(f"/part{number}")
        if window:
            await program.signal(CREATED, "/frame", 0, "Window")

        def asked() -> list[str]:
            return [path for path, member in program.asked if member == "GetRole" and path.startswith("/part")]

        if not window:
            await until(lambda: len(asked()) == 8, "questions about what shows")
        await asyncio.sleep(0.6)
        return asked()

    assert await show(window=True) == []
    await asyncio.sleep(0.5)
    assert len(await show(window=False)) == 8


@GTK
async def test_a_place_that_hands_the_keyboard_on_is_not_asked_its_name(stage: Adapter, limits: Limits) -> None:
    """As an editor of a cell does; one that keeps it (the control) is. What a text is asked is not its states."""
    passing_s = 0.6
    limits("keyboard", PASSING_S=passing_s)
    program = stage.program
    await program.signal(FOCUSES, "/panel", 1)
    await until(lambda: ("/panel", "GetRole") in program.asked, "its role")
    await stage.hold("/text")
    await asyncio.sleep(2 * passing_s)
    assert [member for path, member in program.asked if path == "/panel"] == ["GetRole"]
    assert sorted(member for path, member in program.asked if path == "/text") == ["GetExtents", "GetRole", "Name"]
    await stage.hold("/panel")
    assert ("/panel", "Name") in program.asked


@pytest.mark.parametrize("size", [1, 14])
@GTK
async def test_a_form_without_words_is_read_once_in_a_while(stage: Adapter, size: int) -> None:
    """It has no text of its own either, and says so; a small dialog (the control) is read each time that it opens."""
    program = stage.program
    program.refused = {"CharacterCount"}
    rows = [f"/row{number}" for number in range(size)]
    program.nodes |= {row: Node(Role.BUTTON, "a button") for row in rows}
    for number, path in enumerate(("/form1", "/form2"), start=1):
        program.nodes[path] = Node(Role.DIALOG, "Format", children=rows, box=Box(10, 10, 300, 200))
        await program.signal(CREATED, path, 0, "Format")
        await until(lambda: len(stage.of(DialogOpened)) == number, "the dialog")  # noqa: B023  # awaited here
        await program.signal("window:destroy", path, 0, "Format")
    read = [path for path, member in program.asked if member == "GetChildren" and path.startswith("/form")]
    assert read == (["/form1", "/form2"] if size == 1 else ["/form1"])


async def test_a_control_that_changes_with_each_key_is_left_out(stage: Adapter) -> None:
    """A status line's words count only until it is plain that it never rests."""
    for number in range(12):
        await stage.program.signal(NAMED, "/status", 0, f"Error in {'x' * number}")
    await until(lambda: len(stage.of(MessageShown)) >= 4, "the messages")
    await asyncio.sleep(0.3)
    assert len(stage.of(MessageShown)) == 4
