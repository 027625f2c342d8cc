"""Real browsers: an ordinary Chromium is seen, a private one is not; a password typed into a page leaves one span."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.capture.accessibility.atspi.switch import AccessibilitySwitch
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.windows import Windows
from storage.clock import SystemClock
from storage.records import EventKind, Focus, InputEvent, KeyClass, Sense
from tests.fakes.painter import MAGENTA, Painter, RunningCapture, capturing

pytestmark = [pytest.mark.display, pytest.mark.slow]

TITLE = "zebra marker"
PAGE = f"""<title>{TITLE}</title><style>input:focus {{ background: #ff00ff; color: #ff00ff; outline: none }}</style>
<p><input id=name style="background: white !important"></p>
<p><input type=password style="width: 300px; height: 60px"></p><p><button>Go</button></p>
<script>document.getElementById("name").focus()</script>"""
PERSON_S = 0.15
START_S = 60.0
CHROMIUM = (
    *("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    """Yield a desktop with accessibility on."""
    with VirtualDesktop((1280, 800), compositor=False, tray="none", a11y=True) as running:
        asyncio.run(AccessibilitySwitch(running.env, SystemClock()).turn_on())
        yield running


def browse(desktop: VirtualDesktop, folder: Path, painter: Painter, name: str, *, private: bool) -> None:
    """Open the page in a fresh profile and wait for its window."""
    page = folder / "page.html"
    page.write_text(PAGE)
    if name == "chromium":
        argv = [*CHROMIUM, f"--user-data-dir={folder / 'profile'}", *(["--incognito"] if private else []), str(page)]
    else:
        (folder / "profile").mkdir()
        argv = [name, "--no-remote", "--profile", str(folder / "profile"), *(["--private-window"] if private else [])]
        argv.append(page.as_uri())
    desktop.spawn(argv, name)
    Windows(painter.display).wait(name, timeout_s=START_S)


def has_typed(painter: Painter, capture: RunningCapture) -> bool:
    """Type a letter, and return whether one has been seen: by then the program has the keyboard."""
    painter.key("a")
    return characters(capture) > 0


def characters(capture: RunningCapture) -> int:
    """Return how many typed characters were kept."""
    return sum(event.count for event in capture.of(InputEvent) if event.key_class is KeyClass.CHARACTER)


@pytest.mark.parametrize("private", [False, True])
def test_chromium_is_seen_if_it_proves_to_be_ordinary(
    desktop: VirtualDesktop, tmp_path: Path, *, private: bool
) -> None:
    """By the name it gives its window itself; the title of the page is recorded in the one and nowhere in the other."""
    painter = Painter(desktop)
    with capturing(desktop, controls=True) as capture:
        capture.until(lambda: capture.of(Sense), "the sense")
        browse(desktop, tmp_path, painter, "chromium", private=private)
        fence = capture.thread._first._fence
        capture.until(lambda: "PRIVATE" in repr(fence._proofs) or "ORDINARY" in repr(fence._proofs), "a proof", START_S)
        SystemClock().sleep_s(2.0)
        titles = [focus.title for focus in capture.of(Focus) if focus.title]
    painter.close()
    assert any(TITLE in title for title in titles) is not private


@pytest.mark.parametrize("browser", ["chromium", "firefox-esr"])
@pytest.mark.parametrize("controls", [True, False])
def test_a_password_in_a_page_is_one_span(
    desktop: VirtualDesktop, tmp_path: Path, browser: str, *, controls: bool
) -> None:
    """With protection off its keys and, where the window is seen, its field are found (the control)."""
    painter = Painter(desktop)
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        browse(desktop, tmp_path, painter, browser, private=False)
        SystemClock().sleep_s(6.0)  # until pages speak
        capture.until(lambda: has_typed(painter, capture), "a first letter", START_S)
        SystemClock().sleep_s(1.0)
        before = characters(capture)
        for key in ("Tab", *"secret", "Tab"):
            painter.key(key)
            SystemClock().sleep_s(PERSON_S)
        painter.key("Escape")
        capture.until(
            lambda: any(event.key_class is KeyClass.ESCAPE for event in capture.of(InputEvent)), "the last key"
        )
    painter.close()
    spans = [event for event in capture.of(InputEvent) if event.kind is EventKind.PROTECTED]
    assert len(spans) == (1 if controls else 0)
    assert characters(capture) - before == (0 if controls else 6)
    if controls:
        assert capture.shows(MAGENTA) == 0
    elif browser == "firefox-esr":
        assert capture.shows(MAGENTA) > 0
