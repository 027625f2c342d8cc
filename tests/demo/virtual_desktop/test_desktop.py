"""The virtual desktop comes up whole, keeps to itself, and leaves nothing behind."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import cast

import pytest
from Xlib import X

from daemon.capture.accessibility.atspi.switch import AccessibilitySwitch
from demo.programs import start_office
from demo.virtual_desktop import process_cleanup
from demo.virtual_desktop.desktop import VirtualDesktop, program
from demo.virtual_desktop.windows import listens, open_display, poll
from storage.errors import EnvironmentFault

pytestmark = pytest.mark.display

_HOLDER = """
import os, sys, time
from demo.virtual_desktop.desktop import VirtualDesktop
with VirtualDesktop(tray="none") as desktop:
    desktop.spawn(["sh", "-c", "setsid sleep 300 & sleep 300"], "sleeper")
    print(desktop.env["KAIROS_DESKTOP_TOKEN"], desktop.directory, flush=True)
    sys.stdin.read()
"""


def test_everything_answers_once_the_desktop_is_up(desktop: VirtualDesktop) -> None:
    assert desktop.windows.has_window_manager()
    assert desktop.windows.owns_selection("_NET_WM_CM_S0")
    assert desktop.windows.owns_selection("_NET_SYSTEM_TRAY_S0")
    assert Path(desktop.env["XDG_RUNTIME_DIR"], "bus").exists()
    assert Path(desktop.env["XDG_RUNTIME_DIR"]).stat().st_mode & 0o777 == 0o700


class _LateManager(VirtualDesktop):
    """Its window manager rests for a moment once it has said that it is there, as where others keep the processor."""

    def _add_infrastructure(self, argv: Sequence[str], name: str) -> None:
        super()._add_infrastructure(argv, name)
        if name == "wm":
            while not self.windows.has_window_manager():
                pass
            manager = self._infrastructure[-1]
            manager.send_signal(signal.SIGSTOP)
            Timer(0.2, manager.send_signal, [signal.SIGCONT]).start()


def test_a_desktop_is_up_once_its_window_manager_takes_windows() -> None:
    """Openbox forgets windows that are shown between its first word and the end of its start."""
    with _LateManager(tray="none", compositor=False) as desktop:
        window = desktop.display.screen().root.create_window(0, 0, 9, 9, 0, X.CopyFromParent)
        window.map()
        poll(lambda: window.get_attributes().map_state == X.IsViewable, what="showing a window", timeout_s=5.0)


def test_a_socket_that_nobody_listens_at_yet_takes_no_connections(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(str(tmp_path / "bus"))
        assert not listens(tmp_path / "bus")
        bus.listen()
        assert listens(tmp_path / "bus")


def test_a_client_without_the_cookie_is_refused(bare_desktop: VirtualDesktop, tmp_path: Path) -> None:
    connect = [sys.executable, "-c", "from Xlib.display import Display; Display()"]
    (tmp_path / "empty").touch()
    without = bare_desktop.env | {"XAUTHORITY": str(tmp_path / "empty")}
    assert subprocess.run(connect, env=bare_desktop.env, check=False, capture_output=True).returncode == 0
    assert subprocess.run(connect, env=without, check=False, capture_output=True).returncode != 0


def test_two_desktops_do_not_meet() -> None:
    with VirtualDesktop(tray="none", compositor=False) as one, VirtualDesktop(tray="none", compositor=False) as other:
        assert one.name != other.name
        assert one.env["XDG_CONFIG_HOME"] != other.env["XDG_CONFIG_HOME"]
        with closing(open_display(one.env)) as ours, closing(open_display(other.env)) as theirs:
            theirs.display.set_extension_major("RANDR", 1)  # as a server that numbers them otherwise
            assert ours.screen().root.xrandr_get_monitors().monitors


def test_an_orderly_end_leaves_nothing() -> None:
    with VirtualDesktop(tray="none", compositor=False) as desktop:
        desktop.spawn(["sh", "-c", "setsid sleep 300 & setsid sleep 300"], "sleeper")
        token = desktop.env[process_cleanup.TOKEN_NAME]
        poll(lambda: len(process_cleanup.token_processes(token)) >= 5, what="starting the sleepers")
    assert process_cleanup.token_processes(token) == []
    assert not desktop.directory.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_owner_leaves_nothing(number: signal.Signals) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", _HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert owner.stdin is not None
    assert owner.stdout is not None
    with owner, owner.stdin, owner.stdout:
        token, directory = owner.stdout.readline().split()
        poll(lambda: len(process_cleanup.token_processes(token)) >= 5, what="starting all of the desktop")
        owner.send_signal(number)
        owner.wait()
        poll(lambda: not process_cleanup.token_processes(token), what="ending the desktop")
        poll(lambda: not Path(directory).exists(), what="removing its folder")


def test_a_missing_program_names_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path: None)
    with pytest.raises(EnvironmentFault, match=r"apt-get install .* xvfb"):
        program("Xvfb")


def test_a_missing_office_program_is_named_before_the_start_centre_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path: None if name == "lowriter" else "/usr/bin/soffice")
    desktop = SimpleNamespace(spawn=lambda *_: pytest.fail("started all the same"))
    with pytest.raises(EnvironmentFault, match="libreoffice-writer"):
        start_office(cast("VirtualDesktop", desktop), "writer")


def test_windows_are_found_where_they_are(desktop: VirtualDesktop, tmp_path: Path) -> None:
    process = desktop.spawn(["mousepad"], "mousepad")
    window = desktop.windows.wait("mousepad")
    active = poll(desktop.windows.active, what="activating the window")
    assert active.xid == window.xid
    assert window.box.w > 100
    assert desktop.screenshot(tmp_path / "screen.png").read_bytes().startswith(b"\x89PNG")
    desktop.stop(process)
    desktop.windows.wait_gone("mousepad")
    assert desktop.windows.card() is None


def test_accessibility_can_be_on_before_programs_start() -> None:
    with VirtualDesktop(tray="none", compositor=False, a11y=True) as desktop:
        switch = AccessibilitySwitch(desktop.env)
        assert asyncio.run(switch.is_on()) is False
        desktop.turn_accessibility_on()
        assert asyncio.run(switch.is_on()) is True


def test_a_fault_inside_the_context_leaves_nothing() -> None:
    with pytest.raises(RuntimeError, match="inside"), VirtualDesktop(tray="none", compositor=False) as desktop:
        raise RuntimeError("inside")
    assert process_cleanup.token_processes(desktop.env[process_cleanup.TOKEN_NAME]) == []
