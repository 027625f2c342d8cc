"""Runs a recording through the engine with a detector and the policy `utility`, without quiet minutes at its begin."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context

from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from detectors import registry as detector_registry
from lab.people.layouts import Source
from lab.people.recording import Demo, Recording
from policies import registry as policy_registry
from storage.clock import NS_PER_S
from storage.records import Estimate, Offer, Prefix, SessionEnd
from storage.settings import PolicySettings, Settings

POLICY = "utility"
_NICE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One recording to run: under which program's name, and by which detector."""

    source: Source
    app: str
    detector: str
    unanswered: float = 0.0
    features: tuple[str, ...] = ()
    """Features of each prefix to return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One prefix: when it ended, the need estimated, whether the detector abstained, and the features asked for."""

    end_ns: int
    fraction: float
    help_need: float
    abstained: bool
    features: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What came of one recording; `offers` are times and topics."""

    name: str
    person: str
    task: str
    seconds: float
    offers: tuple[tuple[int, str], ...]
    prefixes: tuple[Judged, ...]
    demos: tuple[Demo, ...]


def watch_all(jobs: Sequence[Job], *, workers: int | None = None) -> Iterator[Watched]:
    """Yield the results in order; several processes at low priority where there are many."""
    count = min(workers or os.cpu_count() or 1, len(jobs))
    if count <= 1:
        yield from map(watch, jobs)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICE,)) as pool:
        yield from pool.map(watch, jobs, chunksize=max(1, min(8, len(jobs) // (8 * count))))


def watch(job: Job) -> Watched:
    """Read one recording and run it.

    Raises:
        BadFile: it cannot be read.
    """
    return run(job.source.read(job.app, job.unanswered), job.detector, job.features)


def run(recording: Recording, detector_name: str, features: tuple[str, ...] = ()) -> Watched:
    """Run a recording through the engine; nobody answers the offers."""
    defaults = Settings()
    settings = replace(
        defaults,
        detector=replace(defaults.detector, name=detector_name),
        policy=PolicySettings(name=POLICY, quiet_start_s=0.0),
    )
    detector = detector_registry.load(settings.detector)
    policy = policy_registry.load(settings.policy, settings.detector.base_rate)
    start = first_row(
        settings=settings,
        detector=detector,
        policy=policy,
        session_id=recording.name,
        wall_ns=0,
        recording=False,
        imported_from="people",
    )
    engine = Engine(detector=detector, policy=policy, settings=settings)
    offers: list[tuple[int, str]] = []
    judged: list[Judged] = []
    prefix: Prefix | None = None
    for at_ns, record in ((0, start), *recording.sources, (recording.end_ns, SessionEnd(reason="imported"))):
        for step in engine.take_with_ticks(record, at_ns):
            for row in step:
                if isinstance(row, Prefix):
                    prefix = row
                elif isinstance(row, Offer):
                    offers.append((row.shown_at_ns, row.topic))
                elif isinstance(row, Estimate) and prefix is not None:
                    judged.append(_judged(prefix, row, features))
                    prefix = None
    return Watched(
        name=recording.name,
        person=recording.person,
        task=recording.task,
        seconds=recording.end_ns / NS_PER_S,
        offers=tuple(offers),
        prefixes=tuple(judged),
        demos=recording.demos,
    )


def _judged(prefix: Prefix, estimate: Estimate, features: tuple[str, ...]) -> Judged:
    return Judged(
        end_ns=prefix.end_ns,
        fraction=prefix.fraction,
        help_need=estimate.help_need,
        abstained=estimate.abstained,
        features=tuple(prefix.features[name] for name in features),
    )
