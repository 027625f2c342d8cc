"""Loads the trajectories of a recorded session, with its pictures where it has any, and those of files."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.history.trajectory.plain import load_plain
from daemon.history.trajectory.steps import KINDS, trajectories
from daemon.history.trajectory.trajectory import SESSION, TrajectorySet
from storage.errors import BadFile
from storage.records import Box, Frame, Record
from storage.session.log import SessionReader

if TYPE_CHECKING:
    from storage.session.video import SessionImages


LAYOUTS = "kairos.trajectory_layouts"
"""Entry points: functions that return the set in a file or folder, or None where it is in plain JSON lines."""


def load_trajectories(path: Path) -> TrajectorySet:
    """Return the trajectories in a file or below a folder: plain JSON lines, or a layout that another package knows.

    Raises:
        BadFile: nobody knows the layout, or a row does not fit; says which.
        EnvironmentFault: a package that the files need is missing.
    """
    for entry in entry_points(group=LAYOUTS):
        found: TrajectorySet | None = entry.load()(path)
        if found is not None:
            return found
    return load_plain(path)


class SessionPictures:
    """Pictures in a session's video; read in the order of time each file is decoded once."""

    def __init__(self, folder: Path) -> None:
        """Read from a session's folder; nothing is opened before the first picture."""
        self.folder = folder
        self._images: SessionImages | None = None

    def read(self, name: str) -> bytes:
        """Return a picture as JPEG.

        Raises:
            BadFile: it was lost, or the video cannot be read.
        """
        from storage.session.video import SessionImages

        if self._images is None:
            self._images = SessionImages(self.folder, ())
        found = self._images.jpeg_of(name)
        if found is None:
            raise BadFile(f"a picture of {self.folder.name} was lost")
        return found

    def close(self) -> None:
        """Close the file that is open."""
        if self._images is not None:
            self._images.close()
            self._images = None


def load_session(folder: Path) -> TrajectorySet:
    """Return what was done in a session; pauses, private time and two minutes without input end a trajectory.

    Raises:
        BadFile: the session cannot be read.
    """
    areas: dict[str, Box] = {}

    def rows(reader: SessionReader) -> Iterator[Record]:
        yield reader.first()
        for row in reader.rows(KINDS):
            if isinstance(row, Frame) and row.image_ref is not None:
                areas[row.image_ref] = Box(0, 0, *row.size)
            yield row

    with SessionReader(folder) as reader:
        found = tuple(trajectories(rows(reader)))
    return TrajectorySet(layout=SESSION, trajectories=found, pictures=SessionPictures(folder), areas=areas)
