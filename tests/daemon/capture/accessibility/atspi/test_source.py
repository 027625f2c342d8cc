"""The adapter against programs made up on a bus of its own: what is reported, what is asked, and what is left alone."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from dbus_fast import Message

from daemon.capture.accessibility.atspi.connection import Connection
from daemon.capture.accessibility.atspi.keyboard import SHORT
from daemon.capture.accessibility.atspi.listener import MANY, ProgramListener
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
    Observation,
    PageLoaded,
    ProgramQuiet,
    UndoNamed,
)
from daemon.capture.source_thread import SourceGone
from storage.clock import NS_PER_S, SystemClock
from storage.records import Box, ControlRole, ControlState, MessageClass
from tests.fakes.accessibility.atspi import (
    ACTIVE,
    ALERT,
    BUTTON,
    CELL,
    CHECK,
    CHECKABLE,
    COMBO_BOX,
    DIALOG,
    DOCUMENT_WEB,
    FRAME,
    INTERNAL_FRAME,
    LABEL,
    MENU_ITEM,
    PANEL,
    PARAGRAPH,
    PASSWORD,
    ROOT,
    SENSITIVE,
    TABLE,
    TEXT,
    FakeProgram,
    Node,
    OpenGuard,
    accessibility_services,
    flood,
    running_adapter,
    taken_in,
    until,
)
from tests.fakes.accessibility.private_bus import address_in, private_bus

NODES = {
    ROOT: Node(75, children=["/frame"]),
    "/frame": Node(
        FRAME,
        "Editor",
        SENSITIVE | ACTIVE,
        ["/panel"],
        Box(0, 0, 500, 500),
        attributes={"class": "BrowserRootView"},
    ),
    "/panel": Node(PANEL, children=["/save", "/grey", "/bold", "/italic"], box=Box(0, 0, 500, 500)),
    "/save": Node(BUTTON, "Save", box=Box(100, 100, 50, 20), children=["/leaf"]),
    "/leaf": Node(LABEL, "Save", box=Box(110, 105, 30, 10), parent="/save"),
    "/grey": Node(BUTTON, "Compile", states=0, box=Box(200, 100, 50, 20)),
    "/bold": Node(CHECK, "Bold", states=SENSITIVE | CHECKABLE, box=Box(300, 100, 50, 20)),
    "/italic": Node(CHECK, "Italic", states=SENSITIVE | CHECKABLE, box=Box(400, 100, 50, 20)),
    "/text": Node(TEXT, "Name"),
    "/secret": Node(PASSWORD, "Password", box=Box(10, 20, 30, 40)),
    "/dialog": Node(ALERT, "Question", children=["/words"]),
    "/words": Node(PANEL, children=["/label", "/secret"]),
    "/label": Node(LABEL, "The file could not be opened"),
    "/alert": Node(ALERT, children=["/label"]),
    "/notice": Node(DIALOG, children=["/noticewords", "/noticerow"], parent="/frame"),
    "/noticewords": Node(PARAGRAPH, children=["/noticetext"]),
    "/noticetext": Node(LABEL, "Wrong password"),
    "/noticerow": Node(PANEL, children=["/noticeok"], parent="/notice"),
    "/noticeok": Node(BUTTON, "OK", parent="/noticerow"),
    "/status": Node(LABEL, "Ready"),
    "/page": Node(INTERNAL_FRAME, children=["/document"], parent="/frame"),
    "/document": Node(DOCUMENT_WEB, "A page", parent="/page"),
}


T = TypeVar("T", bound=Observation)


class Stage:
    """A running adapter and one program."""

    def __init__(self, source: AtSpiSource, program: FakeProgram, guard: OpenGuard) -> None:
        self.source = source
        self.program = program
        self.guard = guard
        self.seen: list[Observation] = []

    @property
    def listener(self) -> ProgramListener:
        """What the adapter knows of the program."""
        return self.source._listeners[self.program.name]

    async def known_toolkit(self) -> None:
        """Wait until the adapter knows what the program is built with."""
        await until(lambda: self.listener.browser.is_known, "what it is built with")

    @property
    def keyboard(self) -> object:
        """The control with the keyboard, where the adapter knows it."""
        focus = self.listener.keyboard.focus
        return None if focus is None else focus.key

    async def focus(self, path: str) -> None:
        """Give the keyboard to a control, and leave it there for a moment once the control is known."""
        many = len(self.of(FocusMoved))
        await self.program.signal("object:state-changed:focused", path, 1)
        await until(lambda: len(self.of(FocusMoved)) >= many + 2, "what has the keyboard")
        await asyncio.sleep(0.15)

    async def appeared(self) -> None:
        """Wait until what shows next is no part of what has appeared."""
        listener, clock = self.listener, SystemClock()
        await until(lambda: not listener._flushing and clock.now_ns() > listener._appears_until_ns, "the window")

    async def taken_in(self, *others: FakeProgram) -> None:
        """Wait until the adapter has taken in all that was signalled."""
        await taken_in(self.source, self.program, *others)

    def of(self, kind: type[T]) -> list[T]:
        """Return what was reported of a kind."""
        return [observation for observation in self.seen if isinstance(observation, kind)]


@asynccontextmanager
async def running(
    folder: Path, access: Access = Access.ALL, *, toolkit: str = "", epoch: int | None = 0
) -> AsyncIterator[Stage]:
    """Run the adapter until the test is done, with one program that was there before."""
    guard = OpenGuard(os.getpid(), access)
    guard.epoch = epoch
    async with running_adapter(folder, NODES, toolkit, guard) as adapter:
        stage = Stage(adapter.source, adapter.program, guard)
        stage.seen = adapter.seen
        yield stage


@pytest.fixture(autouse=True)
def loaded_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give programs, which share this process, time to answer."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.ANSWER_S", 2.0)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.URGENT_S", 5.0)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.pointer.AT_POINT_S", 5.0)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.program.LABELS_S", 5.0)


def test_the_rules_name_member_and_first_argument() -> None:
    """An unfiltered rule would let everything through that a program says."""
    assert rule(SignalKind.FOCUSED) == (
        "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged',arg0='focused'"
    )
    assert all("member='" in rule(kind) for kind in SignalKind)


async def test_what_a_program_says_becomes_acts_dialogs_messages_and_loads(tmp_path: Path) -> None:
    """Each signal gives one observation, with what was asked about it."""
    async with running(tmp_path) as stage:
        program = stage.program
        await program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: len(stage.of(FocusMoved)) == 2, "the focus")
        await program.signal("object:text-changed:insert", "/text", 0, "typed letters")
        await program.signal("object:text-changed:insert", "/text", 0, "typed letters")
        assert await stage.source.element_at(os.getpid(), 310, 110) is not None
        await program.signal("object:state-changed:checked", "/bold", 1)
        await program.signal("object:property-change:accessible-name", "/status", 0, "Undo: Typing")
        await program.signal("object:property-change:accessible-name", "/status", 0, "Error: no such file")
        await program.signal("document:load-complete", "/frame")
        await program.signal("window:create", "/dialog", 0, "Question")
        await until(lambda: stage.of(DialogOpened), "the dialog")
        await until(lambda: len(stage.of(Acted)) == 2, "the toggle")
        entered, toggled = stage.of(Acted)
        assert (entered.what, entered.control.name) == (ActKind.ENTERED, "Name")
        assert (toggled.what, toggled.control.name, toggled.control.state) == (
            ActKind.TOGGLED,
            "Bold",
            ControlState.ON,
        )
        assert [seen.label for seen in stage.of(UndoNamed)] == ["Typing"]
        assert [item.text for item in stage.of(MessageShown)] == ["Error: no such file"]
        assert [entry.title for entry in stage.of(PageLoaded)] == ["Editor"]
        (dialog,) = stage.of(DialogOpened)
        assert (dialog.role, dialog.title, dialog.text) == (
            ControlRole.ALERT,
            "Question",
            "The file could not be opened",
        )
        assert dialog.asks_password
        assert "typed letters" not in repr(stage.seen)


async def test_toggles_that_follow_the_selection_are_no_acts_and_cost_no_question(tmp_path: Path) -> None:
    """Nobody pressed; then one was pressed and another follows; then one has the keyboard."""
    async with running(tmp_path) as stage:
        program = stage.program
        await program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: len(stage.of(FocusMoved)) == 2, "the focus")
        program.asked.clear()
        for path in ("/bold", "/italic"):
            await program.signal("object:state-changed:checked", path, 1)
        await asyncio.sleep(2 * BURST_NS / NS_PER_S)
        assert program.asked == []
        assert await stage.source.element_at(os.getpid(), 410, 110) is not None
        for path in ("/bold", "/italic"):
            await program.signal("object:state-changed:checked", path, 0)
        await until(lambda: stage.of(Acted), "the toggle that was pressed")
        await program.signal("object:state-changed:focused", "/bold", 1)
        await until(lambda: len(stage.of(FocusMoved)) == 4, "the focus")
        stage.listener.pointer.pressed = None
        await program.signal("object:state-changed:checked", "/bold", 1)
        await until(lambda: len(stage.of(Acted)) == 2, "the toggle with the keyboard")
        assert [(seen.control.name, seen.control.state) for seen in stage.of(Acted)] == [
            ("Italic", ControlState.OFF),
            ("Bold", ControlState.ON),
        ]


async def test_a_click_finds_the_control_and_not_its_label_in_few_questions(tmp_path: Path) -> None:
    """From the active window down: a leaf stands for its button, a grey button says so, at most 16 questions."""
    async with running(tmp_path) as stage:
        known = stage.source._listeners
        await until(lambda: known[stage.program.name].program.pid != 0, "knowing whose process it is")
        for (x, y), name, state in (
            ((115, 108), "Save", ControlState.PLAIN),
            ((210, 110), "Compile", ControlState.DISABLED),
        ):
            stage.program.asked.clear()
            found = await stage.source.element_at(os.getpid(), x, y)
            assert found is not None
            assert (found.role, found.name, found.state) == (ControlRole.BUTTON, name, state)
            assert len(stage.program.asked) <= 16
        assert await stage.source.element_at(os.getpid(), 400, 400) is not None  # the panel
        assert await stage.source.element_at(os.getpid(), 900, 900) is None


@pytest.mark.parametrize(("late", "found"), [("/leaf", "Save"), ("/panel", None)])
async def test_a_program_that_is_busy_with_what_a_click_began_is_asked_what_was_clicked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str, found: str | None
) -> None:
    """Qt answers only once its dialog is built; what was found until then counts if it is no mere container."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.pointer.AT_POINT_S", 2.0)
    async with running(tmp_path) as stage:
        await until(lambda: stage.listener.program.pid != 0, "knowing whose process it is")
        stage.program.late[late, "GetAccessibleAtPoint"] = 3.0
        control = await stage.source.element_at(os.getpid(), 115, 108)
        assert (control.name if control is not None else None) == found
        assert len(stage.program.asked) <= 16


