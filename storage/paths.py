"""Where Kairos stores data and settings, and its control socket (XDG base directories).

Folders created here belong to this user alone; a folder that somebody else owns is refused.
"""

import hashlib
import os
import stat
from pathlib import Path

from storage.errors import EnvironmentFault, UsageError, os_words
from storage.translation import translatable

PRIVATE_FOLDER = 0o700


def _xdg(variable: str, default: str) -> Path:
    """Return an XDG folder; a relative one is ignored, as the specification demands."""
    value = os.environ.get(variable, "")
    return Path(value) if value.startswith("/") else expand_user("~") / default


def expand_user(path: str | Path) -> Path:
    """Return the path with `~` or `~name` at its beginning replaced by that home folder.

    Raises:
        UsageError: there is no such user, or nobody knows where the home folder is.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise UsageError(
            translatable("{path}: there is no such home folder", path=repr(str(path))),
            remedy=translatable("give the path in full"),
        ) from error


def state_folder() -> Path:
    """Return the data folder, which may not exist; so may any path returned here unless said otherwise."""
    return _xdg("XDG_STATE_HOME", ".local/state") / "kairos"


def sessions_folder(sessions_dir: str = "") -> Path:
    """Return the folder of all sessions; `sessions_dir` is the setting, empty for the default.

    Raises:
        UsageError: it begins with the name of a user that does not exist.
    """
    return expand_user(sessions_dir) if sessions_dir else state_folder() / "sessions"


def state_file() -> Path:
    """Return the database of what outlives sessions."""
    return state_folder() / "state.db"


def sent_file() -> Path:
    """Return the database of what was sent to models."""
    return state_folder() / "sent.db"


def library_file(folder: Path | None = None) -> Path:
    """Return the index of documentation in a data folder, by default ours."""
    return (folder or state_folder()) / "library.db"


def config_file() -> Path:
    """Return the settings file."""
    return _xdg("XDG_CONFIG_HOME", ".config") / "kairos" / "settings.toml"


def cache_folder() -> Path:
    """Return the folder of what can be computed again."""
    return _xdg("XDG_CACHE_HOME", ".cache") / "kairos"


def lock_file() -> Path:
    """Return the file whose lock the running daemon of this data folder holds."""
    return private_folder(state_folder()) / "lock"


def socket_file() -> Path:
    """Return the control socket of this data folder, in a folder only this user can open.

    Several data folders may share one XDG_RUNTIME_DIR (a demo beside the real thing), so its name depends on them.
    """
    name = hashlib.sha256(os.fsencode(state_folder())).hexdigest()[:8]
    return runtime_folder() / f"{name}.sock"


def runtime_folder() -> Path:
    """Return our folder in XDG_RUNTIME_DIR, else one in the data folder, created; never a shared temporary one."""
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    if base.startswith("/"):
        try:
            return private_folder(Path(base) / "kairos")
        except EnvironmentFault:  # left over from another user's environment, as `sudo -E` does
            pass
    return private_folder(state_folder() / "run")


def private_folder(path: Path) -> Path:
    """Create a folder of ours that only this user can open, with its parents; return it.

    Raises:
        EnvironmentFault: it cannot be created, or belongs to somebody else.
    """
    make_folder(path)
    try:
        found = path.stat()
        if found.st_uid != os.getuid():
            raise EnvironmentFault(
                translatable("{path} belongs to another user", path=path),
                remedy=translatable("remove it or choose another folder"),
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            path.chmod(PRIVATE_FOLDER)
    except OSError as error:
        raise _unusable(path, error) from error
    return path


def make_folder(path: Path) -> Path:
    """Create a folder with its parents if there is none; the permissions of an existing one stay.

    Raises:
        EnvironmentFault: it cannot be created.
    """
    try:
        path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(path, error) from error
    return path


def _unusable(path: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        translatable("{path} cannot be used as a folder: {why}", path=path, why=os_words(error)),
        remedy=translatable("check who owns it and the free space"),
    )
