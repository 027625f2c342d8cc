"""Where libraries of a Linux desktop are missing, as on Windows and macOS, all but what is for that desktop loads."""

import subprocess
import sys

from tests.fakes.architecture.sources import ROOT

BACKENDS = (
    *("daemon.capture.x11", "daemon.capture.wayland", "daemon.capture.dbus", "daemon.capture.surroundings.services"),
    *("daemon.capture.accessibility.atspi", "daemon.capture.evdev", "ui.desktop.x11", "ui.desktop.wayland"),
    *("ui.desktop.key_portal", "ui.desktop.session_bus", "ui.desktop.layers", "storage.wayland", "demo"),
)
"""What is for one kind of desktop; demo starts a virtual one."""

_LOAD = """
import importlib, pkgutil, sys
ROOMS = ("daemon", "ui", "detectors", "policies", "storage", "demo", "participant")
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("Xlib", "dbus_fast", "evdev"):
            raise ModuleNotFoundError(name=name)
def load():
    for room in ROOMS:
        for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.", onerror=lambda _: None):
            try:
                importlib.import_module(module.name)
            except (ModuleNotFoundError, AssertionError):
                print(sys.platform, module.name)
sys.meta_path.insert(0, Missing())
load()  # and libraries, which stay: only ours are loaded anew
for sys.platform in ("darwin", "win32"):
    for name in [name for name in sys.modules if name.partition(".")[0] in ROOMS]:
        del sys.modules[name]
    load()
"""


def test_all_but_the_backends_loads_without_the_libraries_of_a_desktop_on_any_platform() -> None:
    done = subprocess.run([sys.executable, "-c", _LOAD], cwd=ROOT, capture_output=True, check=True, text=True)
    failed = {tuple(line.split()) for line in done.stdout.splitlines()}
    assert {(platform, name) for platform, name in failed if not name.startswith(BACKENDS)} == set()
    looked = {"daemon.capture.x11.desktop", "daemon.capture.dbus", "demo.virtual_desktop.windows"}
    assert {(platform, name) for platform in ("linux", "darwin", "win32") for name in looked} <= failed
