"""Passwords typed into terminals: whether the echo is off, on real pseudo-terminals."""

import os
import pty
import signal
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.capture.gate import Gate
from daemon.capture.input import InputQueue
from daemon.capture.keys import KeyPress, cell_start, with_coarse_keys
from daemon.capture.programs.terminals import NONE_KNOWN_NS, TerminalEcho
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, ManualClock
from storage.records import Box, EventKind, Frame, InputEvent, KeyClass
from tests.fakes.desktop.painter import Painter, capturing

LETTER, ENTER = KeyPress(97, "a"), KeyPress(0xFF0D)
TERMINAL, SHELL = 50, 51


@dataclass
class Terminal:
    """A pseudo-terminal, and a folder like /proc in which a program holds its master."""

    slave: int
    root: Path
    number: int

    def set_flags(self, *, echo: bool, lines: bool = True) -> None:
        flags = termios.tcgetattr(self.slave)
        flags[3] = termios.ISIG | (termios.ECHO if echo else 0) | (termios.ICANON if lines else 0)
        termios.tcsetattr(self.slave, termios.TCSANOW, flags)


def process(
    root: Path,
    pid: int,
    *,
    parent: int = 1,
    group: int = 0,
    index: int | None = None,
    terminal: str = "0 -1",
    name: str = "x",
) -> None:
    """Add a process; with `index` it holds the master of that terminal. `terminal`: its own, and the group in front."""
    folder = root / str(pid)
    for part in ("fd", "fdinfo", f"task/{pid}"):
        (folder / part).mkdir(parents=True)
    (folder / "task" / str(pid) / "children").write_text("")
    starts(root, parent, pid)
    (folder / "stat").write_text(f"{pid} (a b) S {parent} {group or pid} {pid} {terminal} 0")
    (folder / "comm").write_text(f"{name}\n")
    (folder / "fd" / "0").symlink_to("/dev/null")
    if index is not None:
        (folder / "fd" / "7").symlink_to("/dev/ptmx")
        (folder / "fdinfo" / "7").write_text(f"pos:\t0\nflags:\t02\ntty-index:\t{index}\n")


def starts(root: Path, parent: int, child: int) -> None:
    children = root / str(parent) / "task" / str(parent) / "children"
    if children.exists():
        children.write_text(f"{children.read_text()}{child} ")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    number = int(Path(os.ttyname(slave)).name)
    process(tmp_path, TERMINAL, index=number)
    process(tmp_path, SHELL, parent=TERMINAL, terminal=f"{os.fstat(slave).st_rdev} 60")
    yield Terminal(slave, tmp_path, number)
    os.close(master)
    os.close(slave)


def echo_of(terminal: Terminal, pid: int = TERMINAL) -> tuple[TerminalEcho, ManualClock]:
    clock = ManualClock(NS_PER_S)
    echo = TerminalEcho(clock, terminal.root)
    echo.watch(pid)
    return echo, clock


@pytest.mark.parametrize(
    ("echo", "lines", "front", "expected"),
    [
        pytest.param(True, True, "cat", False, id="a program that reads lines"),
        pytest.param(False, True, "sudo", True, id="a prompt for a password"),
        pytest.param(False, False, "vim", False, id="an editor or shell, which shows keys itself"),
        pytest.param(False, False, "gpg", True, id="a prompt that takes single keys"),
        pytest.param(False, False, "sudo", True, id="a prompt that shows stars"),
    ],
)
def test_the_echo_says_whether_what_is_typed_is_hidden(
    terminal: Terminal, *, echo: bool, lines: bool, front: str, expected: bool
) -> None:
    """Followed at each key; a program without a terminal, or that is not known, hides nothing."""
    process(terminal.root, 60, name=front)
    following, _ = echo_of(terminal)
    assert not following.is_off()
    terminal.set_flags(echo=echo, lines=lines)
    assert following.is_off() is expected
    for other in (0, SHELL, 999):
        following.watch(other)
        assert not following.is_off()


def test_a_prompt_that_may_draw_stars_is_told_for_a_moment_longer(terminal: Terminal) -> None:
    """Not one that reads lines, of which nothing is drawn; one that is left for another is told while it asks."""
    process(terminal.root, 60, name="sudo")
    following, clock = echo_of(terminal)
    terminal.set_flags(echo=False)
    assert following.drawn_for(0) == 0
    terminal.set_flags(echo=False, lines=False)
    assert following.drawn_for(clock.now_ns()) == TERMINAL
    clock.advance(NS_PER_S)
    for other in (SHELL, 0):
        following.watch(other)
        clock.advance(60 * NS_PER_S)
        assert following.drawn_for(clock.now_ns()) == TERMINAL
        assert not following.is_off()
    asked_ns = clock.now_ns()
    clock.advance(NS_PER_S)
    terminal.set_flags(echo=True)
    assert [following.drawn_for(since_ns) for since_ns in (asked_ns, asked_ns + 1)] == [TERMINAL, 0]


