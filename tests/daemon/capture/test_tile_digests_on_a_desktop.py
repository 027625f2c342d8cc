"""Digests of tiles on a real X server: beside their frames, equal for what comes back, none of an excluded window."""

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from storage.records import Box, Frame, TileDigests
from storage.records.tiles import BAND, TILE, Place, digested_tiles, unpack
from storage.settings import FenceSettings, Settings
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

EDITOR = Box(64, 64, 512, 384)
SECRET = Box(704, 64, 320, 320)


def digests_of(capture: RunningCapture) -> list[dict[Place, int]]:
    """Return the digests of each frame by place, in order; each frame is followed by its row."""
    found: list[dict[Place, int]] = []
    frame: Frame | None = None
    for record in capture.records:
        if isinstance(record, Frame):
            frame = record
        elif isinstance(record, TileDigests):
            assert frame is not None
            places = digested_tiles(frame)
            values = unpack(record.now, len(places))
            assert values is not None
            found.append(dict(zip(places, values, strict=True)))
            frame = None
    return found


@pytest.mark.parametrize("excluded", [True, False])
def test_no_tile_of_an_excluded_window_has_a_digest(
    bare_desktop: VirtualDesktop, painter: Painter, excluded: bool
) -> None:
    """While the window beside it is seen; the control, which excludes nothing, finds them."""
    settings = Settings(fence=FenceSettings(excluded_apps=("Vault",) if excluded else ()))
    editor, secret = painter.window("Editor", EDITOR), painter.window("Vault", SECRET)
    painter.activate(editor)
    with capturing(bare_desktop, settings) as capture:
        capture.frame_after(0)
        for number in range(3):
            count = len(capture.of(Frame))
            painter.fill(secret, 0x301040 * (number + 1), Box(0, 0, 300, 300))
            painter.fill(editor, 0x201030 * (number + 1), Box(0, 0, 300, 300))
            capture.frame_after(count)
    places = {place for digests in digests_of(capture)[1:] for place in digests}
    inside = {place for place in places if _touches(place, SECRET)}
    assert places - inside
    assert bool(inside) is not excluded


def _touches(place: Place, box: Box) -> bool:
    x, y = place
    return x < box.x + box.w and box.x < x + TILE and y < box.y + box.h and box.y < y + BAND
