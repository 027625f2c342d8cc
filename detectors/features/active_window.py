"""The active window, its screen and the pointer: what lengths, areas and places are measured against.

Programs keep their tools at the edges of a window and the work in the middle, so places are parts of the window.
"""

from storage.records import Box, Focus, Frame

TOP, SIDE, OUTSIDE, MIDDLE = range(4)
TOP_SHARE, LEFT_SHARE, RIGHT_SHARE, BOTTOM_SHARE = 0.13, 0.06, 0.82, 0.95  # of the window; guesses


class ActiveWindow:
    """Updated by `FeatureSet`; before the first record it has a common size."""

    def __init__(self) -> None:
        """Assume a common screen, and a window that fills it."""
        self.height = 1080.0
        self.box = Box(0, 0, 1920, 1080)
        self.area = 1920.0 * 1080.0
        self.pointer = (0, 0)

    def on_frame(self, frame: Frame) -> None:
        """Take the size of the screen."""
        self.height = float(max(1, frame.size[1]))

    def on_focus(self, focus: Focus) -> None:
        """Take the new active window; dialogs lie in front of it and do not replace it."""
        box = focus.geometry
        if box.w > 0 and box.h > 0 and not focus.dialog:
            self.box = box
            self.area = float(box.w * box.h)

    def part(self, x: int, y: int) -> int:
        """Return the part of a point: TOP, SIDE (left, right or bottom edge), MIDDLE or OUTSIDE."""
        box = self.box
        across, down = x - box.x, y - box.y
        if not (0 <= across < box.w and 0 <= down < box.h):
            return OUTSIDE
        if down < TOP_SHARE * box.h:
            return TOP
        if across < LEFT_SHARE * box.w or across > RIGHT_SHARE * box.w or down > BOTTOM_SHARE * box.h:
            return SIDE
        return MIDDLE
