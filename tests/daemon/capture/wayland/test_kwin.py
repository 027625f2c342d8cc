"""What is made of the list that our script in KWin tells, from whom it is taken, and how it ends."""

import asyncio
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message
from PySide6.QtQml import QJSEngine
from PySide6.QtWidgets import QApplication

from daemon.capture.scene import WindowKind
from daemon.capture.wayland import kwin
from daemon.capture.wayland.kwin import KwinWindows
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in, private_bus
from tests.fakes.architecture.sources import ROOT
from tests.fakes.commands.background import in_a_thread

SCRIPTING, SCRIPT = "org.kde.kwin.Scripting", "org.kde.kwin.Script"
ANSWERS: Answers = {
    (SCRIPTING, "isScriptLoaded"): ("b", [True]),
    (SCRIPTING, "unloadScript"): ("b", [True]),
    (SCRIPT, "run"): ("", []),
}


def window(name: str, app: str, **more: Any) -> dict[str, Any]:
    """Return a window as the script describes it."""
    told: dict[str, Any] = {"id": name, "app": app, "instance": app, "role": "", "title": app, "pid": 0, "parent": ""}
    told |= {"popup": False, "dialog": False, "kind": "program", "full": False, "shown": True, "box": [1, 2, 30, 40]}
    return told | more


def state(*windows: Any, active: str = "") -> dict[str, Any]:
    return {"windows": list(windows), "active": active, "screen": [800, 600], "pointer": [3, 4]}


CODE = Path(kwin.__file__).parent / "data" / "kwin.js"
_WORKSPACE = """
var signal = () => ({heard: [], connect(h) { this.heard.push(h); }, tell(told) { this.heard.map(h => h(told)); }});
var calls = [], callDBus = (...call) => calls.push(call);
var editor = {frameGeometry: {x: 0, y: 0, width: 9, height: 9}};
var timers = [];
function QTimer() { timers.push(this); this.timeout = signal(); this.start = () => { this.active = true; } }
var workspace = {windowList: () => [editor], workspaceSize: {}, cursorPos: {}, windowAdded: signal(),
    windowRemoved: signal(), windowActivated: signal(), currentDesktopChanged: signal(), cursorPosChanged: signal()};
"""

FIRST = state(window("a", "editor"), active="a")


