"""Parts of a set of trajectories that workers of a cluster load again, each from the same files.

A part is plain data: where the files are, and the keys of its trajectories. The files must be there under the same
path for every worker.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from daemon.history.trajectory.layouts.layout import Layout
from daemon.history.trajectory.layouts.loading import load_trajectories
from daemon.history.trajectory.layouts.session import load_session
from daemon.history.trajectory.layouts.trajectory_set import TrajectorySet
from daemon.history.trajectory.trajectory import Trajectory
from storage.errors import BadFile

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPart:
    """Trajectories of one set, by their keys; `path` names its files or a session's folder.

    `run` tells runs apart: a worker that outlives one loads the files again for the next.
    """

    run: str
    path: str
    layout: Layout
    keys: tuple[str, ...]


def together(items: Sequence[_T], key: Callable[[_T], Hashable]) -> list[list[int]]:
    """Return the numbers of the items, those with equal keys together, in the order of the first of each."""
    found: dict[Hashable, list[int]] = {}
    for number, item in enumerate(items):
        found.setdefault(key(item), []).append(number)
    return list(found.values())


def load_part(part: SetPart, divided: Callable[[Trajectory], Sequence[Trajectory]]) -> TrajectorySet:
    """Return a set with the trajectories of a part alone, in its order.

    Args:
        part: which they are.
        divided: how a trajectory of a session is divided before its parts are looked up by key.

    Raises:
        BadFile: the files cannot be read, or are not those that were there when the part was made.
    """
    path = Path(part.path)
    if part.layout is Layout.SESSION:
        whole = load_session(path)
        found = {trajectory.key: trajectory for each in whole.trajectories for trajectory in (each, *divided(each))}
    else:
        whole = _loaded(path, part.layout, part.run)
        found = {trajectory.key: trajectory for trajectory in whole.trajectories}
    if any(key not in found for key in part.keys):
        raise BadFile(f"{path} does not hold what it held before", remedy="every worker must see the same files")
    return replace(whole, trajectories=tuple(found[key] for key in part.keys))


@lru_cache(maxsize=1)
def _loaded(path: Path, layout: Layout, run: str) -> TrajectorySet:  # noqa: ARG001  # tells equal paths apart
    """Return the set in some files; a worker takes many parts of one set, one after the other."""
    return load_trajectories(path, layout)
