"""`kairos doctor`: what works on this machine, what does not, and how to fix it."""

import argparse
import os
import shlex
import shutil
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.installation import add_extra, find_installation
from daemon.cli.options import add_command
from storage.capabilities import Level
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault, KairosError
from storage.files import LOG_NAME, config_file, private_folder, state_file, state_folder
from storage.plain_text import format_count, format_duration, print_result
from storage.settings import Settings
from storage.settings_file import load_settings

if TYPE_CHECKING:
    from daemon.capture.backend import TriedDesktop
    from storage.state.store import Consent

SURROUNDINGS_S = 6.0
"""How long the services of the desktop may take to answer; usually they take an instant."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. `kairos run` needs every check that is `needed` to be `ok`."""

    name: str
    ok: bool
    says: str
    remedy: str = ""
    needed: bool = True
    notes: tuple[str, ...] = ()
    """Lines that are printed in any case."""


def register(subparsers: Any) -> None:
    """Add `kairos doctor` to the command line."""
    add_command(
        subparsers,
        "doctor",
        run,
        "check what works on this machine, and say how to fix what does not",
        description="Check what works on this machine, and say how to fix what does not. Changes nothing, but "
        "makes the empty data folder where there is none.",
        example="doctor --json",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos doctor`; exit 3 if something that `kairos run` needs does not work."""
    checks = run_checks()
    well = all(check.ok for check in checks if check.needed)
    installation = asdict(found := find_installation()) | {"place": str(found.place)}
    facts = {"ok": well, "installation": installation, "checks": [asdict(check) for check in checks]}
    print_result(facts, render_checks(checks), as_json=arguments.json)
    return 0 if well else 3


def render_checks(checks: list[Check]) -> Iterator[str]:
    """Yield a line for each check, and its remedy below it where it is not ok."""
    for check in checks:
        mark = "ok  " if check.ok else ("FAIL" if check.needed else "note")
        yield f"{mark}  {check.name}: {check.says}"
        if not check.ok and check.remedy:
            yield f"      {check.remedy}"
        for note in check.notes:
            yield f"      {note}"


def run_checks() -> list[Check]:
    """Run every check on its own: a fault in one does not hide another."""
    desktop = _Desktop()
    checks = (
        _installation,
        _python,
        _settings,
        check_data_folder,
        _space,
        _consent,
        check_kairos_itself,
        desktop.screen_and_input,
        _interface,
        desktop.full_screen,
    )
    return [
        *(_guarded(check) for check in checks),
        *desktop.capabilities(),
        *check_plugins(),
        *check_models(),
        desktop.controls(),
        desktop.speech(),
        _help(),
        *_surroundings(desktop.says_locked()),
    ]


def _guarded(check: Callable[[], Check], name: str = "") -> Check:
    """Run a check; what it raises is its result. Its name is that of the function unless it is given."""
    name = name or check.__name__.removeprefix("check").strip("_").replace("_", " ")
    try:
        return check()
    except KairosError as error:
        return Check(name, False, error.what, error.remedy)
    except (OSError, ImportError) as error:
        return Check(name, False, str(error), find_installation().mend)


def _installation() -> Check:
    """Say which way this was installed; the ways to go on from there are notes, for nothing is wrong."""
    found = find_installation()
    return Check(
        "installation",
        True,
        found.says,
        needed=False,
        notes=(f"to upgrade: {found.upgrade}", f"to remove: {found.remove}"),
    )


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("python", sys.version_info >= (3, 11), version, "Python 3.11 or newer is needed")


def _settings() -> Check:
    load_settings()
    path = config_file()
    return Check("settings", True, str(path) if path.exists() else f"defaults (no {path})")


def check_data_folder() -> Check:
    """Say whether everything in the data folder can be read and written, and by this user alone."""
    folder = private_folder(state_folder())
    for place, folders, files in os.walk(folder, onerror=_unreadable):
        for path in (Path(place, name) for name in [*folders, *files]):
            is_plain = not path.is_symlink() and not path.is_socket()
            if is_plain and not os.access(path, os.R_OK | os.W_OK) and path.exists():  # what runs may have deleted it
                raise _not_yours(path)
    private = folder.stat().st_mode & 0o077 == 0
    return Check(
        "data folder",
        private and os.access(folder, os.W_OK),
        f"{folder} ({'only you can open it' if private else 'others can open it'})",
        f"chmod 700 {folder}",
    )


def _unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise _not_yours(Path(error.filename)) from error


def _not_yours(path: Path) -> EnvironmentFault:
    """Return the fault that a command of another user left something of theirs, as `sudo kairos` does."""
    remedy = f'take it over: sudo chown -R "$USER" {shlex.quote(str(state_folder()))}'
    return EnvironmentFault(f"{path} may not be read and written by you", remedy=remedy)


def _space() -> Check:
    free_mb = shutil.disk_usage(private_folder(state_folder())).free // 1_000_000
    needed_mb = load_settings().storage.min_free_mb
    return Check(
        "disk space",
        free_mb > needed_mb,
        f"{free_mb} MB free",
        f"recording stops below {needed_mb} MB (storage.min_free_mb): free some space",
    )


def _stored_consent() -> "Consent | None":
    from storage.state.store import StateStore

    if not state_file().exists():
        return None
    with StateStore(state_file()) as state:
        return state.consent()


def _consent() -> Check:
    from daemon.capture.accessibility.choice import with_recording

    consent = _stored_consent()
    given = consent is not None and consent.journal
    says = "journal" if given else "not given, or withdrawn; the next start asks"
    if consent is not None and with_recording(consent, load_settings()).recording:
        says += " and recording"
    return Check("consent", given, says, "start: kairos run", needed=False)


def check_kairos_itself() -> Check:
    """Say how the Kairos that runs is doing, and what it wrote down of its faults: remedies elsewhere end here."""
    from daemon.runtime.control_client import NOT_RUNNING, send
    from storage.messages import PROBLEMS

    log = state_folder() / LOG_NAME
    faults = log.read_text(errors="replace").count(" ERROR ") if log.is_file() else 0
    notes = (f"{format_count(faults, 'fault')} of its own noted in {log}",) if faults else ()
    try:
        answer = send("status")
    except EnvironmentFault as fault:
        if fault.code == NOT_RUNNING:
            return Check("kairos itself", True, "it does not run", needed=False, notes=notes)
        pid = _listener()
        end = f"kill -9 {pid}; " if pid else ""
        remedy = f"it hangs, or another program is there; end it, and start again: {end}kairos run"
        return Check("kairos itself", False, fault.what, remedy, needed=False, notes=notes)
    code = answer["problem"]
    what, remedy = PROBLEMS.get(code, ("not known here", f"see {log}"))
    says = f"has a problem ({code}): {what}" if code else str(answer["state"])
    return Check("kairos itself", not code, says, remedy, needed=False, notes=notes)


def _listener() -> int:
    """Return the process that listens on the control socket, also where it hangs; 0 where that is not told."""
    if sys.platform != "linux":  # elsewhere it is not told
        return 0
    from daemon.runtime.control_client import socket_file

    with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.setblocking(False)  # one that hangs for long has no room for another connection
        connection.connect(str(socket_file()))
        return int(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
    return 0


class _Desktop:
    """The checks of the desktop, which is opened once for all of them."""

    @cached_property
    def _tried(self) -> "TriedDesktop | EnvironmentFault":
        from daemon.capture.backend import try_desktop

        try:
            return try_desktop(SystemClock())
        except EnvironmentFault as fault:
            return fault

    def screen_and_input(self) -> Check:
        """Say whether what capture needs works."""
        tried = self._tried
        if isinstance(tried, EnvironmentFault):
            raise tried
        found = tried.capabilities
        if found.overlay.level is Level.NONE:
            return Check("screen and input", False, f"{found.desktop}: {found.overlay.reason}", found.overlay.remedy)
        screens = "the screen was" if tried.monitors == 1 else f"{tried.monitors} screens were"
        says = f"{screens} read, windows are known" if tried.monitors else "it answers, and gives no pictures"
        if found.frames.level is Level.PART:
            says = "windows are known, and pictures come while Kairos runs, if you allow them"
        if found.keys.level is Level.FULL:
            says = f"{screens} read, keys and pointer were listened to, windows are known"
        return Check("screen and input", True, f"{found.desktop}: {says}")

    def capabilities(self) -> list[Check]:
        """Say of each thing that this desktop does not tell in full why that is, and what would help."""
        from daemon.capture.capability_words import NAMES

        if isinstance(self._tried, EnvironmentFault):  # the check of the screen explains it
            return []
        limited = self._tried.capabilities.limited
        return [Check(NAMES[name], False, each.reason, each.remedy, needed=False) for name, each in limited.items()]

    def full_screen(self) -> Check:
        """Say whether it is known that a window fills the screen."""
        tried = self._tried
        if isinstance(tried, EnvironmentFault):  # the check of the screen explains it
            return Check("full screen", False, "cannot be detected here", needed=False)
        managed = tried.capabilities.windows.level is Level.FULL and tried.scene.managed
        return Check(
            "full screen",
            managed,
            "reported by the window manager" if managed else "cannot be detected here",
            "there is no window manager that says which window is active"
            if tried.capabilities.windows.level is Level.FULL
            else "it takes the list of all windows, of which more is said below",
            needed=False,
        )

    def says_locked(self) -> list[str]:
        """Return what of the desktop itself tells that it is locked, in words."""
        if isinstance(self._tried, EnvironmentFault):
            return []
        found = self._tried.capabilities
        has_extension = found.desktop == "GNOME" and found.windows.level is Level.FULL
        return ["Kairos' extension to GNOME Shell"] * has_extension

    def controls(self) -> Check:
        """Say whether controls are understood, and which programs take no part or are left alone."""
        return replace(_guarded(self._controls, "controls"), needed=False)

    def speech(self) -> Check:
        """Say whether what somebody says is recorded, and from which microphone it would be."""
        return replace(_guarded(self._speech, "speech"), needed=False)

    def _speech(self) -> Check:
        from daemon.capture.accessibility.choice import records_speech
        from daemon.capture.surroundings.streams import default_microphone

        if not records_speech(load_settings(), _stored_consent()):
            return Check("speech", True, "not recorded: you have not chosen it (capture.record_speech)")
        if not isinstance(self._tried, EnvironmentFault) and self._tried.capabilities.windows.level is Level.NONE:
            return Check("speech", False, "not recorded here: it takes the list of all windows, see above")
        found = default_microphone(os.environ)
        remedy = (
            "install pulseaudio-utils, which talks to PulseAudio and PipeWire alike"
            if found is None
            else "plug one in, and make it the input in the sound settings: what the machine plays is none"
        )
        return Check("speech", bool(found), f"recorded from {found}" if found else "there is no microphone", remedy)

    def _controls(self) -> Check:
        from daemon.capture.accessibility.choice import inspect_accessibility, reads_outputs, understands_controls
        from daemon.capture.accessibility.ocr.reading import is_installed
        from daemon.runtime.control_client import send

        consent = _stored_consent()
        if not understands_controls(load_settings(), consent):
            return Check("controls", True, "not understood: you have not chosen it (capture.understand_controls)")
        try:
            running = send("status").get("controls") or {}
        except KairosError:  # it does not run, which is no fault here
            running = {}
        if isinstance(self._tried, EnvironmentFault):
            raise self._tried
        report = inspect_accessibility(self._tried.scene)
        if not report.is_on:
            return Check(
                "controls",
                False,
                "the desktop has no accessibility service"
                if report.is_on is None
                else "the accessibility switch is off",
                "install at-spi2-core and log in again"
                if report.is_on is None
                else "the next start turns it on: kairos run",
            )
        if not running.get("works", True):
            return Check("controls", False, "the accessibility service does not answer; Kairos tries again by itself")
        reads = reads_outputs(load_settings(), consent)
        left_alone, spent = (", ".join(running.get(name, ())) for name in ("left_alone", "spent"))
        silent = ", ".join(report.silent)
        says = [
            "understood" if reads else "understood, but for what programs write after a command (capture.read_outputs)",
            *([f"left alone for ten minutes, because they do not answer: {left_alone}"] if left_alone else []),
            *([f"not asked again within this minute, because their answers take long: {spent}"] if spent else []),
            *([f"silent: {silent}"] if silent else []),
        ]
        remedies = []
        if silent:
            remedies = [
                f"begun before the switch was on, or without accessibility; start them again: {silent}",
                "their texts are read off the screen"
                if is_installed()
                else f"or read their texts: {add_extra(find_installation(), 'ocr')}",
            ]
        return Check("controls", len(says) == 1, "; ".join(says), "; ".join(remedies))


def _interface() -> Check:
    found = find_spec("PySide6") is not None
    return Check("interface", found, "Qt is installed" if found else "Qt is missing", find_installation().mend)


def check_plugins() -> list[Check]:
    """Load detector and policy as `kairos run` does: what the settings name may be missing."""
    try:
        settings = load_settings()
    except KairosError:  # the check of the settings explains it
        return []

    def detector() -> Check:
        from detectors.registry import load

        loaded = load(settings.detector)
        return Check("detector", True, f"{loaded.name}, version {loaded.version}")

    def policy() -> Check:
        from policies.registry import load

        loaded = load(settings.policy, settings.detector.base_rate)
        return Check("policy", True, f"{loaded.name}, version {loaded.version}")

    return [_guarded(detector), _guarded(policy)]


def check_models() -> list[Check]:
    """Say of each model tier whether it is on and may be asked; connects to nothing."""
    from daemon.models.tiers import settings_of
    from storage.records import ModelTier

    try:
        settings = load_settings()
    except KairosError:  # the check of the settings explains it
        return []

    def check(tier: ModelTier) -> Check:
        name = f"{tier.value} model"
        if not settings_of(settings, tier).preset:
            if settings_of(settings, tier) != settings_of(Settings(), tier):
                remedy = f"choose one of `kairos models list`: kairos config set {tier.value}_model.preset NAME"
                return Check(name, False, "off, although it was set up: it has no preset", remedy)
            return Check(name, True, "off: nothing is asked and nothing is sent")
        from daemon.cli.models.tiers import render_for_doctor

        says, remedy = render_for_doctor(settings, tier, SystemClock())
        return Check(name, not remedy, says, remedy)

    checks = [_guarded(partial(check, tier), f"{tier.value} model") for tier in ModelTier]
    return [replace(each, needed=False) for each in checks]


def _help() -> Check:
    """Say which programs' documentation is indexed, and what would add more."""
    return replace(_guarded(_check_help, "help"), needed=False)


def _check_help() -> Check:
    from daemon.help.library import HelpLibrary, checked_wall_ns
    from daemon.help.library.documentation import find_documentation, missing_packages

    with HelpLibrary.open() as library:
        indexed = library.documentation()
    found, missing = find_documentation(), missing_packages()
    names = ", ".join(documentation.label for documentation in indexed if not documentation.name.startswith("man/"))
    unread = [source for source in found if source.name not in {each.name for each in indexed}]
    remedies = [f"{entry.program} is here without its help: sudo apt install {entry.package}" for entry in missing]
    if unread or (missing and not indexed):
        when = "Kairos indexes it a minute after its start, then once a day; at once: "
        remedies.append(f"{when if load_settings().help.library else ''}kairos library add")
    says = f"indexed: {names}" if names else "no documentation is indexed: general advice alone"
    if (at_ns := checked_wall_ns()) is not None:
        age_s = max(0, SystemClock().wall_ns() - at_ns) / NS_PER_S
        says += f"; brought up to date {format_duration(age_s)} ago"
    return Check("help", not remedies, says, "; ".join(remedies))


def _surroundings(says_locked: list[str]) -> list[Check]:
    """Say what can be detected of the situations in which nothing is offered: a lock, a call, do-not-disturb.

    None of it is needed for `kairos run`. For what cannot be detected the remedy says what would report it.
    """
    from daemon.capture.surroundings.devices import on_battery
    from daemon.capture.surroundings.source import Condition
    from daemon.capture.surroundings.thread import SurroundingsWatcher

    surroundings = SurroundingsWatcher()
    surroundings.start()
    surroundings.settle(SURROUNDINGS_S)
    answers = surroundings.answers
    surroundings.stop()

    battery = on_battery()
    checks = []
    for name, remedy, kinds in (
        (
            "locked screen",
            "logind, GNOME and KDE report it; in X11 sessions its screen saver and known lock screens are noticed too",
            {Condition.LOCKED},
        ),
        (
            "do-not-disturb",
            "GNOME, KDE, Xfce and dunst report it; elsewhere pause Kairos: kairos pause",
            {Condition.DO_NOT_DISTURB},
        ),
        (
            "microphone",
            (
                "calls are not noticed: they need PulseAudio, or PipeWire with pipewire-pulse or with pw-dump (package"
                " pipewire-bin)"
            ),
            {Condition.MICROPHONE},
        ),
        ("camera", "cameras are not noticed", {Condition.CAMERA, Condition.VIDEO}),
        (
            "shared screen",
            (
                "PipeWire with pw-dump (package pipewire-bin) would report screens shared through the desktop's portal;"
                " programs that read the X11 screen directly are never noticed"
            ),
            {Condition.VIDEO},
        ),
    ):
        sources = [source for (kind, source), value in answers.items() if kind in kinds and value is not None]
        sources += says_locked if name == "locked screen" else []
        says = f"reported by {' and '.join(sources)}" if sources else "cannot be detected here"
        checks.append(Check(name, bool(sources), says, remedy, needed=False))
    says = "this machine has none" if battery is None else "in use" if battery else "not in use"
    return [*checks, Check("battery", True, says, needed=False)]
