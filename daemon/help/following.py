"""Where a ring stands while its window moves, and when it has to leave. Pure; fed with the changes of the focus."""

from storage.records import Box, Focus


class RingPlace:
    """The place of one ring: around a control in the window that was active when that was found."""

    def __init__(self, box: Box, window: Focus) -> None:
        """Take the control's box, and the window as it was then."""
        self._box = box
        self._window = window

    def after(self, focus: Focus) -> Box | None:
        """Return where the ring belongs now; None: nowhere.

        It moves with its window. While another window or none is active it leaves, and comes back with its own. A
        window of another size has laid its controls out anew, so the ring belongs nowhere until they are read again. A
        window of ours that gets the keyboard changes nothing.
        """
        own = self._window.geometry
        if focus.own:
            return self._box
        if (focus.app, focus.window) != (self._window.app, self._window.window) or focus.geometry[2:] != own[2:]:
            return None
        self._box = Box(
            self._box.x + focus.geometry.x - own.x, self._box.y + focus.geometry.y - own.y, self._box.w, self._box.h
        )
        self._window = focus
        return self._box
