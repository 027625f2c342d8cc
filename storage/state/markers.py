"""Facts that are kept as empty files: they can be written while the disk is full and the database is locked.

That the file is there is the fact, and its modification time is a time that belongs to it. Whatever stops capture is
written this way, in the caller's thread, before anything else follows from it.
"""

import os
from pathlib import Path

from storage.errors import EnvironmentFault, os_words
from storage.files import open_file, private_folder, sync_folder
from storage.translation import Sentence, translatable

REVOKED = "consent-revoked"
"""Consent was taken back, at that time."""

PAUSED = "paused"
"""Capture is paused until that time; time 0 stands for a pause without an end."""

PRIVATE = "private"
"""It is private time, since that time."""


class Marker:
    """One such file. Safe to use from several threads, which may not expect an order."""

    def __init__(self, path: Path) -> None:
        """Use the file at `path`; nothing is read or written yet."""
        self.path = path

    def set(self, wall_ns: int) -> None:
        """Create the file with this time, or change its time; it is on the disk once this has returned.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        private_folder(self.path.parent)
        try:
            fd = open_file(self.path, os.O_WRONLY | os.O_CREAT)
            try:
                os.utime(fd, ns=(wall_ns, wall_ns))
                os.fsync(fd)
            finally:
                os.close(fd)
            sync_folder(self.path.parent)
        except OSError as error:
            raise self._fault(translatable("{path} cannot be written: {why}"), error) from error

    def wall_ns(self) -> int | None:
        """Return the time of the file; None if there is none.

        Raises:
            EnvironmentFault: the system does not say whether there is one.
        """
        try:
            return self.path.lstat().st_mtime_ns
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._fault(translatable("{path} cannot be read: {why}"), error) from error

    def clear(self) -> None:
        """Remove the file, if there is one; it is gone from the disk once this has returned.

        Raises:
            EnvironmentFault: it cannot be removed.
        """
        try:
            self.path.unlink()
            sync_folder(self.path.parent)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._fault(translatable("{path} cannot be removed: {why}"), error) from error

    def _fault(self, what: str, error: OSError) -> EnvironmentFault:
        return EnvironmentFault(
            Sentence(what, {"path": self.path, "why": os_words(error)}),
            remedy=translatable("check who owns the folder and its file system"),
            code="storage_failed",
        )
