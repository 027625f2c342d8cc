"""What stands beside the ring around a control, and where. Plain values, without Qt."""

from storage.plain_text import plain

MAX_LABEL = 60
GAP = 4
"""Free pixels between the ring and its words."""

Rectangle = tuple[int, int, int, int]
"""Left, top, width, height."""


def label_text(words: str) -> str:
    """Return the words as one line of plain text, not too long; they may come from the screen."""
    return plain(" ".join(words.split()), MAX_LABEL)


def label_place(ring: Rectangle, size: tuple[int, int], screen: Rectangle) -> tuple[int, int]:
    """Return where words of a size stand: below the ring where there is room, else above it, never off the screen."""
    left, top, _, height = ring
    below = top + height + GAP
    above = top - GAP - size[1]
    y = below if below + size[1] <= screen[1] + screen[3] or above < screen[1] else above
    x = min(left, screen[0] + screen[2] - size[0])
    return max(screen[0], x), max(screen[1], min(y, screen[1] + screen[3] - size[1]))
