"""Where libraries of a Linux desktop are missing, as on Windows and macOS, all but what is for that desktop loads."""

import subprocess
import sys

from tests.fakes.architecture.sources import ROOT

BACKENDS = (
    *("daemon.capture.x11", "daemon.capture.wayland", "daemon.capture.dbus", "daemon.capture.surroundings.services"),
    *("daemon.capture.accessibility.atspi", "ui.desktop.x11", "demo"),
)
"""What is for one kind of desktop; demo starts a virtual one."""

_LOAD = """
import importlib, pkgutil, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("Xlib", "dbus_fast", "evdev"):
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Missing())
for room in ("daemon", "ui", "detectors", "policies", "storage", "demo", "participant"):
    for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.", onerror=lambda _: None):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            print(module.name, missing.name)
"""


def test_all_but_the_backends_loads_without_the_libraries_of_a_desktop() -> None:
    done = subprocess.run([sys.executable, "-c", _LOAD], cwd=ROOT, capture_output=True, check=True, text=True)
    failed = {line.split()[0] for line in done.stdout.splitlines()}
    assert {name for name in failed if not name.startswith(BACKENDS)} == set()
    assert {"daemon.capture.x11.desktop", "daemon.capture.dbus", "demo.virtual_desktop.windows"} <= failed  # it looks
