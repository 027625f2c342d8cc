"""Help for a real editor on a virtual desktop: a page of its own, its rows, and where the ring is."""

from pathlib import Path

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.windows import WindowInfo, Windows
from storage.ports import SPOTLIGHT_TITLE
from storage.records import Box, Element, Elements, Offer, Record
from storage.session.log import SessionReader, list_sessions

FIND = """# Find a word in the text

1. Choose **Search > Find**.
2. Type the word.
3. Click **Next**.
"""
NEAR_PX = 12
"""By how much the ring may be larger than its control, on each side."""


def add_handbook(kairos: DaemonProcess, folder: Path) -> None:
    """Index a folder with one page about the editor."""
    handbook = folder / "handbook"
    handbook.mkdir()
    (handbook / "find.md").write_text(FIND)
    kairos.command("library", "add", str(handbook), "--app", "mousepad")


def rows_of(kairos: DaemonProcess) -> list[Record]:
    """Return the rows of the newest session."""
    with SessionReader(list_sessions(kairos.sessions)[-1]) as reader:
        return list(reader)


def rows_with(kairos: DaemonProcess, kind: type[Record] = Offer) -> list[Record] | None:
    """Return the rows once they hold one of a kind; they are written a moment after it is shown."""
    rows = rows_of(kairos)
    return rows if any(isinstance(row, kind) for row in rows) else None


def ring_of(windows: Windows) -> Box | None:
    """Return the rectangle of the ring, if it is on the screen: its strips together."""
    strips: list[WindowInfo] = [window for window in windows.list_all() if window.title == SPOTLIGHT_TITLE]
    boxes = [strip.box for strip in strips if min(strip.box.w, strip.box.h) < 2 * NEAR_PX]
    if not boxes:
        return None
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.w for box in boxes), max(box.y + box.h for box in boxes)
    return Box(left, top, right - left, bottom - top)


def surrounds(ring: Box, control: Box) -> bool:
    """Tell whether the ring lies around a control and no wider than `NEAR_PX`; below it there may be its label."""
    right, bottom = ring.x + ring.w - control.x - control.w, ring.y + ring.h - control.y - control.h
    near = range(NEAR_PX + 1)
    return bottom >= 0 and all(gap in near for gap in (control.x - ring.x, control.y - ring.y, right))


def control_of(rows: list[Record], name: str) -> Box:
    """Return where a control was when it was read last; the session holds names, as its consent says."""
    elements: list[Element] = [element for row in rows if isinstance(row, Elements) for element in row.elements]
    return next(element.box for element in reversed(elements) if element.name == name)