def test_limit_a_terminal_of_which_another_program_holds_the_inner_one_is_not_told(terminal: Terminal) -> None:
    """As in tmux, screen and over ssh: the inner terminal is a server's, which nobody in front has started."""
    process(terminal.root, 80)
    process(terminal.root, 81, parent=80, name="tmux")
    terminal.set_flags(echo=False)
    assert not echo_of(terminal, 80)[0].is_off()
    assert echo_of(terminal)[0].is_off(), "the control"


def test_a_prompt_of_what_the_program_in_front_has_started_counts(terminal: Terminal) -> None:
    """`git commit -S` starts gpg; one that passes keys on, as sudo does to an editor, takes none for a signal."""
    process(terminal.root, 60, name="git")
    process(terminal.root, 61, parent=60, group=60, name="gpg")
    following, _ = echo_of(terminal)
    terminal.set_flags(echo=False, lines=False)
    assert following.is_off()
    flags = termios.tcgetattr(terminal.slave)
    flags[3] = 0
    termios.tcsetattr(terminal.slave, termios.TCSANOW, flags)
    assert not following.is_off()


def test_what_a_shell_runs_in_the_background_asks_for_nothing(terminal: Terminal) -> None:
    """A shell takes each key by itself, as such prompts do: all that is typed would be hidden while it runs."""
    process(terminal.root, 60, name="bash")
    process(terminal.root, 61, parent=60, name="sudo")
    following, _ = echo_of(terminal)
    terminal.set_flags(echo=False, lines=False)
    assert not following.is_off()


def test_children_are_found_where_the_kernel_keeps_no_lists_of_them(terminal: Terminal) -> None:
    process(terminal.root, 40)
    (terminal.root / str(TERMINAL) / "stat").write_text(f"{TERMINAL} (a b) S 40 {TERMINAL} {TERMINAL} 0 -1 0")
    process(terminal.root, 60, parent=SHELL, name="gpg")
    terminal.set_flags(echo=False, lines=False)
    assert not echo_of(terminal, 40)[0].is_off(), "the control"
    for lists in terminal.root.glob("*/task/*/children"):
        lists.unlink()
    assert echo_of(terminal, 40)[0].is_off()


def test_a_terminal_that_a_child_holds_and_one_that_is_opened_later_count(terminal: Terminal) -> None:
    """An editor's terminal is its child's; a new tab is known after three seconds, a first terminal after ten.

    Only where there is input: what a terminal writes by itself costs nothing.
    """
    terminal.set_flags(echo=False)
    process(terminal.root, 40)
    starts(terminal.root, 40, TERMINAL)
    assert echo_of(terminal, 40)[0].is_off()
    process(terminal.root, 70)
    following, clock = echo_of(terminal, 70)
    assert not following.is_off()
    starts(terminal.root, 70, TERMINAL)
    clock.advance(NONE_KNOWN_NS)
    following.watch(70, has_input=False)
    assert not following.is_off()
    following.watch(70)
    assert following.is_off()


def test_a_program_that_shows_what_is_typed_itself_hides_nothing(terminal: Terminal) -> None:
    """Emacs turns the echo of all its terminals off, and shows what is typed."""
    terminal.set_flags(echo=False)
    (terminal.root / str(TERMINAL) / "comm").write_text("emacs-gtk\n")
    assert not echo_of(terminal)[0].is_off()


def test_asking_leaves_nothing_open(terminal: Terminal) -> None:
    """A terminal would otherwise not end with its shell."""
    following, _ = echo_of(terminal)
    before = sorted(Path("/proc/self/fd").iterdir())
    assert not following.is_off()
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def test_hidden_keys_are_one_span_up_to_enter() -> None:
    """Neither their number nor their kinds; without the look at the terminal each would be there (the control)."""
    for looks in (True, False):
        clock = ManualClock(NS_PER_S + 7)
        gate = Gate()
        gate.open()
        queue = InputQueue(clock, gate, lambda: None, lambda _: None)
        keys = [LETTER, LETTER, LETTER, ENTER, LETTER, LETTER, ENTER, LETTER]
        if looks:
            queue.is_hidden = iter([False, *[True] * 6, False]).__next__
        for key in keys:
            queue.press(key)
            clock.advance(NS_PER_S)
        events, _ = queue.drain()
        if not looks:
            assert [event.key_class for event in events].count(KeyClass.CHARACTER) == 6
            continue
        kinds = [EventKind.KEY, EventKind.PROTECTED, EventKind.PROTECTED, EventKind.KEY]
        assert [event.kind for event in events] == kinds
        assert all(event.key_class is None and event.count == 1 for event in events if event.kind is not EventKind.KEY)
        rounded = [row.t_ns for row in with_coarse_keys(events) if isinstance(row, InputEvent)]
        assert rounded == [event.t_ns - 7 for event in events], "no exact time of a key"


