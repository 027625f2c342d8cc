"""What programs on a bus write after a command: which error is read, once, and what is never read."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from daemon.capture.accessibility.atspi.keyboard import SHORT
from daemon.capture.control_source import Access, FocusMoved, MessageShown
from storage.records import Box, ControlRole, MessageClass
from tests.fakes.accessibility.atspi import (
    ACTIVE,
    EDITABLE,
    FOCUSED,
    FOCUSES,
    MULTI_LINE,
    ROOT,
    SENSITIVE,
    WRITES,
    Adapter,
    Limits,
    Node,
    OpenGuard,
    Role,
    running_adapter,
    until,
)

MANY_LINES = SENSITIVE | EDITABLE | MULTI_LINE
ERROR = "Traceback (most recent call last):\nNameError: name 'tax' is not defined"
LINE = "NameError: name 'tax' is not defined"
FAILED, WELL = (LINE, MessageClass.ERROR), ("", MessageClass.SUCCESS)
SECRET = "error: marker of what nobody may read"  # noqa: S105  # a text
NODES = {
    ROOT: Node(Role.APPLICATION, children=["/frame"]),
    "/frame": Node(Role.FRAME, "Editor", SENSITIVE | ACTIVE, ["/panel"], Box(0, 0, 500, 500)),
    "/panel": Node(Role.PANEL, children=["/run", "/code"], box=Box(0, 0, 500, 500)),
    "/run": Node(Role.BUTTON, "Run", box=Box(0, 0, 50, 20)),
    "/code": Node(Role.TEXT, "Code", MANY_LINES, box=Box(0, 100, 500, 300), text=SECRET),
    "/output": Node(Role.TEXT, "Output", MANY_LINES),
    "/field": Node(Role.TEXT, "Field", SENSITIVE | EDITABLE, text=SECRET),
    "/other": Node(Role.TEXT, "Other", MANY_LINES | FOCUSED, text=SECRET),
    "/paragraph": Node(Role.PARAGRAPH, "", MANY_LINES, text=SECRET),
    "/secret": Node(Role.PASSWORD, "", MANY_LINES, text=SECRET),
}


class Editor(Adapter):
    """A running adapter, and a program in whose code the keyboard is."""

    @property
    def messages(self) -> list[tuple[str, MessageClass | None]]:
        return [(report.text, report.about) for report in self.of(MessageShown)]

    @property
    def has_read_nothing(self) -> bool:
        return not self.messages and "GetText" not in {member for _, member in self.program.asked}

    def command(self, *, is_enter: bool = False) -> None:
        self.source.note_command(os.getpid(), is_enter=is_enter)

    async def write(self, text: str, path: str = "/output") -> None:
        node = self.program.nodes[path]
        start, node.text = len(node.text), node.text + text
        await self.program.signal(WRITES, path, start, "a text that is never read", length=len(text))

    async def run(self, text: str, path: str = "/output") -> None:
        self.command()
        await self.settle(0.1)
        await self.say(text, path)

    async def say(self, text: str, path: str = "/output", rest_s: float = 0.35) -> None:
        await self.write(text, path)
        await self.settle(rest_s)

    async def type(self) -> None:
        """Type a letter into the code, which is known by its key before it is signalled."""
        self.press_a_key()
        await self.program.signal(WRITES, "/code", 0, "x", length=1)
        await self.settle(0.1)

    def press_a_key(self) -> None:
        self.source.note_writing(os.getpid())

    async def list_rows(self, lines: list[str], file: str = "", told: Sequence[int] | None = None) -> None:
        """Give a command, and let these rows, or those of them that are told, be added to a list behind its file."""
        cells = {
            f"/{row}": Node(Role.CELL, text, box=Box(row, int(file != ""), 1, 1)) for row, text in enumerate(lines)
        }
        cells |= {"/first": Node(Role.CELL, file, box=Box(0, 0, 99, 1))} if file else {}
        table = Node(Role.TABLE, "Messages", children=list(cells), columns=2 if file else 1)
        self.program.nodes |= {**cells, "/list": table}
        self.command()
        for row in range(len(lines)) if told is None else told:
            await self.program.signal("object:row-inserted", "/list", row=row)
        await self.settle(0.8)

    async def leave_for(self, path: str) -> None:
        await self.program.signal(FOCUSES, path, 1)
        await self.settle(0.3)

    async def settle(self, seconds: float = 0.35) -> None:
        for pause_s in (seconds, 0.0):
            await self.taken_in()
            await asyncio.sleep(pause_s)
        await self.taken_in()


@pytest.fixture
def toolkit() -> str:
    return "gtk"


@pytest.fixture
def editor(tmp_path: Path, limits: Limits, toolkit: str, access: Access) -> AbstractAsyncContextManager[Editor]:
    """Return an adapter that reads soon, with a program whose code has the keyboard."""
    limits("outputs", QUIET_NS=50_000_000, DONE_NS=800_000_000, OWN_NS=600_000_000, KEY_NS=20_000_000)

    @asynccontextmanager
    async def begin() -> AsyncIterator[Editor]:
        nodes = {path: Node(**vars(node)) for path, node in NODES.items()}
        async with running_adapter(tmp_path, nodes, toolkit, OpenGuard(os.getpid(), access), Editor) as editor:
            is_whole = access is Access.ALL
            await until(lambda: editor.listener.browser.is_known or not is_whole, "the toolkit")
            await editor.program.signal(FOCUSES, "/code", 1)
            await until(lambda: len(editor.of(FocusMoved)) > is_whole, "the focus")
            yield editor

    return begin()


async def test_an_error_is_reported_once_a_run_and_its_end_once(editor: Editor) -> None:
    """Where a run says that it went well the end is known at once."""
    await editor.run(ERROR)
    await editor.say(f"{ERROR}\n>Exit code: 1")
    assert editor.messages == [FAILED]
    await editor.type()
    await editor.run(ERROR)
    assert editor.messages == [FAILED] * 2
    await editor.run("total 9.75\n>Exit code: 0")
    assert editor.messages == [FAILED, FAILED, WELL]
    await editor.run("total 9.75\n>Exit code: 0")
    assert len(editor.messages) == 3
    assert {report.role for report in editor.of(MessageShown)} == {ControlRole.OUTPUT}


async def test_a_run_that_says_nothing_of_its_end_went_well_by_the_next_command(editor: Editor) -> None:
    """If its output has been quiet by then; typing on alone ends nothing."""
    await editor.run(ERROR)
    await editor.run("total 9.75")
    await editor.type()
    await editor.settle(0.9)
    assert editor.messages == [FAILED]
    editor.command()
    await editor.settle(0.1)
    assert editor.messages == [FAILED, WELL]


@pytest.mark.parametrize("late", ["heard", "read", "at once"])
async def test_an_error_that_comes_late_in_a_run_does_not_make_its_beginning_a_success(
    editor: Editor, late: str
) -> None:
    """A compiler says first what it does, and the person may write on, or save, before it says more."""
    await editor.run(ERROR)
    await editor.run("compiling")
    if late == "heard":
        await editor.type()
    if late == "at once":
        editor.command()
    await editor.say(ERROR)
    await editor.type()
    await editor.settle()
    editor.command()
    await editor.settle(0.1)
    assert editor.messages == ([FAILED] if late == "heard" else [FAILED] * 2)


async def test_nothing_is_read_once_the_person_writes_again(editor: Editor) -> None:
    """Known by a key, which programs need not signal."""
    editor.command()
    await editor.settle(0.1)
    await editor.write(ERROR)
    editor.press_a_key()
    await editor.settle()
    assert editor.has_read_nothing


@pytest.mark.parametrize("what", ["letter", "pause", "command"])
async def test_a_read_that_is_on_its_way_ends_with_the_letter_the_pause_and_the_command(
    editor: Editor, what: str
) -> None:
    """Each question is asked only if it still may be, and what is answered late is nobody's."""
    editor.program.late["/output", "GetState"] = 0.4
    editor.command()
    await editor.write(ERROR)
    await until(lambda: ("/output", "GetState") in editor.program.asked, "the question")
    if what == "letter":
        editor.press_a_key()
    elif what == "pause":
        editor.guard.epoch = 1
    else:
        editor.command()
    await editor.settle(0.8)
    assert editor.has_read_nothing


