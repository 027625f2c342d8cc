"""Of many changed boxes the largest are measured, whatever their order."""

import random

import pytest

from detectors.features.screen import MAX_BOXES, SUMMARIZED_BOXES, ScreenStates, summarize
from storage.records import Box, Frame

SMALL = [Box(64 * (at % 20), 32 * (at // 20), 64, 32) for at in range(60)]
LARGE = Box(0, 400, 1280, 320)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_changed_boxes_changes_nothing(seed: int) -> None:
    shuffled = random.Random(seed).sample([*SMALL, LARGE], len(SMALL) + 1)
    found = summarize(shuffled)
    assert found == summarize([*SMALL, LARGE])
    assert found.area == LARGE.w * LARGE.h + (SUMMARIZED_BOXES - 1) * 64 * 32
    assert found.wide


def test_the_largest_box_of_a_frame_is_looked_at_even_if_it_comes_last() -> None:
    frame = Frame(t_ns=0, monitor="0", size=(1280, 720), digest="a", changed=(*SMALL, LARGE))
    boxes, _ = ScreenStates().on_frame(frame, last_input_ns=0)
    assert len(boxes) == MAX_BOXES
    assert LARGE in boxes


def test_few_boxes_are_all_measured() -> None:
    assert summarize(SMALL[:SUMMARIZED_BOXES]).area == SUMMARIZED_BOXES * 64 * 32
