"""X servers as they are: colours that cannot be read, extensions that are missing, VNC."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

import pytest

pytestmark = pytest.mark.display


def output_on(server_command: Sequence[str], *command: str) -> "subprocess.CompletedProcess[bytes]":
    """Run Python with an X server of its own kind.

    In a process of its own, since python-xlib has one table of events for all servers that a process connects to.
    """
    program, *arguments = server_command
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [program, "-displayfd", str(writing), *arguments], pass_fds=[writing], stderr=subprocess.DEVNULL
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            env = os.environ | {"DISPLAY": f":{answer.readline().strip()}", "XDG_SESSION_TYPE": "x11"}
        return subprocess.run([sys.executable, *command], env=env, capture_output=True, check=False)
    finally:
        server.terminate()
        server.wait()


def doctor_says(*server_command: str) -> tuple[bool, str, str]:
    """Return what the doctor says of the screen on an X server of this kind: whether it works, what, and a remedy."""
    done = output_on(server_command, "-m", "daemon.cli.main", "doctor", "--json")
    check = next(check for check in json.loads(done.stdout)["checks"] if check["name"] == "screen and input")
    assert check["needed"]
    assert check["ok"] or done.returncode == 3
    return check["ok"], check["says"], check["remedy"]


@pytest.mark.parametrize(
    ("arguments", "says", "remedy"),
    [
        pytest.param(["x24"], "X11: the screen was read", "", id="as most are"),
        pytest.param(["x16"], "the screen has 16 bits of colour", "DefaultDepth 24", id="16 bits"),
        pytest.param(["x30"], "the screen has 30 bits of colour", "DefaultDepth 24", id="30 bits"),
        pytest.param(["x24", "-extension", "RECORD"], "has no RECORD extension", "turned off", id="no RECORD"),
        pytest.param(["x24", "-extension", "DAMAGE"], "has no DAMAGE extension", "X.Org", id="no DAMAGE"),
    ],
)
def test_what_a_server_lacks_is_said_with_a_remedy(arguments: list[str], says: str, remedy: str) -> None:
    """The doctor tries what it says; a server that lacks nothing is fine (the control)."""
    depth, *rest = arguments
    works, said, mends = doctor_says("Xvfb", "-screen", "0", f"640x480{depth}", *rest, "-nolisten", "tcp")
    assert works is (remedy == "")
    assert says in said
    assert remedy in mends


@pytest.mark.slow
def test_the_server_of_tigervnc_can_be_captured() -> None:
    """Its visuals of 24 bits stand in two lists, of which a library takes the first alone."""
    assert shutil.which("Xvnc"), "install tigervnc-standalone-server: see packaging/debian-browsers.txt"
    assert doctor_says("Xvnc", "-SecurityTypes", "None", "-rfbport", "-1", "-depth", "24")[0]


RED = """
from Xlib import X
from daemon.capture.x11.desktop import X11Backend
from storage.clock import SystemClock
from storage.records import Box

backend = X11Backend(SystemClock())
screen = backend._display.screen()
window = screen.root.create_window(0, 0, 20, 20, 0, screen.root_depth, override_redirect=True,
    background_pixel=screen.default_colormap.alloc_named_color("red").pixel)
window.map()
backend.sync()
backend.monitors()
print(*backend.grab(Box(5, 5, 1, 1))[0, 0, :3])
"""

PAINTING = """
from Xlib.display import Display
from daemon.capture.x11.desktop import X11Backend
from storage.clock import SystemClock

backend = X11Backend(SystemClock())
other = Display()
backend.sync()
backend.watch_painting(on=True)
screen = backend._display.screen()
window = screen.root.create_window(30, 40, 20, 20, 0, screen.root_depth, override_redirect=True, background_pixel=0)
window.map()
backend.sync()
window.clear_area(1, 1, 5, 5)
backend.sync()
print(any(scene.painted for scene in backend.take_scenes()))
"""


def test_painting_is_told_whoever_connects_later() -> None:
    """As the listener and the shortcuts do; python-xlib has one table of events for all connections of a process."""
    done = output_on(("Xvfb", "-screen", "0", "640x480x24", "-nolisten", "tcp"), "-c", PAINTING)
    assert (done.stdout, done.stderr) == (b"True\n", b"")


@pytest.mark.slow
@pytest.mark.parametrize("order", ["rgb888", "bgr888"])
def test_red_is_red_in_whichever_order_a_server_keeps_colours(order: str) -> None:
    """Pictures are blue, green, red; VNC's servers keep pixels as they are told (the usual way is the control)."""
    server = ("Xvnc", "-SecurityTypes", "None", "-rfbport", "-1", "-depth", "24", "-pixelformat", order)
    assert output_on(server, "-c", RED).stdout.split() == [b"0", b"0", b"255"]
