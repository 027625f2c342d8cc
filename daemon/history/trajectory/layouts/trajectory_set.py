"""What a loader returns: trajectories, where their pictures are, and what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from daemon.history.trajectory.layouts.layout import Layout
from daemon.history.trajectory.trajectory import Trajectory
from storage.records import Box


class PictureReader(Protocol):
    """Reads the pictures that steps name."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a PNG or JPEG file.

        Raises:
            BadFile: there is no such picture, or it leads out of the set's folder.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectorySet:
    """Trajectories of one source.

    Attributes:
        layout: how their files are laid out.
        trajectories: each with a key of its own, in the order of the files.
        pictures: reads what their steps name.
        domains: the domain of a trajectory by its key, where the set has one.
        areas: the rectangle of the desktop that a picture shows, where that is not the picture itself.
        by_rules: whether the goal was reached as the rules of a benchmark say, by key, where the set has that.
        whole_pages: whether pictures show pages to their end, of which only a part was on the screen.
        left_out: rows and files that became no trajectory or step, counted by reason.
    """

    layout: Layout
    trajectories: tuple[Trajectory, ...]
    pictures: PictureReader
    domains: Mapping[str, str] = field(default_factory=dict)
    areas: Mapping[str, Box] = field(default_factory=dict)
    by_rules: Mapping[str, bool] = field(default_factory=dict)
    whole_pages: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)