STARS = """#!/bin/bash
stty -echo -icanon
while IFS= read -rn1 key && [ -n "$key" ]; do printf '*'; done
stty sane
"""
"""What sudo does where it shows stars, under its name."""


@dataclass(frozen=True)
class Way:
    """How a password is given: a prompt, acts, and what is to be kept: spans, and letters typed elsewhere.

    `there` is how many letters of it the control finds.
    """

    acts: tuple[str, ...]
    prompt: str = "read -s secret"
    spans: int = 1
    elsewhere: int = 0
    there: int = 6


WAYS = {
    "typed ahead": Way(("keys hunter",), "sleep 3; read -s secret", spans=0, elsewhere=6, there=0),
    "with a star for each key": Way(("keys hunter",), "$TMP/sudo"),
    "between two lines": Way(
        ("keys abc", "enter", "keys hunter", "enter", "keys de"), "read line; read -s secret; read line", elsewhere=5
    ),
    "left": Way(("keys hunter", "editor", "keys xyz"), elsewhere=3),
    "left, and back": Way(("keys hunter", "editor", "keys xyz", "terminal", "keys two"), spans=2, elsewhere=3, there=9),
    "pasted": Way(("paste",), there=0),
    "while the terminal hangs": Way(("hang", "keys hunter", "go on")),
}


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("looks", [True, False])
def test_in_no_way_more_is_kept_of_a_password_in_xterm(
    bare_desktop: VirtualDesktop,
    painter: Painter,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: Way,
    *,
    looks: bool,
) -> None:
    """A span for each visit and no letter; stars in no picture. The control does not look at the terminal.

    A limit is what is typed ahead, which a terminal shows itself: the echo is still on.
    """
    if not looks:
        monkeypatch.setattr(TerminalEcho, "is_off", lambda _: False)
    (tmp_path / "sudo").write_text(STARS)
    (tmp_path / "sudo").chmod(0o700)
    editor = painter.window("Editor", Box(600, 400, 300, 200), pid=bare_desktop.spawn(["sleep", "60"], "sleep").pid)
    script = f"touch $TMP/first; {way.prompt}; touch $TMP/second; read line"
    program = bare_desktop.spawn(["xterm", "-e", "bash", "-c", script], "xterm", env={"TMP": str(tmp_path)})
    windows = {"editor": (editor.id, "Editor"), "terminal": (bare_desktop.windows.wait(app="XTerm").xid, "XTerm")}
    with capturing(bare_desktop) as capture:

        def do(act: str) -> None:
            what, _, letters = act.partition(" ")
            for letter in letters if what == "keys" else "":
                painter.key(letter)
                capture.clock.sleep_s(0.05)
            if what in windows:
                xid, app = windows[what]
                painter.activate(painter.display.create_resource_object("window", xid))
                capture.keyboard_at(app)
            elif what == "paste":
                painter.chord("Shift_L", "Insert")
            elif what == "enter":
                painter.key("Return")
                capture.clock.sleep_s(0.5)  # the prompt turns the echo off, or on
            elif what in ("hang", "go"):
                os.kill(program.pid, signal.SIGSTOP if what == "hang" else signal.SIGCONT)

        do("terminal")
        poll((tmp_path / "first").exists, what="the prompt")
        capture.clock.sleep_s(0.5)  # the echo goes off, and the terminal shows what it draws first
        asked_ns = cell_start(capture.clock.now_ns())
        for act in way.acts:
            do(act)
        capture.clock.sleep_s(0.5)
        entered_ns = cell_start(capture.clock.now_ns())
        painter.key("Return")
        capture.wait_idle()
    inputs = [event for event in capture.of(InputEvent) if event.t_ns >= asked_ns]
    spans = sum(event.kind is EventKind.PROTECTED for event in inputs)
    letters = sum(event.count for event in inputs if event.key_class is KeyClass.CHARACTER)
    assert (spans, letters) == ((way.spans, way.elsewhere) if looks else (0, way.elsewhere + way.there))
    assert any(event.key_class is KeyClass.PASTE for event in inputs) is (not looks and "paste" in way.acts)
    if "sudo" in way.prompt:
        asked = [frame for frame in capture.of(Frame) if asked_ns <= frame.t_ns < entered_ns]
        assert all(frame.covered for frame in asked) if looks else any(not frame.covered for frame in asked)
