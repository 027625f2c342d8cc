"""A ring goes where its window goes."""

from dataclasses import replace

from daemon.help.pointing import RingPlace
from storage.records import Box, Focus

WINDOW = Focus(t_ns=1, app="Editor", window=3, title_digest="d", geometry=Box(100, 50, 400, 300))
RING = Box(120, 60, 30, 20)


def test_the_ring_moves_with_its_window() -> None:
    ring = RingPlace(RING, WINDOW)
    assert ring.after(replace(WINDOW, title_digest="e")) == RING
    assert ring.after(replace(WINDOW, geometry=Box(110, 45, 400, 300))) == Box(130, 55, 30, 20)
    assert ring.after(replace(WINDOW, geometry=Box(0, 0, 400, 300))) == Box(20, 10, 30, 20)


def test_the_ring_leaves_with_its_window_and_comes_back_with_it() -> None:
    ring = RingPlace(RING, WINDOW)
    for other in (replace(WINDOW, window=4), replace(WINDOW, app="Other"), replace(WINDOW, app="", window=0)):
        assert ring.after(other) is None
    assert ring.after(replace(WINDOW, app="kairos", window=0, own=True, geometry=Box(0, 0, 9, 9))) == RING
    assert ring.after(replace(WINDOW, geometry=Box(101, 50, 400, 300))) == Box(121, 60, 30, 20)


def test_a_window_of_another_size_has_its_controls_elsewhere() -> None:
    ring = RingPlace(RING, WINDOW)
    assert ring.after(replace(WINDOW, geometry=Box(100, 50, 401, 300))) is None
    assert ring.after(WINDOW) == RING