async def test_of_a_text_only_what_was_written_in_one_go_is_asked_for(editor: Editor) -> None:
    """Two pieces far apart have what was there before between them; one that is written anew begins anew."""
    editor.program.nodes["/output"].text = SECRET * 100
    editor.command()
    await editor.program.signal(WRITES, "/output", 10, length=5)
    await editor.program.signal(WRITES, "/output", 3000, length=5)
    await editor.settle()
    editor.program.nodes["/output"].text = ERROR
    await editor.program.signal(WRITES, "/output", 0, length=len(ERROR))
    await editor.settle()
    assert editor.program.spans == [(3000, 3005), (0, len(ERROR))]
    assert editor.messages == [FAILED]


@pytest.mark.parametrize("what", ["typed before", "had it last", "by itself"])
async def test_what_the_person_writes_in_and_what_writes_without_a_command_is_not_read(
    editor: Editor, what: str
) -> None:
    """A document may be written into from a dialog, as by "replace all"; a log goes on all the time."""
    editor.program.nodes["/find"] = Node(Role.TEXT, "Find", SENSITIVE | EDITABLE)
    path = "/output" if what == "by itself" else "/code"
    if what == "typed before":
        await editor.type()
        await editor.leave_for("/output")
    elif what == "had it last":
        await editor.leave_for("/find")
    else:
        await editor.say("waiting\n", rest_s=0.1)
    await editor.run(ERROR, path)
    assert editor.has_read_nothing


