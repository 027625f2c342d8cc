"""Real browsers: an ordinary Chromium is seen, a private one is not; a password typed into a page leaves one span."""

from pathlib import Path

import pytest

from daemon.capture.fence.rules import Proof, Visibility
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock
from storage.records import Focus, Sense
from tests.fakes.browsers.programs import CHROMIUM
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing

pytestmark = [pytest.mark.display, pytest.mark.slow]

TITLE, PRIVATE_TITLE = "zebra marker", "quagga marker"
PAGE = f"""<title>{TITLE}</title><style>input:focus {{ background: #ff00ff; color: #ff00ff; outline: none }}</style>
<p><input id=name style="background: #20a040 !important; width: 300px; height: 60px"></p>
<p><input type=password style="width: 300px; height: 60px"></p><p><button>Go</button></p>
<script>document.getElementById("name").focus()</script>"""
PERSON_S = 0.15
START_S = 60.0


def open_chromium(desktop: VirtualDesktop, folder: Path, page: Path, *options: str) -> None:
    """Open a page in Chromium, in the one that runs already if there is one."""
    desktop.spawn([*CHROMIUM, f"--user-data-dir={folder / 'profile'}", *options, str(page)], "chromium")


def titles(capture: RunningCapture) -> str:
    return "\n".join(focus.title for focus in capture.of(Focus) if focus.title)


def treated(capture: RunningCapture, title: str) -> list[Visibility]:
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