async def test_a_click_in_a_menu_is_on_the_item_below_it_that_has_the_focus_or_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt takes it from the item at the press and gives it back; without one the menu's title does not stand for it."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.pointer.AT_POINT_S", 0.5)
    focused = "object:state-changed:focused"
    nodes = {
        "/file": Node(MENU_ITEM, "File", box=Box(0, 0, 50, 20)),
        "/open": Node(MENU_ITEM, "Open", box=Box(0, 20, 50, 20)),
    }
    async with running(tmp_path) as stage:
        stage.program.nodes.update(nodes)
        known = stage.listener
        await stage.program.signal(focused, "/file", 1)
        await until(lambda: known.keyboard.focus, "the focus")
        asked = len(stage.program.asked)
        assert await stage.source.focused_at(os.getpid(), 10, 30) is None
        assert len(stage.program.asked) == asked
        await stage.program.signal(focused, "/open", 1)
        await until(
            lambda: known.keyboard.focus is not None and known.keyboard.focus.name == "Open", "the focus on the item"
        )
        await stage.program.signal(focused, "/open", 0)
        await until(lambda: known.keyboard.focus is None, "its loss")
        pressed = asyncio.create_task(stage.source.focused_at(os.getpid(), 10, 30))
        await stage.program.signal(focused, "/open", 1)
        control = await pressed
        assert control is not None
        assert control.name == "Open"


@pytest.mark.parametrize("toolkit", ["Chromium", "gtk"])
async def test_a_dialog_of_a_page_is_found_where_the_focus_goes(tmp_path: Path, toolkit: str) -> None:
    """It opens no window; going about in it is no second one. Of other programs nothing more is asked (the control)."""
    async with running(tmp_path, toolkit=toolkit) as stage:
        await stage.known_toolkit()
        for path in ("/text", "/noticeok", "/noticerow", "/text", "/noticeok"):
            await stage.focus(path)
        if toolkit == "Chromium":
            await until(lambda: stage.of(DialogOpened), "the dialog")
        await asyncio.sleep(0.2)
        found = [(seen.role, seen.text) for seen in stage.of(DialogOpened)]
        assert found == ([(ControlRole.DIALOG, "Wrong password")] if toolkit == "Chromium" else [])


