"""Debian's Chromium and Firefox on a virtual desktop, each with a fresh profile, as a person starts them.

A second call with the same profile opens a window in the browser that runs already.
"""

import os
import subprocess
from typing import Protocol

from demo.virtual_desktop.desktop import VirtualDesktop

CHROMIUM = (
    *("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
"""How tests of accessibility start it."""

_CHROMIUM = (
    *("--no-first-run", "--no-default-browser-check", "--password-store=basic", "--disable-gpu", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--noerrdialogs"),
    *("--disable-search-engine-choice-screen", "--disable-features=Translate,MediaRouter", "--disable-breakpad"),
    "--autoplay-policy=no-user-gesture-required",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost",
)
_FIREFOX = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.aboutConfig.showWarning": False,
    "browser.aboutwelcome.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.tabs.warnOnClose": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "devtools.chrome.enabled": True,  # the browser console
    "dom.disable_open_during_load": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.update.enabled": False,
    "media.autoplay.default": 0,
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disabled": True,
    "services.settings.server": "data:,",
    "termsofuse.bypassNotification": True,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "trailhead.firstrun.didSeeAboutWelcome": True,
}


class Browser(Protocol):
    """A browser with a profile of its own."""

    classes: frozenset[str]
    """Its windows' classes, in lower case."""

    def open(self, url: str, *, private: bool = False) -> subprocess.Popen[bytes]: ...


class Chromium:
    """Chromium; `--app=` windows are opened with `app`."""

    classes = frozenset({"chromium"})

    def __init__(self, desktop: VirtualDesktop, name: str = "chromium-profile") -> None:
        self._desktop = desktop
        self._folder = desktop.directory / name

    def open(self, url: str, *, private: bool = False) -> subprocess.Popen[bytes]:
        return self._start(*(["--incognito"] if private else []), "--new-window", url)

    def app(self, url: str, *, private: bool = False) -> subprocess.Popen[bytes]:
        return self._start(*(["--incognito"] if private else []), f"--app={url}")

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        sandbox = ["--no-sandbox", "--test-type"] if os.geteuid() == 0 else []
        argv = ["chromium", f"--user-data-dir={self._folder}", "--window-size=640,480", "--window-position=20,40"]
        return self._desktop.spawn([*argv, *_CHROMIUM, *sandbox, *arguments], "chromium")


class Firefox:
    """Firefox ESR."""

    classes = frozenset({"firefox-esr", "firefox"})

    def __init__(self, desktop: VirtualDesktop, name: str = "firefox-profile", *, remembers: bool = True) -> None:
        """Make a profile in a folder of `desktop`; with `remembers` false it is always private."""
        self._desktop = desktop
        self._folder = desktop.directory / name
        self._folder.mkdir()
        prefs = _FIREFOX | ({} if remembers else {"browser.privatebrowsing.autostart": True})
        lines = [f'user_pref("{key}", {_literal(value)});\n' for key, value in prefs.items()]
        (self._folder / "user.js").write_text("".join(lines))

    def open(self, url: str, *, private: bool = False) -> subprocess.Popen[bytes]:
        return self.start("--private-window" if private else "--new-window", url)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        argv = ["firefox-esr", "--profile", str(self._folder), "--width", "640", "--height", "480", *arguments]
        return self._desktop.spawn(argv, "firefox")


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'
