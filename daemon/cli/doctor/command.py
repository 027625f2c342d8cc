"""`kairos doctor`: what works on this machine, what does not, and how to mend it. Changes nothing."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from storage.clock import SystemClock
from storage.errors import EnvironmentFault, KairosError


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing looked at: `needed` ones must be ok for `kairos run`."""

    name: str
    ok: bool
    says: str
    remedy: str = ""
    needed: bool = True


def register(subparsers: Any) -> None:
    """Add `kairos doctor` to the command line."""
    parser = subparsers.add_parser(
        "doctor",
        help="say what works on this machine and how to mend what does not",
        description="Say what works on this machine and how to mend what does not. Changes nothing.",
        epilog="example: kairos doctor --json",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos doctor`; exit 3 if something that `kairos run` needs does not work."""
    checks = examine()
    well = all(check.ok for check in checks if check.needed)
    if arguments.json:
        print(json.dumps({"ok": well, "checks": [asdict(check) for check in checks]}))
    else:
        for check in checks:
            mark = "ok  " if check.ok else ("FAIL" if check.needed else "note")
            print(f"{mark}  {check.name}: {check.says}")
            if not check.ok and check.remedy:
                print(f"      {check.remedy}")
    return 0 if well else 3


def examine() -> list[Check]:
    """Return every check, each looked at on its own: a fault in one does not hide another."""
    from daemon.cli.doctor.surroundings import manners

    looks: list[Callable[[], Check]] = [
        _python,
        _settings,
        _data_folder,
        _space,
        _consent,
        _screen,
        _interface,
        _full_screen,
    ]
    return [*(_guarded(look) for look in looks), *_minds(), *_models(), *manners()]


def _guarded(look: Callable[[], Check], name: str = "") -> Check:
    name = name or look.__name__.strip("_").replace("_", " ")
    try:
        return look()
    except KairosError as error:
        return Check(name=name, ok=False, says=error.what, remedy=error.remedy)
    except (OSError, ImportError) as error:
        return Check(name=name, ok=False, says=str(error), remedy="run ./run again: it installs what is missing")


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    return Check(name="python", ok=sys.version_info >= (3, 11), says=found, remedy="Python 3.11 or newer is needed")


def _settings() -> Check:
    from daemon.config import load_settings
    from storage.paths import config_file

    load_settings()
    path = config_file()
    return Check(name="settings", ok=True, says=str(path) if path.exists() else f"defaults (no {path})")


def _data_folder() -> Check:
    from storage.paths import private_folder, state_folder

    folder = private_folder(state_folder())
    private = folder.stat().st_mode & 0o077 == 0
    return Check(
        name="data folder",
        ok=private and os.access(folder, os.W_OK),
        says=f"{folder} ({'only you can open it' if private else 'others can open it'})",
        remedy=f"chmod 700 {folder}",
    )


def _space() -> Check:
    from daemon.config import load_settings
    from storage.paths import private_folder, state_folder

    free_mb = shutil.disk_usage(private_folder(state_folder())).free // 1_000_000
    wanted_mb = load_settings().storage.min_free_mb
    return Check(
        name="disk space",
        ok=free_mb > wanted_mb,
        says=f"{free_mb} MB free",
        remedy=f"recording stops below {wanted_mb} MB (storage.min_free_mb): free some space",
    )


def _consent() -> Check:
    from storage.paths import state_file
    from storage.state.store import StateStore

    path = state_file()
    consent = None
    if path.exists():
        with StateStore(path) as state:
            consent = state.consent()
    given = consent is not None and consent.journal
    says = "journal" if given else "not given, or taken back; the next start asks"
    if consent is not None and consent.recording:
        says += " and recording"
    return Check(name="consent", ok=given, says=says, remedy="start: kairos run", needed=False)


def _screen() -> Check:
    from daemon.capture.backend import open_desk

    desk = open_desk(SystemClock())
    desk.close()
    return Check(name="screen and input", ok=True, says="X11: frames, input, active window and exclusions all work")


def _interface() -> Check:
    from importlib.util import find_spec

    found = find_spec("PySide6") is not None
    return Check(name="interface", ok=found, says="Qt is installed" if found else "Qt is missing", remedy="./run")


def _full_screen() -> Check:
    from daemon.capture.backend import open_desk

    try:
        desk = open_desk(SystemClock())
    except EnvironmentFault:  # which the check of the screen explains
        return Check(name="full screen", ok=False, says="cannot be told here", needed=False)
    managed = desk.take_scenes()[-1].managed
    desk.close()
    return Check(
        name="full screen",
        ok=managed,
        says="told by the window manager" if managed else "cannot be told here",
        remedy="there is no window manager that says which window is active",
        needed=False,
    )


def _minds() -> list[Check]:
    """Load detector and policy as `kairos run` does: what the settings name may not be there, or not any more."""
    from daemon.config import load_settings

    try:
        settings = load_settings()
    except KairosError:  # which the check of the settings explains
        return []

    def detector() -> Check:
        from detectors.registry import load

        found = load(settings.detector)
        return Check(name="detector", ok=True, says=f"{found.name}, version {found.version}")

    def policy() -> Check:
        from policies.registry import load

        found = load(settings.policy, settings.detector.base_rate)
        return Check(name="policy", ok=True, says=f"{found.name}, version {found.version}")

    return [_guarded(detector), _guarded(policy)]


def _models() -> list[Check]:
    """Say of each rung above the built-in detector whether it is on and may be asked; connects to nothing."""
    from daemon.config import load_settings
    from daemon.models.tiers import settings_of
    from storage.records import ModelTier

    try:
        settings = load_settings()
    except KairosError:  # which the check of the settings explains
        return []

    def look(rung: ModelTier) -> Check:
        name = f"{rung.value} model"
        if not settings_of(settings, rung).preset:
            return Check(name=name, ok=True, says="off: nothing is asked and nothing is sent", needed=False)
        from daemon.cli.models.facts import render_for_doctor

        says, remedy = render_for_doctor(settings, rung, SystemClock())
        return Check(name=name, ok=not remedy, says=says, remedy=remedy, needed=False)

    checks = [_guarded(partial(look, rung), f"{rung.value} model") for rung in ModelTier]
    return [replace(check, needed=False) for check in checks]
