"""A password stays covered after the keyboard left its field, while it is shown, and while its program hangs.

With protection off the same search of keys, pictures and what tiles are made of finds each.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from daemon.capture.accessibility.protection import HOLD_NS
from daemon.capture.diff import BAND, TILE
from daemon.capture.keys import GRID_NS
from daemon.capture.programs.processes import page_times
from daemon.capture.tile_digests import TileDigester
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows
from storage.clock import NS_PER_S, SystemClock
from storage.records import EventKind, Frame, InputEvent, KeyClass, Sense, TileDigests
from storage.records.tiles import digested_tiles
from tests.fakes.browsers.programs import Chromium, Firefox
from tests.fakes.desktop.painter import MAGENTA, Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

ROOT = Path(__file__).resolve().parents[4]
PERSON_S = 0.15
START_S = 60.0
LONGER_S = 2.5
"""Longer than a program is given to answer, and than a field is asked again."""

PAGES_S = 6.0
"""Until pages speak."""

PAGE = """<title>zebra</title><style>input { width: 300px; height: 60px }
#secret:not(:placeholder-shown) { background: #ff00ff; color: #ff00ff; outline: none }</style>
<p><input id=name></p><p><input id=secret type=password placeholder=" "></p><p><button id=show>Show</button></p>
<script>document.getElementById("name").focus()
document.getElementById("show").onclick = () => {
    const field = document.getElementById("secret")
    field.type = field.type == "text" ? "password" : "text"
}</script>"""
PROTECTED = pytest.mark.parametrize("controls", [True, False])
Digested = Callable[[], int]


@pytest.fixture
def digested(monkeypatch: pytest.MonkeyPatch) -> Digested:
    """Return how many pixels of the password's field have gone into tiles so far."""
    found: list[int] = []
    digests = TileDigester.digests

    def watch(digester: TileDigester, frame: Frame, tiles: Any, canvas: Any, *hashes: Any) -> TileDigests | None:
        for x, y in digested_tiles(frame):
            tile = canvas[y : y + BAND, x : x + TILE, :3]
            found.append(int(np.count_nonzero((tile[..., 0] > 240) & (tile[..., 1] < 16) & (tile[..., 2] > 240))))
        return digests(digester, frame, tiles, canvas, *hashes)

    monkeypatch.setattr(TileDigester, "digests", watch)
    return lambda: sum(found)


Process = subprocess.Popen[bytes]
Open = Callable[[VirtualDesktop, Path], Process]


def open_qt(desktop: VirtualDesktop, _folder: Path) -> Process:
    """Open the form of Qt whose field is magenta while it holds a password."""
    argv = [sys.executable, "-m", "tests.fakes.desktop.password_form", "kept"]
    return desktop.spawn(argv, "form", env={"PYTHONPATH": str(ROOT)}, cwd=ROOT)


def open_gtk(desktop: VirtualDesktop, _folder: Path) -> Process:
    return desktop.spawn(["zenity", "--forms", "--add-entry=Name", "--add-password=Password"], "zenity")


def open_gtk4(desktop: VirtualDesktop, _folder: Path) -> Process:
    """Open a form of GTK 4 whose field is always magenta."""
    argv = ["/usr/bin/python3", str(ROOT / "tests/fakes/desktop/gtk4_form.py"), "entry", "kept"]
    return desktop.spawn(argv, "gtk4form")


def open_chromium(desktop: VirtualDesktop, folder: Path) -> Process:
    return Chromium(desktop).open(page(folder))


def open_firefox(desktop: VirtualDesktop, folder: Path) -> Process:
    return Firefox(desktop).open(page(folder))


def page(folder: Path) -> str:
    """Return the address of a page whose field is magenta while it holds a password, with a button to see it."""
    file = folder / "page.html"
    file.write_text(PAGE)
    return file.as_uri()


LAST_KEY_NS = 5 * NS_PER_S


