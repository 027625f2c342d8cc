"""What is made of the list that our script in KWin tells, from whom it is taken, and how it ends."""

import asyncio
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message

from daemon.capture.scene import WindowKind
from daemon.capture.wayland import kwin
from daemon.capture.wayland.kwin import KwinWindows
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in, private_bus
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


FIRST = state(window("a", "editor"), active="a")


class FakeKwin(FakeService):
    """Runs a script as far as its first act goes: it tells the connection that is named in it."""

    def __init__(self, address: str, first: dict[str, Any] | None) -> None:
        super().__init__(address, "org.kde.KWin", ANSWERS)
        self.first = first
        self.file_mode = 0
        self.listener = ""
        self._loop = asyncio.get_event_loop()

    def tell(self, told: object) -> None:
        """Tell a list, from any thread."""
        call = Message(self.listener, "/kairos", "kairos.Windows", "Tell", signature="s", body=[json.dumps(told)])
        asyncio.run_coroutine_threadsafe(self._bus.call(call), self._loop).result(5.0)

    def _answer(self, message: Message) -> Message | bool | None:
        if message.member == "loadScript":
            file = Path(message.body[0])
            self.file_mode = stat.S_IMODE(file.stat().st_mode)
            found = re.search(r'kairos = "(:[\d.]+)"', file.read_text())
            assert found is not None
            self.listener = found[1]
            return Message.new_method_return(message, "i", [7])
        if message.member == "run" and message.path == "/Scripting/Script7" and self.first is not None:
            body = [json.dumps(self.first)]
            call = Message(self.listener, "/kairos", "kairos.Windows", "Tell", signature="s", body=body)
            self._task = self._loop.create_task(self._bus.call(call))
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
        windows.refresh()
    else:
        service.tell({"windows": None})
    poll(lambda: windows.is_gone, what="noticing")
    with pytest.raises(EnvironmentFault):
        windows.read()


def test_its_end_takes_the_script_away(service: FakeKwin, windows: KwinWindows) -> None:
    windows.close()
    assert (SCRIPTING, "unloadScript") in service.queries


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


def test_what_another_program_tells_is_not_believed(
    service: FakeKwin, windows: KwinWindows, env: dict[str, str], tmp_path: Path
) -> None:
    windows.take_scenes()
    with in_a_thread(lambda: FakeKwin(address_in(tmp_path), None)) as other:
        other.listener = service.listener
        other.tell(state(window("x", "forged")))
    assert windows.take_scenes() == ()
