"""Whether Kairos starts when somebody logs in: an entry of the XDG autostart specification, in the person's own folder.

Off until chosen. A package may install an entry of the same name for all users, off by default; the person's own entry
stands above it. A file that we did not write is read, and left alone.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from storage.errors import EnvironmentFault, UsageError, os_words
from storage.preferences import Autostart, AutostartState
from storage.translation import translatable

FILE_NAME = "kairos.desktop"
MARK = "X-Kairos-Written=true"
"""The line by which we know an entry of our own."""

MAX_BYTES = 64 << 10
_OFF = (("Hidden", "true"), ("X-GNOME-Autostart-enabled", "false"))


def entry_text(command: str = "kairos run", *, on: bool = True) -> str:
    """Return an entry that starts `command`, as it stands after `Exec=`; with `on` false one that starts nothing."""
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=Kairos",
        "Comment=Notices when you are stuck, and offers help at the right moment",
        f"Exec={command}",
        "Icon=kairos",
        "Terminal=false",
        f"Hidden={'false' if on else 'true'}",
        f"X-GNOME-Autostart-enabled={'true' if on else 'false'}",
        MARK,
    )
    return "\n".join(lines) + "\n"


def autostart_file() -> Path:
    """Return the person's own entry, whether it is there or not."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".config") / "autostart" / FILE_NAME


def read_autostart() -> Autostart:
    """Return what decides whether Kairos starts with the desktop.

    Raises:
        EnvironmentFault: the entry cannot be read.
    """
    own = autostart_file()
    text = _read(own)
    if text is not None and MARK not in text.splitlines():
        return Autostart(state=AutostartState.BY_HAND, file=str(own), starts=_starts(text))
    if text is None:
        found = ((path, _read(path)) for path in _system_files())
        path, text = next(((path, text) for path, text in found if text is not None), (own, ""))
        own = path
    starts = bool(text) and _starts(text)
    return Autostart(state=AutostartState.ON if starts else AutostartState.OFF, file=str(own), starts=starts)


def set_autostart(*, on: bool) -> Autostart:
    """Have Kairos start with the desktop, or no longer; return what then holds.

    Raises:
        UsageError: an entry that we did not write decides.
        EnvironmentFault: the entry cannot be read or written.
    """
    found = read_autostart()
    if found.state is AutostartState.BY_HAND:
        raise UsageError(
            translatable("{file} was not written by Kairos, so it is left alone", file=found.file),
            remedy=translatable("change it by hand, or remove it and try again"),
        )
    if found.starts == on:
        return found
    path = autostart_file()
    try:
        if not on and not any(_starts(text) for text in map(_read, _system_files()) if text is not None):
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_suffix(".new")
            new.write_text(entry_text(_command(), on=on), encoding="utf-8")
            new.replace(path)
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be written: {why}", path=path, why=os_words(error)),
            remedy=translatable("see who may write it"),
        ) from error
    return read_autostart()


def _command() -> str:
    """Return how this installation is started, as the value of `Exec`."""
    script = Path(sys.executable).parent / "kairos"
    if script.is_file():
        return f"{_quoted(str(script))} run"
    return f"{_quoted(sys.executable)} -m daemon.cli.main run"


def _quoted(path: str) -> str:
    """Return a path as one argument of `Exec`, by the rules of the desktop entry specification."""
    for special in ("\\", '"', "`", "$"):
        path = path.replace(special, f"\\{special}")
    return '"' + path.replace("\\", "\\\\").replace("%", "%%") + '"'


def _system_files() -> tuple[Path, ...]:
    folders = os.environ.get("XDG_CONFIG_DIRS", "") or "/etc/xdg"
    return tuple(Path(folder) / "autostart" / FILE_NAME for folder in folders.split(":") if folder.startswith("/"))


def _read(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be read: {why}", path=path, why=os_words(error)),
            remedy=translatable("see who may read it"),
        ) from error


def _starts(text: str) -> bool:
    """Tell whether a desktop would start something by this entry."""
    keys = _keys(text)
    return bool(keys.get("Exec")) and all(keys.get(name, "").lower() != value for name, value in _OFF)


def _keys(text: str) -> Mapping[str, str]:
    keys: dict[str, str] = {}
    inside = False
    for line in text.splitlines():
        if line.startswith("["):
            inside = line.strip() == "[Desktop Entry]"
        elif inside and "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            keys.setdefault(name.strip(), value.strip())
    return keys