class Form:
    """A form, and a person at it."""

    def __init__(
        self,
        painter: Painter,
        capture: RunningCapture,
        process: Process,
        window: str = "loginform",
        start_s: float = 1.0,
    ) -> None:
        self.process = process
        self.painter, self.capture = painter, capture
        self._moves_s = PERSON_S if start_s < PAGES_S else LONGER_S  # what hangs in a page is a limit of its own
        windows = Windows(painter.display)
        self.window = windows.wait(window, timeout_s=START_S) if window else windows.wait(title="Login")
        SystemClock().sleep_s(start_s)
        capture.until(self._has_typed, "a first letter", START_S)
        SystemClock().sleep_s(1.0)
        self.since_ns = capture.clock.now_ns() - GRID_NS

    def _has_typed(self) -> bool:
        self.painter.key("a")
        return self.characters() > 0

    def type(self, *keys: str) -> None:
        for key in keys:
            self.painter.key(key)
            SystemClock().sleep_s(self._moves_s if key == "Tab" else PERSON_S)

    def chord(self, *keys: str) -> None:
        self.painter.chord(*keys)
        SystemClock().sleep_s(self._moves_s if "Tab" in keys else PERSON_S)

    def characters(self, since_ns: int = 0) -> int:
        events = self.capture.of(InputEvent)
        return sum(e.count for e in events if e.key_class is KeyClass.CHARACTER and e.t_ns >= since_ns)

    @property
    def is_covered(self) -> bool:
        controls = self.capture.observer._controls
        assert controls is not None
        now_ns = self.capture.clock.now_ns()
        return bool(controls.protected(self.capture.observer._fence.scene, now_ns, now_ns))

    def end(self) -> tuple[int, int]:
        """Press a last key; once it has come return how many spans and how many characters were kept since then.

        A busy program may still work off what was typed: then that key is in a span, and the next one counts.
        """
        events, pressed_ns = self.capture.of, 0

        def has_come() -> bool:
            nonlocal pressed_ns
            now_ns = self.capture.clock.now_ns()
            if now_ns - pressed_ns > LAST_KEY_NS:
                pressed_ns = now_ns
                self.type("Escape")
            return any(event.key_class is KeyClass.ESCAPE for event in events(InputEvent))

        self.capture.until(has_come, "the last key", START_S)
        spans = [event for event in events(InputEvent) if event.kind is EventKind.PROTECTED]
        visits = sum(span.t_ns >= self.since_ns - HOLD_NS for span in spans)  # they begin that much before the news
        return visits, self.characters(self.since_ns)


class Found(NamedTuple):
    """In how many visits to the field how many characters were typed into it, and how many elsewhere."""

    spans: int
    characters: int
    elsewhere: int = 0


def leave(form: Form) -> Found:
    """Type it, go on to the next control, and on to the name, where something else is typed."""
    form.type("Tab", *"secret", "Tab")
    SystemClock().sleep_s(LONGER_S)
    form.type("Tab", "Tab", *"xyz")
    return Found(1, 6, 3)


def come_back(form: Form) -> Found:
    form.type("Tab", *"sec", "Tab")
    SystemClock().sleep_s(1.0)
    form.chord("Shift_L", "Tab")
    form.type("End", *"ret", "Tab")
    SystemClock().sleep_s(LONGER_S)
    return Found(2, 6)


def reveal(form: Form) -> Found:
    form.type("Tab", *"sec", "Tab", "space")
    SystemClock().sleep_s(LONGER_S)
    form.chord("Shift_L", "Tab")
    form.type("End", *"ret", "Tab")
    SystemClock().sleep_s(1.0)
    return Found(2, 6, 1)  # the space that presses the button


def paste(form: Form) -> Found:
    form.chord("Control_L", "a")
    form.chord("Control_L", "c")
    form.type("Tab")
    form.chord("Control_L", "v")
    form.type("Tab")
    SystemClock().sleep_s(LONGER_S)
    return Found(1, 0)


def type_ahead(form: Form) -> Found:
    stopped = form.process.pid
    os.kill(stopped, signal.SIGSTOP)
    try:
        form.type("Tab", *"secretly", "Tab")
        SystemClock().sleep_s(LONGER_S)
    finally:
        os.kill(stopped, signal.SIGCONT)
    SystemClock().sleep_s(LONGER_S)
    return Found(1, 8)


def type_ahead_into_page(form: Form) -> Found:
    """Go to it and type while the process of the page is stopped, and the browser is not."""
    stopped = page_times(form.process.pid)
    assert stopped
    for page_pid in stopped:
        os.kill(page_pid, signal.SIGSTOP)
    try:
        form.painter.key("Tab")
        SystemClock().sleep_s(PERSON_S)
        form.type(*"secretly", "Tab")
    finally:
        for page_pid in stopped:
            os.kill(page_pid, signal.SIGCONT)
    SystemClock().sleep_s(LONGER_S)
    return Found(1, 8)


