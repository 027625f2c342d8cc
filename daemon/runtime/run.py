"""The composition root: `kairos run` assembles capture, core, log and interface, and shuts them down in order.

Qt owns the main thread, asyncio the thread "core". With `--headless` Qt is not imported.
"""

import argparse
import contextlib
import ctypes
import gc
import json
import logging
import logging.handlers
import os
import resource
import signal
import sys
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.preferences.change import as_agreed, forget_choices
from daemon.runtime.instance import only_instance
from storage.capabilities import Capabilities, Level, sees_more
from storage.clock import NS_PER_S, SystemClock, local_time
from storage.consent_text import CONTROLS_VERSION, SPEECH_VERSION
from storage.errors import EnvironmentFault, KairosError
from storage.files import (
    LOG_NAME,
    config_file,
    private_file,
    private_folder,
    sessions_folder,
    state_file,
    state_folder,
)
from storage.plain_text import visible, visible_line
from storage.settings import Settings
from storage.settings_file import load_settings
from storage.translation import Language, current_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from daemon.runtime.core import Core
    from storage.records import BlindLot, LabelTask
    from storage.state.store import Consent
    from storage.study_text import StudyConsentAnswer, StudyInvitationView

logger = logging.getLogger(__name__)

VIRTUAL_DESKTOP = "KAIROS_DESKTOP_TOKEN"
"""What every process on a virtual desktop of ours has in its environment."""

HEAPS, _ARENA_MAX = 2, -8  # the second as in glibc's malloc.h
APART_BYTES, _MMAP_THRESHOLD = 900_000, -3
"""Larger pieces of memory go back to the system whole: a video's encoder has pieces of 1 to 1.5 MB, anew every five
minutes, and in a heap each lies where small ones had come between, a MB of holes in a quarter of an hour. Pictures of
the usual size, 0.8 MB, come from a heap, where their pages are still there."""

KEPT_BYTES, _TRIM_THRESHOLD = 4_000_000, -1  # what a heap may keep at its end, so that pictures find it again
GARBAGE_AT = 10_000
"""How many new objects are looked through for garbage; a picture with its digests makes more than Python's 700."""

_SET_DUMPABLE = 4


def register(subparsers: Any) -> None:
    """Add `kairos run` to the command line."""
    parser = subparsers.add_parser(
        "run",
        help="watch and help",
        description="Watch how you work and offer help at the right moment. Sits in the tray; never takes focus.",
        epilog="example: kairos run --set policy.quiet_start_s=60",
    )
    parser.add_argument("--headless", action="store_true", help="no tray and no card: offers go to the log alone")
    parser.add_argument("--sessions", metavar="DIR", help="where sessions are kept")
    parser.add_argument("--consent", type=Path, metavar="FILE", help="a record written by `kairos consent`")
    parser.add_argument("--detector", help="embedded, evidence, FILE.onnx or package.module:factory")
    parser.add_argument("--policy", help="a policy: a name or package.module:factory")
    parser.add_argument(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change a setting for this run",
    )
    parser.add_argument("--verbose", action="store_true", help="say more on stderr")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.set_defaults(run=run)