@pytest.mark.parametrize("calls", [16, 8])
async def test_a_dialog_whose_questions_are_used_up_is_read_a_second_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    """A click and the focus that it moves ask much; a page's dialog without words, or its name, would be of no use."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.budget.CALLS_PER_S", calls)
    async with running(tmp_path, toolkit="Chromium") as stage:
        await stage.known_toolkit()
        await asyncio.sleep(1.1)
        await stage.program.signal("object:state-changed:focused", "/noticeok", 1)
        await until(lambda: stage.of(DialogOpened), "the dialog")
        assert [seen.text for seen in stage.of(DialogOpened)] == ["Wrong password"]


@pytest.mark.parametrize("frame", [INTERNAL_FRAME, PANEL])
async def test_a_panel_in_a_frame_of_its_own_is_a_dialog(tmp_path: Path, frame: int) -> None:
    """Firefox calls a dialog of a page so in some runs; a panel in another one (the control) is none."""
    async with running(tmp_path, toolkit="Gecko") as stage:
        program = stage.program
        program.nodes["/notice"] = replace(NODES["/notice"], role=PANEL, parent="/page")
        program.nodes["/page"] = replace(NODES["/page"], role=frame)
        await stage.known_toolkit()
        for path in ("/text", "/noticeok", "/text", "/noticeok"):
            await stage.focus(path)
        await until(lambda: ("/page", "GetRole") in program.asked, "looking above")
        await asyncio.sleep(0.2)
        texts = [seen.text for seen in stage.of(DialogOpened)]
        assert texts == (["Wrong password"] if frame == INTERNAL_FRAME else [])


async def test_a_password_field_is_told_by_the_number_of_its_role_alone(tmp_path: Path) -> None:
    """Where only that may be asked, nothing else is: not a name, not a text, not another control."""
    async with running(tmp_path, Access.FIELDS) as stage:
        await stage.program.signal("object:state-changed:focused", "/secret", 1)
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        await stage.program.signal("window:create", "/dialog", 0, "Question")
        await stage.program.signal("object:text-changed:insert", "/text")
        await until(lambda: len(stage.of(FocusMoved)) == 2, "both")
        await asyncio.sleep(0.1)
        moved = sorted(stage.of(FocusMoved), key=lambda one: one.number)  # a later answer may be quicker
        secret, text = (item.control for item in moved)
        assert secret is not None
        assert (secret.role, secret.box, secret.name) == (ControlRole.PASSWORD, Box(10, 20, 30, 40), "")
        assert text is not None
        assert (text.role, text.name) == (ControlRole.TEXT, "")
        asked = {member for _, member in stage.program.asked}
        assert asked - {"ToolkitName"} == {"GetRole", "GetExtents"}  # the toolkit may be asked again
        assert not stage.of(DialogOpened)
        assert not stage.of(Acted)


@pytest.mark.parametrize("label", ["/label", ""])
@pytest.mark.parametrize("parent", ["/choice", "/panel"])
async def test_what_is_typed_into_the_entry_of_a_list_is_typed_into_the_list(
    tmp_path: Path, parent: str, label: str
) -> None:
    """In Qt the list has the keyboard and its entry the letters; it is called by its label, not by what is in it.

    Letters that appear elsewhere meanwhile are nobody's.
    """
    nodes = {
        "/choice": Node(COMBO_BOX, "spring", label=label),
        "/label": Node(LABEL, "Find:"),
        "/entry": Node(TEXT, "", parent=parent),
    }
    async with running(tmp_path, toolkit="Qt") as stage:
        stage.program.nodes.update(nodes)
        known = stage.listener
        await stage.program.signal("object:state-changed:focused", "/choice", 1)
        await until(lambda: known.keyboard.focus is not None and known.browser.is_known, "the list")
        for _ in range(3):
            await stage.program.signal("object:text-changed:insert", "/entry")
        await until(lambda: ("/entry", "Parent") in stage.program.asked, "whose it is")
        await asyncio.sleep(0.2)
        acts = [(seen.what, seen.control.role, seen.control.name) for seen in stage.of(Acted)]
        name = "Find:" if label else ""
        assert acts == ([(ActKind.ENTERED, ControlRole.COMBO_BOX, name)] if parent == "/choice" else [])
        assert stage.program.asked.count(("/entry", "Parent")) == 1


async def focused(stage: Stage, path: str) -> Control:
    """Give a control the keyboard, and return what is reported of it first."""
    await stage.program.signal("object:state-changed:focused", path, 1)
    await until(lambda: stage.of(FocusMoved), "the focus")
    control = stage.of(FocusMoved)[0].control
    assert control is not None
    return control


@pytest.mark.parametrize(("name", "label"), [("Password", ""), ("GtkEntry", "/label"), ("GtkEntry", "")])
@pytest.mark.parametrize("toolkit", ["GTK", "gtk"])
async def test_a_password_field_of_gtk_4_is_known_by_its_name_or_label(
    tmp_path: Path, toolkit: str, name: str, label: str
) -> None:
    """Its role may be that of any entry; in other toolkits the role alone counts, and no name is asked for it."""
    nodes = {"/secret": Node(TEXT, name, label=label), "/label": Node(LABEL, "New password")}
    is_secret = toolkit == "GTK" and (name, label) != ("GtkEntry", "")
    async with running(tmp_path, Access.FIELDS, toolkit=toolkit) as stage:
        stage.program.nodes.update(nodes)
        control = await focused(stage, "/secret")
        assert (control.role is ControlRole.PASSWORD) is is_secret
        assert control.name == ""
        asked = {member for _, member in stage.program.asked}
        assert ("Name" in asked) is (toolkit == "GTK")


async def test_a_field_of_gtk_4_whose_label_is_late_counts_as_a_password(tmp_path: Path) -> None:
    """Its keys must not be counted while it is open whether they may be."""
    async with running(tmp_path, Access.FIELDS, toolkit="GTK") as stage:
        await stage.program.signal("object:state-changed:focused", "/grey", 1)
        await until(lambda: stage.of(FocusMoved), "what it is built with")
        stage.program.nodes["/field"] = Node(TEXT, "GtkEntry", label="/label")
        stage.program.late["/field", "GetRelationSet"] = 8.0
        await stage.program.signal("object:state-changed:focused", "/field", 1)
        await until(lambda: len(stage.of(FocusMoved)) == 2, "the field", timeout_s=12.0)
        control = stage.of(FocusMoved)[1].control
        assert control is not None
        assert control.role is ControlRole.PASSWORD


@pytest.mark.parametrize("member", ["ToolkitName", "GetRelationSet"])
@pytest.mark.parametrize("toolkit", ["GTK", "Qt"])
async def test_a_program_that_does_not_say_all_is_understood_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toolkit: str, member: str
) -> None:
    """What has the keyboard and what was clicked is known where one question is refused for long."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.program.REFUSING_NS", 0)
    async with running(tmp_path, toolkit=toolkit) as stage:
        stage.program.refused.add(member)
        known = stage.listener
        await until(lambda: known.program.pid != 0, "knowing whose process it is")
        stage.guard.permit = replace(stage.guard.permit, content=Box(0, 0, 500, 500))
        stage.program.nodes["/text"] = Node(TEXT, "First name", box=Box(1, 2, 30, 40))
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: known.keyboard.focus is not None, "what has the keyboard")
        assert known.keyboard.focus is not None
        assert (known.keyboard.focus.role, known.keyboard.focus.name) == (ControlRole.TEXT, "First name")
        found = await stage.source.element_at(os.getpid(), 115, 108)
        assert found is not None
        assert found.name == "Save"


async def test_a_password_field_that_is_signalled_before_it_can_be_asked_is_known(tmp_path: Path) -> None:
    """GTK 4 does so as it starts: neither the field nor the program itself is there for whoever asks."""
    async with running(tmp_path, Access.FIELDS, toolkit="GTK") as stage:
        known = stage.listener
        await until(lambda: known.program.pid != 0, "knowing whose process it is")
        nodes = dict(stage.program.nodes)
        stage.program.nodes.clear()
        await stage.program.signal("object:state-changed:focused", "/secret", 1)
        await until(lambda: ("/secret", "GetRole") in stage.program.asked, "the question")
        stage.program.nodes.update(nodes)
        await until(lambda: stage.of(FocusMoved), "the focus")
        control = stage.of(FocusMoved)[0].control
        assert control is not None
        assert (control.role, control.box) == (ControlRole.PASSWORD, None)


async def test_an_object_that_cannot_be_there_costs_that_question_alone(tmp_path: Path) -> None:
    """A path that no object can have would end the connection, and with it the protection of all programs."""
    async with running(tmp_path, toolkit="GTK") as stage:
        stage.program.nodes["/text"] = Node(TEXT, "GtkEntry", label="not a path")
        stage.program.loose = True
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: stage.of(FocusMoved), "the focus")
        assert stage.of(FocusMoved)[0].control is not None
        assert stage.source.state.connected


