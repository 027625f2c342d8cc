"""What `kairos doctor` says about understanding controls: the desktop's switch, and programs that say nothing.

Asks the desktop's services alone, no program, and starts none.
"""

import asyncio
import contextlib
import os
from dataclasses import dataclass

from daemon.capture.accessibility.atspi.source import silent_programs
from daemon.capture.accessibility.atspi.switch import AccessibilitySwitch
from daemon.capture.accessibility.source import SourceGone
from daemon.capture.scene import Scene
from storage.clock import SystemClock


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessibilityReport:
    """Whether the switch is on (None: there is no such service), and programs with windows that take no part."""

    is_on: bool | None
    silent: tuple[str, ...] = ()


def inspect_accessibility(scene: Scene) -> AccessibilityReport:
    """Look at the switch, and at which programs of a desktop take part."""
    return asyncio.run(_inspect(scene))


async def _inspect(scene: Scene) -> AccessibilityReport:
    env, clock = dict(os.environ), SystemClock()
    apps = {window.pid: window.app or "" for window in (*scene.windows, *scene.hidden) if window.pid and window.program}
    is_on: bool | None = None
    silent: set[int] = set()
    with contextlib.suppress(SourceGone):
        is_on = await AccessibilitySwitch(env, clock).is_on()
        silent = await silent_programs(env, set(apps), clock)
    return AccessibilityReport(is_on=is_on, silent=tuple(sorted({apps[pid] for pid in silent} - {""})))
