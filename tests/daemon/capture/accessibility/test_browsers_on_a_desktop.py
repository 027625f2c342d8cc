"""Real browsers: an ordinary Chromium is seen, a private one is not; a password typed into a page leaves one span."""

from pathlib import Path

import pytest

from daemon.capture.fence.rules import Proof, Visibility
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows
from storage.clock import SystemClock
from storage.records import EventKind, Focus, InputEvent, KeyClass, Sense
from tests.fakes.browsers.programs import CHROMIUM
from tests.fakes.desktop.painter import GREEN, MAGENTA, Painter, RunningCapture, capturing

pytestmark = [pytest.mark.display, pytest.mark.slow]

TITLE, PRIVATE_TITLE = "zebra marker", "quagga marker"
PAGE = f"""<title>{TITLE}</title><style>input:focus {{ background: #ff00ff; color: #ff00ff; outline: none }}</style>
<p><input id=name style="background: #20a040 !important; width: 300px; height: 60px"></p>
<p><input type=password style="width: 300px; height: 60px"></p><p><button>Go</button></p>
<script>document.getElementById("name").focus()</script>"""
PERSON_S = 0.15
START_S = 60.0


def browse(desktop: VirtualDesktop, folder: Path, painter: Painter, name: str) -> None:
    """Open the page in a fresh profile and wait for its window."""
    page = folder / "page.html"
    page.write_text(PAGE)
    if name == "chromium":
        open_chromium(desktop, folder, page)
    else:
        (folder / "profile").mkdir()
        desktop.spawn([name, "--no-remote", "--profile", str(folder / "profile"), page.as_uri()], name)
    Windows(painter.display).wait(name, timeout_s=START_S)


def open_chromium(desktop: VirtualDesktop, folder: Path, page: Path, *options: str) -> None:
    """Open a page in Chromium, in the one that runs already if there is one."""
    desktop.spawn([*CHROMIUM, f"--user-data-dir={folder / 'profile'}", *options, str(page)], "chromium")


def titles(capture: RunningCapture) -> str:
    return "\n".join(focus.title for focus in capture.of(Focus) if focus.title)


def treated(capture: RunningCapture, title: str) -> list[Visibility]:
    """Return how the fence treats the windows with a page's title."""
    fence = capture.observer._fence
    visibilities = dict(fence.visibilities)
    return [
        visibilities[window.client]
        for window in fence.scene.windows
        if title in window.title and window.client in visibilities
    ]


@pytest.mark.parametrize("start", ["ordinary", "private"])
def test_chromium_is_seen_if_it_proves_to_be_ordinary(
    desktop: VirtualDesktop, painter: Painter, tmp_path: Path, start: str
) -> None:
    """The title of an ordinary page is recorded, that of a private window opened beside it or alone never is."""
    page, other = tmp_path / "page.html", tmp_path / "other.html"
    page.write_text(PAGE)
    other.write_text(PAGE.replace(TITLE, PRIVATE_TITLE))
    with capturing(desktop, controls=True) as capture:
        capture.until(lambda: capture.of(Sense), "the sense")
        if start == "ordinary":
            open_chromium(desktop, tmp_path, page)
            capture.until(lambda: treated(capture, TITLE) == [Visibility.ALLOWED], "a proof", START_S)
            capture.until(lambda: TITLE in titles(capture), "its title")
        open_chromium(desktop, tmp_path, other, "--incognito")
        capture.until(lambda: treated(capture, PRIVATE_TITLE) == [Visibility.COVERED], "a proof of privacy", START_S)
        SystemClock().sleep_s(2.0)
        found = titles(capture)
        proofs = set(capture.observer._fence.proofs.values())
    assert PRIVATE_TITLE not in found
    assert (TITLE in found) is (start == "ordinary")
    assert proofs == ({Proof.ORDINARY, Proof.PRIVATE} if start == "ordinary" else set())


@pytest.mark.parametrize("browser", ["chromium", "firefox-esr"])
@pytest.mark.parametrize("controls", [True, False])
def test_a_password_in_a_page_is_one_span(
    desktop: VirtualDesktop, painter: Painter, tmp_path: Path, browser: str, *, controls: bool
) -> None:
    """With protection off its keys and, where the window is seen, its field are found (the control)."""
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        browse(desktop, tmp_path, painter, browser)
        SystemClock().sleep_s(6.0)  # until pages speak
        capture.type_until_seen(painter, START_S)
        SystemClock().sleep_s(1.0)
        before = capture.characters()
        for key in ("Tab", *"secret", "Tab"):
            painter.key(key)
            SystemClock().sleep_s(PERSON_S)
        painter.key("Escape")
        capture.until(
            lambda: any(event.key_class is KeyClass.ESCAPE for event in capture.of(InputEvent)), "the last key"
        )
    spans = [event for event in capture.of(InputEvent) if event.kind is EventKind.PROTECTED]
    assert len(spans) == (1 if controls else 0)
    assert capture.characters() - before == (0 if controls else 6)
    is_seen = controls or browser == "firefox-esr"  # without proof no window of Chromium is
    assert (capture.shows(GREEN) > 0) is is_seen
    assert (capture.shows(MAGENTA) > 0) is (is_seen and not controls)
