"""How long after a key the screen first changes."""

import select
import statistics
from collections.abc import Callable, Sequence

from Xlib import XK, X
from Xlib.ext import xtest

from daemon.capture.backend import open_backend
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock

_GAP_S = 0.3
_LIMIT_S = 1.0


def key_times(
    desktop: VirtualDesktop, clock: SystemClock, keys: int, before_each: Callable[[], object] | None = None
) -> list[float]:
    """Type a letter so often; return after how many milliseconds the screen changed, leaving out where it did not.

    Args:
        desktop: whose active window gets the keys.
        clock: measures.
        keys: how many.
        before_each: called before each key, and its time is not counted.
    """
    times: list[float] = []
    with desktop.entered():
        backend = open_backend(clock)
    code = desktop.display.keysym_to_keycode(XK.string_to_keysym("x"))
    try:
        for _ in range(keys):
            clock.sleep_s(_GAP_S)
            if before_each is not None:
                before_each()
            backend.take_damage()
            began_ns = clock.now_ns()
            for kind in (X.KeyPress, X.KeyRelease):
                xtest.fake_input(desktop.display, kind, code)
            desktop.display.sync()
            if select.select([backend.fileno()], [], [], _LIMIT_S)[0]:
                times.append((clock.now_ns() - began_ns) / 1e6)
    finally:
        backend.close()
    return times


def p95(times: Sequence[float]) -> float:
    """Return the 95th percentile; not a number of fewer than two."""
    return statistics.quantiles(times, n=20)[-1] if len(times) > 1 else float("nan")
