"""An application of `apps` in one of the `views`, operated by one user.

The desk knows where the controls are from what the view posts, and what came of an act from the application itself.
"""

import random
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from demo.virtual_desktop.browser import page_corner, pixel_of, start_browser, wait_browser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Point, WindowInfo, poll
from lab.simulation.apps.model import DATA, AppLogic
from lab.simulation.apps.server import AppServer
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Task
from lab.simulation.tasks.task_file import TaskFile
from storage.records import Box

PAGE = DATA / "page.html"
_MODULES = MappingProxyType({"qt": "lab.simulation.apps.qt"})


class Toolkit(StrEnum):
    """In what an application is shown."""

    QT = "qt"
    WEB = "web"


class AppDesk:
    """The hands at one application: where its controls are, and the acts on them."""

    def __init__(self, user: SimulatedUser, logic: AppLogic, toolkit: Toolkit) -> None:
        """Operate `logic` as `user`; nothing is on the screen yet."""
        self.user, self.hands, self.rng = user, user.hands, user.rng
        self._logic, self._toolkit = logic, toolkit
        self._server = AppServer(logic, PAGE.read_bytes())
        self._main: MainWindow | None = None
        self._corner: Point = (0, 0)
        self._found_for: Box | None = None
        self._filled: dict[str, str] = {}
        self._dialogs = 0
        """How many messages were seen to come."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Show the application at a place of the seed's choice, and wait until its controls are there."""
        look = self._logic.description.look
        self._desktop = desktop
        w, h = look.width + 60, look.height + 80
        box = Box(self.rng.randint(10, 1900 - w), self.rng.randint(30, 1040 - h), w, h)
        if self._toolkit is Toolkit.WEB:
            process = start_browser(desktop, self._server.url, "app-profile", box, bare=self.user.chance(0.5))
            window = wait_browser(desktop, process, pixel_of(look.accent))
        else:
            argv = [sys.executable, "-m", _MODULES[self._toolkit], self._server.url, str(box.x), str(box.y)]
            process = desktop.spawn(argv, "app", cwd=Path(__file__).parents[3])

            def shown() -> WindowInfo | None:
                windows = desktop.windows.list_all()
                return next(
                    (
                        window_info
                        for window_info in windows
                        if window_info.pid == process.pid and not window_info.popup
                    ),
                    None,
                )

            window = poll(shown, what="showing the application", timeout_s=60)
        poll(lambda: self._server.layouts > 0, what="laying out the application", timeout_s=60)
        self._main = MainWindow(self.user, desktop, window)
        poll(self._main.is_front, what="activating the application", timeout_s=20)
        self.hands.wait(0.6)

    def close(self) -> None:
        """Stop serving."""
        self._server.close()

    @property
    def main(self) -> MainWindow:
        """The application's window."""
        if self._main is None:
            raise LookupError("the application is not open")
        return self._main

    def box(self, control: str) -> Box:
        """Return where a control is on the desktop; raises LookupError while it is not shown."""
        found = self.user.wait_until(lambda: self._server.box(control), times=30)
        if found is None:
            raise LookupError(f"{control} is not shown")
        if self._toolkit is not Toolkit.WEB:
            return found
        x, y = self._page_corner()
        return Box(found.x + x, found.y + y, found.w, found.h)

    def shows(self, control: str) -> bool:
        """Return whether a control is shown now."""
        return self._server.box(control) is not None

    def point(self, control: str) -> Point:
        """Return a place on a control; on a long one not far from its left end."""
        return self._point_on(self.box(control))

    def points(self, controls: Sequence[str]) -> Sequence[Point]:
        """Return a place on each of the controls that is shown; looks for the window once."""
        boxes = [box for box in map(self._server.box, controls) if box is not None]
        x, y = self._page_corner() if boxes and self._toolkit is Toolkit.WEB else (0, 0)
        return [self._point_on(Box(box.x + x, box.y + y, box.w, box.h)) for box in boxes]

    def _point_on(self, box: Box) -> Point:
        reach = max(2, min(box.w - 6, 160))
        return box.x + 3 + self.rng.randint(1, reach), box.y + box.h // 2 + self.rng.randint(-2, 2)

    def press(self, control: str) -> None:
        """Click on a control and wait until the application has answered; one that is dead answers nothing."""
        before = self._server.events
        self.hands.click(*self.point(control))
        self.user.wait_until(lambda: self._server.events > before, times=6)
        self.hands.wait(0.15)

    def row(self, control: str, number: int) -> None:
        """Click on a row of a list, by its number; on the last that can be seen where there are fewer.

        Raises:
            LookupError: the list is empty, or not shown.
        """
        whole, first = self.box(control), self.box(f"{control}.first")
        last = self.box(f"{control}.last") if self.shows(f"{control}.last") else whole
        y = min(first.y + number * first.h, last.y + last.h - first.h) + first.h // 2
        self.hands.click(first.x + self.rng.randint(20, min(180, first.w - 10)), min(y, whole.y + whole.h - 6))
        self.hands.wait(0.2)

    def fill(self, control: str, text: str) -> None:
        """Replace what a field holds: all of it is selected, or what was put there is erased key by key."""
        self.hands.click(*self.point(control))
        old, self._filled[control] = self._filled.get(control, ""), text
        if old and self.user.chance(self.user.persona.erases):
            self.hands.chord("End")
            self.hands.text("\b" * (len(old) + self.rng.randint(0, 2)), rate=self.rng.uniform(7.0, 14.0))
            self.hands.wait(self.hands.about(0.3))
        else:
            self.hands.chord("ctrl+a")
        if text:
            self.user.write(text, rate=max(4.0, self.user.rate))
        else:
            self.hands.chord("BackSpace")

    def choose(self, control: str, steps: int) -> None:
        """Move a choice by some entries with the arrow keys, and confirm."""
        self.hands.click(*self.point(control))
        self.hands.wait(0.3)
        self.hands.repeat("Down" if steps > 0 else "Up", abs(steps), gap_s=0.15)
        self.hands.chord("Return")
        self.hands.wait(0.2)

    def dismiss(self) -> None:
        """Close the message over the window, if there is one, as people do: read it, press its button or Enter."""
        if (
            self.user.wait_until(lambda: self._server.dialogs > self._dialogs or self.shows("dialog.ok"), times=12)
            is None
        ):
            return
        self._dialogs = self._server.dialogs
        if self.user.wait_until(lambda: self.shows("dialog.ok"), times=60) is None:
            raise LookupError("the message is not shown")
        self.user.think(0.8)
        if self.user.by_key():
            self.hands.chord("Return")
        else:
            self.hands.click(*self.point("dialog.ok"))
        self.user.wait_until(lambda: not self.shows("dialog.ok"), times=20)
        self.hands.wait(0.2)

    def settle(self) -> None:
        """Close lists and messages and come to the front."""
        if self.shows("dialog.ok"):
            self.dismiss()
        self.user.close_menus()
        if self._toolkit is not Toolkit.WEB:
            self.main.leave_others()
        if not self.main.is_front():
            self.main.come_to_front()

    def _page_corner(self) -> Point:
        """Return where the page begins; looked for again only when the window has moved or changed its size."""
        box = self.main.box
        if box != self._found_for:
            corner = self.user.wait_until(
                lambda: page_corner(self._desktop, box, pixel_of(self._logic.description.look.accent)), times=20
            )
            if corner is None:
                raise LookupError("the page is covered")
            self._corner, self._found_for = corner, box
        return self._corner


