"""The programs of a campaign on its desktop: clients of ours, Mousepad and browsers, each in processes of their own."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any, Final, cast

from demo.virtual_desktop.desktop import VirtualDesktop
from lab.benchmarks.fence.cast import Maker, Slot
from storage.records import Box

_ANSWER_S: Final = 8.0

_FIREFOX_SETTINGS: Mapping[str, object] = {
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.sessionstore.resume_from_crash": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.tabs.warnOnClose": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.newtabpage.enabled": False,
    "extensions.update.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "trailhead.firstrun.didSeeAboutWelcome": True,
}

_PAGE = """<!doctype html><meta charset="utf-8"><title>{title}</title>
<body style="margin:0;background:#{colour:06x}"><div id="mark" style="width:200px;height:140px;margin:30px"></div>
<script>onkeydown = () => {{ mark.style.background = mark.style.background ? "" : "white"; }}</script>
"""


class Client:
    """One program of ours (`lab.benchmarks.fence.client`)."""

    def __init__(self, desktop: VirtualDesktop, app: str) -> None:
        """Start it."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.benchmarks.fence.client", app],
            env=desktop.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._orders = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._waiting = b""

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def do(self, what: str, **facts: object) -> dict[str, Any]:
        """Have it do something and return its answer; one with `error` if it could not."""
        try:
            self._orders.write(json.dumps({"do": what, **facts}).encode() + b"\n")
            self._orders.flush()
        except OSError:
            return {"error": "gone"}
        answer: dict[str, Any] = json.loads(self._line() or b'{"error": "no answer"}')
        return answer

    def hold(self, *, still: bool) -> None:
        """Let it hang, or go on."""
        os.kill(self.pid, signal.SIGSTOP if still else signal.SIGCONT)

    def end(self) -> None:
        """End it and its windows."""
        self._process.kill()
        self._process.wait()
        self._answers.close()
        with suppress(OSError):  # an order may never have been read
            self._orders.close()

    def _line(self) -> bytes:
        while b"\n" not in self._waiting:
            ready, _, _ = select.select([self._answers], [], [], _ANSWER_S)
            chunk = os.read(self._answers.fileno(), 65536) if ready else b""
            if not chunk:
                return b""
            self._waiting += chunk
        line, _, self._waiting = self._waiting.partition(b"\n")
        return line


class RealPrograms:
    """Starts Mousepad and browsers with a window of the wanted colour and title."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        """Use the desktop, which ends them."""
        self._desktop = desktop
        self._folder = desktop.directory / "campaign"
        self._folder.mkdir()

    def open(self, slot: Slot, box: Box, title: str) -> None:
        """Start a program, or have the running one open a window; it shows up later."""
        by_maker: Mapping[Maker, Callable[[Slot, Box, str], None]] = {
            Maker.MOUSEPAD: self._mousepad,
            Maker.FIREFOX: self._firefox,
            Maker.CHROMIUM: self._chromium,
        }
        by_maker[slot.maker](slot, box, title)

    def _mousepad(self, slot: Slot, box: Box, title: str) -> None:  # noqa: ARG002  # placed by who opened it
        config = self._folder / slot.name
        style = config / "gtk-3.0"
        style.mkdir(parents=True, exist_ok=True)
        (style / "gtk.css").write_text(f"* {{ background: #{slot.colour:06x}; }}\n")
        file = self._folder / f"{title}.txt"
        file.touch()
        env = {"XDG_CONFIG_HOME": str(config), "GSETTINGS_BACKEND": "memory"}
        self._desktop.spawn(["mousepad", "--disable-server", str(file)], slot.name, env=env)

    def _firefox(self, slot: Slot, box: Box, title: str) -> None:
        profile = self._folder / "firefox"
        if not profile.exists():
            profile.mkdir()
            lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in _FIREFOX_SETTINGS.items()]
            (profile / "user.js").write_text("\n".join(lines))
        how = "--private-window" if slot.private else "--new-window"
        size = ["--width", str(box.w), "--height", str(box.h)]
        argv = [firefox(), "--profile", str(profile), *size, how, self._page(slot, title)]
        self._desktop.spawn(argv, "firefox", env={"MOZ_DISABLE_CONTENT_SANDBOX": "1"})

    def _chromium(self, slot: Slot, box: Box, title: str) -> None:
        argv = [
            *("chromium", "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
            *("--disable-component-update", "--password-store=basic", f"--user-data-dir={self._folder / 'chromium'}"),
            *(["--no-sandbox", "--test-type"] if os.geteuid() == 0 else []),
            *(["--incognito"] if slot.private else []),
            *(f"--window-size={box.w},{box.h}", f"--window-position={box.x},{box.y}"),
            *("--new-window", self._page(slot, title)),
        ]
        self._desktop.spawn(argv, "chromium")

    def _page(self, slot: Slot, title: str) -> str:
        page = self._folder / f"{title}.html"
        page.write_text(_PAGE.format(title=title, colour=slot.colour))
        return page.as_uri()


def firefox() -> str:
    """Return the name of the Firefox that is installed; empty if there is none."""
    return next((name for name in ("firefox-esr", "firefox") if shutil.which(name)), "")


def has_browsers() -> bool:
    """Return whether both Firefox and Chromium are installed."""
    return bool(firefox()) and shutil.which("chromium") is not None
