"""Pixels of a part of the screen, to find out whether something changed or is grey; nothing of them is stored."""

import numpy as np
from Xlib import X
from Xlib.display import Display

from storage.records import Box


def grab_pixels(display: Display, box: Box) -> bytes:
    """Return the pixels of a part of the screen, four bytes (blue, green, red, none) each, row by row."""
    screen = display.screen()
    left = min(max(0, box.x), screen.width_in_pixels - 1)
    top = min(max(0, box.y), screen.height_in_pixels - 1)
    width = max(1, min(box.x + box.w, screen.width_in_pixels) - left)
    height = max(1, min(box.y + box.h, screen.height_in_pixels) - top)
    shown = screen.root.get_image(left, top, width, height, X.ZPixmap, 0xFFFFFFFF)
    data = shown.data
    return data if isinstance(data, bytes) else data.encode("latin-1")  # python-xlib decodes where it can


def differing_pixels(one: bytes, other: bytes) -> int:
    """Return how many pixels of two pictures of one size differ; a caret is about forty."""
    return int(np.count_nonzero(np.frombuffer(one, np.uint32) != np.frombuffer(other, np.uint32)))