class AppProgram:
    """An application as a program with tasks; one subclass for each application."""

    packages = ""
    redo = "ctrl+shift+z"
    app: str
    """The name of its file in `data`."""

    made: Callable[[random.Random], AppLogic]
    controls: Sequence[str]
    """Names of controls where resting is harmless."""

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        """Let `user` work in it; all of it is drawn from the user's random numbers."""
        self.user, self.rng = user, user.rng
        self.name = f"{self.app}-{toolkit}"
        self.logic = type(self).made(user.rng)
        self.desk = AppDesk(user, self.logic, Toolkit(toolkit))
        self._tasks = tuple(self.make_tasks())

    def make_tasks(self) -> Sequence[Task]:
        """Return the tasks of the application's file; called once."""
        return TaskFile(DATA / f"{self.app}.toml", self, self.desk.hands, self.rng, {}).tasks()

    def open(self, desktop: VirtualDesktop) -> None:
        """Show it."""
        self.desk.open(desktop)

    def settle(self) -> None:
        """Close messages and come to the front."""
        self.desk.settle()

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are."""
        return self._tasks

    def places(self) -> Sequence[Point]:
        """Return a place on each control that is shown."""
        points = list(self.desk.points(self.controls))
        while len(points) < 6:  # noqa: PLR2004  # as many as the contract says
            box = self.desk.main.box
            points.append((box.x + self.rng.randint(40, box.w - 40), box.y + self.rng.randint(60, box.h - 60)))
        return points

    def expect_success(self, before: int, fault: str) -> None:
        """Wait a moment until the application has counted one success more than `before`.

        Raises:
            LookupError: it does not; `fault` says what that means.
        """
        if not self.user.wait_until(lambda: self.logic.succeeded > before, times=40):
            raise LookupError(fault)

    def look_over(self) -> None:
        """Turn the wheel a little over the window; where nothing scrolls only the eyes move."""
        box = self.desk.main.box
        self.desk.hands.move(box.x + box.w // 2 + self.rng.randint(-80, 80), box.y + box.h // 2)
        self.desk.hands.scroll(self.rng.choice((-2, -1, 1, 2)))

    def _push(self, control: str) -> None:
        self.desk.press(control)

    def _choose(self, words: str) -> None:
        """Move a choice, which is named, by some entries."""
        control, _, steps = words.partition(" ")
        self.desk.choose(control, int(steps))

    @abstractmethod
    def work(self) -> None:
        """Do 3-8 s of steady work that succeeds."""
