"""A page of ours, shown in Chromium or Firefox and used by pressing at places in it.

The page is a file and reaches no network. Its controls stand at fixed places; where the page begins on the screen is
found by the colour of its header.
"""

import json
import random
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from demo.virtual_desktop.browser import page_corner, pixel_of, start_browser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.records import Box

Browser = Literal["chromium", "firefox"]

_STARTED_S = 3.0
_TIMEOUT_S = 90.0
_FIREFOX = {
    "app.normandy.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disabled": True,
    "services.settings.server": "data:,",
    "signon.rememberSignons": False,
    "browser.formfill.enable": False,
    "termsofuse.bypassNotification": True,
    "trailhead.firstrun.didSeeAboutWelcome": True,
}
"""Nothing asks, offers or fetches anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlan:
    """A page, and where its controls are.

    Attributes:
        file: its name in the person's folder.
        title: a part of its title.
        header: the colour of its first line, such as "#24506b".
        places: middles of controls, from the page's corner, by names for them.
        miss: by how many pixels a hand may miss a middle, across and down.
    """

    file: str
    title: str
    header: str
    places: Mapping[str, tuple[int, int]]
    miss: tuple[int, int]


class LocalPage:
    """The page on a desktop. `corner` is where it begins on the screen, once it is open."""

    def __init__(self, plan: PagePlan, hands: Hands, rng: random.Random) -> None:
        """Prepare; `open` comes first."""
        self.corner = (0, 0)
        self._plan = plan
        self._hands = hands
        self._rng = rng

    def open(self, desktop: VirtualDesktop, html: str, browser: Browser, box: Box) -> None:
        """Start a browser on the page and wait until it takes input.

        Raises:
            EnvironmentFault: the page is not there within a minute and a half.
        """
        page = desktop.directory / "home" / self._plan.file
        page.write_text(html)
        if browser == "chromium":
            start_browser(desktop, page.as_uri(), f"{page.stem}-profile", box, bare=False)
        else:
            _start_firefox(desktop, page.as_uri(), box)

        def shown() -> WindowInfo | None:
            window = desktop.windows.find(title=self._plan.title)
            return window if window is not None and self._find_corner(desktop, window.box) else None

        window = poll(shown, what=f"showing the page in {browser}", timeout_s=_TIMEOUT_S)
        poll(lambda: desktop.windows.is_active(window), what=f"activating {browser}")
        self._hands.wait(_STARTED_S)  # bars of a first start come and go; nothing announces the end
        current = desktop.windows.refresh(window) or window
        poll(lambda: self._find_corner(desktop, current.box), what="finding the page")

    def press(self, name: str) -> None:
        """Click on a control."""
        (x, y), (across, down) = self._plan.places[name], self._plan.miss
        self._hands.click(*self.at(x + self._rng.randint(-across, across), y + self._rng.randint(-down, down)))

    def move_to(self, name: str) -> None:
        """Move the pointer to a control."""
        self._hands.move(*self.at(*self._plan.places[name]))

    def at(self, x: int, y: int) -> tuple[int, int]:
        """Return where on the screen a place of the page is."""
        return self.corner[0] + x, self.corner[1] + y

    def _find_corner(self, desktop: VirtualDesktop, box: Box) -> bool:
        corner = page_corner(desktop, box, pixel_of(self._plan.header))
        if corner is not None:
            self.corner = corner
        return corner is not None


def _start_firefox(desktop: VirtualDesktop, address: str, box: Box) -> subprocess.Popen[bytes]:
    profile = desktop.directory / "firefox"
    profile.mkdir()
    lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in _FIREFOX.items()]
    (profile / "user.js").write_text("\n".join(lines))
    argv = ["firefox-esr", "--profile", str(profile), "--width", str(box.w), "--height", str(box.h)]
    argv += ["--new-window", address]
    return desktop.spawn(argv, "firefox", env={"MOZ_DISABLE_CONTENT_SANDBOX": "1"})