async def test_what_a_click_on_a_button_brings_is_read_and_what_one_in_the_text_brings_is_not(editor: Editor) -> None:
    """A click runs something, or it does not: what is there says which."""
    assert await editor.at(10, 200) is not None
    await editor.say(ERROR, rest_s=0.8)
    assert editor.messages == []
    assert await editor.at(10, 10) is not None
    await editor.say(ERROR)
    assert editor.messages == [FAILED]


@pytest.mark.parametrize("role", [Role.PARAGRAPH, Role.TABLE, Role.CELL])
async def test_in_documents_and_sheets_no_command_is_answered_elsewhere(editor: Editor, role: int) -> None:
    """What is written there is their content, as in the line that shows what is in a cell."""
    editor.program.nodes["/place"] = Node(role, "", MANY_LINES)
    await editor.leave_for("/place")
    await editor.run(ERROR)
    assert editor.has_read_nothing


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (["gcc -c a.c", "a.c:3:5: error: no name 'tax'", "Compilation failed."], "a.c:3:5: error: no name 'tax'"),
        (["gcc -c a.c", "Compilation failed."], None),
        (["gcc -c a.c", "gcc -o a a.o"], None),
    ],
)
async def test_a_row_that_is_added_to_a_list_may_say_how_a_run_went(
    editor: Editor, rows: list[str], error: str | None
) -> None:
    """As in an editor whose messages are a list: what failed stands above, in any column."""
    named = [] if error is None else [(f"a.c {error}", MessageClass.ERROR)]
    await editor.list_rows(rows, "a.c")
    await until(lambda: len(editor.messages) >= len(named), "the error, before the next command forgets it")
    await editor.list_rows(["gcc -c a.c", "Compilation finished successfully."], "a.c")
    await editor.type()
    expected = [*named, WELL] if rows[-1] == "Compilation failed." else []
    assert editor.messages == expected


@pytest.mark.parametrize("what", ["no command", "typed", "enter", "asleep"])
async def test_nothing_is_read_that_answers_no_command(editor: Editor, what: str) -> None:
    """By itself, after a letter, after Enter in a text, and where the program is no longer the active one."""
    if what != "no command":
        editor.command(is_enter=what == "enter")
    await editor.settle(0.1)
    if what == "typed":
        await editor.type()
    if what == "asleep":
        editor.guard.permit = type(editor.guard.permit)(programs=editor.guard.permit.programs, active=0)
    await editor.say(ERROR)
    assert editor.has_read_nothing


