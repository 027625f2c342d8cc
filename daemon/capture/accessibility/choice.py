"""The person's choice "understand controls", the accessibility switch that follows it, and what `kairos doctor` sees.

The switch is turned on only by that choice, and off again only if it was turned on from here.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from daemon.capture.scene import Scene
from daemon.capture.source_thread import SourceGone
from storage.errors import BadFile, EnvironmentFault
from storage.settings import Settings, is_chosen
from storage.state.store import Consent, StateStore

logger = logging.getLogger(__name__)


def understands_controls(settings: Settings, consent: Consent | None) -> bool:
    """Return whether controls are understood: by consent, or by the setting, which goes before it either way."""
    if consent is None or not consent.journal:
        return False
    return is_chosen(settings.capture.understand_controls, is_agreed=consent.understands_controls)


def with_recording(consent: Consent, settings: Settings) -> Consent:
    """Return a consent with the recording as the setting has it, which goes before what was agreed to either way."""
    records = is_chosen(settings.capture.record_screen, is_agreed=consent.recording)
    return replace(consent, recording=consent.journal and records)


def records_speech(settings: Settings, consent: Consent | None) -> bool:
    """Return whether what somebody says is recorded: by consent, or by the setting, which goes before it either way."""
    if consent is None or not consent.journal:
        return False
    return is_chosen(settings.capture.record_speech, is_agreed=consent.records_speech)


def reads_outputs(settings: Settings, consent: Consent | None) -> bool:
    """Return whether what programs write after a command is looked through: agreed to with controls, set by itself."""
    if consent is None or not understands_controls(settings, consent):
        return False
    return is_chosen(settings.capture.read_outputs, is_agreed=consent.understands_controls)


async def apply_choice(state: StateStore, *, on: bool, env: Mapping[str, str] | None = None) -> None:
    """Turn the desktop's switch on, or off again if it was turned on from here; a fault is logged."""
    try:
        turned_on = state.turned_on_accessibility()
        if on == turned_on and not on:
            return
        from daemon.capture.accessibility.atspi.switch import AccessibilitySwitch

        switch = AccessibilitySwitch(dict(os.environ) if env is None else env)
        if on:
            if await switch.turn_on():
                state.save_turned_on_accessibility(True)
        else:
            await switch.turn_off()
            state.save_turned_on_accessibility(False)
    except SourceGone:
        logger.warning("the desktop has no accessibility service that answers; its switch stays as it is")
    except (EnvironmentFault, BadFile) as fault:
        logger.error("who turned the accessibility switch on is not known: %s", fault.what)  # noqa: TRY400  # expected, no bug


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessibilityReport:
    """Whether the switch is on (None: there is no such service), and programs with windows that take no part."""

    is_on: bool | None
    silent: tuple[str, ...] = ()


def inspect_accessibility(scene: Scene) -> AccessibilityReport:
    """Look at the switch, and at which programs of a desktop take part; asks the desktop's services, starts none."""
    return asyncio.run(_inspect(scene))


async def _inspect(scene: Scene) -> AccessibilityReport:
    from daemon.capture.accessibility.atspi.switch import AccessibilitySwitch, silent_programs

    env = dict(os.environ)
    apps = {window.pid: window.app or "" for window in (*scene.windows, *scene.hidden) if window.pid and window.program}
    is_on: bool | None = None
    silent: set[int] = set()
    with contextlib.suppress(SourceGone):
        is_on = await AccessibilitySwitch(env).is_on()
        silent = await silent_programs(env, set(apps))
    return AccessibilityReport(is_on=is_on, silent=tuple(sorted({apps[pid] for pid in silent} - {""})))
