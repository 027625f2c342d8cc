"""Colours of the campaign on a real desktop: the desktop itself has none of them."""

from functools import partial

import mss
import numpy as np
import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from lab.benchmarks.fence.cast import FIRST_ORDINARY, ORDINARY_COLOURS, labels, ordinary_label
from storage.records import Box
from tests.fakes.desktop.painter import Painter

pytestmark = pytest.mark.display

FEW_PIXELS = 12
MANY_COLOURS = 10


def shown_labels(desktop: VirtualDesktop) -> set[int]:
    with desktop.entered(), mss.MSS() as grabber:
        shot = grabber.grab(grabber.monitors[0])
    pixels = np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)
    counts = np.bincount(labels(pixels[..., 2::-1]).reshape(-1), minlength=256)
    return {label for label in range(FIRST_ORDINARY, 256) if counts[label] > FEW_PIXELS}


def has_title_bar(painter: Painter, place: Box) -> bool:
    return len(np.unique(painter.on_screen(place))) >= MANY_COLOURS


def test_title_bars_and_background_have_no_colour_of_an_ordinary_window(bare_desktop: VirtualDesktop) -> None:
    """Else a title bar counts as a window that can be seen and is not recorded."""
    painter = Painter(bare_desktop)
    for number, app in enumerate(("One", "Two")):
        window = painter.window(app, Box(60 + 600 * number, 120, 400, 300), colour=0, title="fieldwork and more words")
        painter.activate(window)
        poll(partial(has_title_bar, painter, Box(60 + 600 * number, 120, 400, 20)), what="drawing a title bar")
    assert not shown_labels(bare_desktop)
    painter.window("Three", Box(300, 500, 200, 100), colour=ORDINARY_COLOURS[0])
    poll(lambda: shown_labels(bare_desktop) == {ordinary_label(0)}, what="finding a window of such a colour")
    painter.close()
