"""Where Kairos stores data and settings, and how files are opened, written, replaced and locked.

Our folders (XDG base directories) belong to this user alone; one that somebody else owns is refused. What comes from
outside must be a plain file: no links, pipes or devices, no endless lines nor folders. Standard library alone: the
limited child processes that decode videos use it.
"""

import codecs
import fcntl
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.translation.sentences import translatable

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_CHUNK = 1 << 20
_CHECK_PATH = translatable("check the path, and whether you may read it")


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


LOG_NAME = "kairos.log"
"""The daemon's own log in the state folder; older parts have a number behind it."""


def lock_file() -> Path:
    """Return the file whose lock the running daemon of this data folder holds."""
    return private_folder(state_folder()) / "lock"


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
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
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


def writing_remedy(error: OSError) -> str:
    """Return what to do where a file or folder cannot be written or made."""
    missing = isinstance(error, FileNotFoundError)
    return "make the folder first that it is to lie in" if missing else "see who may write there, and the free space"


def open_file(path: str | Path, flags: int) -> int:
    """Open a file, made for this user alone where the flags make it; a link is refused, and a pipe not waited for.

    Raises:
        OSError: it cannot be opened, or is a link.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, PRIVATE_FILE)


def private_file(path: Path) -> Path:
    """Create an empty file that only this user can read, if there is none; return it.

    Raises:
        OSError: it cannot be created, or is a link.
    """
    os.close(open_file(path, os.O_RDWR | os.O_CREAT))
    return path


def open_regular(path: Path, *, follow_links: bool = False) -> BinaryIO:
    """Open a plain file for reading; a link, pipe or device could lead elsewhere or never end.

    Args:
        path: the file.
        follow_links: whether it may be a link to a plain file, as a file of the person's own often is.

    Raises:
        BadFile: it is no plain file, or cannot be opened.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags) if follow_links else open_file(path, os.O_RDONLY)
    except OSError as error:
        raise BadFile(
            translatable("{path} cannot be opened as a plain file: {why}", path=path, why=os_words(error)),
            remedy=_CHECK_PATH,
        ) from error
    except ValueError as error:  # a NUL character in it
        raise BadFile(translatable("{path} is no path of a file", path=repr(str(path)))) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadFile(translatable("{path} is not a plain file", path=path), remedy=_CHECK_PATH)
    return os.fdopen(descriptor, "rb")


def list_entries(folder: Path, *, most: int) -> list[Path]:
    """Return what a folder from outside holds, sorted.

    Raises:
        BadFile: it cannot be read, or holds more than `most` entries.
    """
    try:
        found = list(islice(folder.iterdir(), most + 1))
    except OSError as error:
        raise BadFile(translatable("{path} cannot be read: {why}", path=folder, why=os_words(error))) from error
    if len(found) > most:
        raise BadFile(
            translatable("{folder} holds more files than a session or recording has ({most})", folder=folder, most=most)
        )
    return sorted(found)


def decode_text(raw: bytes, *, errors: str = "strict") -> str:
    """Return the text of bytes from outside: UTF-8, or UTF-16 by its mark or by how it begins, as Windows writes it.

    Raises:
        UnicodeDecodeError: they are neither, and `errors` does not say what to do.
    """
    return raw.decode(_encoding(raw), errors)


def _encoding(raw: bytes) -> str:
    if len(raw) > 1 and (raw[0] == 0) != (raw[1] == 0):  # each text of ours begins with a letter or sign of ASCII
        return "utf-16-le" if raw[0] else "utf-16-be"
    return next((encoding for mark, encoding in _MARKS.items() if raw.startswith(mark)), "utf-8")


def read_lines(path: Path, *, longest: int) -> Iterator[bytes]:
    """Yield the lines of a plain file from outside as UTF-8, whatever `decode_text` takes.

    One longer than `longest` bytes becomes "?", which no parser takes.

    Raises:
        BadFile: it is no plain file.
    """
    with open_regular(path) as file:
        encoding = _encoding(file.read(3))
        file.seek(len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0)
        read = _utf8_lines(file, encoding) if encoding.startswith("utf-16") else file.readline
        while line := read(longest + 1):
            if len(line) > longest and not line.endswith(b"\n"):
                while (rest := read(_CHUNK)) and not rest.endswith(b"\n"):
                    pass
                yield b"?"
                continue
            yield line


def _utf8_lines(file: BinaryIO, encoding: str) -> Callable[[int], bytes]:
    """Return what reads a line, or the beginning of one, in another encoding."""
    text = TextIOWrapper(file, encoding=encoding, errors="replace", newline="\n")
    return lambda most: text.readline(most).encode()


def create_file(path: Path) -> BinaryIO:
    """Open a new file of this user alone for writing.

    Raises:
        OSError: there is one already, or it cannot be made.
    """
    return os.fdopen(open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb")


def write_whole(path: Path, data: bytes, *, mtime_ns: int | None = None) -> None:
    """Write a file by one rename, whole or not at all: on the disk before its name is.

    Args:
        path: the file.
        data: what it will hold.
        mtime_ns: when it is to have been written; None: now.

    Raises:
        OSError: it cannot be written; the old one is as it was.
    """
    partial = path.with_name(partial_name(path.name))
    try:
        with suppress(FileNotFoundError):
            partial.unlink()
        with create_file(partial) as file:
            _write(file, data)
            if mtime_ns is not None:
                os.utime(file.fileno(), ns=(mtime_ns, mtime_ns))
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def partial_name(name: str) -> str:
    """Return the name of a file while it is written; after a kill it may be left."""
    return f".{name}.part"


def _write(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def put_in_place(new: Path, path: Path) -> None:
    """Rename a finished file over another one; both are on the disk before the name changes and after.

    Raises:
        OSError: the disk does not take it.
    """
    _sync(new)
    new.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Return once the names in a folder are on the disk as they are now.

    Raises:
        OSError: the disk does not take them.
    """
    _sync(folder)


def _sync(path: Path) -> None:
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, waits: bool = False, shared: bool = False) -> bool:
    """Lock an open file or folder until it is closed, however the process ends; return False if another one holds it.

    Args:
        descriptor: of the file.
        waits: whether to wait for whoever holds it.
        shared: whether others may hold a shared lock beside.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Unlock a file before it is closed: a map of it holds a duplicate of the descriptor."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def hold_lock(path: Path, *, folder: bool = False, waits: bool = False) -> Iterator[int | None]:
    """Hold the lock of a file, which is made if missing, or of a folder; yield it open, None where another holds it.

    Raises:
        OSError: it cannot be opened, or is a link.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    descriptor = open_file(path, os.O_RDONLY | os.O_DIRECTORY if folder else os.O_RDWR | os.O_CREAT)
    try:
        yield descriptor if lock(descriptor, waits=waits) else None
    finally:
        os.close(descriptor)