async def test_where_a_password_field_of_gtk_4_is_nobody_says(tmp_path: Path) -> None:
    """GTK 4 counts from the window: covering what it says would leave the field to be seen."""
    async with running(tmp_path, Access.FIELDS, toolkit="GTK") as stage:
        control = await focused(stage, "/secret")
        assert (control.role, control.box) == (ControlRole.PASSWORD, None)


@pytest.mark.parametrize(
    ("content", "corner", "scale"),
    [(Box(40, 60, 510, 510), (45, 65), 1), (Box(40, 60, 1000, 1000), (40, 60), 2), (Box(40, 60, 300, 900), None, 1)],
)
async def test_gtk_4_counts_from_its_window(
    tmp_path: Path, content: Box, corner: tuple[int, int] | None, scale: int
) -> None:
    """A click is looked for as the program counts, and what is found is where the desktop has it.

    Of a window that is not the active one nothing is known; a name that is only the type of a widget is none.
    """
    async with running(tmp_path, toolkit="GTK") as stage:
        known = stage.source._listeners
        await until(lambda: known[stage.program.name].program.pid != 0, "knowing whose process it is")
        x, y = corner or (45, 65)
        point = (os.getpid(), x + 115 * scale, y + 108 * scale)
        assert await stage.source.element_at(*point) is None
        stage.guard.permit = replace(stage.guard.permit, content=content)
        found = await stage.source.element_at(*point)
        if corner is None:
            assert found is None
            return
        assert found is not None
        assert (found.name, found.box) == ("Save", Box(x + 100 * scale, y + 100 * scale, 50 * scale, 20 * scale))
        stage.program.nodes["/text"] = Node(TEXT, "EditorSearchEntry", box=Box(1, 2, 30, 40))
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: known[stage.program.name].keyboard.focus is not None, "what has the keyboard")
        field = known[stage.program.name].keyboard.focus
        assert field is not None
        assert (field.name, field.box) == ("", Box(x + scale, y + 2 * scale, 30 * scale, 40 * scale))


@pytest.mark.parametrize("toolkit", ["Chromium", "gtk"])
async def test_a_browser_that_was_there_before_is_known_without_any_signal(tmp_path: Path, toolkit: str) -> None:
    """Its windows are named, and its pages are woken by the question about attributes; other programs are let be."""
    async with running(tmp_path, Access.FIELDS, toolkit=toolkit) as stage:
        is_browser = toolkit == "Chromium"
        if is_browser:
            await until(lambda: stage.of(BrowserWindowNamed), "its window")
            await until(lambda: (ROOT, "GetAttributes") in stage.program.asked, "its attributes")
        await asyncio.sleep(0.2)
        assert [seen.name for seen in stage.of(BrowserWindowNamed)] == ["Editor"] * is_browser
        assert ((ROOT, "GetAttributes") in stage.program.asked) is is_browser


@pytest.mark.parametrize("toolkit", ["Gecko", "gtk"])
async def test_what_a_page_writes_where_messages_stand_is_a_message(tmp_path: Path, toolkit: str) -> None:
    """A live region that changes is read; a label or a field is not, nor what is typed where the keyboard is.

    Other programs have no such regions, and are asked nothing about what they write.
    """
    async with running(tmp_path, toolkit=toolkit) as stage:
        await stage.known_toolkit()
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: len(stage.of(FocusMoved)) == 2, "the focus")
        stage.program.asked.clear()
        for path in ("/label", "/grey", "/text", "/alert"):
            await stage.program.signal("object:text-changed:insert", path)
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


@pytest.mark.parametrize("closed", [True, False])
async def test_nothing_is_looked_at_while_the_gate_is_closed(tmp_path: Path, *, closed: bool) -> None:
    """And the same signals are answered with questions while it is open (the control)."""
    async with running(tmp_path, epoch=None if closed else 0) as stage:
        await stage.program.signal("window:create", "/dialog", 0, "Question")
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        if not closed:
            await until(lambda: stage.of(DialogOpened), "the dialog")
        await asyncio.sleep(0.2)
        assert bool(stage.program.asked) is not closed
        assert (stage.of(DialogOpened) == []) is closed


async def test_a_window_that_appears_is_not_asked_about_each_of_its_controls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of controls that show at once are one window; nobody hears of most of them, and a few are looked at."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.listener.APPEARING_NS", NS_PER_S // 10)
    taken = count_signals(monkeypatch)
    async with running(tmp_path) as stage:
        for _ in range(12):
            for _ in range(20):
                await stage.program.signal("object:state-changed:showing", "/dialog", 1)
            await stage.taken_in()
        await stage.appeared()
        assert stage.source._subscriptions is not None
        reasons = stage.source._subscriptions._reasons[SignalKind.SHOWING]
        await until(lambda: not reasons, "listening again")
        await stage.taken_in()
        assert taken.count(SignalKind.SHOWING) < 120
        assert not [path for path, _ in stage.program.asked if path != ROOT]
        await stage.program.signal("object:state-changed:showing", "/dialog", 1)
        await until(lambda: stage.of(MessageShown), "an alert that shows alone")


def count_signals(monkeypatch: pytest.MonkeyPatch) -> list[SignalKind]:
    """Return a list of the kinds that arrive from now on."""
    taken: list[SignalKind] = []

    def noting(message: Message) -> Signal | None:
        found = parse(message)
        if found is not None:
            taken.append(found.kind)
        return found

    monkeypatch.setattr("daemon.capture.accessibility.atspi.source.parse", noting)
    return taken


async def test_after_a_pause_a_letter_tells_of_the_password_field_that_has_the_keyboard(tmp_path: Path) -> None:
    """Although letters were not signalled any more before it, and nothing else is."""
    async with running(tmp_path, toolkit="gtk") as stage:
        program, insert = stage.program, "object:text-changed:insert"
        await stage.known_toolkit()
        await program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: stage.listener.keyboard.focus is not None, "the focus")
        for _ in range(SHORT):
            await program.signal(insert, "/text", 0, "typed letters")
        await until(lambda: stage.of(Acted), "the entry")
        await stage.taken_in()
        moved = len(stage.of(FocusMoved))
        await program.signal(insert, "/secret", 0, "typed letters")
        await asyncio.sleep(0.2)
        assert len(stage.of(FocusMoved)) == moved  # it is not heard: the control
        stage.guard.epoch = 1
        stage.source.begin_anew()
        await stage.taken_in()
        await program.signal(insert, "/secret", 0, "typed letters")
        await until(lambda: len(stage.of(FocusMoved)) > moved, "the field")
        control = stage.of(FocusMoved)[-1].control
        assert control is not None
        assert control.role is ControlRole.PASSWORD


@pytest.mark.parametrize("path", ["/text", "/secret"])
async def test_what_could_not_be_asked_when_it_got_the_keyboard_is_asked_at_the_next_letter(
    tmp_path: Path, path: str
) -> None:
    """As where a program has the keyboard before its window is known; once it is known it is not asked again."""
    async with running(tmp_path, toolkit="gtk") as stage:
        program, permit = stage.program, stage.guard.permit
        known = stage.listener
        await until(lambda: known.browser.is_known, "the toolkit")
        stage.guard.permit = replace(permit, programs={})
        await program.signal("object:state-changed:focused", path, 1)
        await until(lambda: stage.of(FocusMoved), "the focus")
        assert stage.of(FocusMoved)[-1].control is None
        stage.guard.permit = permit
        await program.signal("object:text-changed:insert", path, 0, "typed letters")
        await until(lambda: stage.of(FocusMoved)[-1].control is not None, "the control")
        control = stage.of(FocusMoved)[-1].control
        assert control is not None
        assert control.role is (ControlRole.PASSWORD if path == "/secret" else ControlRole.TEXT)
        if path == "/text":
            await until(lambda: known.keyboard.focus is not None, "its name")
        moved = len(stage.of(FocusMoved))
        await program.signal("object:text-changed:insert", path, 0, "typed letters")
        await asyncio.sleep(0.2)
        assert len(stage.of(FocusMoved)) == moved
        assert [seen.what for seen in stage.of(Acted)] == ([] if path == "/secret" else [ActKind.ENTERED])


