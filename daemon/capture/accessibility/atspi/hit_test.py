"""The hit test: what is under a point of a program's window, found from the window down or from just above its sheet.

Who works in a sheet clicks from cell to cell, and LibreOffice has eight containers around them.
"""

import asyncio
import contextlib

from daemon.capture.accessibility.atspi.browser_windows import BrowserWindows
from daemon.capture.accessibility.atspi.connection import Refused, Unanswered
from daemon.capture.accessibility.atspi.program import Program
from daemon.capture.accessibility.atspi.queries import (
    ACCESSIBLE,
    COMPONENT,
    SCREEN,
    object_path,
    role_number,
)
from daemon.capture.accessibility.atspi.roles import ACTIONABLE, role_of
from daemon.capture.accessibility.source import Control
from storage.records import ControlRole

AT_POINT_S = 0.1
MAX_STEPS = 9
"""With the questions about what was found these are at most 16 for a click."""

_LEAVES = (ControlRole.LABEL, ControlRole.OTHER, ControlRole.TEXT)


class HitTest:
    """Finds controls under points, and remembers in what the sheet was where a cell was found last."""

    def __init__(self, program: Program, browser: BrowserWindows) -> None:
        """Know of no sheet."""
        self._program = program
        self._browser = browser
        self._around_sheet: tuple[str, str] | None = None

    async def find(self, window: str, x: int, y: int) -> Control | None:
        """Return the control under a point of a window; None if it is not found in time.

        What is found by then is asked about all the same: a press may keep its program busy with the dialog that it
        opens.
        """
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
            await self._program.connection.wait_ready(self._program.name)
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
        """Add what is under the point in the last of a trail, what is under it in that, and so on.

        Raises:
            Unanswered: the program does not say how it goes on.
        """
        ask, name = self._program.connection.ask, self._program.name
        origin = await self._program.origin()
        if origin is None:
            raise Unanswered
        x, y = origin.in_program(x, y)
        for _ in range(MAX_STEPS):
            found = await ask(name, trail[-1], COMPONENT, "GetAccessibleAtPoint", "iiu", x, y, SCREEN)
            below = object_path(found)
            if below is None or below in (trail[-1], trail[0]):
                return
            trail.append(below)

    async def _actionable(self, path: str) -> Control:
        """Return what a leaf stands for: a button's own label is the button.

        Raises:
            Unanswered: the program does not say.
        """
        connection, name = self._program.connection, self._program.name
        role = role_of(await role_number(connection, name, path))
        if role in _LEAVES:
            above = object_path(await connection.property(name, path, ACCESSIBLE, "Parent"))
            if above is not None and (its := role_of(await role_number(connection, name, above))) in ACTIONABLE:
                path, role = above, its
        return await self._program.describe(path, role)

    def _note_sheet(self, trail: list[str], found: Control) -> None:
        """Remember what is around the sheet of a cell. Not in a page, where anything may lie upon anything."""
        if found.role is ControlRole.CELL and found.key in trail[3:] and not self._browser.may_have_pages:
            self._around_sheet = trail[0], trail[trail.index(str(found.key)) - 2]
