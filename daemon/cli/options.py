"""What several commands share on the command line: how a command is added, and where its sessions lie."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from storage.errors import UsageError
from storage.paths import sessions_folder
from storage.settings import Settings
from storage.settings_file import load_settings

SESSION_HELP = "its folder, its name, or the beginning of its name"


def add_command(
    subparsers: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    *,
    example: str,
    description: str = "",
    sessions: bool = False,
) -> argparse.ArgumentParser:
    """Add a command or an action with `--json`, and with `--sessions DIR` if it reads `sessions`.

    `run` returns the exit status. `summary` is the line in the list of commands, and as a sentence the `description`
    where none is given. `example` is one use of it, without `kairos`.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=summary,
        description=description or f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example: kairos {example}",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    if sessions:
        parser.add_argument("--sessions", dest="sessions_dir", metavar="DIR", help="the folder of all sessions")
    parser.set_defaults(run=run)
    return parser


def sessions_base(arguments: argparse.Namespace, *, may_be_new: bool = False) -> tuple[Path, Settings]:
    """Return the folder of all sessions, and the settings with `--sessions` taken into account.

    Raises:
        UsageError: the settings file is not valid, or `--sessions` names no folder, unless that `may_be_new`: with a
            name mistyped, nothing there must not pass for nothing recorded.
    """
    settings = load_settings()
    if not arguments.sessions_dir:
        return sessions_folder(settings.storage.sessions_dir).absolute(), settings
    settings = replace(settings, storage=replace(settings.storage, sessions_dir=arguments.sessions_dir))
    base = sessions_folder(settings.storage.sessions_dir).absolute()
    if not may_be_new and not base.is_dir():
        raise UsageError(f"{base} is not a folder", remedy="check the path given with --sessions")
    return base, settings