class FakeKwin(FakeService):
    """Runs a script as far as its first act goes: it tells the connection that is named in it."""

    def __init__(self, address: str, first: dict[str, Any] | None) -> None:
        super().__init__(address, "org.kde.KWin", ANSWERS)
        self.first = first
        self.file_mode = 0
        self.listener, self.token = "", ""
        self.loaded: dict[str, int] = {}
        self.scripts: dict[int, str] = {}
        self._loop = asyncio.get_event_loop()

    def tell(self, told: object) -> None:
        """Tell a list, from any thread."""
        asyncio.run_coroutine_threadsafe(self._bus.call(self._call(told)), self._loop).result(5.0)

    def _call(self, told: object) -> Message:
        body = [self.token, json.dumps(told)]
        return Message(self.listener, "/kairos", "kairos.Windows", "Tell", signature="ss", body=body)

    def _answer(self, message: Message) -> Message | bool | None:
        if message.member == "loadScript":
            file = Path(message.body[0])
            self.file_mode = stat.S_IMODE(file.stat().st_mode)
            found = re.search(r'kairos = "(:[\d.]+)";\nconst token = "(\w{64})"', file.read_text())
            assert found is not None
            self.listener, self.token = found.groups()
            number = -1 if message.body[1] in self.loaded else len(self.loaded)
            self.loaded[message.body[1]] = number
            self.scripts.setdefault(number, message.body[1])
            return Message.new_method_return(message, "i", [number])
        if message.member == "Introspect":
            nodes = "".join(f'<node name="Script{number}"/>' for number in self.scripts)
            return Message.new_method_return(message, "s", [f"<node>{nodes}</node>"])
        if message.member == "run" and str(message.path).startswith("/Scripting/Script") and self.first is not None:
            name = self.scripts[int(str(message.path).removeprefix("/Scripting/Script"))]
            if name == list(self.loaded)[-1]:
                self._task = self._loop.create_task(self._bus.call(self._call(self.first)))
        if message.member == "unloadScript" and message.body[0] in self.loaded:
            number = self.loaded.pop(message.body[0])
            if self.scripts.get(number) == message.body[0]:
                del self.scripts[number]
        return super()._answer(message)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"DBUS_SESSION_BUS_ADDRESS": address_in(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[FakeKwin]:
    with private_bus(tmp_path), in_a_thread(lambda: FakeKwin(address_in(tmp_path), FIRST)) as found:
        yield found


@pytest.fixture
def windows(service: FakeKwin, env: dict[str, str]) -> Iterator[KwinWindows]:
    opened = KwinWindows(env, SystemClock(), os.getpid())
    yield opened
    opened.close()


def test_windows_popups_and_what_is_minimised_are_told(service: FakeKwin, windows: KwinWindows, tmp_path: Path) -> None:
    """The file of the script is this user's alone, and gone once it runs; a list that repeats is no new state."""
    (scene,) = windows.take_scenes()
    assert [(w.app, w.box, w.since_ns) for w in scene.windows] == [("editor", Box(1, 2, 30, 40), 0)]
    assert (scene.active, windows.pointer, service.file_mode) == (scene.windows[0].client, (3, 4), 0o600)
    poll(lambda: not list((tmp_path / "kairos-windows").iterdir()), what="taking the file away")
    menu, dock = window("m", "", popup=True, parent="a"), window("d", "plasmashell", kind="dock")
    away = window("z", "mail", shown=False)
    told = state(window("a", "editor"), away, menu, dock, active="a")
    service.tell(told)
    service.tell(told)
    (scene,) = windows.take_scenes()
    assert [(w.app, w.popup, w.kind) for w in scene.windows] == [
        ("plasmashell", False, WindowKind.DOCK),
        (None, True, WindowKind.PROGRAM),
        ("editor", False, WindowKind.PROGRAM),
    ]
    assert scene.windows[1].transient_for == scene.active
    assert [w.app for w in scene.hidden] == ["mail"]
    windows.read()
    assert windows.take_scenes() == ()


@pytest.mark.parametrize("how", ["unloaded", "unreadable"])
def test_a_script_that_is_gone_is_a_fault(service: FakeKwin, windows: KwinWindows, how: str) -> None:
    windows.refresh()
    poll(lambda: (SCRIPTING, "isScriptLoaded") in service.queries, what="a look")
    windows.read()  # it runs
    if how == "unloaded":
        service.answers[SCRIPTING, "isScriptLoaded"] = "b", [False]
    else:
        service.tell({"windows": None})

    def is_gone() -> bool:
        windows.refresh()  # again and again, as capture does: a look that is under way is the only one
        return windows.is_gone

    poll(is_gone if how == "unloaded" else lambda: windows.is_gone, what="noticing")
    with pytest.raises(EnvironmentFault):
        windows.read()


def test_a_killed_kairos_leaves_one_script_and_the_next_takes_it_away(service: FakeKwin, env: dict[str, str]) -> None:
    """However often it is killed. The one of a program that runs beside it is left alone."""
    code = (
        "import sys, time; from daemon.capture.wayland.kwin import KwinWindows; from storage.clock import SystemClock; "
        f"KwinWindows({env}, SystemClock(), {os.getpid()}); print(flush=True); time.sleep(60)"
    )
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT) as killed:
            assert killed.stdout is not None
            assert killed.stdout.readline() == b"\n"
            killed.kill()
    (left,) = service.loaded
    windows = KwinWindows(env, SystemClock(), os.getpid())
    assert list(service.loaded) == [left]
    beside = KwinWindows(env, SystemClock(), os.getpid())
    assert len(service.loaded) == 2
    beside.close()
    assert list(service.loaded) == [left]
    windows.close()
    assert not service.loaded