def _refuse_core_dumps() -> None:
    """Have no dump written, which would hold what was on the screen, nor piped to a program, which no limit stops.

    What is not dumpable cannot be looked into by other programs of the user either. On a virtual desktop its keeper has
    to, to find by their environment what it started. Portals refuse whom they cannot look into, so a child asks them.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if VIRTUAL_DESKTOP not in os.environ:
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0)


def share_heaps() -> None:
    """Have glibc keep two heaps for all threads, and not sixteen, and nothing large in them.

    Each new session's threads began others.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # other C libraries have none
        choose = ctypes.CDLL(None).mallopt
        choose(_ARENA_MAX, HEAPS)
        choose(_MMAP_THRESHOLD, APART_BYTES)
        choose(_TRIM_THRESHOLD, KEPT_BYTES)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos run`. A start that is refused for another Kairos or for consent loads nothing else."""
    gc.disable()  # what is imported stays: looking through it for garbage was a tenth of a start
    try:
        return _run(arguments)
    finally:
        gc.enable()


def _run(arguments: argparse.Namespace) -> int:
    from storage.state.store import StateStore, consent_in_force, read_consent

    settings = _settings(arguments)
    _refuse_core_dumps()
    share_heaps()
    gc.set_threshold(GARBAGE_AT)
    sessions = sessions_folder(settings.storage.sessions_dir).absolute()
    with only_instance():
        record = read_consent(arguments.consent) if arguments.consent else None
        with StateStore(state_file()) as state:
            consent = consent_in_force(state, record, SystemClock().wall_ns())
        if arguments.headless:
            _require_consent(consent)
        desktop = _require_desktop(
            says_limits=not arguments.headless and consent is None, has_interface=not arguments.headless
        )
        if consent is not None and sees_more(desktop.levels, consent.sees):
            if arguments.headless:
                raise EnvironmentFault(
                    "Kairos can see more on this desktop than on the one for which it was agreed to",
                    remedy="run: kairos consent --journal --out consent.json; then pass --consent consent.json",
                )
            consent = None
        if consent is None or not consent.journal:
            settings = as_agreed(settings)  # who is asked now answers for all of it
        _configure_logging(private_folder(state_folder()) / LOG_NAME, verbose=arguments.verbose)
        if record is not None and consent != record:
            logger.warning("%s is older than your last answer, which agrees to less and counts", arguments.consent)
        from daemon.help.library import HelpLibrary
        from daemon.runtime.core import Core

        core = Core(settings=settings, sessions_dir=sessions, state_file=state_file(), open_library=HelpLibrary.open)
        if consent is not None and arguments.headless:
            code = _run_headless(core, consent)
        else:
            code = _run_with_interface(core, consent, settings, sessions, desktop)
    if arguments.json:
        print(json.dumps({"sessions": [str(folder) for folder in core.sessions]}))
    return code


def _require_consent(consent: "Consent | None") -> None:
    """Refuse a start without an interface that nobody has agreed to.

    Raises:
        EnvironmentFault: nobody has.
    """
    if consent is None or not consent.journal:
        raise EnvironmentFault(
            "nobody has agreed to being watched, so nothing is captured",
            remedy="run: kairos consent --journal --out consent.json; then pass --consent consent.json",
        )


def _require_desktop(*, says_limits: bool, has_interface: bool) -> Capabilities:
    """Report what is missing before asking for consent; with `says_limits` in a window too. Return what there is.

    Who starts it from a menu sees no terminal.

    Raises:
        EnvironmentFault: something is missing.
    """
    from daemon.capture.backend import limits_of, open_backend

    try:
        backend = open_backend(SystemClock())
    except EnvironmentFault:
        limits = limits_of(os.environ)
        if limits and says_limits:
            show_limits(limits)
        raise
    found = backend.capabilities
    backend.close()
    if has_interface and found.overlay.level is Level.NONE:
        raise EnvironmentFault(found.overlay.reason, remedy=found.overlay.remedy, code="no_display")
    return found


def show_limits(limits: str) -> None:
    """Say in a window what will not work on this desktop, at the first start and before anything is asked."""
    from ui.app import show_limits as show

    with contextlib.suppress(EnvironmentFault):  # no display to say it on
        show(limits, load_settings().interface.language)


def _settings(arguments: argparse.Namespace) -> Settings:
    settings = load_settings(overrides=arguments.overrides)
    if arguments.sessions:
        settings = replace(settings, storage=replace(settings.storage, sessions_dir=arguments.sessions))
    if arguments.detector:
        settings = replace(settings, detector=replace(settings.detector, name=arguments.detector))
    if arguments.policy:
        settings = replace(settings, policy=replace(settings.policy, name=arguments.policy))
    return settings


def _run_headless(core: "Core", consent: "Consent") -> int:
    from daemon.runtime.commands import Commands
    from daemon.runtime.headless import HeadlessDisplay

    _look_for_garbage_from_here()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: core.quit())
    Commands(core).start(consent, HeadlessDisplay())
    return _finish(core)


def _run_with_interface(
    core: "Core", consent: "Consent | None", settings: Settings, sessions: Path, desktop: Capabilities
) -> int:
    from daemon.capture.capability_words import describe
    from daemon.models.disclosure import describe_sent
    from daemon.runtime.commands import Commands
    from storage.state.store import Consent, StateStore
    from ui.app import Interface

    commands = Commands(core)
    interface = Interface(commands, settings.interface, core.timeline, core.preferences, labels=core.labels)
    _look_for_garbage_from_here()
    if consent is None or not consent.journal:
        sent, language = describe_sent(settings, current_language()), current_language()
        lines = describe(desktop, language.find)
        answer = interface.ask_consent(sessions, settings.storage, sent, lines, lambda: _forget_all(sessions))
        if answer is None or not answer.journal:
            return 0
        consent = Consent(
            journal=answer.journal,
            recording=answer.recording,
            given_at_wall_ns=SystemClock().wall_ns(),
            quiet_first_day=answer.quiet_first_day,
            controls=CONTROLS_VERSION if answer.controls else 0,
            speech=SPEECH_VERSION if answer.speech else 0,
            language=answer.language,
            text_sha256=answer.text_sha256,
            sees=desktop.levels,
        )
        forget_choices(config_file())
        with StateStore(state_file()) as state:
            state.save_consent(consent)
    commands.start(consent, interface.bridge)
    try:
        interface.show_tray()
        gc.freeze()  # what the interface is made of stays, too: a tenth of opening a day
        interface.exec()
    finally:
        core.quit()  # a core that nobody can see or stop must not go on
    return _finish(core)


def _look_for_garbage_from_here() -> None:
    gc.freeze()
    gc.enable()


def _forget_all(sessions: Path) -> bool:
    """Delete everything that is stored from before; return whether that is done."""
    from daemon.purge.purge import begin, finish
    from daemon.purge.span import everything

    try:
        finish(state_file())  # what was begun before
        begin(everything(), sessions, state_file())
        report = finish(state_file())
    except KairosError:
        return False
    return report is not None and not report.problems


def label_session(folder: Path, rater: str, lot: "BlindLot", task: "LabelTask") -> None:
    """Have a session labelled in a window, until that is closed. Called on the main thread.

    Raises:
        EnvironmentFault: there is no display to show the window on.
    """
    from daemon.history.labelling import LabelService
    from ui.app import label_session as label

    service = LabelService(folder.parent, state_file(), SystemClock())
    label(service, str(folder), rater, lot, load_settings().interface, task=task)


def ask_study_consent(describe: "Callable[[Language], StudyInvitationView]") -> "StudyConsentAnswer | None":
    """Ask in a window whether somebody takes part in a study; None is "not now". Called on the main thread.

    `describe` puts the study into the words of a language, that of the interface.

    It is the one way from `studies` to the interface; Qt is loaded here and not before.

    Raises:
        EnvironmentFault: there is no display to show the window on.
    """
    from ui.app import ask_study_consent as ask

    return ask(describe, load_settings().interface.language)


def _finish(core: "Core") -> int:
    """Wait for the core; raise the fault that ended it, if any. A bug has its own exit code."""
    from daemon.runtime.core import LATE

    core.join()
    if isinstance(core.failure, KairosError):
        raise core.failure
    return LATE if core.failure is not None else 0


class PlainFormatter(logging.Formatter):
    """Writes a message as one line, and nothing that a terminal would act on when the log is read there."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802  # its name
        """Return the time with its offset from UTC: a purge must know it after the zone has changed, too."""
        return local_time(round(record.created * NS_PER_S)).isoformat(" ", "milliseconds")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # the name of the base class
        """Return the line of a message."""
        return visible_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802  # the name of the base class
        """Return the lines of a traceback."""
        return visible(super().formatException(ei))


class PrivateLog(logging.handlers.RotatingFileHandler):
    """A log file that only this user can read, whatever the process's umask is."""

    def _open(self) -> TextIOWrapper:
        """Open the file; create it first if it does not exist."""
        private_file(Path(self.baseFilename))
        return super()._open()


def _configure_logging(path: Path, *, verbose: bool) -> None:
    """Log to a small rotating file, warnings also to stderr; never screen text, keys, titles, prompts or answers."""
    handler = PrivateLog(path, maxBytes=1_000_000, backupCount=2, delay=True)
    handler.setFormatter(PlainFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    console = logging.StreamHandler(sys.stderr)
    console.setLevel(logging.INFO if verbose else logging.WARNING)
    console.setFormatter(PlainFormatter("kairos: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler, console], force=True)