@pytest.mark.parametrize("way", ["nothing", "activated", "left"])
async def test_letters_are_heard_again_where_another_program_may_have_the_keyboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """One with a password field that has had it all the time, and says nothing; else (the control) it is not heard.

    The program before it is still the active one when it says that the keyboard left it.
    """
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.URGENT_S", 3.0)
    async with running(tmp_path, toolkit="gtk") as stage, FakeProgram(address_in(tmp_path), NODES, "gtk") as other:
        program, insert = stage.program, "object:text-changed:insert"
        await other.signal("object:state-changed:focused", "/text", 0)
        await until(lambda: {program.name, other.name} <= stage.source._listeners.keys(), "both programs")
        known = stage.listener
        await until(lambda: known.browser.is_known, "the toolkit")
        await program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: known.keyboard.focus is not None, "the focus")
        for _ in range(SHORT):
            await program.signal(insert, "/text", 0, "typed letters")
        await until(lambda: stage.of(Acted), "the entry")
        await stage.taken_in()
        moved = len(stage.of(FocusMoved))
        if way == "activated":
            stage.source.note_active()
        elif way == "left":
            await other.signal("window:activate", "/frame", 0, "Other")
            await program.signal("object:state-changed:focused", "/text", 0)
        await stage.taken_in(other)
        await other.signal(insert, "/secret", 0, "typed letters")
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toolkit: str
) -> None:
    """Once it is known that something was typed there, and more than a word; where the keyboard goes next it is heard.

    Pages write with the same signals, so of a browser they are all heard (the control).
    """
    monkeypatch.setattr("daemon.capture.accessibility.atspi.recent.FLOOD_PER_S", 1_000_000)
    taken = count_signals(monkeypatch)
    async with running(tmp_path, toolkit=toolkit) as stage:
        program = stage.program
        await stage.known_toolkit()
        for number, path in enumerate(("/text", "/bold"), start=1):
            await program.signal("object:state-changed:focused", path, 1)
            await until(lambda: stage.keyboard == path, "the focus")  # noqa: B023  # awaited here
            await stage.taken_in()
            for _ in range(SHORT):
                await program.signal("object:text-changed:insert", path, 0, "typed letters")
            await until(lambda: len(stage.of(Acted)) == number, "the entry")  # noqa: B023  # same
            await stage.taken_in()
            program.asked.clear()
            taken.clear()
            for _ in range(50):
                for _ in range(20):
                    await program.signal("object:text-changed:insert", path, 0, "typed letters")
                await stage.taken_in()
            assert program.asked == []
            assert len(taken) == (1_000 if toolkit == "Chromium" else 0)
        assert [seen.what for seen in stage.of(Acted)] == [ActKind.ENTERED] * 2


async def test_a_formula_without_a_result_is_an_error_of_its_cell(tmp_path: Path) -> None:
    """Once the cell is left that was edited; neither a result, nor no formula, nor a look at it (the controls)."""
    cells = {
        "/a1": Node(CELL, "A1", attributes={"Formula": "summ(B1)"}),
        "/a2": Node(CELL, "A2", attributes={"Formula": "1+1"}, characters=1),
        "/a3": Node(CELL, "A3", attributes={"Formula": ""}),
        "/a4": Node(CELL, "A4", attributes={"Formula": "1/0"}),
        "/a5": Node(CELL, "A5"),
    }
    async with running(tmp_path, toolkit="gtk") as stage:
        program = stage.program
        program.nodes.update(cells)
        listener = stage.listener
        await until(lambda: listener.browser.is_known, "the toolkit")

        def chosen() -> int:
            return sum(item.what is ActKind.CHOSEN for item in stage.of(Acted))

        async def go_to(path: str, *, edited: bool) -> None:
            await program.signal("object:text-changed:insert", "/name", 0, "A")
            if edited:
                await program.signal("object:state-changed:focused", "/text", 1)
                await until(lambda: listener.keyboard.focus is not None, "the editor")
                await program.signal("object:state-changed:focused", "/text", 0)
            before = chosen()
            await program.signal("object:active-descendant-changed", "/sheet", 0, (program.name, path))
            await until(lambda: chosen() > before, "the choice")

        await go_to("/a1", edited=False)
        for path, edited in (("/a2", True), ("/a3", True), ("/a4", True), ("/a5", False), ("/a1", False)):
            await go_to(path, edited=edited)
        await go_to("/a2", edited=True)
        await until(lambda: len(stage.of(MessageShown)) == 2, "the error again")
        found = [(seen.role, seen.text, seen.about) for seen in stage.of(MessageShown)]
        assert found == [(ControlRole.CELL, "", MessageClass.ERROR)] * 2
        asked = [(path, member) for path, member in program.asked if member in ("CharacterCount", "GetAttributes")]
        assert asked == [
            *(("/a1", "CharacterCount"), ("/a1", "GetAttributes"), ("/a2", "CharacterCount")),
            *(("/a3", "CharacterCount"), ("/a3", "GetAttributes")),
            *(("/a1", "CharacterCount"), ("/a1", "GetAttributes")),
        ]


@pytest.mark.parametrize(
    ("path", "toolkit", "times"), [("/panel", "gtk", 1), ("/text", "gtk", 3), ("/panel", "Chromium", 3)]
)
async def test_what_has_the_keyboard_is_asked_its_role_each_time_but_for_a_place_outside_of_pages(
    tmp_path: Path, path: str, toolkit: str, times: int
) -> None:
    """It may be a password field by now; a place can be none, but in a page anything may become anything."""
    async with running(tmp_path, toolkit=toolkit) as stage:
        listener = stage.listener
        await until(lambda: listener.browser.is_known, "the toolkit")
        for _ in range(3):
            await stage.program.signal("object:state-changed:focused", path, 1)
            await until(lambda: listener.keyboard.focus is not None, "the focus")
            await stage.program.signal("object:state-changed:focused", path, 0)
            await until(lambda: listener.keyboard.focus is None, "its loss")
        assert stage.program.asked.count((path, "GetRole")) == times


@pytest.mark.parametrize(("refused", "role"), [("Name", ControlRole.BUTTON), ("GetRole", None)])
async def test_a_control_that_does_not_say_what_it_is_called_is_known_by_its_role(
    tmp_path: Path, refused: str, role: ControlRole | None
) -> None:
    """As a button whose dialog closes at once: it was pressed by Enter. Without its role nobody knows it (control)."""
    async with running(tmp_path, toolkit="gtk") as stage:
        stage.program.refused = {refused}
        await stage.program.signal("object:state-changed:focused", "/save", 1)
        await until(lambda: stage.of(FocusMoved), "the answer")
        await asyncio.sleep(0.3)
        last = stage.of(FocusMoved)[-1].control
        assert (last.role if last is not None else None) is role


