"""A desktop with an editor in front, the running daemon, and a scripted pair of hands."""

import random
from collections.abc import Callable
from pathlib import Path

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import Windows, open_display, poll
from storage.clock import SystemClock
from storage.records import EventKind, Frame, InputEvent, KeyClass
from storage.session.log import SessionReader, list_sessions


class Stage:
    """Opens the editor; the daemon is started by the test."""

    def __init__(self, desktop: VirtualDesktop, folder: Path, *, seed: int = 1) -> None:
        self.desktop = desktop
        self.folder = folder
        self.kairos = DaemonProcess(desktop, folder, settings={"policy.quiet_start_s": "0"}, headless=True)
        self.editor = desktop.spawn(["mousepad"], "mousepad")
        self.display = open_display(desktop.env)
        self.log = ScriptLog(folder / "script.jsonl", SystemClock())
        window = Windows(self.display).wait("mousepad")
        self.hands = Hands(self.display, self.log, random.Random(seed), SystemClock())
        self.hands.click(window.box.x + 200, window.box.y + 200)

    def start(self) -> None:
        """Start the daemon, and wait until it has looked once: by then it hears every key."""
        began_ns = SystemClock().now_ns()
        self.kairos.start()
        self.until(lambda: self.has_looked_since(began_ns), "the first frame")

    def has_looked_since(self, t_ns: int) -> bool:
        with SessionReader(self.session) as reader:
            return any(isinstance(row, Frame) and row.t_ns > t_ns for row in reader)

    def close(self) -> None:
        self.kairos.quit()
        self.log.close()
        self.display.close()

    @property
    def session(self) -> Path:
        return list_sessions(self.kairos.sessions)[-1]

    def characters(self) -> int:
        with SessionReader(self.session) as reader:
            events = [row for row in reader if isinstance(row, InputEvent) and row.kind is EventKind.KEY]
        return sum(event.count for event in events if event.key_class is KeyClass.CHARACTER)

    def until(self, check: Callable[[], bool], what: str) -> None:
        poll(lambda: check() or None, what=what, timeout_s=40)