def busy(form: Form) -> Found:
    """Type it while the program gets on in jerks: a fifth of a second in each second."""
    ending = threading.Event()

    def jerk() -> None:
        while not ending.wait(0.2):
            os.kill(form.process.pid, signal.SIGSTOP)
            ending.wait(0.8)
            os.kill(form.process.pid, signal.SIGCONT)

    jerking = threading.Thread(target=jerk)
    jerking.start()
    try:
        form.type("Tab", *"secretly")
        form.chord("Shift_L", "Tab")
        SystemClock().sleep_s(2 * LONGER_S)
    finally:
        ending.set()
        jerking.join()
    SystemClock().sleep_s(LONGER_S)
    return Found(1, 8)


def go_back(form: Form) -> Found:
    form.type("Tab", *"secret")
    form.chord("Shift_L", "Tab")
    SystemClock().sleep_s(LONGER_S)
    form.type("End", *"xyz")
    return Found(1, 6, 3)


def visit_again(form: Form) -> Found:
    form.type("Tab", *"sec")
    form.chord("Shift_L", "Tab")
    SystemClock().sleep_s(1.0)
    form.type("Tab", "End", *"ret")
    form.chord("Shift_L", "Tab")
    SystemClock().sleep_s(LONGER_S)
    return Found(2, 6)


@PROTECTED
@pytest.mark.parametrize("act", [leave, come_back, reveal, paste, type_ahead, busy])
def test_a_password_stays_covered_when_the_keyboard_left_it(
    desktop: VirtualDesktop,
    painter: Painter,
    tmp_path: Path,
    digested: Digested,
    act: Callable[[Form], Found],
    *,
    controls: bool,
) -> None:
    """Its keys are one span for each visit; what is typed elsewhere counts."""
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        form = Form(painter, capture, open_qt(desktop, tmp_path))
        typed = act(form)
        kept = (typed.spans, typed.elsewhere) if controls else (0, typed.characters + typed.elsewhere)
        assert form.end() == kept
    assert (capture.shows(MAGENTA, since_ns=form.since_ns) > 0) is not controls
    assert (digested() > 0) is not controls


@pytest.mark.parametrize("end", ["emptied", "closed", "moved", "hangs"])
def test_a_field_is_covered_where_it_is_until_it_is_empty_or_its_window_closes(
    desktop: VirtualDesktop, painter: Painter, tmp_path: Path, digested: Digested, end: str
) -> None:
    """Its place moves with the window. While the program hangs nobody can say that it is empty."""
    with capturing(desktop, controls=True) as capture:
        capture.until(lambda: capture.of(Sense), "the sense")
        form = Form(painter, capture, open_qt(desktop, tmp_path))
        form.type("Tab", *"secret", "Tab")
        SystemClock().sleep_s(LONGER_S)
        assert form.is_covered
        if end == "emptied":
            form.chord("Shift_L", "Tab")
            form.type("BackSpace", "Tab")
        elif end == "closed":
            form.process.terminate()
        elif end == "moved":
            windows = Windows(painter.display)
            windows.place(windows.wait("loginform"), form.window.box._replace(x=500, y=400))
            SystemClock().sleep_s(LONGER_S)
            form.type("space", "space")
        else:
            os.kill(form.process.pid, signal.SIGSTOP)
            SystemClock().sleep_s(2 * LONGER_S)
            assert form.is_covered
            os.kill(form.process.pid, signal.SIGCONT)
        if end in ("emptied", "closed"):
            capture.until(lambda: not form.is_covered, "uncovering it")
        else:
            assert form.is_covered
    assert capture.shows(MAGENTA, since_ns=form.since_ns) == 0
    assert digested() == 0