@pytest.mark.parametrize("toolkit", ["gtk", "Chromium"])
async def test_a_click_in_a_sheet_is_looked_for_from_around_the_sheet(tmp_path: Path, toolkit: str) -> None:
    """After the first cell of it: what lies on it is still found, what is beside it too, and so is all once it is gone.

    In a page it is looked for from the window down each time: anything may lie upon anything there (the control).
    """
    nodes = {
        "/frame": Node(FRAME, "Sheets", ACTIVE | SENSITIVE, ["/outer", "/tool"], Box(0, 0, 900, 900)),
        "/outer": Node(PANEL, children=["/around"], box=Box(0, 100, 900, 800)),
        "/around": Node(PANEL, children=["/chart", "/sheet"], box=Box(0, 100, 900, 800)),
        "/sheet": Node(TABLE, "Sheet 1", children=["/cell1", "/cell2"], box=Box(0, 100, 900, 800)),
        "/cell1": Node(CELL, "A1", box=Box(0, 100, 80, 17)),
        "/cell2": Node(CELL, "A2", box=Box(0, 117, 80, 17)),
        "/chart": Node(BUTTON, "Chart", box=Box(300, 300, 50, 50)),
        "/tool": Node(BUTTON, "Save", box=Box(0, 0, 50, 50)),
    }
    async with running(tmp_path, toolkit=toolkit) as stage:
        program = stage.program
        program.nodes = {**program.nodes, **nodes}
        listener = stage.listener
        await until(lambda: listener.browser.is_known, "the toolkit")

        async def press(x: int, y: int) -> tuple[str, list[str]]:
            program.asked.clear()
            found = await stage.source.element_at(os.getpid(), x, y)
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


async def test_what_the_lists_of_a_window_that_appears_choose_is_no_act(tmp_path: Path) -> None:
    """They come with a row chosen already; a list that has the keyboard (the control) chooses for the person.

    So it does where the keyboard has moved on since, as from a cell to the next.
    """
    async with running(tmp_path, toolkit="gtk") as stage:
        program = stage.program
        listener = stage.listener

        async def appear(then: str = "") -> None:
            for _ in range(BURST + 1):
                await program.signal("object:state-changed:showing", "/save", 1)
            await program.signal("object:active-descendant-changed", "/panel", 0, (program.name, "/text"))
            if then:
                await program.signal("object:state-changed:focused", then, 1)
                await until(lambda: (focus := listener.keyboard.focus) is not None and focus.key == then, "moving on")
            await asyncio.sleep(0.6)

        await appear()
        assert stage.of(Acted) == []
        assert ("/text", "Name") not in program.asked
        await program.signal("object:state-changed:focused", "/panel", 1)
        await until(lambda: listener.keyboard.focus is not None, "the focus")
        await appear()
        await until(lambda: stage.of(Acted), "the choice")
        assert [(seen.what, seen.control.name) for seen in stage.of(Acted)] == [(ActKind.CHOSEN, "Name")]
        await asyncio.sleep(0.6)  # until a window that appears is a new one
        await appear(then="/bold")
        await until(lambda: len(stage.of(Acted)) >= 2, "the second choice")
        assert len(stage.of(Acted)) == 2


async def test_a_program_that_hangs_is_left_alone_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After three unanswered questions it is asked nothing more; another program is not affected."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.ANSWER_S", 0.2)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.HUNG_S", 0.1)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.budget.FIRST_REST_NS", 50_000_000)
    async with running(tmp_path) as stage, FakeProgram(address_in(tmp_path), NODES) as healthy:
        stage.program.hangs = True
        for _ in range(100):
            if stage.source.state.left_alone:
                break
            await stage.program.signal("window:create", "/dialog", 0, "Question")
            await asyncio.sleep(0.1)
        assert len(stage.source.state.left_alone) == 1
        asked = len(stage.program.asked)
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        await healthy.signal("window:create", "/dialog", 0, "Question")
        await until(lambda: stage.of(DialogOpened), "the dialog of the other program")
        assert len(stage.program.asked) == asked


async def test_a_program_that_is_not_asked_for_a_while_is_reported_and_named_until_it_is_asked_again(
    tmp_path: Path,
) -> None:
    """A silent sense must not look like a person who does nothing."""
    async with running(tmp_path, toolkit="gtk") as stage:
        budget = stage.source._budget
        await stage.known_toolkit()
        assert not stage.of(ProgramQuiet)
        enough, budget._busy_per_minute_ns = budget._busy_per_minute_ns, 0
        await stage.program.signal("window:create", "/dialog", 0, "Question")
        await until(lambda: stage.of(ProgramQuiet), "the report")
        assert len(stage.source.state.spent) == 1
        assert not stage.of(DialogOpened)
        budget._busy_per_minute_ns = enough
        await stage.program.signal("window:create", "/dialog", 0, "Question")
        await until(lambda: stage.of(DialogOpened), "the dialog")
        assert [(seen.pid, seen.on) for seen in stage.of(ProgramQuiet)] == [(os.getpid(), True), (os.getpid(), False)]
        assert not stage.source.state.spent


async def test_ten_thousand_signals_are_dropped_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first few hundred are looked at; afterwards the sense works as before."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.recent.QUIET_NS", 100_000_000)
    # Where other tests take most of the time, ten thousand signals can come at fewer than the real limit in a second.
    monkeypatch.setattr("daemon.capture.accessibility.atspi.recent.FLOOD_PER_S", 50)
    async with running(tmp_path) as stage:
        await asyncio.to_thread(flood, address_in(tmp_path), 10_000)
        # Where the flood itself is held up, it is counted in several parts.
        await until(lambda: sum(seen.count for seen in stage.of(Lost)) > 9_000, "counting", 20.0)
        assert len(stage.program.asked) < 1_500
        await asyncio.sleep(1.1)
        await stage.program.signal("window:create", "/dialog", 0, "Question")
        await until(lambda: stage.of(DialogOpened), "working as before")


async def test_a_bus_that_goes_away_ends_the_watch(tmp_path: Path) -> None:
    """Whoever runs the adapter hears of it and may try again."""
    with private_bus(tmp_path) as daemon:
        address = address_in(tmp_path)
        seen: list[Observation] = []
        async with accessibility_services(address):
            guard = OpenGuard(os.getpid())
            source = AtSpiSource({"DBUS_SESSION_BUS_ADDRESS": address}, guard, SystemClock())
            watching = asyncio.create_task(source.watch(seen.append))
            await until(lambda: bool(seen), "connecting")
            assert source.state.connected
            daemon.kill()
            with pytest.raises(SourceGone):
                await asyncio.wait_for(watching, 5.0)
            assert not source.state.connected


def test_without_a_bus_there_is_nothing_to_watch(tmp_path: Path) -> None:
    """No address, or a launcher that is not there: the adapter says so and starts nothing."""

    async def watch(env: dict[str, str]) -> None:
        await AtSpiSource(env, OpenGuard(1), SystemClock()).watch(lambda _: None)

    with pytest.raises(SourceGone):
        asyncio.run(watch({"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/none"}))
    with private_bus(tmp_path), pytest.raises(SourceGone):
        asyncio.run(watch({"DBUS_SESSION_BUS_ADDRESS": address_in(tmp_path)}))


