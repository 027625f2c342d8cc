"""A real editor on a virtual desktop: somebody asks, the card has the steps of a page, the ring is on their control."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.replay.replay import replay
from evaluation.stage.daemon_process import DaemonProcess
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.windows import WindowInfo, Windows, open_display, poll
from storage.ports import SPOTLIGHT_TITLE
from storage.records import Box, Element, Elements, Focus, HelpFound, NeedReport, Offer, Record
from storage.session.log import SessionReader, list_sessions

pytestmark = pytest.mark.display

FIND = """# Find a word in the text

1. Choose **Search > Find**.
2. Type the word.
3. Click **Next**.
"""
NEAR_PX = 12
"""By how much the ring may be larger than its control, on each side."""


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    """Yield a desktop with an accessibility bus."""
    with VirtualDesktop((1280, 800), compositor=False, tray="none", a11y=True) as running:
        yield running


def rows_of(kairos: DaemonProcess) -> list[Record]:
    """Return the rows of the newest session."""
    with SessionReader(list_sessions(kairos.sessions)[-1]) as reader:
        return list(reader)


def rows_with_offer(kairos: DaemonProcess) -> list[Record] | None:
    """Return the rows once they hold an offer; they are written a moment after it is shown."""
    rows = rows_of(kairos)
    return rows if any(isinstance(row, Offer) for row in rows) else None


def ring_of(windows: Windows) -> Box | None:
    """Return the rectangle of the ring, if it is on the screen: its strips together."""
    strips: list[WindowInfo] = [one for one in windows.list_all() if one.title == SPOTLIGHT_TITLE]
    boxes = [one.box for one in strips if min(one.box.w, one.box.h) < 2 * NEAR_PX]
    if not boxes:
        return None
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.w for box in boxes), max(box.y + box.h for box in boxes)
    return Box(left, top, right - left, bottom - top)


def test_a_page_of_help_and_its_ring_on_a_desktop(desktop: VirtualDesktop, tmp_path: Path) -> None:
    """The page is that of a folder of the person's own; the ring lies around the menu of its first step."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "find.md").write_text(FIND)
    settings = {"policy.quiet_start_s": "0", "capture.understand_controls": "on"}
    kairos = DaemonProcess(desktop, tmp_path, settings=settings)
    kairos.command("library", "add", str(folder), "--app", "mousepad")
    kairos.start()
    display = open_display(desktop.env)
    windows = Windows(display)
    try:
        desktop.spawn(["mousepad"], "mousepad")
        windows.wait("mousepad")
        poll(lambda: any(isinstance(row, Focus) and row.app for row in rows_of(kairos)) or None, what="the editor")
        assert kairos.command("ask", "find a word")["state"] == "watching"
        poll(lambda: windows.card() or None, what="the card", timeout_s=20)
        ring = poll(lambda: ring_of(windows), what="the ring", timeout_s=20)
        desktop.screenshot(tmp_path / "ring.png")
        rows = poll(lambda: rows_with_offer(kairos), what="the offer in the session")
        assert [row.by for row in rows if isinstance(row, NeedReport)] == ["asked"]
        found = [row for row in rows if isinstance(row, HelpFound)][-1]
        assert (found.asked, found.general, found.steps, found.checked) == (True, False, 3, True)
        assert [row.page_id for row in rows if isinstance(row, Offer)] == [found.page_id]
        search = control_of(rows, "Search")
        assert search.x - NEAR_PX <= ring.x <= search.x
        assert search.y - NEAR_PX <= ring.y <= search.y
        assert search.x + search.w <= ring.x + ring.w <= search.x + search.w + NEAR_PX
        assert kairos.command("pause")["state"] == "paused"
        poll(lambda: ring_of(windows) is None or None, what="no ring while paused")
    finally:
        kairos.quit()
        display.close()
    (tmp_path / "state" / "kairos" / "library.db").unlink()
    result = replay(list_sessions(kairos.sessions)[-1], check=True)
    assert result.identical, result.reason


def control_of(rows: list[Record], name: str) -> Box:
    """Return where a control was when it was read last; the session holds names, as its consent says."""
    elements: list[Element] = [one for row in rows if isinstance(row, Elements) for one in row.elements]
    return next(one.box for one in reversed(elements) if one.name == name)
