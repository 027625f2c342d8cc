"""What a desktop was answered when it asked whether Kairos may see the screen: a token that stands for a yes, or a no.

It is a file beside the database, because capture writes it, and it goes with the consent.
"""

import contextlib
from pathlib import Path

from storage.errors import BadFile
from storage.files import open_regular, private_folder, state_folder, write_whole
from storage.state.markers import REVOKED, Marker

PICTURES = "pictures-allowed"
_MAX_BYTES = 1024
_PUT_OFF: set[Path] = set()


class PicturePermission:
    """That answer, in one data folder."""

    def __init__(self, folder: Path | None = None) -> None:
        """Use the one in `folder`, by default ours."""
        self._path = (folder or state_folder()) / PICTURES

    @property
    def token(self) -> str | None:
        """What stands for the yes; empty where it was a no, None where nobody was asked."""
        with contextlib.suppress(BadFile), open_regular(self._path) as file:
            return file.read(_MAX_BYTES).decode(errors="replace")
        return "" if self._path in _PUT_OFF else None

    def put_off(self) -> None:
        """Count as a no until this process ends, since nobody has answered: a question at each try would pester."""
        _PUT_OFF.add(self._path)

    def save(self, token: str) -> None:
        """Keep what stands for the yes now, which may be another token each time; an empty one for a no.

        Nothing is kept once consent was taken back: the answer may come while that happens.

        Raises:
            OSError: it cannot be written.
        """
        private_folder(self._path.parent)
        write_whole(self._path, token.encode())
        if Marker(self._path.with_name(REVOKED)).wall_ns() is not None:
            self.forget()

    def forget(self) -> None:
        """Have it asked again; no error if nobody was asked.

        Raises:
            EnvironmentFault: the file cannot be removed.
        """
        _PUT_OFF.discard(self._path)
        Marker(self._path).clear()
