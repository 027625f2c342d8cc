"""What programs on a bus write after a command: which error is read, once, and what is never read."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.accessibility.atspi.listener import SHORT
from daemon.capture.accessibility.atspi.source import AtSpiSource
from daemon.capture.accessibility.source import Access, FocusMoved, MessageShown, Observation, Working
from storage.clock import SystemClock
from storage.records import Box, ControlRole, MessageClass
from tests.fakes.atspi import (
    ACTIVE,
    BUTTON,
    CELL,
    EDITABLE,
    FOCUSED,
    FRAME,
    MULTI_LINE,
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
    until,
)
from tests.fakes.private_bus import address_in, private_bus

WRITES, MANY_LINES = "object:text-changed:insert", SENSITIVE | EDITABLE | MULTI_LINE
ERROR = "Traceback (most recent call last):\nNameError: name 'tax' is not defined"
LINE = "NameError: name 'tax' is not defined"
SECRET = "error: marker of what nobody may read"  # noqa: S105  # a text
NODES = {
    ROOT: Node(75, children=["/frame"]),
    "/frame": Node(FRAME, "Editor", SENSITIVE | ACTIVE, ["/panel"], Box(0, 0, 500, 500)),
    "/panel": Node(PANEL, children=["/run", "/code"], box=Box(0, 0, 500, 500)),
    "/run": Node(BUTTON, "Run", box=Box(0, 0, 50, 20)),
    "/code": Node(TEXT, "Code", MANY_LINES, box=Box(0, 100, 500, 300), text=SECRET),
    "/output": Node(TEXT, "Output", MANY_LINES),
    "/field": Node(TEXT, "Field", SENSITIVE | EDITABLE, text=SECRET),
    "/other": Node(TEXT, "Other", MANY_LINES | FOCUSED, text=SECRET),
    "/paragraph": Node(PARAGRAPH, "", MANY_LINES, text=SECRET),
    "/secret": Node(PASSWORD, "", MANY_LINES, text=SECRET),
}


class Editor:
    """A running adapter, and a program in whose code the keyboard is."""

    def __init__(self, source: AtSpiSource, program: FakeProgram, guard: OpenGuard) -> None:
        self.source = source
        self.program = program
        self.guard = guard
        self.seen: list[Observation] = []

    @property
    def messages(self) -> list[tuple[str, MessageClass | None]]:
        """What was reported of runs."""
        return [(one.text, one.about) for one in self.seen if isinstance(one, MessageShown)]

    def command(self, *, is_enter: bool = False) -> None:
        """Give a command by keys."""
        self.source.note_command(os.getpid(), is_enter=is_enter)

    async def write(self, text: str, path: str = "/output") -> None:
        """Let the program add a text to one of its parts."""
        node = self.program.nodes[path]
        start, node.text = len(node.text), node.text + text
        await self.program.signal(WRITES, path, start, "a text that is never read", length=len(text))

    async def run(self, text: str, path: str = "/output") -> None:
        """Give a command, and let it be answered."""
        self.command()
        await self.settle(0.1)
        await self.write(text, path)
        await self.settle()

    async def type(self) -> None:
        """Type a letter into the code."""
        await self.program.signal(WRITES, "/code", 0, "x", length=1)
        await self.settle(0.1)

    async def settle(self, seconds: float = 0.35) -> None:
        """Wait until what was written would have been read."""
        await asyncio.sleep(seconds)


@asynccontextmanager
async def editing(folder: Path, toolkit: str = "gtk", access: Access = Access.ALL) -> AsyncIterator[Editor]:
    """Run the adapter, and give the code the keyboard."""
    with private_bus(folder) as daemon:
        address = address_in(folder)
        nodes = {path: Node(**vars(node)) for path, node in NODES.items()}
        async with accessibility_services(address), FakeProgram(address, nodes, toolkit) as program:
            guard = OpenGuard(os.getpid(), access)
            editor = Editor(AtSpiSource({"DBUS_SESSION_BUS_ADDRESS": address}, guard, SystemClock()), program, guard)
            watching = asyncio.create_task(editor.source.watch(editor.seen.append))
            try:
                await until(lambda: [one for one in editor.seen if isinstance(one, Working)], "connecting")
                listener = editor.source._listeners[program.name]
                await until(lambda: listener.browser.is_known or access is not Access.ALL, "the toolkit")
                await program.signal("object:state-changed:focused", "/code", 1)
                await until(
                    lambda: len([one for one in editor.seen if isinstance(one, FocusMoved)]) > (access is Access.ALL),
                    "the focus",
                )
                yield editor
            finally:
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
                daemon.kill()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read soon, and give programs, which share this process, time to answer."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.outputs.QUIET_NS", 50_000_000)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.ANSWER_S", 2.0)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.URGENT_S", 5.0)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.hit_test.AT_POINT_S", 5.0)


def play(folder: Path, script: Callable[[Editor], Coroutine[Any, Any, None]], **about: Any) -> Editor:
    """Play a script in an editor, and return it."""
    found: list[Editor] = []

    async def run() -> None:
        async with editing(folder, **about) as editor:
            found.append(editor)
            await script(editor)

    asyncio.run(run())
    return found[0]


def test_an_error_is_reported_once_a_run_and_its_end_once(tmp_path: Path) -> None:
    """The end is known with the next letter or command: what a run writes comes bit by bit."""

    async def script(editor: Editor) -> None:
        await editor.run(ERROR)
        await editor.write(f"{ERROR}\n>Exit code: 1")
        await editor.settle()
        assert editor.messages == [(LINE, MessageClass.ERROR)]
        await editor.type()
        await editor.run(ERROR)
        assert editor.messages == [(LINE, MessageClass.ERROR)] * 2
        await editor.run("compiling")
        await editor.write("\ntotal 9.75")
        await editor.settle()
        assert len(editor.messages) == 2
        await editor.type()
        assert editor.messages[2:] == [("", MessageClass.SUCCESS)]
        await editor.run("total 9.75")
        await editor.type()
        assert len(editor.messages) == 3
        await editor.run(ERROR)
        await editor.run("total 9.75")
        editor.command()
        await editor.settle(0.1)
        assert editor.messages[4:] == [("", MessageClass.SUCCESS)]
        assert {one.role for one in editor.seen if isinstance(one, MessageShown)} == {ControlRole.OUTPUT}

    play(tmp_path, script)


def test_an_error_that_comes_late_in_a_run_does_not_make_its_beginning_a_success(tmp_path: Path) -> None:
    """A compiler says first what it does."""

    async def script(editor: Editor) -> None:
        await editor.run(ERROR)
        await editor.run("compiling")
        await editor.write(ERROR)
        await editor.settle()
        await editor.type()

    assert play(tmp_path, script).messages == [(LINE, MessageClass.ERROR)] * 2


def test_what_a_click_on_a_button_brings_is_read_and_what_one_in_the_text_brings_is_not(tmp_path: Path) -> None:
    """A click runs something, or it does not: what is there says which."""

    async def script(editor: Editor) -> None:
        assert await editor.source.element_at(os.getpid(), 10, 200) is not None
        await editor.write(ERROR)
        await editor.settle()
        assert editor.messages == []
        assert await editor.source.element_at(os.getpid(), 10, 10) is not None
        await editor.write(ERROR)
        await editor.settle()
        assert editor.messages == [(LINE, MessageClass.ERROR)]

    play(tmp_path, script)


def test_after_many_letters_the_answer_to_a_command_is_heard_all_the_same(tmp_path: Path) -> None:
    """Letters are not even signalled then."""

    async def script(editor: Editor) -> None:
        for _ in range(3 * SHORT):
            await editor.type()
        await editor.run(ERROR)

    assert play(tmp_path, script).messages == [(LINE, MessageClass.ERROR)]


def test_who_runs_things_hears_a_program_that_answers_at_once(tmp_path: Path) -> None:
    """After a first command letters stay signalled: to begin with the second would be too late."""

    async def script(editor: Editor) -> None:
        editor.command()
        for _ in range(3 * SHORT):
            await editor.type()
        editor.command()
        await editor.write(ERROR)
        await editor.settle()

    assert play(tmp_path, script).messages == [(LINE, MessageClass.ERROR)]


@pytest.mark.parametrize("role", [PARAGRAPH, TABLE, CELL])
def test_in_documents_and_sheets_no_command_is_answered_elsewhere(tmp_path: Path, role: int) -> None:
    """What is written there is their content, as in the line that shows what is in a cell."""

    async def script(editor: Editor) -> None:
        editor.program.nodes["/place"] = Node(role, "", MANY_LINES)
        await editor.program.signal("object:state-changed:focused", "/place", 1)
        await editor.settle(0.3)
        await editor.run(ERROR)

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (["gcc -c a.c", "a.c:3:5: error: no name 'tax'", "Compilation failed."], "a.c:3:5: error: no name 'tax'"),
        (["gcc -c a.c", "Compilation failed."], None),
        (["gcc -c a.c", "gcc -o a a.o"], None),
    ],
)
def test_a_row_that_is_added_to_a_list_may_say_how_a_run_went(
    tmp_path: Path, rows: list[str], error: str | None
) -> None:
    """As in an editor whose messages are a list: what failed stands above, in any column."""

    async def show(editor: Editor, lines: list[str]) -> None:
        cells = {f"/{row}": Node(CELL, text, box=Box(row, 1, 1, 1)) for row, text in enumerate(lines)}
        cells["/first"] = Node(CELL, "a.c", box=Box(0, 0, 99, 1))
        editor.program.nodes |= cells
        editor.program.nodes["/list"] = Node(TABLE, "Messages", children=list(cells), columns=2)
        editor.command()
        await editor.program.signal("object:row-inserted", "/list", row=len(lines) - 1)
        await editor.settle(0.8)

    async def script(editor: Editor) -> None:
        await show(editor, rows)
        await show(editor, ["gcc -c a.c", "Compilation finished successfully."])
        await editor.type()

    expected = [] if error is None else [(f"a.c {error}", MessageClass.ERROR), ("", MessageClass.SUCCESS)]
    if rows[-1] == "Compilation failed." and error is None:
        expected = [("", MessageClass.SUCCESS)]
    assert play(tmp_path, script).messages == expected


@pytest.mark.parametrize("what", ["no command", "typed", "enter", "asleep"])
def test_nothing_is_read_that_answers_no_command(tmp_path: Path, what: str) -> None:
    """By itself, after a letter, after Enter in a text, and where the program is no longer the active one."""

    async def script(editor: Editor) -> None:
        if what != "no command":
            editor.command(is_enter=what == "enter")
        await editor.settle(0.1)
        if what == "typed":
            await editor.type()
        if what == "asleep":
            editor.guard.permit = type(editor.guard.permit)(programs=editor.guard.permit.programs, active=0)
        await editor.write(ERROR)
        await editor.settle()

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}


@pytest.mark.parametrize("path", ["/field", "/other", "/paragraph", "/secret", "/code"])
def test_nothing_is_read_but_texts_of_many_lines_without_the_keyboard(tmp_path: Path, path: str) -> None:
    """Fields, documents, passwords and what has the keyboard are other people's words, or the person's own."""

    async def script(editor: Editor) -> None:
        await editor.run("error: more", path)

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}
    assert "marker" not in repr(editor.seen)


def test_nothing_is_read_of_a_program_that_may_not_be_asked(tmp_path: Path) -> None:
    """Of an excluded one it is known at most whether a password field has the keyboard."""

    async def script(editor: Editor) -> None:
        await editor.run(ERROR)

    editor = play(tmp_path, script, access=Access.FIELDS)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}


def test_nothing_is_read_without_the_persons_yes_to_it(tmp_path: Path) -> None:
    """They may have agreed to the rest alone."""

    async def script(editor: Editor) -> None:
        editor.guard.reads_outputs = False
        await editor.run(ERROR)
        assert await editor.source.element_at(os.getpid(), 10, 10) is not None
        await editor.write(ERROR)
        await editor.settle()

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}


def test_pages_are_not_read_so(tmp_path: Path) -> None:
    """They write with the same signals what somebody types."""

    async def script(editor: Editor) -> None:
        await editor.run(ERROR)

    editor = play(tmp_path, script, toolkit="Chromium")
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}
