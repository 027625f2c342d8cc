"""Dialogs that stand on the screen whether or not they have the focus: a brief, a search that work goes on beside."""

from collections import OrderedDict

from detectors.features.fading import remember
from storage.records import Box, WindowEvent

MAX_STANDING = 16
Key = tuple[str, str]


class StandingDialogs:
    """Knows by key which dialogs were shown and are not gone; none where no window is told of."""

    def __init__(self) -> None:
        self.told = False
        self._boxes: OrderedDict[Key, Box] = OrderedDict()

    def show(self, key: Key, box: Box) -> bool:
        """Take in that a dialog has the focus; return whether it stood already."""
        stood = self.stands(key)
        remember(self._boxes, key, box, MAX_STANDING)
        return stood

    def on_window(self, record: WindowEvent) -> None:
        """Take in a window that opened or is gone: who tells of the one tells of the other."""
        self.told = True
        for key in [key for key, box in self._boxes.items() if record.gone and box == record.geometry]:
            del self._boxes[key]

    def stands(self, key: Key) -> bool:
        """Whether a dialog still stands."""
        return self.told and key in self._boxes
