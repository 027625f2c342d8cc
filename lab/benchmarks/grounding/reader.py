"""Walks the active window as the daemon does: the same sense and adapter, without the limits on how often."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from daemon.capture.accessibility.atspi.budget import AnswerBudget
from daemon.capture.accessibility.atspi.source import AtSpiSource
from daemon.capture.accessibility.sense import ControlSense
from daemon.capture.accessibility.walk_rate import WalkRate
from daemon.capture.control_source import Access, ControlsListed, Observation, Permit, Working
from daemon.capture.gate import Gate
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.records import Element

_MANY = 1_000_000
_OFF_SCREEN = -10


class Reader:
    """Reads the controls of one program's window. `times_ms` are those of all walks so far."""

    def __init__(self, desktop: VirtualDesktop, window: WindowInfo) -> None:
        """Prepare; use it through `reading`."""
        self._desktop = desktop
        self._window = window
        self._clock = SystemClock()
        self._arrived = threading.Event()
        gate = Gate()
        gate.open()
        self.rate = WalkRate(gap_ns=0, per_minute=_MANY, burst_ns=_MANY * NS_PER_S)
        self.sense = ControlSense(
            clock=self._clock,
            gate=gate,
            wake=self._arrived.set,
            open_source=partial(AtSpiSource, budget=AnswerBudget(_MANY * NS_PER_S)),
            rate=self.rate,
        )
        self.pid = window.pid
        self.times_ms: list[float] = []
        self._publish()

    def elements(self) -> list[Element]:
        """Return the controls of the window as it is now, with the menus that stand open; none if it does not say."""
        self._publish()
        began_ns = self._clock.now_ns()
        self.sense.request_elements(lambda _: None)
        try:
            listed = poll(self._listed, what="an answer to a walk", timeout_s=5.0)
        except EnvironmentFault:
            return []
        self.times_ms.append((self._clock.now_ns() - began_ns) / (NS_PER_S // 1000))
        self.sense.deliver(listed.request, None)
        return [
            Element(role=control.role.value, box=control.box, name=control.name, state=control.state)
            for control in (listed.found.controls if listed.found is not None else ())
            if control.box is not None
        ]

    def begin_walk(self) -> None:
        """Begin a walk of the window as it was the last time, and forget what the one before has found."""
        for seen in self._take(0.0):
            if isinstance(seen, ControlsListed):
                self.sense.deliver(seen.request, None)
        self.sense.request_elements(lambda _: None)

    def _publish(self) -> None:
        found = self._desktop.windows.list_all()
        window = next((other for other in found if other.xid == self._window.xid), self._window)
        popups = tuple(popup.box for popup in found if popup.popup and popup.box.x > _OFF_SCREEN)
        pid = window.pid
        permit = Permit(
            programs={pid: Access.ALL},
            active=pid,
            window=window.box,
            content=window.box,
            popups=popups,
            menus=popups,
        )
        self.sense.publish(permit, locked=False)

    def _take(self, wait_s: float = 0.02) -> list[Observation]:
        self._arrived.wait(wait_s)
        self._arrived.clear()
        return self.sense.take()[0]

    def _listed(self) -> ControlsListed | None:
        return next((seen for seen in self._take() if isinstance(seen, ControlsListed)), None)

    def is_working(self) -> bool:
        """Return whether the adapter has just said that it works."""
        return any(isinstance(seen, Working) and seen.on for seen in self._take())


@contextmanager
def reading(desktop: VirtualDesktop, window: WindowInfo) -> Iterator[Reader]:
    """Run a reader for a window.

    Raises:
        EnvironmentFault: the accessibility bus of the desktop does not answer.
    """
    reader = Reader(desktop, window)
    with desktop.entered():
        reader.sense.start()
        poll(reader.is_working, what="reading controls")
    try:
        yield reader
    finally:
        reader.sense.stop(5.0)
