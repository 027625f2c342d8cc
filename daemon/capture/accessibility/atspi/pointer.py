"""What the pointer pressed in one program: what is under a point, or what a click gives the keyboard."""

import asyncio
import contextlib
from collections.abc import Callable

from daemon.capture.accessibility.atspi.browser import Browser
from daemon.capture.accessibility.atspi.connection import Refused, Unanswered
from daemon.capture.accessibility.atspi.keyboard import Keyboard
from daemon.capture.accessibility.atspi.program import BusProgram
from daemon.capture.accessibility.atspi.protocol import ACTIONABLE, COMPONENT, SCREEN, object_path, role_of
from daemon.capture.control_source import Control
from daemon.capture.scene import contains
from storage.clock import NS_PER_S
from storage.records import ControlRole

AT_POINT_S = 0.1
MAX_STEPS = 9
"""With the questions about what was found these are at most 16 for a click."""

TOUCHED_NS = 3 * NS_PER_S // 2
"""A toggle is the person's if it was pressed this shortly before: those of a tool bar follow the selection, dozens
with each click into a text."""

_LEAVES = (ControlRole.LABEL, ControlRole.OTHER, ControlRole.TEXT)


class Pointer:
    """Finds controls under points, and remembers in what the sheet was where a cell was found last."""

    def __init__(self, program: BusProgram, browser: Browser, keyboard: Keyboard) -> None:
        self._program = program
        self._browser = browser
        self._keyboard = keyboard
        self._around_sheet: tuple[str, str] | None = None
        self.pressed: tuple[int, int, int] | None = None
        """When and where the button went down last."""

    async def element_at(self, x: int, y: int) -> Control | None:
        """Return the control under a point of the active window. It was pressed just now.

        GTK 4 finds none that nobody has asked about before; one that gets the keyboard by the click is known by that.
        """
        found = await self._find_at(x, y)
        is_gtk4 = found is None and await self._program.is_gtk4()
        return await self._focused_by_click(x, y) if is_gtk4 else found

    async def focused_at(self, x: int, y: int) -> Control | None:
        """Return the control with the keyboard if it is at a point, or gets there in a moment. Asks nothing.

        A menu gives the keyboard to the item under the pointer; Qt takes it away and gives it back at each press.
        """
        self.pressed = (self._program.clock.now_ns(), x, y)

        def may_be_there() -> bool:
            focus = self._keyboard.focus
            return focus is not None and (focus.box is None or contains((focus.box,), x, y))

        return await self._focus_once(may_be_there)

    async def path_at(self, x: int, y: int) -> str | None:
        """Return the innermost object under a point of the active window, None if there is none; else `Unanswered`."""
        window = self._program.window or await self._program.active_window()
        if window is None:
            raise Unanswered
        trail = [window]
        await self._go_down(trail, x, y)
        return trail[-1] if len(trail) > 1 else None

    async def is_touched(self, path: str, now_ns: int) -> bool:
        """Return whether a toggle has the keyboard or was pressed a moment ago; asks where it is only after a press."""
        if self._keyboard.has(path):
            return True
        if self.pressed is None or abs(now_ns - self.pressed[0]) > TOUCHED_NS:
            return False
        box = await self._program.box(path)
        return box is not None and contains((box,), *self.pressed[1:])

    async def _focused_by_click(self, x: int, y: int) -> Control | None:
        """Return what a click at a point gives the keyboard; what has it already if that lies there and keeps it."""

        def is_there() -> bool:
            focus = self._keyboard.focus
            return focus is not None and focus.box is not None and contains((focus.box,), x, y)

        return await self._focus_once(is_there, after_change=True) or (self._keyboard.focus if is_there() else None)

    async def _focus_once(self, is_there: Callable[[], bool], *, after_change: bool = False) -> Control | None:
        """Return what has the keyboard once that is what is waited for; None if it takes too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(AT_POINT_S):
                if after_change:
                    await self._keyboard.refocused.wait()
                while not is_there():
                    await self._keyboard.refocused.wait()
                return self._keyboard.focus
        return None

    async def _find_at(self, x: int, y: int) -> Control | None:
        self._browser.look()
        self.pressed = (self._program.clock.now_ns(), x, y)
        asked = self._program.window
        found = await self._find(asked, x, y) if asked is not None else None
        if found is not None:
            return self._program.known_controls.add(found, self._program.clock.now_ns())
        try:  # Firefox calls a dialog of its page a window, too, and does not say when it is gone
            window = self._program.window = await self._program.active_window()
        except Unanswered:
            return None
        return None if window is None or window == asked else await self._find(window, x, y)

    async def _find(self, window: str, x: int, y: int) -> Control | None:
        """Return the control under a point of a window, or of a busy program what was found in time; else None."""
        trail, is_innermost = [window], False
        with contextlib.suppress(TimeoutError, Unanswered):
            async with asyncio.timeout(AT_POINT_S):
                if self._around_sheet is not None and self._around_sheet[0] == window:
                    await self._go_down_from_sheet(trail, self._around_sheet[1], x, y)
                if len(trail) == 1:
                    await self._go_down(trail, x, y)
                is_innermost = True
        if len(trail) == 1:
            return None
        try:
            await self._program.wait_ready()
            found = await self._actionable(trail[-1])
        except Unanswered:
            return None
        self._note_sheet(trail, found)
        return found if is_innermost or found.role in ACTIONABLE else None

    async def _go_down_from_sheet(self, trail: list[str], around: str, x: int, y: int) -> None:
        """Add what is under the point from around the sheet down; nothing if it is not in there, or that is gone.

        From around it and not from itself: what lies upon the sheet, as a chart does, is beside it there.
        """
        trail.append(around)
        with contextlib.suppress(Refused):
            await self._go_down(trail, x, y)
        if trail[-1] == around:
            del trail[1:]

    async def _go_down(self, trail: list[str], x: int, y: int) -> None:
        """Add what is under the point in the last of a trail, what is under it in that, and so on."""
        origin = await self._program.origin()
        if origin is None:
            raise Unanswered
        x, y = origin.in_program(x, y)
        for _ in range(MAX_STEPS):
            found = await self._program.ask(trail[-1], COMPONENT, "GetAccessibleAtPoint", "iiu", x, y, SCREEN)
            below = object_path(found)
            if below is None or below in (trail[-1], trail[0]):
                return
            trail.append(below)

    async def _actionable(self, path: str) -> Control:
        """Return what a leaf stands for: a button's own label is the button."""
        role = role_of(await self._program.role_number(path))
        if role in _LEAVES:
            above = await self._program.above(path)
            if above is not None and (its := role_of(await self._program.role_number(above))) in ACTIONABLE:
                path, role = above, its
        return await self._program.describe(path, role)

    def _note_sheet(self, trail: list[str], found: Control) -> None:
        """Remember what is around the sheet of a cell. Not in a page, where anything may lie upon anything."""
        if found.role is ControlRole.CELL and found.key in trail[3:] and not self._browser.may_have_pages:
            self._around_sheet = trail[0], trail[trail.index(str(found.key)) - 2]
