"""What stands beside the ring around a control, and where. Plain values, without Qt."""

from storage.plain_text import plain
from storage.ports import PointedAt
from storage.translation import tr, translatable

MAX_LABEL = 60
WAY_OUT_LABEL = translatable("First close this window")
WAY_OUT = translatable("First close the window in front: this step cannot be reached from it.")
GREYED = translatable("Greyed out now: something has to be chosen or filled in before, or it does not apply here.")
YOURS = translatable("Yours first: do this in the program. The ring goes on from there.")
GAP = 4  # free pixels between the ring and its words
Rectangle = tuple[int, int, int, int]  # left, top, width, height


def label_text(words: str) -> str:
    """Return the words as one line of plain text, not too long; they may come from the screen."""
    return plain(" ".join(words.split()), MAX_LABEL)


def ring_label(step: int, about: PointedAt) -> str:
    """Return the words beside the ring around the control of a step, or around what comes before it."""
    return tr(WAY_OUT_LABEL) if about is PointedAt.WAY_OUT else tr("Step {number}", number=step + 1)


def pointed_remark(about: PointedAt) -> str:
    """Return what keeps somebody from doing the step that is next; empty if nothing does."""
    remarks = {PointedAt.WAY_OUT: WAY_OUT, PointedAt.GREYED: GREYED, PointedAt.YOURS: YOURS}
    return tr(remarks[about]) if about in remarks else ""


def label_place(ring: Rectangle, size: tuple[int, int], screen: Rectangle) -> tuple[int, int]:
    """Return where words of a size stand: below the ring where there is room, else above it, never off the screen."""
    left, top, _, height = ring
    below = top + height + GAP
    above = top - GAP - size[1]
    y = below if below + size[1] <= screen[1] + screen[3] or above < screen[1] else above
    x = min(left, screen[0] + screen[2] - size[0])
    return max(screen[0], x), max(screen[1], min(y, screen[1] + screen[3] - size[1]))
