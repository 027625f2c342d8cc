"""What people call a program: the name that its entry in the menu of the desktop has, "LibreOffice Calc"."""

import os
from functools import lru_cache
from pathlib import Path

from daemon.help.programs import program_of
from storage.plain_text import printable
from storage.translation import current_language

_MOST = 100_000
"""Bytes of an entry that are read."""


def program_name(app: str) -> str:
    """Return the name of the program that `Focus.app` names; empty where the desktop has none."""
    return _name_of(app, current_language().code)


def named(app: str) -> str:
    """Return a program by the best name that is known, in printable characters."""
    return program_name(app) or printable(app)


@lru_cache(maxsize=256)
def _name_of(app: str, language: str) -> str:
    entries = _entries(os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share")
    for known in (app.strip().lower(), program_of(app)):
        if known in entries:
            return _name_in(entries[known], language)
    return ""


@lru_cache(maxsize=1)
def _entries(folders: str) -> dict[str, Path]:
    """Return the entries of the menu by their names in lower case, with and without the domain; the first one holds."""
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    found: dict[str, Path] = {}
    for folder in (home, *map(Path, folders.split(":"))):
        try:
            paths = sorted((folder / "applications").glob("*.desktop"))
        except OSError:
            continue
        for path in paths:
            stem = path.stem.lower()
            for name in (stem, stem.rpartition(".")[2]):
                found.setdefault(name, path)
    return found


def _name_in(path: Path, language: str) -> str:
    """Return the name in an entry, in this language if it has one; empty where there is none."""
    try:
        with path.open("rb") as file:
            text = file.read(_MOST).decode("utf-8", errors="replace")
    except OSError:
        return ""
    named: dict[str, str] = {}
    for line in text.partition("[Desktop Entry]")[2].partition("\n[")[0].splitlines():
        key, is_set, value = line.partition("=")
        if is_set and key.strip().startswith("Name"):
            named.setdefault(key.strip(), printable(value.strip()))
    return named.get(f"Name[{language}]") or named.get("Name", "")