def test_the_number_of_another_script_is_not_taken_for_ours(service: FakeKwin, env: dict[str, str]) -> None:
    """KWin numbers a script by how many there are, so after one was unloaded it may give a number twice."""
    first, second = (KwinWindows(env, SystemClock(), os.getpid()) for _ in range(2))
    first.close()
    assert list(service.loaded.values()) == [1]
    again = KwinWindows(env, SystemClock(), os.getpid())
    assert again.take_scenes()
    again.close()
    assert list(service.loaded.values()) == [1]
    second.close()


def test_a_script_that_nobody_answers_any_more_says_nothing(qapp: QApplication) -> None:
    """Kairos was killed. One that is only slow gets a new list with its first answer."""
    run: Callable[[str], Any] = QJSEngine(qapp).evaluate
    run(_WORKSPACE)
    fault = run(CODE.read_text(encoding="utf-8"))
    assert not fault.isError(), fault.toString()
    told = [run("calls.length").toInt()]
    for step in (
        "for (let i = 0; i < 500; i++) workspace.windowAdded.tell(editor)",
        "calls[0].pop()()",
        "calls[1].pop()()",
        "workspace.windowAdded.tell(editor)",
    ):
        run(step)
        told.append(run("calls.length").toInt())
    assert told == [1, 100, 101, 101, 102]
    assert run("calls[101][4]").toString() == "@TOKEN@"


@pytest.mark.parametrize("has_timer", [True, False])
def test_where_a_pointer_came_to_rest_is_told_and_not_each_of_its_steps(qapp: QApplication, has_timer: bool) -> None:
    run: Callable[[str], Any] = QJSEngine(qapp).evaluate
    run(_WORKSPACE if has_timer else _WORKSPACE.replace("function QTimer", "function Other"))
    assert not run(CODE.read_text(encoding="utf-8")).isError()
    run("for (let x = 0; x < 50; x++) { workspace.cursorPos = {x, y: 0}; workspace.cursorPosChanged.tell(); }")
    assert run("calls.length").toInt() == (1 if has_timer else 51)
    run("timers.forEach(timer => { timer.active = false; timer.timeout.tell(); })")
    assert run("calls.length").toInt() == (2 if has_timer else 51)
    assert run("JSON.parse(calls[calls.length - 1][5]).pointer[0]").toInt() == 49


@pytest.mark.parametrize("why", ["another process", "no list", "no bus"])
def test_without_a_list_of_this_compositor_there_is_none(
    service: FakeKwin, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    monkeypatch.setattr(kwin, "COMES_S", 0.3)
    service.first = None if why == "no list" else FIRST
    if why == "no bus":
        env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
    with pytest.raises(EnvironmentFault):
        KwinWindows(env, SystemClock(), 1 if why == "another process" else os.getpid())


@pytest.mark.parametrize("who", ["another program", "another script of KWin", "a script without a token"])
def test_what_another_program_tells_is_not_believed(
    service: FakeKwin, windows: KwinWindows, tmp_path: Path, who: str
) -> None:
    """Nor does it end the list: what the script of Kairos tells after that counts."""
    windows.take_scenes()
    token, forged = service.token, state(window("x", "forged"))
    if who == "another program":
        with in_a_thread(lambda: FakeKwin(address_in(tmp_path), None)) as other:
            other.listener, other.token = service.listener, token
            other.tell(forged)
    else:
        service.token = "0" * 64 if who == "another script of KWin" else ""
        service.tell(forged)
        service.token = token
    assert windows.take_scenes() == ()
    service.tell(state(window("b", "mail")))
    assert [w.app for scene in windows.take_scenes() for w in scene.windows] == ["mail"]