async def test_a_browser_that_was_there_before_is_woken_and_its_windows_are_known(tmp_path: Path) -> None:
    """Its pages speak only after a question about attributes, and it says nothing before of its own accord."""
    async with running(tmp_path, toolkit="Chromium") as stage:
        await until(lambda: (ROOT, "GetAttributes") in stage.program.asked, "waking its pages")
        await until(lambda: stage.of(BrowserWindowNamed), "its window")
        assert [(seen.name, seen.pid) for seen in stage.of(BrowserWindowNamed)] == [("Editor", os.getpid())]


async def test_a_browser_that_was_there_before_is_woken_after_a_pause(tmp_path: Path) -> None:
    """Nothing is asked while the gate is closed; the first click or signal after it is enough."""
    async with running(tmp_path, toolkit="Chromium", epoch=None) as stage:
        await stage.program.signal("object:state-changed:focused", "/text", 1)
        await asyncio.sleep(0.2)
        assert stage.program.asked == []
        stage.guard.epoch = 1
        await stage.source.element_at(os.getpid(), 110, 110)
        await until(lambda: (ROOT, "GetAttributes") in stage.program.asked, "waking its pages")


async def test_a_page_with_the_focus_is_no_dialog(tmp_path: Path) -> None:
    """Firefox puts each page into an internal frame."""
    async with running(tmp_path, toolkit="Gecko") as stage:
        await stage.known_toolkit()
        await stage.program.signal("object:state-changed:focused", "/document", 1)
        await until(lambda: len(stage.of(FocusMoved)) >= 2, "the focus")
        await stage.program.signal("object:state-changed:focused", "/noticeok", 1)
        await until(lambda: stage.of(DialogOpened), "a dialog, the control")
        assert [seen.text for seen in stage.of(DialogOpened)] == ["Wrong password"]


@pytest.mark.parametrize("access", [Access.NOTHING, Access.ALL])
async def test_a_program_that_was_there_before_is_woken_only_if_it_is_a_browser_and_may_be_asked(
    tmp_path: Path, access: Access
) -> None:
    """Others are asked once what they are built with, and an excluded one nothing at all."""
    async with running(tmp_path, access, toolkit="gtk" if access is Access.ALL else "Chromium") as stage:
        if access is Access.ALL:
            await until(lambda: stage.program.asked, "what it is built with")
        await asyncio.sleep(0.5)
        assert stage.program.asked == ([(ROOT, "ToolkitName")] if access is Access.ALL else [])


async def test_where_gtk_4_counts_from_is_asked_again_until_its_frame_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The display server knows the new size of a window before its program has followed."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.program.ORIGIN_NS", NS_PER_S // 5)
    async with running(tmp_path, toolkit="GTK") as stage:
        known = stage.source._listeners
        await until(lambda: known[stage.program.name].program.pid != 0, "knowing whose process it is")
        stage.guard.permit = replace(stage.guard.permit, content=Box(40, 60, 500, 500))
        point = (os.getpid(), 40 + 115, 60 + 108)
        frame = stage.program.nodes["/frame"]
        stage.program.nodes["/frame"] = replace(frame, box=Box(0, 0, 300, 300))
        assert await stage.source.element_at(*point) is None
        stage.program.nodes["/frame"] = replace(frame, box=Box(0, 0, 440, 440))
        off = await stage.source.element_at(*point)
        assert off is None or off.box != Box(140, 160, 50, 20)
        stage.program.nodes["/frame"] = frame
        await asyncio.sleep(0.3)
        found = await stage.source.element_at(*point)
        assert found is not None
        assert found.box == Box(140, 160, 50, 20)


async def test_the_lists_of_a_window_that_appears_are_no_messages(tmp_path: Path) -> None:
    """Nobody is asked about their rows; of a list that was there before a new row is read (the control)."""
    async with running(tmp_path, toolkit="gtk") as stage:

        def rows() -> int:
            return [member for _, member in stage.program.asked].count("GetAccessibleAt")

        await stage.program.signal("object:row-inserted", "/panel", 1)
        await until(lambda: rows() == 1, "reading the new row")
        await stage.program.signal("window:create", "/frame", 0, "Editor")
        await stage.program.signal("object:row-inserted", "/panel", 1)
        await until(lambda: ("/frame", "GetRole") in stage.program.asked, "reading the window")
        await asyncio.sleep(0.5)
        assert rows() == 1


async def test_letters_that_appear_elsewhere_than_where_the_keyboard_is_are_soon_not_signalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that has the keyboard signals them of its paragraphs; a page might write them (tried above)."""
    taken = count_signals(monkeypatch)
    async with running(tmp_path, toolkit="gtk") as stage:
        program = stage.program
        await stage.known_toolkit()
        await program.signal("object:state-changed:focused", "/document", 1)
        await until(lambda: len(stage.of(FocusMoved)) == 2, "the focus")
        for _ in range(30):
            await program.signal("object:text-changed:insert", "/text", 0, "typed letters")
            await stage.taken_in()
        assert 0 < taken.count(SignalKind.TEXT_INSERTED) < 20
        await program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: stage.keyboard == "/text", "the focus")
        await stage.taken_in()
        await program.signal("object:text-changed:insert", "/text", 0, "typed letters")
        await until(lambda: stage.of(Acted), "the entry")


def note_asked_of_bus(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of what the bus itself is asked from now on."""
    asked: list[str] = []
    ask_bus = Connection.ask_bus

    async def note(self: Connection, member: str, signature: str = "", *body: object) -> object:
        asked.append(member)
        return await ask_bus(self, member, signature, *body)

    monkeypatch.setattr(Connection, "ask_bus", note)
    return asked


