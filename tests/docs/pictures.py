"""Makes the pictures of the documentation anew, from the real Kairos on a virtual desktop.

    .venv/bin/python -m tests.docs.pictures [SCENE ...]

A scripted person starts Kairos, answers the consent window, works in LibreOffice Calc, gets stuck, and uses what the
pages describe, by pointer and keyboard; controls are found by their names on the accessibility bus. Pictures go to
docs/pictures, with a palette, each below 150 KB. What the person clicks is simulated; every window is the real one.
Needs what `./run demo` needs, and libreoffice-help-en-us.
"""

import argparse
import random
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from demo.programs import CalcWork
from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import WindowInfo, Windows, open_display, poll, wait_for_ring
from lab.benchmarks.grounding.reader import reading
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.ports import CARD_TITLE
from storage.records import Box, Element

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
LIMIT_BYTES = 150_000
CONSENT, SEEN, NOTICE, SETTINGS = "Welcome to Kairos", "Kairos: What Kairos saw", "Kairos notice", "Kairos: Settings"
FORGET, FORGOTTEN = "Kairos: Forget the last 10 minutes?", "Kairos: Forgotten"
JOURNAL, RECORDING, CONTROLS = "Keep the journal", "Record the screen", "Understand controls"
DEMO = {"policy.quiet_start_s": "0", "detector.name": "evidence"}
"""No quiet minutes at the start, and the detector with rules for plain ways of getting stuck."""

PAINTED_S = 0.8
MARGIN = 26
"""Pixels around a window: the title bar that the window manager adds is 24 high."""

SEED = 3
STUCK = "dialog_loop"
FLUENT_S = 30.0


