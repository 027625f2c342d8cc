"""Divides sources among the workers of a cluster so that no two of them ever ask the same question.

A session is one share, since its answers lie in its folder. Of files, trajectories whose questions may be equal are in
one share: what a worker has asked it finds stored. A question is equal if its words are, so whoever divides says what
those depend on.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from daemon.diagnosis.goals.material import step_text
from daemon.diagnosis.model_diagnosis.case import parts_of
from daemon.diagnosis.model_diagnosis.sources import TrajectorySource
from daemon.history.trajectory.layouts.shares import SetPart, load_part, together
from daemon.history.trajectory.trajectory import Trajectory
from daemon.replay.parallel.pool import is_on_this_machine, map_in_order
from storage.errors import UsageError

_Job = TypeVar("_Job")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePart:
    """Some trajectories of a source."""

    name: str
    part: SetPart
    session: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one worker does: parts of sources; `places` say which trajectories of all those are, counted from 0."""

    parts: tuple[SourcePart, ...]
    places: tuple[int, ...]

    def __str__(self) -> str:
        """Return the name of its first source."""
        return self.parts[0].name


def steps_of(trajectory: Trajectory) -> Hashable:
    """Return what every question depends on that shows the steps."""
    return tuple(step_text(step) for step in trajectory.steps)


def shares_of(sources: Sequence[TrajectorySource], key: Callable[[Trajectory], Hashable]) -> list[Share]:
    """Return the shares; trajectories of files with an equal key are in one.

    Raises:
        UsageError: a source is not in files that could be loaded again.
    """
    every = [(source, trajectory) for source in sources for trajectory in source.whole.trajectories]

    def group(item: tuple[TrajectorySource, Trajectory]) -> Hashable:
        source, one = item
        return ("session", source.session) if source.session is not None else ("files", key(one))

    run = token_hex(8)
    return [_share([every[place] for place in places], places, run) for places in together(every, group)]


def _share(items: Sequence[tuple[TrajectorySource, Trajectory]], places: Sequence[int], run: str) -> Share:
    parts: list[SourcePart] = []
    before: TrajectorySource | None = None
    for source, one in items:
        if source.path is None:
            raise UsageError(f"{source.name} is in no file, so no cluster can load it", remedy="leave --scheduler out")
        if source is before:
            keys = (*parts[-1].part.keys, one.key)
            parts[-1] = replace(parts[-1], part=replace(parts[-1].part, keys=keys))
            continue
        part = SetPart(run=run, path=str(source.path.absolute()), layout=source.whole.layout, keys=(one.key,))
        session = None if source.session is None else str(source.session)
        parts.append(SourcePart(name=source.name, part=part, session=session))
        before = source
    return Share(parts=tuple(parts), places=tuple(places))


def sources_in(share: Share) -> list[TrajectorySource]:
    """Return the sources of a share with its trajectories alone, loaded again.

    Raises:
        BadFile: the files cannot be read, or have changed since.
    """
    return [
        TrajectorySource(
            name=part.name,
            whole=load_part(part.part, parts_of),
            session=None if part.session is None else Path(part.session),
            path=Path(part.part.path),
        )
        for part in share.parts
    ]


def done_by_cluster(
    function: Callable[[_Job], _T],
    jobs: Sequence[_Job],
    *,
    scheduler: str,
    report: Callable[[str], None],
    step: Callable[[str], None] = lambda _: None,
) -> Iterator[_T]:
    """Yield what workers of a cluster make of jobs, in order; `step` is called with the name of each that is done.

    Raises:
        EnvironmentFault: the cluster cannot be used, or what a worker raised.
        UsageError: the address is invalid.
    """
    found = map_in_order(function, jobs, scheduler=scheduler, workers=0, report=report)
    for number, (job, one) in enumerate(zip(jobs, found, strict=True), start=1):
        step(f"part {number} of {len(jobs)} done; {job}")
        yield one


def in_order(shares: Iterable[Share], results: Iterable[Sequence[_T]]) -> list[_T]:
    """Return the results of all trajectories in the order in which they would have come from one process."""
    placed: dict[int, _T] = {}
    for share, found in zip(shares, results, strict=True):
        placed.update(zip(share.places, found, strict=True))
    return [placed[place] for place in sorted(placed)]


def refuse_elsewhere(scheduler: str | None, *, of_person: bool) -> None:
    """Refuse to have recorded sessions of a person asked about by a cluster on other machines.

    Raises:
        UsageError: it is one.
    """
    if of_person and scheduler is not None and not is_on_this_machine(scheduler):
        raise UsageError(
            f"{scheduler} is on another machine, and recorded sessions may not leave this one",
            remedy="leave --scheduler out, or name a scheduler at 127.0.0.1",
        )
