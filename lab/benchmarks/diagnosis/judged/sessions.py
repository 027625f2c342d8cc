"""Simulated sessions as work whose subtasks are known: a subtask begins where the script began another behavior."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.diagnosis.model_diagnosis.case import LEAST_STEPS, parts_of
from daemon.diagnosis.model_diagnosis.sources import Source
from daemon.history.trajectory.layouts.session import load_session
from daemon.history.trajectory.steps import KINDS, FoundStep, StepFolder
from daemon.history.trajectory.trajectory import Trajectory
from lab.simulation.recording.labels import read_labels
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.session.log import DATABASE, SessionReader

LABELS = "labels.jsonl"
SESSION = "session"
SAMPLE = Path(__file__).parents[4] / "lab" / "sample"
"""The simulated sessions that come with the source; an installed Kairos has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledWork:
    """A piece of work and where its true subtasks begin, in seconds from its first step."""

    source: Source
    trajectory: Trajectory
    boundaries_s: tuple[float, ...]


def is_simulated(folder: Path) -> bool:
    """Tell whether a folder holds sessions of `kairos simulate`."""
    return folder.is_dir() and any(folder.glob(f"*/{LABELS}"))


def labelled_work(folder: Path) -> Iterator[LabelledWork]:
    """Yield the pieces of work in the sessions of `kairos simulate`, one after the other.

    Raises:
        BadFile: one cannot be read.
    """
    for labels_file in sorted(folder.glob(f"*/{LABELS}")):
        session = labels_file.parent / SESSION
        if not (session / DATABASE).exists():
            raise BadFile(f"{labels_file.parent} holds no session", remedy="simulate it again")
        starts_ns = [label.start_ns for label in read_labels(labels_file)]
        whole = load_session(session)
        for trajectory, first_ns in zip(whole.trajectories, _first_steps_ns(session), strict=True):
            for part in parts_of(trajectory) if len(trajectory.steps) >= LEAST_STEPS else ():
                inside = [(start_ns - first_ns) / NS_PER_S for start_ns in starts_ns]
                begin_s, end_s = part.steps[0].at_s, part.steps[-1].at_s
                yield LabelledWork(
                    source=Source(name=part.key, whole=replace(whole, trajectories=(part,)), path=session),
                    trajectory=part,
                    boundaries_s=tuple(moment for moment in inside if begin_s < moment <= end_s),
                )


def _first_steps_ns(session: Path) -> list[int]:
    """Return when each trajectory of a session began, in session time."""
    folder = StepFolder()
    found: list[FoundStep] = []
    with SessionReader(session) as reader:
        for row in reader.rows(KINDS):
            found += folder.add(row)
    found += folder.cut()
    return [one.first_ns for one in found if one.step.number == 1]
