"""A Chromium window on local pages: how they are shown cheaply, and where a page begins on the screen.

Each has a profile of its own, so that two of them are two programs. They reach no network: the pages are files. The
page's top left corner is found by the colour of its header, because tool bars differ in height.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import grab_pixels
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.records import Box

_CHEAP = (
    *("--no-first-run", "--no-default-browser-check", "--password-store=basic", "--test-type"),
    *("--disable-gpu", "--disable-extensions", "--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-search-engine-choice-screen"),
    *("--disable-smooth-scrolling", "--renderer-process-limit=1", "--disable-features=Translate,MediaRouter"),
    *("--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--noerrdialogs"),
    *("--disable-session-crashed-bubble", "--disable-breakpad", "--animation-duration-scale=0"),
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # nothing is looked up on a network
)
_PREFERENCES = {"credentials_enable_service": False, "profile": {"password_manager_enabled": False}}
"""An offer to save a password would stand over the page, and nobody here answers it."""

_PIXEL = 4
_RUN = 6


def pixel_of(colour: str) -> bytes:
    """Return a colour such as "#24506b" as the screen's bytes: blue, green, red."""
    return bytes.fromhex(colour[1:])[::-1]


def start_browser(desktop: VirtualDesktop, address: str, name: str, box: Box, *, bare: bool) -> subprocess.Popen[bytes]:
    """Start Chromium on a file or a page of this machine (`address` is a URL); `bare` is without tabs and tool bar."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    folder = desktop.directory / name
    (folder / "Default").mkdir(parents=True, exist_ok=True)
    (folder / "Default" / "Preferences").write_text(json.dumps(_PREFERENCES))
    argv = ["chromium", f"--user-data-dir={folder}", f"--window-size={box.w},{box.h}"]
    argv += [f"--window-position={box.x},{box.y}", *_CHEAP]
    argv += ["--no-sandbox"] if os.geteuid() == 0 else []
    argv.append(f"--app={address}" if bare else address)
    return desktop.spawn(argv, name)


def wait_browser(desktop: VirtualDesktop, process: subprocess.Popen[bytes], header: bytes) -> WindowInfo:
    """Wait until the page is on the screen and return the window.

    Raises:
        EnvironmentFault: there is none within a minute.
    """

    def shown() -> WindowInfo | None:
        windows = desktop.windows.list_all()
        window = next((shown for shown in windows if shown.pid == process.pid and not shown.popup), None)
        return window if window is not None and page_corner(desktop, window.box, header) is not None else None

    return poll(shown, what="showing a page in Chromium", timeout_s=60)


def page_corner(desktop: VirtualDesktop, box: Box, header: bytes) -> tuple[int, int] | None:
    """Return where on the screen the page of a window begins; None while its header is not to be seen."""
    pixel = header + b"\0"
    middle = _column(grab_pixels(desktop.display, Box(box.x + box.w // 2, box.y, 1, min(box.h, 200))))
    top = _first(middle, pixel)
    if top is None:
        return None
    row = _column(grab_pixels(desktop.display, Box(box.x, box.y + top + 2, min(box.w, 40), 1)))
    left = _first(row, pixel)
    return None if left is None else (box.x + left, box.y + top)


def _column(data: bytes) -> Sequence[bytes]:
    return [data[at : at + _PIXEL - 1] + b"\0" for at in range(0, len(data), _PIXEL)]


def _first(pixels: Sequence[bytes], wanted: bytes) -> int | None:
    """Return where the first run of a colour begins."""
    for at in range(len(pixels) - _RUN):
        if all(pixel == wanted for pixel in pixels[at : at + _RUN]):
            return at
    return None
