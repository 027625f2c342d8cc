"""The command line: finds every command, runs one, and turns errors into one short message.

Nothing heavy is imported here: `kairos --help` must come at once, and a command loads its own module
alone. A new one is a module with `register(subparsers)` and one line in `COMMANDS`; other packages add theirs by an
entry point in `kairos.commands`.
"""

import atexit
import gc
import os
import sys
from collections.abc import Mapping
from io import TextIOWrapper
from types import SimpleNamespace

from storage import VERSION
from storage.plain_text import MAX_PRINTED, VisibleStream, print_progress

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and the errors are a third of `kairos status`
    import argparse
    from typing import Any

    from storage.errors import KairosError

INTERRUPTED = 130
BUG = 70
NUL_SHOWN = "\N{REPLACEMENT CHARACTER}"

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "daemon.runtime.run": ("run",),
    "daemon.cli.consent": ("consent",),
    "daemon.cli.control": ("status", "pause", "resume", "ask", "seen", "settings", "quit"),
    "daemon.cli.sessions": ("sessions",),
    "daemon.cli.label": ("label",),
    "daemon.narration.command": ("narration",),
    "daemon.cli.purge": ("forget", "purge"),
    "daemon.cli.replay": ("replay",),
    "daemon.cli.why.command": ("why",),
    "daemon.cli.mine": ("mine",),
    "daemon.cli.diagnose": ("diagnose",),
    "daemon.cli.report": ("report",),
    "daemon.cli.models.command": ("models",),
    "daemon.cli.library": ("library",),
    "daemon.cli.config": ("config",),
    "daemon.cli.autostart": ("autostart",),
    "daemon.cli.desktop": ("desktop",),
    "daemon.cli.doctor": ("doctor",),
}
"""The daemon's commands by module, in the order of `kairos --help`."""

ENTRIES: Mapping[str, tuple[str, ...]] = {
    "demo": ("demo",),
    "lab": ("simulate", "train", "bench"),
    "participant": ("study",),
}
"""The commands of the other entry points of ours by their name; those of somebody else may add any."""

ELSEWHERE = {
    "lab": ("simulate", "train", "bench"),
    "study": tuple(
        f"study {action}"
        for action in (
            *("create", "check", "sign", "invite", "rehearse", "broker", "collect", "receive-parcels", "monitor"),
            *("receive-recording", "open", "report", "purge", "close", "audit", "power"),
        )
    ),
}
"""The commands of the other two distributions, by their folder here: where one is not installed they name it."""


def register(subparsers: "Any") -> None:
    """Add the commands of the daemon."""
    import importlib

    for module in COMMANDS:
        importlib.import_module(module).register(subparsers)


def build_parser(word: str = "") -> "argparse.ArgumentParser":
    """Return the parser with the commands of every installed package, or with those of the one that adds `word`."""
    import importlib

    from daemon.cli.parser import Parser

    parser = Parser(
        prog="kairos",
        description="Notices when you are stuck, and offers help only at the right moment.",
        epilog="Example: kairos run. More about a command: kairos COMMAND --help",
    )
    parser.add_argument("--version", action="version", version=f"kairos {VERSION}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, prog=parser.prog)
    for module, words in COMMANDS.items():
        if word in words:
            importlib.import_module(module).register(subparsers)
            return parser
    from importlib.metadata import entry_points

    entries = sorted(entry_points(group="kairos.commands"), key=lambda entry: entry.name)
    adds_it = [entry for entry in entries if word in ENTRIES.get(entry.name, ())]
    for entry in adds_it or entries:
        entry.load()(subparsers)
    return parser


def require_distribution(words: list[str]) -> None:
    """Refuse a command whose distribution is not installed.

    Raises:
        EnvironmentFault: It is not; the remedy says what installs it.
    """
    for folder, commands in ELSEWHERE.items():
        for command in {" ".join(words[:1]), " ".join(words[:2])} & set(commands):
            from importlib.metadata import PackageNotFoundError, version

            from storage.errors import EnvironmentFault

            try:
                version(f"kairos-{folder}")
            except PackageNotFoundError:
                raise EnvironmentFault(
                    f"`kairos {command}` comes with the distribution kairos-{folder}, which is not installed",
                    remedy=f"in a source checkout `./run {command}` installs it; elsewhere see docs/installation.md",
                ) from None


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code (0 done, 1 no, 2 usage, 3 environment, 4 bad input file)."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads for our small numbers cost three times the CPU
    atexit.register(gc.freeze)  # what is there at the end goes with the process: no search for garbage, 0.3 s with Qt
    words = sys.argv[1:] if argv is None else argv
    if argv is None and words[:1] != ["status"]:  # a process of its own, that loads classes
        from daemon.late_methods import compile_late

        compile_late()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed; else the next file that is opened would take its number
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # until the end
    if isinstance(sys.stdout, TextIOWrapper):  # a terminal need not be able to show every name
        sys.stdout.reconfigure(errors="backslashreplace")
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (VisibleStream(stream) for stream in streams)
    try:
        return _run(words)
    finally:
        sys.stdout, sys.stderr = streams


def _run(words: list[str]) -> int:
    if not words:
        from daemon.cli.parser import GUIDE

        print(GUIDE, end="")
        return 0
    arguments: Any = SimpleNamespace(json="--json" in words)
    try:
        require_distribution(words)
        arguments = _parse(words)
        _check(words)
        code = int(arguments.run(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output closed it; avoid a second complaint at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001  # a bug ends with its own status, its traceback on stderr
        fault = _fault_of(error)
        if fault is None:
            import traceback

            traceback.print_exc()
            return BUG
        print_progress(f"kairos: {fault.what}", *fault.remedy.splitlines())
        if getattr(arguments, "json", False):
            import json

            print(json.dumps(fault.facts()), flush=True)
        return fault.exit_code
    return code


def _check(words: list[str]) -> None:
    """Refuse what no command takes.

    Raises:
        UsageError, EnvironmentFault: it was given, or this is no system for Kairos.
    """
    if any("\0" in word for word in words):
        from storage.errors import UsageError

        raise UsageError("an argument holds a NUL character", remedy="nothing that Kairos takes holds one")
    if sys.platform == "win32":
        from storage.errors import EnvironmentFault

        raise EnvironmentFault("Kairos does not run on Windows yet", remedy="see where it runs in docs/installation.md")


def _fault_of(error: Exception) -> "KairosError | None":
    """Return what an error is to who gave the command; None for a bug."""
    from storage.errors import BadFile, EnvironmentFault, KairosError

    if isinstance(error, KairosError):
        return error
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        what = f"a name is not UTF-8: {error.object[: error.end][-MAX_PRINTED:]}"
        return BadFile(what, remedy="rename the file or folder and try again")
    if isinstance(error, OSError):  # where no command knows better: a name that is too long, a closed folder
        what = f"{error.filename}: {error.strerror}" if error.filename is not None else str(error)
        return EnvironmentFault(what, remedy="see: kairos doctor")
    return None


def _parse(words: list[str]) -> "Any":
    """Return the arguments; of a bare `kairos status` without a parser, which would be half of its time."""
    if words in (["status"], ["status", "--json"]):
        from daemon.cli.control import run

        return SimpleNamespace(command="status", json=len(words) > 1, run=run)
    return build_parser(*words[:1]).parse_args([word.replace("\0", NUL_SHOWN) for word in words])


if __name__ == "__main__":
    sys.exit(main())
