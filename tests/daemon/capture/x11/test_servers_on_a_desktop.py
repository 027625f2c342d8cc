"""X servers as they are: colours that cannot be read, extensions that are missing, VNC."""

import json
import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.display


def doctor_says(program: str, *arguments: str) -> tuple[bool, str, str]:
    """Return what the doctor says of the screen on an X server of this kind: whether it works, what, and a remedy.

    In a process of its own, since python-xlib has one table of events for all servers that a process connects to.
    """
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [program, "-displayfd", str(writing), *arguments], pass_fds=[writing], stderr=subprocess.DEVNULL
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            env = os.environ | {"DISPLAY": f":{answer.readline().strip()}", "XDG_SESSION_TYPE": "x11"}
        done = subprocess.run(
            [sys.executable, "-m", "daemon.cli.main", "doctor", "--json"], env=env, capture_output=True, check=False
        )
    finally:
        server.terminate()
        server.wait()
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
