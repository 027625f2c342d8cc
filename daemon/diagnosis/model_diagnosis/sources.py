"""Finds what is asked about: sessions of this machine, and files of trajectories that somebody names."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from daemon.diagnosis.model_diagnosis.case import LEAST_STEPS, MAX_STEPS, parts_of
from daemon.history.trajectory.loading import load_session, load_trajectories
from daemon.history.trajectory.steps import PERSON
from daemon.history.trajectory.trajectory import PLAIN, SESSION, TrajectorySet
from storage.errors import UsageError
from storage.session.heartbeat import is_recording
from storage.session.log import DATABASE, SessionReader, find_session, list_sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectorySource:
    """Trajectories that are judged together: those of a session, or of a file or folder.

    `session` is the folder in which answers lie.
    """

    name: str
    whole: TrajectorySet
    session: Path | None = None
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def of_person(self) -> bool:
        """Whether it is about a person of this machine; sets of published data are not."""
        own = self.whole.layout in (SESSION, PLAIN)
        return own and any(trajectory.whose == PERSON for trajectory in self.whole.trajectories)


def sources_of(names: Sequence[str], base: Path, *, since: float = 0.0) -> Iterator[TrajectorySource]:
    """Yield what is named, one after the other; without names every session that was recorded on this machine.

    Args:
        names: sessions, or files and folders of trajectories.
        base: the folder of all sessions.
        since: sessions without rows after this time, in seconds since the epoch, are left out.

    Raises:
        BadFile: one cannot be read.
        UsageError: there is none of a name, or a session is elsewhere.
    """
    ours = {folder.absolute() for folder in list_sessions(base)}
    if not names:
        for folder in sorted(ours):
            if _went_on(folder, since) and not is_recording(folder) and not _is_imported(folder):
                yield _session_source(folder)
    for name in names:
        path = Path(name)
        if path.exists() and not (path / DATABASE).exists():
            yield _file_source(path)
            continue
        folder = find_session(name, base).absolute()
        if folder not in ours:
            raise UsageError(
                f"{folder} is not among the recorded sessions, where answers about it would lie",
                remedy="import it: kairos sessions import, or diagnose it without --model",
            )
        if is_recording(folder):
            raise UsageError(f"{folder.name} is being recorded", remedy="try again when it has ended")
        if _went_on(folder, since):
            yield _session_source(folder)


def _went_on(folder: Path, since: float) -> bool:
    return (folder / DATABASE).stat().st_mtime >= since


def _is_imported(folder: Path) -> bool:
    with SessionReader(folder) as reader:
        return reader.first().imported_from is not None


def _session_source(folder: Path) -> TrajectorySource:
    """Return the trajectories of a session that are long enough to be a piece of work, in parts if they are long."""
    whole = load_session(folder)
    long = [trajectory for trajectory in whole.trajectories if len(trajectory.steps) >= LEAST_STEPS]
    left_out = Counter({f"fewer than {LEAST_STEPS} steps": len(whole.trajectories) - len(long)})
    parts = tuple(part for work in long for part in parts_of(work))
    return TrajectorySource(
        name=folder.name, whole=replace(whole, trajectories=parts), session=folder, left_out=+left_out
    )


def _file_source(path: Path) -> TrajectorySource:
    whole = load_trajectories(path)
    fit = tuple(trajectory for trajectory in whole.trajectories if 0 < len(trajectory.steps) <= MAX_STEPS)
    left_out = Counter(whole.left_out)
    left_out[f"no steps, or more than {MAX_STEPS}"] += len(whole.trajectories) - len(fit)
    return TrajectorySource(name=path.name, whole=replace(whole, trajectories=fit), left_out=+left_out)
