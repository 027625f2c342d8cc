"""A page of ours, shown in Chromium or Firefox.

The page is a file and reaches no network. Its controls stand at fixed places; where the page begins on the screen is
found by the colour of its header.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from demo.virtual_desktop.browser import page_corner, pixel_of, start_browser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands
from demo.virtual_desktop.windows import Point, WindowInfo, poll
from storage.records import Box

Browser = Literal["chromium", "firefox"]

_STARTED_S = 3.0
_TIMEOUT_S = 90.0
_PREFERENCES = Path(__file__).parent / "data" / "firefox.json"
"""Preferences with which Firefox asks, offers and fetches nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPage:
    """A page: its file's name in the person's folder, a part of its title, and the colour of its first line."""

    file: str
    title: str
    header: str

    def open(self, desktop: VirtualDesktop, html: str, browser: Browser, box: Box, hands: Hands) -> Point:
        """Start a browser on the page, wait until it takes input, and return where on the screen the page begins.

        Raises:
            EnvironmentFault: the page is not there within a minute and a half.
        """
        page = desktop.directory / "home" / self.file
        page.write_text(html)
        if browser == "chromium":
            start_browser(desktop, page.as_uri(), f"{page.stem}-profile", box, bare=False)
        else:
            _start_firefox(desktop, page.as_uri(), box)

        def corner(window: WindowInfo | None) -> Point | None:
            return None if window is None else page_corner(desktop, window.box, pixel_of(self.header))

        def shown() -> WindowInfo | None:
            window = desktop.windows.find(title=self.title)
            return window if corner(window) is not None else None

        window = poll(shown, what=f"showing the page in {browser}", timeout_s=_TIMEOUT_S)
        poll(lambda: desktop.windows.is_active(window), what=f"activating {browser}")
        hands.wait(_STARTED_S)  # bars of a first start come and go; nothing announces the end
        return poll(lambda: corner(desktop.windows.refresh(window) or window), what="finding the page")


def _start_firefox(desktop: VirtualDesktop, address: str, box: Box) -> None:
    profile = desktop.directory / "firefox"
    profile.mkdir()
    preferences = json.loads(_PREFERENCES.read_text(encoding="utf-8"))
    lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in preferences.items()]
    (profile / "user.js").write_text("\n".join(lines))
    argv = ["firefox-esr", "--profile", str(profile), "--width", str(box.w), "--height", str(box.h)]
    argv += ["--new-window", address]
    desktop.spawn(argv, "firefox", env={"MOZ_DISABLE_CONTENT_SANDBOX": "1"})