@pytest.mark.parametrize("path", ["/field", "/other", "/paragraph", "/secret", "/code"])
async def test_nothing_is_read_but_texts_of_many_lines_without_the_keyboard(editor: Editor, path: str) -> None:
    """Fields, documents, passwords and what has the keyboard are other people's words, or the person's own."""
    await editor.run("error: more", path)
    assert editor.has_read_nothing
    assert "marker" not in repr(editor.seen)


@pytest.mark.parametrize("access", [Access.FIELDS])
async def test_nothing_is_read_of_a_program_that_may_not_be_asked(editor: Editor) -> None:
    """Of an excluded one it is known at most whether a password field has the keyboard."""
    await editor.run(ERROR)
    assert editor.has_read_nothing


async def test_nothing_is_read_without_the_persons_yes_to_it(editor: Editor) -> None:
    """They may have agreed to the rest alone."""
    editor.guard.reads_outputs = False
    await editor.run(ERROR)
    assert await editor.at(10, 10) is not None
    await editor.say(ERROR)
    assert editor.has_read_nothing


@pytest.mark.parametrize("toolkit", ["Chromium"])
async def test_pages_are_not_read_so(editor: Editor) -> None:
    """They write with the same signals what somebody types."""
    await editor.run(ERROR)
    assert editor.has_read_nothing


async def test_a_letter_while_one_part_is_read_keeps_the_others_unread(editor: Editor) -> None:
    """Each of them is asked about only if it still may be."""
    editor.program.nodes["/second"] = Node(Role.TEXT, "Second", MANY_LINES)
    editor.program.late["/output", "GetText"] = 0.4
    editor.command()
    await editor.write(ERROR)
    await editor.write(ERROR, "/second")
    await until(lambda: ("/output", "GetText") in editor.program.asked, "the question")
    editor.press_a_key()
    await editor.settle(0.8)
    assert editor.messages == []
    assert [path for path, member in editor.program.asked if member == "GetText"] == ["/output"]


async def test_what_is_written_while_a_read_is_on_its_way_is_read_after_it(editor: Editor) -> None:
    """A busy program answers late, most of all just after its error."""
    editor.program.late["/output", "GetText"] = 0.3
    editor.command()
    await editor.write("compiling\n")
    await until(lambda: ("/output", "GetText") in editor.program.asked, "the question")
    await editor.say(ERROR, rest_s=1.0)
    assert editor.messages == [FAILED]


async def test_an_output_that_was_clicked_into_is_read_again_once_another_text_had_the_keyboard(editor: Editor) -> None:
    """Who clicks on an error to see its place goes on in the text."""
    await editor.leave_for("/output")
    await editor.run(ERROR)
    assert editor.messages == []
    await editor.leave_for("/code")
    await editor.run(ERROR)
    assert editor.messages == [FAILED]


async def test_a_click_elsewhere_does_not_end_the_wait_for_an_answer(editor: Editor) -> None:
    """Who waits for a build clicks into the text."""
    editor.command()
    assert await editor.at(10, 200) is not None
    await editor.say(ERROR)
    assert editor.messages == [FAILED]


async def test_after_many_letters_the_answer_to_a_command_is_heard_all_the_same(editor: Editor) -> None:
    """Letters are not even signalled then."""
    for _ in range(3 * SHORT):
        await editor.type()
    await editor.run(ERROR)
    assert editor.messages == [FAILED]


async def test_who_runs_things_hears_a_program_that_answers_at_once(editor: Editor) -> None:
    """After a first command letters stay signalled: to begin with the second would be too late."""
    editor.command()
    for _ in range(3 * SHORT):
        await editor.type()
    editor.command()
    await editor.say(ERROR)
    assert editor.messages == [FAILED]


async def test_rows_from_before_the_command_name_no_error_of_it(editor: Editor) -> None:
    """A list that is not cleared still shows the run before."""
    await editor.list_rows(["a.c:3:5: error: no name", "Compilation failed."], told=[1])
    assert ("a.c:3:5: error: no name", MessageClass.ERROR) not in editor.messages
