"""What programs on a bus write after a command: which error is read, once, and what is never read."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.accessibility.atspi.keyboard import SHORT
from daemon.capture.control_source import Access, FocusMoved, MessageShown
from storage.records import Box, ControlRole, MessageClass
from tests.fakes.accessibility.atspi import (
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
    Adapter,
    Node,
    OpenGuard,
    running_adapter,
    taken_in,
    until,
)

WRITES, MANY_LINES = "object:text-changed:insert", SENSITIVE | EDITABLE | MULTI_LINE
ERROR = "Traceback (most recent call last):\nNameError: name 'tax' is not defined"
LINE = "NameError: name 'tax' is not defined"
FAILED, WELL = (LINE, MessageClass.ERROR), ("", MessageClass.SUCCESS)
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

    def __init__(self, adapter: Adapter) -> None:
        self.source, self.program, self.guard, self.seen = adapter.source, adapter.program, adapter.guard, adapter.seen

    @property
    def messages(self) -> list[tuple[str, MessageClass | None]]:
        """What was reported of runs."""
        return [(report.text, report.about) for report in self.seen if isinstance(report, MessageShown)]

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
        """Type a letter into the code, which is known by its key before it is signalled."""
        await self.press_a_key()
        await self.program.signal(WRITES, "/code", 0, "x", length=1)
        await self.settle(0.1)

    async def press_a_key(self) -> None:
        """Type a letter that the program does not signal."""
        self.source.note_writing(os.getpid())

    async def focus(self, path: str) -> None:
        """Give another part the keyboard."""
        await self.program.signal("object:state-changed:focused", path, 1)
        await self.settle(0.3)

    async def settle(self, seconds: float = 0.35) -> None:
        """Wait until what was written would have been read, on a slow bus too."""
        for pause_s in (seconds, 0.0):
            await taken_in(self.source, self.program)
            await asyncio.sleep(pause_s)
        await taken_in(self.source, self.program)


@asynccontextmanager
async def editing(folder: Path, toolkit: str = "gtk", access: Access = Access.ALL) -> AsyncIterator[Editor]:
    """Run the adapter, and give the code the keyboard."""
    nodes = {path: Node(**vars(node)) for path, node in NODES.items()}
    async with running_adapter(folder, nodes, toolkit, OpenGuard(os.getpid(), access)) as adapter:
        editor, is_whole = Editor(adapter), access is Access.ALL
        listener = editor.source._listeners[editor.program.name]
        await until(lambda: listener.browser.is_known or not is_whole, "the toolkit")
        await editor.program.signal("object:state-changed:focused", "/code", 1)
        await until(
            lambda: len([report for report in editor.seen if isinstance(report, FocusMoved)]) > is_whole,
            "the focus",
        )
        yield editor


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read soon, and give programs, which share this process, time to answer."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.outputs.QUIET_NS", 50_000_000)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.outputs.DONE_NS", 800_000_000)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.outputs.OWN_NS", 600_000_000)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.outputs.KEY_NS", 20_000_000)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.ANSWER_S", 2.0)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.connection.URGENT_S", 5.0)
    monkeypatch.setattr("daemon.capture.accessibility.atspi.pointer.AT_POINT_S", 5.0)


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
    """Where a run says that it went well the end is known at once."""

    async def script(editor: Editor) -> None:
        await editor.run(ERROR)
        await editor.write(f"{ERROR}\n>Exit code: 1")
        await editor.settle()
        assert editor.messages == [FAILED]
        await editor.type()
        await editor.run(ERROR)
        assert editor.messages == [FAILED] * 2
        await editor.run("total 9.75\n>Exit code: 0")
        assert editor.messages == [FAILED, FAILED, WELL]
        await editor.run("total 9.75\n>Exit code: 0")
        assert len(editor.messages) == 3
        assert {report.role for report in editor.seen if isinstance(report, MessageShown)} == {ControlRole.OUTPUT}

    play(tmp_path, script)


def test_a_run_that_says_nothing_of_its_end_went_well_by_the_next_command(tmp_path: Path) -> None:
    """If its output has been quiet by then; typing on alone ends nothing."""

    async def script(editor: Editor) -> None:
        await editor.run(ERROR)
        await editor.run("total 9.75")
        await editor.type()
        await editor.settle(0.9)
        assert editor.messages == [FAILED]
        editor.command()
        await editor.settle(0.1)
        assert editor.messages == [FAILED, WELL]

    play(tmp_path, script)


@pytest.mark.parametrize("late", ["heard", "read", "at once"])
def test_an_error_that_comes_late_in_a_run_does_not_make_its_beginning_a_success(tmp_path: Path, late: str) -> None:
    """A compiler says first what it does, and the person may write on, or save, before it says more."""

    async def script(editor: Editor) -> None:
        await editor.run(ERROR)
        await editor.run("compiling")
        if late == "heard":
            await editor.type()
        if late == "at once":
            editor.command()
        await editor.write(ERROR)
        await editor.settle()
        await editor.type()
        await editor.settle()
        editor.command()
        await editor.settle(0.1)

    assert play(tmp_path, script).messages == ([FAILED] if late == "heard" else [FAILED] * 2)


def test_nothing_is_read_once_the_person_writes_again(tmp_path: Path) -> None:
    """Known by a key, which programs need not signal."""

    async def script(editor: Editor) -> None:
        editor.command()
        await editor.settle(0.1)
        await editor.write(ERROR)
        await editor.press_a_key()
        await editor.settle()

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}


@pytest.mark.parametrize("what", ["letter", "pause", "command"])
def test_a_read_that_is_on_its_way_ends_with_the_letter_the_pause_and_the_command(tmp_path: Path, what: str) -> None:
    """Each question is asked only if it still may be, and what is answered late is nobody's."""

    async def script(editor: Editor) -> None:
        editor.program.late["/output", "GetState"] = 0.4
        editor.command()
        await editor.write(ERROR)
        await until(lambda: ("/output", "GetState") in editor.program.asked, "the question")
        if what == "letter":
            await editor.press_a_key()
        elif what == "pause":
            editor.guard.epoch = 1
        else:
            editor.command()
        await editor.settle(0.8)

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}