@PROTECTED
@pytest.mark.slow
@pytest.mark.parametrize(
    ("open_program", "window"),
    [(open_gtk, "zenity"), (open_gtk4, ""), (open_chromium, "chromium"), (open_firefox, "firefox-esr")],
)
def test_a_password_in_any_program_is_covered_until_its_field_is_emptied(
    desktop: VirtualDesktop,
    painter: Painter,
    tmp_path: Path,
    open_program: Open,
    window: str,
    *,
    controls: bool,
) -> None:
    """A page shows it meanwhile; the person comes back and erases it. GTK 3 shows no colour by which it is found."""
    is_page = open_program in (open_chromium, open_firefox)
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        form = Form(painter, capture, open_program(desktop, tmp_path), window, PAGES_S if is_page else 1.0)
        form.type("Tab", "s")
        reached_ns = capture.clock.now_ns()  # GTK 4's field has its colour before anything is in it
        form.type(*"ecret", "Tab")
        SystemClock().sleep_s(LONGER_S)
        if is_page:
            form.type("space")
            SystemClock().sleep_s(LONGER_S)
            assert not controls or form.is_covered
            form.type("space")
        assert not controls or form.is_covered
        is_found = not controls and open_program in (open_gtk4, open_firefox)  # no Chromium is seen without proof
        if is_found:
            capture.until(lambda: capture.shows(MAGENTA, since_ns=reached_ns), "a picture of the field")
        shown = capture.shows(MAGENTA, since_ns=reached_ns)
        form.chord("Shift_L", "Tab")
        form.type("BackSpace", "Tab")
        if controls:
            capture.until(lambda: not form.is_covered, "uncovering it")
        spans, characters = form.end()
    assert spans == (2 if controls else 0)
    assert characters == (0 if controls else 6) + (2 if is_page else 0)
    assert (shown > 0) is is_found


def _programs_and_ways() -> Iterator[Any]:
    """Yield each program with each way that it has; GTK 3 has no button that shows a password."""
    programs = {"gtk": (open_gtk, "zenity"), "gtk4": (open_gtk4, "")}
    pages = {"chromium": (open_chromium, "chromium"), "firefox": (open_firefox, "firefox-esr")}
    for name, (open_program, window) in {**programs, **pages}.items():
        own = (reveal, type_ahead_into_page) if name in pages else ()
        for act in (go_back, visit_again, paste, type_ahead, busy, *own):
            yield pytest.param(open_program, window, act, id=f"{name}-{act.__name__}")


@PROTECTED
@pytest.mark.slow
@pytest.mark.parametrize(("open_program", "window", "act"), [*_programs_and_ways()])
def test_in_no_program_and_no_way_more_is_kept_than_a_span_for_each_visit(
    desktop: VirtualDesktop,
    painter: Painter,
    tmp_path: Path,
    *,
    digested: Digested,
    open_program: Open,
    window: str,
    act: Callable[[Form], Found],
    controls: bool,
) -> None:
    """Keys, pictures and what tiles are made of; the control without understanding controls finds each letter."""
    is_page = open_program in (open_chromium, open_firefox)
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        form = Form(painter, capture, open_program(desktop, tmp_path), window, PAGES_S if is_page else 1.0)
        typed = act(form)
        spans, characters = form.end()
    assert characters == typed.elsewhere + (0 if controls else typed.characters)
    assert spans == (typed.spans if controls else 0)
    if controls and open_program is not open_gtk4:  # its field is magenta while it is empty too
        assert capture.shows(MAGENTA, since_ns=form.since_ns) == 0
        assert digested() == 0


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("prompt", ["pinentry-gtk-2", "pinentry-qt"])
def test_of_a_prompt_for_a_passphrase_nothing_is_kept(
    desktop: VirtualDesktop, painter: Painter, tmp_path: Path, prompt: str, *, known: bool
) -> None:
    """Its window is excluded, whatever controls say; the control: the same program under a name that nobody knows."""
    program = shutil.which(prompt)
    assert program is not None
    if not known:
        program = str(shutil.copy(Path(program).resolve(), tmp_path / "askphrase"))
    with capturing(desktop, controls=False) as capture:
        opened = desktop.spawn(["sh", "-c", f"(echo GETPIN; sleep 600) | exec {program}"], "prompt")
        SystemClock().sleep_s(3.0)
        for key in (*"secret", "BackSpace"):
            painter.key(key)
            SystemClock().sleep_s(PERSON_S)
        capture.until(lambda: known or capture.characters() == 6, "the letters")  # of "secret"
        SystemClock().sleep_s(LONGER_S)
        opened.terminate()
    assert capture.characters() == (0 if known else 6)
    assert not capture.of(InputEvent) or not known
