"""Errors of all rooms, split by whose fault they are.

KairosError            carries an exit code for the command line
├── UsageError         wrong usage or setting (exit 2)
├── EnvironmentFault   no display, disk full, no permission, another instance (exit 3)
└── BadFile            a file from outside is damaged, foreign or hostile (exit 4)
A bug is none of these: it crashes its stage.

What reaches a window is `translatable`, and said there in the language of the interface; everywhere else it is English.
"""

import errno
from collections.abc import Mapping
from typing import Final

from storage.translation import phrase, sentence_facts

_OS_WORDS: Final[Mapping[int, str]] = {
    errno.EACCES: phrase("Permission denied"),
    errno.EAGAIN: phrase("Resource temporarily unavailable"),
    errno.EBUSY: phrase("Device or resource busy"),
    errno.ECONNREFUSED: phrase("Connection refused"),
    errno.ECONNRESET: phrase("Connection reset by peer"),
    errno.EDQUOT: phrase("Disk quota exceeded"),
    errno.EEXIST: phrase("File exists"),
    errno.EFBIG: phrase("File too large"),
    errno.EINVAL: phrase("Invalid argument"),
    errno.EIO: phrase("Input/output error"),
    errno.EISDIR: phrase("Is a directory"),
    errno.ELOOP: phrase("Too many levels of symbolic links"),
    errno.EMFILE: phrase("Too many open files"),
    errno.ENAMETOOLONG: phrase("File name too long"),
    errno.ENOENT: phrase("No such file or directory"),
    errno.ENOMEM: phrase("Cannot allocate memory"),
    errno.ENOSPC: phrase("No space left on device"),
    errno.ENOTDIR: phrase("Not a directory"),
    errno.ENOTEMPTY: phrase("Directory not empty"),
    errno.ENXIO: phrase("No such device or address"),
    errno.EPERM: phrase("Operation not permitted"),
    errno.EPIPE: phrase("Broken pipe"),
    errno.EROFS: phrase("Read-only file system"),
    errno.ETIMEDOUT: phrase("Connection timed out"),
    errno.ETXTBSY: phrase("Text file busy"),
}
"""What the C library says of the usual errors, in its words, so that they can be translated."""


def os_words(error: OSError) -> str:
    """Return what the system says about an error: translatable for the usual ones, else as the C library has it."""
    return _OS_WORDS.get(error.errno or 0) or error.strerror or type(error).__name__


class KairosError(Exception):
    """An error that is shown to the person in one line, with what to do about it.

    Messages never hold screen text, keys, titles, prompts or answers.
    """

    exit_code = 1

    def __init__(self, what: str, *, remedy: str = "") -> None:
        super().__init__(what if not remedy else f"{what}\n{remedy}")
        self.what = what
        self.remedy = remedy

    def facts(self) -> dict[str, object]:
        """Return what commands print with `--json`; `said` is for a window, which may speak another language."""
        said = [sentence_facts(self.what), sentence_facts(self.remedy)]
        return {"error": str(self.what), "remedy": str(self.remedy), "said": said}


class UsageError(KairosError):
    """A command or setting was given wrongly."""

    exit_code = 2


class EnvironmentFault(KairosError):  # noqa: N818  # "fault" says whose: the environment's
    """Something around us does not work: display, disk, permission, another instance."""

    exit_code = 3

    def __init__(self, what: str, *, remedy: str = "", code: str = "") -> None:
        """Store `code`, the entry of `storage.messages.PROBLEMS` that a `Problem` record of this fault carries."""
        super().__init__(what, remedy=remedy)
        self.code = code


class BadFile(KairosError):  # noqa: N818  # reads as what it is in an except clause
    """A file from outside cannot be used."""

    exit_code = 4