def test_of_a_text_only_what_was_written_in_one_go_is_asked_for(tmp_path: Path) -> None:
    """Two pieces far apart have what was there before between them; one that is written anew begins anew."""

    async def script(editor: Editor) -> None:
        editor.program.nodes["/output"].text = SECRET * 100
        editor.command()
        await editor.program.signal(WRITES, "/output", 10, length=5)
        await editor.program.signal(WRITES, "/output", 3000, length=5)
        await editor.settle()
        editor.program.nodes["/output"].text = ERROR
        await editor.program.signal(WRITES, "/output", 0, length=len(ERROR))
        await editor.settle()

    editor = play(tmp_path, script)
    assert editor.program.spans == [(3000, 3005), (0, len(ERROR))]
    assert editor.messages == [FAILED]


@pytest.mark.parametrize("what", ["typed before", "had it last", "by itself"])
def test_what_the_person_writes_in_and_what_writes_without_a_command_is_not_read(tmp_path: Path, what: str) -> None:
    """A document may be written into from a dialog, as by "replace all"; a log goes on all the time."""

    async def script(editor: Editor) -> None:
        editor.program.nodes["/find"] = Node(TEXT, "Find", SENSITIVE | EDITABLE)
        path = "/output" if what == "by itself" else "/code"
        if what == "typed before":
            await editor.type()
            await editor.focus("/output")
        elif what == "had it last":
            await editor.focus("/find")
        else:
            await editor.write("waiting\n")
            await editor.settle(0.1)
        editor.command()
        await editor.settle(0.1)
        await editor.write(ERROR, path)
        await editor.settle()

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert "GetText" not in {member for _, member in editor.program.asked}


