"""What several commands share: how a command is added, where its sessions lie, and how its page is written."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from storage.errors import EnvironmentFault, UsageError
from storage.files import sessions_folder, write_whole
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
        base = sessions_folder(settings.storage.sessions_dir).absolute()
        if base.exists() and not base.is_dir():
            raise UsageError(f"{base} is not a folder", remedy="correct it: kairos config set storage.sessions_dir DIR")
        return base, settings
    settings = replace(settings, storage=replace(settings.storage, sessions_dir=arguments.sessions_dir))
    base = sessions_folder(settings.storage.sessions_dir).absolute()
    if not may_be_new and not base.is_dir():
        raise UsageError(f"{base} is not a folder", remedy="check the path given with --sessions")
    return base, settings


def page_path(out: Path, name: str, *titles: str) -> Path:
    """Return the file of a page: `out`, or one of this name in that folder, which may be missing yet.

    A file that is there already is replaced only if it is a page with one of these titles.

    Raises:
        UsageError: something else is there already.
    """
    target = out if out.suffix.lower() in (".html", ".htm") and not out.is_dir() else out / name
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise UsageError(f"{target} is no plain file", remedy="name another place with --out")
    if target.exists():
        with target.open("rb") as file:
            begins = file.read(8192)
        if not any(f"<title>{title}</title>".encode() in begins for title in titles):
            raise UsageError(f"{target} is there already, and no report", remedy="name another place with --out")
    return target


def write_page(target: Path, text: str) -> None:
    """Write the page for this user alone, whole or not at all.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(target, text.encode(errors="replace"))
    except OSError as error:
        raise EnvironmentFault(
            f"{target} cannot be written: {error.strerror}", remedy="name another place with --out"
        ) from error
