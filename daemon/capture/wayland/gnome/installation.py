"""Puts Kairos' extension into this account's GNOME Shell and takes it away; the shell loads it at the next login."""

import ast
import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from storage.errors import EnvironmentFault
from storage.files import private_folder, write_whole

UUID = "windows@kairos.assistant"
_SCHEMA, _ENABLED = "org.gnome.shell", "enabled-extensions"
_MODULES_SINCE = 45
_DATA = Path(__file__).parent / "data"


def folder_of(env: Mapping[str, str]) -> Path:
    """Return where the extension of this account is, or would be."""
    home = env.get("XDG_DATA_HOME") or Path(env.get("HOME", "")) / ".local" / "share"
    return Path(home) / "gnome-shell" / "extensions" / UUID


def install() -> Path:
    """Write the extension with a token of its own, and have the shell load it from the next login on.

    Raises:
        EnvironmentFault: this is no GNOME, or it refused.
    """
    found = re.search(r"\d+", _output(["gnome-shell", "--version"]))
    if found is None:
        raise EnvironmentFault("GNOME Shell does not say its version", code="program_missing")
    head = "extension_45.js" if int(found[0]) >= _MODULES_SINCE else "extension_43.js"
    folder = private_folder(folder_of(os.environ))
    code = "\n".join((_DATA / name).read_text(encoding="utf-8") for name in (head, "windows.js"))
    facts = {
        "uuid": UUID,
        "name": "Windows for Kairos",
        "description": "Tells Kairos, and no other program, which windows there are and where.",
        "shell-version": [found[0]],
        "session-modes": ["user", "unlock-dialog"],
    }
    write_whole(folder / "extension.js", code.encode())
    write_whole(folder / "metadata.json", json.dumps(facts, indent=2).encode())
    write_whole(folder / "token", secrets.token_hex(32).encode())
    _enable(on=True)
    return folder


def remove() -> tuple[bool, bool]:
    """Take the extension away, in any session; return whether it was there, and whether it could be switched off.

    Raises:
        EnvironmentFault: its files cannot be deleted.
    """
    folder = folder_of(os.environ)
    try:
        _enable(on=False)
        is_off = True
    except EnvironmentFault:
        is_off = False
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return False, is_off
    except OSError as fault:
        raise EnvironmentFault(
            f"{folder} cannot be deleted: {fault.strerror}", remedy="delete it yourself", code="file_unwritable"
        ) from fault
    return True, is_off


def _enable(*, on: bool) -> None:
    found = _output(["gsettings", "get", _SCHEMA, _ENABLED]).removeprefix("@as").strip()
    names = [name for name in ast.literal_eval(found or "[]") if name != UUID] + [UUID] * on
    _output(["gsettings", "set", _SCHEMA, _ENABLED, str(names)])


def _output(argv: list[str]) -> str:
    try:
        return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=10.0).stdout
    except (OSError, subprocess.SubprocessError) as fault:
        raise EnvironmentFault(
            f"{argv[0]} does not answer",
            remedy="this step is for GNOME alone, within its session",
            code="program_missing",
        ) from fault