def test_what_a_click_on_a_button_brings_is_read_and_what_one_in_the_text_brings_is_not(tmp_path: Path) -> None:
    """A click runs something, or it does not: what is there says which."""

    async def script(editor: Editor) -> None:
        assert await editor.source.element_at(os.getpid(), 10, 200) is not None
        await editor.write(ERROR)
        await editor.settle(0.8)
        assert editor.messages == []
        assert await editor.source.element_at(os.getpid(), 10, 10) is not None
        await editor.write(ERROR)
        await editor.settle()
        assert editor.messages == [FAILED]

    play(tmp_path, script)


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
        for row in range(len(lines)):
            await editor.program.signal("object:row-inserted", "/list", row=row)
        await editor.settle(0.8)

    async def script(editor: Editor) -> None:
        await show(editor, rows)
        await show(editor, ["gcc -c a.c", "Compilation finished successfully."])
        await editor.type()

    named = [] if error is None else [(f"a.c {error}", MessageClass.ERROR)]
    expected = [*named, WELL] if rows[-1] == "Compilation failed." else []
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


def test_a_letter_while_one_part_is_read_keeps_the_others_unread(tmp_path: Path) -> None:
    """Each of them is asked about only if it still may be."""

    async def script(editor: Editor) -> None:
        editor.program.nodes["/second"] = Node(TEXT, "Second", MANY_LINES)
        editor.program.late["/output", "GetText"] = 0.4
        editor.command()
        await editor.write(ERROR)
        await editor.write(ERROR, "/second")
        await until(lambda: ("/output", "GetText") in editor.program.asked, "the question")
        await editor.press_a_key()
        await editor.settle(0.8)

    editor = play(tmp_path, script)
    assert editor.messages == []
    assert [path for path, member in editor.program.asked if member == "GetText"] == ["/output"]


def test_what_is_written_while_a_read_is_on_its_way_is_read_after_it(tmp_path: Path) -> None:
    """A busy program answers late, most of all just after its error."""

    async def script(editor: Editor) -> None:
        editor.program.late["/output", "GetText"] = 0.3
        editor.command()
        await editor.write("compiling\n")
        await until(lambda: ("/output", "GetText") in editor.program.asked, "the question")
        await editor.write(ERROR)
        await editor.settle(1.0)

    assert play(tmp_path, script).messages == [FAILED]


def test_an_output_that_was_clicked_into_is_read_again_once_another_text_had_the_keyboard(tmp_path: Path) -> None:
    """Who clicks on an error to see its place goes on in the text."""

    async def script(editor: Editor) -> None:
        await editor.focus("/output")
        await editor.run(ERROR)
        assert editor.messages == []
        await editor.focus("/code")
        await editor.run(ERROR)

    assert play(tmp_path, script).messages == [FAILED]


def test_a_click_elsewhere_does_not_end_the_wait_for_an_answer(tmp_path: Path) -> None:
    """Who waits for a build clicks into the text."""

    async def script(editor: Editor) -> None:
        editor.command()
        assert await editor.source.element_at(os.getpid(), 10, 200) is not None
        await editor.write(ERROR)
        await editor.settle()

    assert play(tmp_path, script).messages == [FAILED]


def test_after_many_letters_the_answer_to_a_command_is_heard_all_the_same(tmp_path: Path) -> None:
    """Letters are not even signalled then."""

    async def script(editor: Editor) -> None:
        for _ in range(3 * SHORT):
            await editor.type()
        await editor.run(ERROR)

    assert play(tmp_path, script).messages == [FAILED]


def test_who_runs_things_hears_a_program_that_answers_at_once(tmp_path: Path) -> None:
    """After a first command letters stay signalled: to begin with the second would be too late."""

    async def script(editor: Editor) -> None:
        editor.command()
        for _ in range(3 * SHORT):
            await editor.type()
        editor.command()
        await editor.write(ERROR)
        await editor.settle()

    assert play(tmp_path, script).messages == [FAILED]


def test_rows_from_before_the_command_name_no_error_of_it(tmp_path: Path) -> None:
    """A list that is not cleared still shows the run before."""

    async def script(editor: Editor) -> None:
        rows = ("a.c:3:5: error: no name", "Compilation failed.")
        cells = {f"/{row}": Node(CELL, text, box=Box(row, 0, 1, 1)) for row, text in enumerate(rows)}
        editor.program.nodes |= {**cells, "/list": Node(TABLE, "Messages", children=list(cells))}
        editor.command()
        await editor.program.signal("object:row-inserted", "/list", row=1)
        await editor.settle(0.8)

    assert ("a.c:3:5: error: no name", MessageClass.ERROR) not in play(tmp_path, script).messages