class Visitor:
    """Somebody who tries Kairos on a fresh desktop: a home of their own, two hands, and eyes that take pictures."""

    def __init__(self, out: Path, *, tray: bool = True) -> None:
        self.out = out
        self.clock = SystemClock()
        self.desktop = VirtualDesktop((1280, 800), a11y=True, tray="xembed" if tray else "none")
        self._has_tray = tray
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.desktop)
            self.desktop.turn_accessibility_on()
            display = open_display(self.desktop.env)
            stack.callback(display.close)
            self.windows = Windows(display)
            log = ScriptLog(self.desktop.directory / "script.jsonl", self.clock)
            stack.callback(log.close)
            self.hands = Hands(display, log, random.Random(SEED), self.clock)
            self.user = DemoUser(self.hands, self.windows, log, clock=self.clock, on_card=self._see_card)
            self.on_card: Callable[[], None] = lambda: None
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _see_card(self) -> None:
        self.on_card()

    def kairos(self, *words: str, name: str = "kairos", wait: bool = True) -> int:
        argv = [sys.executable, "-m", "daemon.cli.main", *words]
        process = self.desktop.spawn(argv, name)
        return process.wait(180) if wait else 0

    def start(self, settings: Mapping[str, str]) -> WindowInfo:
        given = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        self.kairos("run", *given, name="daemon", wait=False)
        window = self.windows.wait(title=CONSENT, timeout_s=30)
        self.rest(1.0)
        return self.windows.refresh(window) or window

    def agree(self, window: WindowInfo, *choices: str) -> None:
        with reading(self.desktop, window) as reader:
            for name in (*choices, "Start watching"):
                self.click_on(find(reader.elements, name).box)
        self.windows.wait_gone(title=CONSENT)
        poll(lambda: self.kairos("status", name="status") == 0, what="watching", timeout_s=30)
        notices = [shown for shown in self.windows.list_all() if shown.title == NOTICE and self._has_tray]
        for notice in notices:
            self.press("Close", notice)  # the offer of keys, which a first start brings
        self.rest(1.5)

    def rest(self, seconds: float) -> None:
        self.clock.sleep_s(seconds)

    def click_on(self, box: Box) -> None:
        self.hands.click(box.x + box.w // 2, box.y + box.h // 2)

    def open_tray_menu(self) -> WindowInfo:
        tray = self.windows.wait("trayer")
        self.click_on(tray.box)
        return poll(
            lambda: next((popup for popup in self.windows.popups() if popup.box.h > 200), None), what="the menu"
        )

    def choose(self, down: int) -> None:
        """Go so many lines down the menu that is open, by keyboard, and choose there."""
        for _ in range(down):
            self.hands.chord("Down")
        self.hands.chord("Return")

    def show_tray_menu(self, name: str) -> None:
        menu = self.open_tray_menu()
        self.picture(name, menu.box, self.windows.wait("trayer").box)
        self.user.close_menus()

    def press(self, name: str, window: WindowInfo) -> None:
        with reading(self.desktop, window) as reader:
            self.click_on(find(reader.elements, name).box)

    def window(self, title: str) -> WindowInfo:
        found = self.windows.wait(title=title, timeout_s=30)
        self.rest(1.2)
        return self.windows.refresh(found) or found

    def picture(self, name: str, *boxes: Box, margin: int = MARGIN) -> None:
        """Keep what is on the screen, cut to the boxes with a margin around them."""
        self.rest(PAINTED_S)
        taken = self.desktop.screenshot(self.desktop.directory / "screen.png")
        save(taken, self.out / f"{name}.png", boxes, margin)
        print(f"{name}: {(self.out / f'{name}.png').stat().st_size} bytes", file=sys.stderr)


def find(look: Callable[[], list[Element]], name: str) -> Element:
    return poll(
        lambda: next((element for element in look() if (element.name or "").replace("&", "").startswith(name)), None),
        what=f'the control "{name}"',
        timeout_s=20,
    )


def save(taken: Path, target: Path, boxes: tuple[Box, ...], margin: int) -> None:
    """Write a picture with a palette, cut to boxes.

    Raises:
        ValueError: it is larger than the pictures of the pages may be.
    """
    from PySide6.QtCore import QRect
    from PySide6.QtGui import QImage

    image = QImage(str(taken))
    cut = QRect()
    for box in boxes:
        cut = cut.united(QRect(box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin))
    if boxes:
        image = image.copy(cut.intersected(image.rect()))
    image = with_palette(image)
    target.parent.mkdir(parents=True, exist_ok=True)
    image.save(str(target), quality=0)  # packed best
    if target.stat().st_size > LIMIT_BYTES:
        raise ValueError(f"{target} has {target.stat().st_size} bytes; at most {LIMIT_BYTES} are allowed")


def with_palette(image: "QImage") -> "QImage":
    """Return a picture with at most 256 colours: its commonest ones, and for others the nearest of those."""
    from PySide6.QtGui import QImage

    image = image.convertToFormat(QImage.Format.Format_RGB32)
    width, height = image.width(), image.height()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(height, -1)[:, :width]
    colours, places, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    palette = colours[np.argsort(-counts, kind="stable")[:256]]
    apart = np.zeros((colours.size, palette.size), np.int32)
    for shift in (0, 8, 16):
        ours, kept = ((of >> shift & 255).astype(np.int32) for of in (colours, palette))
        apart += (ours[:, None] - kept[None, :]) ** 2
    indices = np.ascontiguousarray(np.argmin(apart, axis=1).astype(np.uint8)[places].reshape(height, width))
    indexed = QImage(indices.data, width, height, width, QImage.Format.Format_Indexed8)
    indexed.setColorTable([int(colour) | 0xFF000000 for colour in palette])
    return indexed.copy()


def first_steps(out: Path) -> None:
    with Visitor(out) as visitor:
        visitor.kairos("library", "add", name="library")
        work = CalcWork(visitor.user)
        work.open(visitor.desktop)
        consent = visitor.start(DEMO)
        visitor.picture("consent", consent.box)
        visitor.agree(consent, JOURNAL, RECORDING, CONTROLS)
        visitor.show_tray_menu("tray-menu")
        _get_stuck(visitor, work)
        _look_back(visitor)
        _forget(visitor)
        visitor.open_tray_menu()
        visitor.choose(5)  # Pause for 15 minutes
        visitor.rest(1.0)
        visitor.show_tray_menu("paused")


def _get_stuck(visitor: Visitor, work: CalcWork) -> None:
    visitor.on_card = lambda: visitor.picture("offer")
    visitor.user.work(work, seconds=FLUENT_S)
    if not visitor.user.struggle(work, STUCK):
        raise EnvironmentFault("no help was offered", remedy="try another SEED")
    wait_for_ring(visitor.windows)
    visitor.picture("show-me")
    visitor.on_card = lambda: None
    visitor.press("Close", visitor.window(CARD_TITLE))


def _ask(visitor: Visitor, name: str) -> None:
    visitor.kairos("ask", "freeze the first row", name="ask")
    card = visitor.window(CARD_TITLE)
    wait_for_ring(visitor.windows)
    visitor.picture(name)
    visitor.press("Close", card)


def _look_back(visitor: Visitor) -> None:
    visitor.open_tray_menu()
    visitor.choose(3)  # What Kairos saw
    seen = visitor.window(SEEN)
    visitor.hands.chord("Up")  # the list has the keyboard
    visitor.picture("seen", seen.box)
    visitor.press("I was stuck here", seen)
    visitor.press("Stored", seen)
    visitor.picture("stored", seen.box)
    visitor.press("Learned", seen)
    visitor.picture("learned", seen.box)


def _forget(visitor: Visitor) -> None:
    seen = visitor.window(SEEN)
    visitor.press("Forget", seen)
    visitor.rest(0.5)
    visitor.choose(1)  # The last 10 minutes
    question = visitor.window(FORGET)
    visitor.picture("forget", question.box)
    visitor.press("Forget it", question)
    done = visitor.window(FORGOTTEN)
    visitor.picture("forgotten", done.box)
    visitor.press("Close", done)
    visitor.windows.wait_gone(title=FORGOTTEN)
    visitor.windows.close(seen)
    visitor.windows.wait_gone(title=SEEN)


def no_tray(out: Path) -> None:
    """Where no panel shows icons a notice says so, and opens a small window."""
    with Visitor(out, tray=False) as visitor:
        visitor.agree(visitor.start({}), JOURNAL)
        notice = visitor.window(NOTICE)
        visitor.picture("notice", notice.box, margin=12)
        visitor.press("Open a small window", notice)
        visitor.windows.wait_gone(title=NOTICE)
        visitor.rest(1.0)
        small = next(
            window
            for window in visitor.windows.list_all()
            if window.app.lower() == "kairos" and window.title == "Kairos"
        )
        visitor.picture("small-window", small.box)


def ask(out: Path) -> None:
    with Visitor(out) as visitor:
        visitor.kairos("library", "add", name="library")
        work = CalcWork(visitor.user)
        work.open(visitor.desktop)
        visitor.agree(visitor.start({}), JOURNAL, CONTROLS)
        work.begin()
        _ask(visitor, "asked")


def settings(out: Path) -> None:
    with Visitor(out) as visitor:
        visitor.agree(visitor.start({}), JOURNAL)
        visitor.kairos("settings", name="settings")
        window = visitor.window(SETTINGS)
        visitor.picture("settings", window.box)
        visitor.hands.text("excluded", rate=8.0)
        visitor.rest(1.0)
        visitor.picture("settings-search", window.box)


SCENES: Mapping[str, Callable[[Path], None]] = {
    "first-steps": first_steps,
    "ask": ask,
    "no-tray": no_tray,
    "settings": settings,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("scenes", nargs="*", choices=[[], *SCENES], help="which; all by default")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where to (default: docs/pictures)")
    arguments = parser.parse_args()
    for name in arguments.scenes or SCENES:
        SCENES[name](arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