async def test_short_entries_ask_the_bus_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell is left before it would be worth it; a longer entry (the control) is not heard to its end."""
    asked = note_asked_of_bus(monkeypatch)
    async with running(tmp_path, toolkit="gtk") as stage:
        program = stage.program
        listener = stage.listener
        await until(lambda: listener.browser.is_known, "the toolkit")
        asked.clear()
        for number, (path, letters) in enumerate((("/text", 5), ("/bold", 5), ("/text", 3 * SHORT)), start=1):
            await program.signal("object:state-changed:focused", path, 1)
            await until(lambda: (focus := listener.keyboard.focus) is not None and focus.key == path, "the focus")  # noqa: B023  # awaited here
            for _ in range(letters):
                await program.signal("object:text-changed:insert", path, 0, "typed letters")
            await until(lambda: len(stage.of(Acted)) == number, "the entry")  # noqa: B023  # awaited here
            if letters > SHORT:
                await until(lambda: asked, "no longer listening")
            await asyncio.sleep(0.1)
            assert asked == (["RemoveMatch"] if letters > SHORT else [])


async def test_cells_that_are_chosen_and_clicked_are_asked_about_once(tmp_path: Path) -> None:
    """A cell that was clicked is known; the next one is asked what it is called, but not what it is; the sheet nothing.

    Anything else that is chosen is asked all of it (the control).
    """
    async with running(tmp_path) as stage:
        program = stage.program
        for number, name in enumerate(("H16", "H17")):
            program.nodes[f"/cell{number}"] = Node(CELL, name, box=Box(100, 300 + 17 * number, 80, 17))
        program.nodes["/panel"] = replace(NODES["/panel"], children=["/cell0", "/cell1"])
        program.nodes["/sheet"] = Node(TABLE, "Sheet 1")
        listener = stage.listener

        async def ask(*acts: tuple[str, str]) -> list[str]:
            program.asked.clear()
            acted = len(stage.of(Acted))
            for container, path in acts:
                await program.signal("object:active-descendant-changed", container, 0, (program.name, path))
                await until(lambda: len(stage.of(Acted)) > acted, "the choice")  # noqa: B023  # awaited here
                acted += 1
            return sorted(member for _, member in program.asked)

        await until(lambda: listener.browser.is_known, "the toolkit")
        await program.signal("window:activate", "/frame", 0, "Sheets")
        await until(lambda: listener.program.window == "/frame", "the window")
        clicked = await stage.source.element_at(os.getpid(), 110, 305)
        assert clicked is not None
        assert clicked.name == "H16"
        assert await ask(("/sheet", "/cell0")) == []
        assert await ask(("/sheet", "/cell1")) == ["GetExtents", "GetRole", "GetState", "Name"]
        program.nodes["/cell2"] = Node(CELL, "H18")
        assert await ask(("/sheet", "/cell2")) == ["GetExtents", "GetState", "Name"]
        assert await ask(("/sheet", "/cell1")) == []
        assert await ask(("/list", "/bold")) == ["GetExtents", "GetRole", "GetState", "Name"]
        assert await ask(("/list", "/bold")) == ["GetExtents", "GetRole", "GetState", "Name"]
        assert [seen.control.name for seen in stage.of(Acted)] == ["H16", "H17", "H18", "H17", "Bold", "Bold"]

        program.asked.clear()
        for _ in range(3):
            await program.signal("object:state-changed:focused", "/sheet", 1)
            await until(lambda: listener.keyboard.focus is not None, "the focus")
            await program.signal("object:state-changed:focused", "/sheet", 0)
            await until(lambda: listener.keyboard.focus is None, "its loss")
        assert sorted(member for _, member in program.asked) == ["GetExtents", "GetRole", "GetState", "Name"]


async def test_a_window_that_is_activated_again_is_not_asked_what_it_is(tmp_path: Path) -> None:
    """One that is made is asked each time, and so is one that nobody has asked about (the control)."""
    async with running(tmp_path) as stage:
        program = stage.program
        program.nodes["/other"] = Node(FRAME, "Other")
        for path in ("/frame", "/frame", "/other"):
            await program.signal("window:activate", path, 0, "Window")
        await until(lambda: ("/other", "GetRole") in program.asked, "what the other window is")
        assert program.asked.count(("/frame", "GetRole")) == 1
        for number in (2, 3):
            await program.signal("window:create", "/frame", 0, "Window")
            await until(lambda: program.asked.count(("/frame", "GetRole")) == number, "what it is")  # noqa: B023  # awaited here


async def test_what_shows_with_a_new_window_is_not_asked_about(tmp_path: Path) -> None:
    """Though it is too little for a storm; what shows later is (the control)."""
    async with running(tmp_path, toolkit="gtk") as stage:
        program = stage.program
        listener = stage.listener
        await until(lambda: listener.browser.is_known, "the toolkit")
        for number in range(8):
            program.nodes[f"/part{number}"] = Node(BUTTON, "part")

        async def show(*, window: bool) -> list[str]:
            program.asked.clear()
            for number in range(8):
                await program.signal("object:state-changed:showing", f"/part{number}", 1)
            if window:
                await program.signal("window:create", "/frame", 0, "Window")

            def asked() -> list[str]:
                return [path for path, member in program.asked if member == "GetRole" and path.startswith("/part")]

            if not window:
                await until(lambda: len(asked()) == 8, "questions about what shows")
            await asyncio.sleep(0.6)
            return asked()

        assert await show(window=True) == []
        await asyncio.sleep(0.5)
        assert len(await show(window=False)) == 8


async def test_a_tool_bar_that_changes_is_heard_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To stop listening and begin again costs more; for a window with hundreds of controls (the control) it pays."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.listener.APPEARING_NS", NS_PER_S // 10)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.listener.BURST_NS", NS_PER_S)
    asked = note_asked_of_bus(monkeypatch)
    async with running(tmp_path, toolkit="gtk") as stage:
        listener = stage.listener
        await until(lambda: listener.browser.is_known, "the toolkit")
        for controls, expected in ((MANY - 5, 0), (MANY + 5, 2)):
            asked.clear()
            for _ in range(controls):
                await stage.program.signal("object:state-changed:showing", "/save", 1)
            await until(lambda: asked.count("RemoveMatch") >= expected, "no longer listening")  # noqa: B023  # awaited here
            await stage.taken_in()
            await stage.appeared()
            assert asked.count("RemoveMatch") == expected


async def test_a_place_that_hands_the_keyboard_on_is_not_asked_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an editor of a cell does; one that keeps it (the control) is. What a text is asked is not its states."""
    passing_s = 0.6
    monkeypatch.setattr("daemon.capture.accessibility.atspi.keyboard.PASSING_S", passing_s)
    async with running(tmp_path, toolkit="gtk") as stage:
        program = stage.program
        listener = stage.listener
        await until(lambda: listener.browser.is_known, "the toolkit")  # in a page nobody waits, nor until then
        await program.signal("object:state-changed:focused", "/panel", 1)
        await until(lambda: ("/panel", "GetRole") in program.asked, "its role")
        await program.signal("object:state-changed:focused", "/text", 1)
        await until(lambda: (focus := listener.keyboard.focus) is not None and focus.key == "/text", "the text")
        await asyncio.sleep(2 * passing_s)
        assert [member for path, member in program.asked if path == "/panel"] == ["GetRole"]
        assert sorted(member for path, member in program.asked if path == "/text") == [
            *("GetExtents", "GetRole", "Name"),
        ]
        await program.signal("object:state-changed:focused", "/panel", 1)
        await until(lambda: (focus := listener.keyboard.focus) is not None and focus.key == "/panel", "the place")
        assert ("/panel", "Name") in program.asked


@pytest.mark.parametrize("size", [1, 14])
async def test_a_form_without_words_is_read_once_in_a_while(tmp_path: Path, size: int) -> None:
    """It has no text of its own either, and says so; a small dialog (the control) is read each time that it opens."""
    async with running(tmp_path, toolkit="gtk") as stage:
        program = stage.program
        program.refused = {"CharacterCount"}
        rows = [f"/row{number}" for number in range(size)]
        program.nodes |= {row: Node(BUTTON, "a button") for row in rows}
        for number, path in enumerate(("/form1", "/form2"), start=1):
            program.nodes[path] = Node(DIALOG, "Format", children=rows, box=Box(10, 10, 300, 200))
            await program.signal("window:create", path, 0, "Format")
            await until(lambda: len(stage.of(DialogOpened)) == number, "the dialog")  # noqa: B023  # awaited here
            await program.signal("window:destroy", path, 0, "Format")
        read = [path for path, member in program.asked if member == "GetChildren" and path.startswith("/form")]
        assert read == (["/form1", "/form2"] if size == 1 else ["/form1"])


async def test_a_control_that_changes_with_each_key_is_left_out(tmp_path: Path) -> None:
    """A status line's words count only until it is plain that it never rests."""
    async with running(tmp_path) as stage:
        for number in range(12):
            text = f"Error in {'x' * number}"
            await stage.program.signal("object:property-change:accessible-name", "/status", 0, text)
        await until(lambda: len(stage.of(MessageShown)) >= 4, "the messages")
        await asyncio.sleep(0.3)
        assert len(stage.of(MessageShown)) == 4
