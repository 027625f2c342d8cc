"""A ring goes where its window goes."""

from dataclasses import replace

import pytest

from daemon.help.pointing import RingPlace
from storage.records import Box, Focus

WINDOW = Focus(t_ns=1, app="Editor", window=3, title_digest="d", geometry=Box(100, 50, 400, 300))
RING = Box(120, 60, 30, 20)


@pytest.mark.parametrize(
    ("now", "ring"),
    [
        (replace(WINDOW, title_digest="e"), RING),
        (replace(WINDOW, geometry=Box(110, 45, 400, 300)), Box(130, 55, 30, 20)),
        (replace(WINDOW, geometry=Box(100, 50, 401, 300)), None),  # its controls are elsewhere
        (replace(WINDOW, window=4), None),
        (replace(WINDOW, app="Other"), None),
        (replace(WINDOW, app="", window=0), None),
        (replace(WINDOW, app="kairos", window=0, own=True, geometry=Box(0, 0, 9, 9)), RING),
    ],
)
def test_a_ring_goes_where_its_window_goes_and_comes_back_with_it(now: Focus, ring: Box | None) -> None:
    place = RingPlace(RING, WINDOW)
    assert (place.after(now), place.after(WINDOW)) == (ring, RING)
