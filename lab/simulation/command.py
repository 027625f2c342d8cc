"""`kairos simulate`: labelled sessions by simulated users in real programs, as many as are requested.

Which sessions there are follows from seed, programs and people alone, so the same command again plays only what is
missing, and a longer one begins with the same sessions.
"""

import argparse
import json
import random
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.simulation.persona import Split, people_of
from lab.simulation.recording.demos import pack_recordings
from lab.simulation.recording.pack import Entry, Head, read_packed
from lab.simulation.recording.session import SessionSpec
from lab.simulation.recording.workers import PackedWorkers, RunResult, VideoWorkers, folder_lock
from lab.simulation.tasks.plan import session_seconds
from lab.simulation.tasks.registry import TASK_PROGRAMS
from storage.errors import EnvironmentFault, UsageError

SHORTEST_S = 15.0
LONGEST_S = 24 * 3600.0
"""The longest that may be requested: more is taken for a typing mistake."""
LATE_MS = 20.0
"""Hands later than this at the 95th percentile did not act out what their labels say: such sessions are not used for
training."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationRequest:
    """Which sessions are requested, and where to store them."""

    out: Path
    split: Split
    apps: tuple[str, ...]
    people: tuple[int, ...]
    seed: int
    minutes: float
    desktops: int


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos simulate`."""
    request = parse_request(arguments)
    try:
        request.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            f"{request.out} cannot be used: {error.strerror}", remedy="give another: --out"
        ) from error
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as by ctrl+c: no desktop is left behind
    with folder_lock(request.out):
        if arguments.from_demos is not None:
            packed = RunResult(sessions=pack_recordings(arguments.from_demos, request.out))
            facts, render, failed = result_facts(request, packed), render_result, packed.failed
        elif arguments.video:
            videos = VideoWorkers(request.out, desktops=1, report=_print_progress).play(specs_of(request))
            facts, render, failed = video_facts(request, videos), render_videos, videos.failed
        else:
            result = PackedWorkers(request.out, desktops=request.desktops, report=_print_progress).play(
                specs_of(request)
            )
            facts, render, failed = result_facts(request, result), render_result, result.failed
    print(json.dumps(facts) if arguments.json else render(facts))
    return 1 if failed else 0


def parse_request(arguments: argparse.Namespace) -> SimulationRequest:
    """Return what the command line requests.

    Raises:
        UsageError: a program or person does not belong to the split, or the minutes are too few, too many or no number.
    """
    split = Split(arguments.split)
    apps = tuple(arguments.apps.split(",")) if arguments.apps else TASK_PROGRAMS[split]
    if wrong := set(apps) - set(TASK_PROGRAMS[split]):
        other = next((each for each in Split if set(apps) <= set(TASK_PROGRAMS[each])), None)
        raise UsageError(
            f"sessions for {split} are not made in {', '.join(sorted(wrong))}",
            remedy=f"there are: {', '.join(TASK_PROGRAMS[split])}" + (f"; or give --split {other}" if other else ""),
        )
    if not SHORTEST_S <= arguments.minutes * 60 <= LONGEST_S:  # NaN fails this too
        raise UsageError(
            f"--minutes {arguments.minutes} is not between {SHORTEST_S / 60} and {LONGEST_S / 60:.0f}",
            remedy=f"a session takes at least {SHORTEST_S:.0f} s, and an order at most a day",
        )
    return SimulationRequest(
        out=arguments.out.absolute(),
        split=split,
        apps=apps,
        people=_people(split, arguments.people),
        seed=arguments.seed,
        minutes=arguments.minutes,
        desktops=arguments.desktops,
    )


def specs_of(request: SimulationRequest) -> list[SessionSpec]:
    """Return the sessions of a request: programs in turn, and every persona once before any comes again."""
    plans: list[SessionSpec] = []
    people: list[int] = []
    left_s = request.minutes * 60
    while left_s >= SHORTEST_S:
        number = len(plans)
        if not people:
            people = list(request.people)
            random.Random(f"people {request.seed} {number}").shuffle(people)  # noqa: S311  # a script, no secret
        program = request.apps[number % len(request.apps)]
        seed = f"{request.seed}-{number}"
        plans.append(
            SessionSpec(
                name=f"{request.split}-{request.seed}-{number:04}-{program}",
                seed=seed,
                person=people.pop(),
                program=program,
                split=request.split,
                seconds=min(left_s, session_seconds(seed)),
            )
        )
        left_s -= plans[-1].seconds
    return plans


def result_facts(request: SimulationRequest, result: RunResult[Entry]) -> dict[str, Any]:
    """Return the object of `kairos simulate --json`."""
    packed = [read_packed(entry.path(request.out)) for entry in result.sessions]
    labels = [label for session in packed for label in session.labels]
    labelled_s = sum(label.end_ns - label.start_ns for label in labels) / 1e9
    needy_s = sum(label.end_ns - label.need_from_ns for label in labels if label.need_from_ns is not None) / 1e9
    broken = Counter(f"{session.program}: {broken.behavior}" for session in packed for broken in session.head.broken)
    return {
        "out": str(request.out),
        "simulated": True,
        "sessions": [asdict(entry) for entry in result.sessions],
        "before": result.before,
        "failed": [asdict(failure) for failure in result.failed],
        "ended_early": {entry.name: entry.ended for entry in result.sessions if entry.ended},
        "labelled_minutes": round(labelled_s / 60, 1),
        "labels": dict(sorted(Counter(label.state or "away" for label in labels).items())),
        "need_share": round(needy_s / (labelled_s or 1.0), 3),
        "broken": dict(broken.most_common()),
        "late_p95_ms": max((entry.late_p95_ms for entry in result.sessions), default=0.0),
        "late": {entry.name: entry.late_p95_ms for entry in result.sessions if entry.late_p95_ms > LATE_MS},
        "bytes": sum(entry.bytes for entry in result.sessions),
    }


def video_facts(request: SimulationRequest, videos: RunResult[Head]) -> dict[str, Any]:
    """Return the object of `kairos simulate --video --json`."""
    labels = [label for head in videos.sessions for label in head.labels]
    files = [path for head in videos.sessions for path in (request.out / head.name).rglob("*") if path.is_file()]
    return {
        "out": str(request.out),
        "simulated": True,
        "sessions": [head.name for head in videos.sessions],
        "before": videos.before,
        "failed": [asdict(failure) for failure in videos.failed],
        "labels": dict(sorted(Counter(label.state or "away" for label in labels).items())),
        "late_p95_ms": max((head.lateness.p95_ms for head in videos.sessions), default=0.0),
        "bytes": sum(path.stat().st_size for path in files),
    }


def render_videos(facts: Mapping[str, Any]) -> str:
    """Return the result of recording videos as text."""
    states = ", ".join(f"{state} {count}" for state, count in facts["labels"].items())
    there = f"{facts['before']} were there before"
    lines = [
        f"{len(facts['sessions'])} simulated sessions with video ({there}) in {facts['out']}",
        f"  behaviors: {states}",
        f"  lateness of the hands, p95 of the worst session: {facts['late_p95_ms']} ms; {facts['bytes'] / 1e6:.2f} MB",
        f"  ask a model about them: kairos bench guide {facts['out']} --model M",
    ]
    lines += [f"  {failure['name']} FAILED: {failure['why']}" for failure in facts["failed"]]
    return "\n".join(lines)


def render_result(facts: Mapping[str, Any]) -> str:
    """Return the result as text."""
    states = ", ".join(f"{state} {count}" for state, count in facts["labels"].items())
    lines = [
        f"{len(facts['sessions'])} simulated sessions ({facts['before']} were there before) in {facts['out']}",
        f"  {facts['labelled_minutes']} minutes labelled, help needed in {100 * facts['need_share']:.0f} % of them",
        f"  behaviors: {states}",
        f"  lateness of the hands, p95 of the worst session: {facts['late_p95_ms']} ms; {facts['bytes'] / 1e6:.2f} MB",
    ]
    lines += [f"  broken {count} times: {what}" for what, count in facts["broken"].items()]
    lines += [f"  {name} late by {late_ms} ms at p95: not used for training" for name, late_ms in facts["late"].items()]
    if facts["late"]:
        lines.append("  the machine was too busy: make others with --desktops 1 and another --seed")
    lines += [f"  {name} ended early: {why}" for name, why in facts["ended_early"].items()]
    lines += [f"  {failure['name']} FAILED: {failure['why']}" for failure in facts["failed"]]
    return "\n".join(lines)


def _people(split: Split, wanted: str | None) -> tuple[int, ...]:
    """Return the people of a split, or those of them whose numbers are in "A-B"."""
    if wanted is None:
        return tuple(people_of(split))
    first, dash, last = wanted.partition("-")
    if not (first.isdecimal() and (last.isdecimal() or not dash)):
        raise UsageError(f"--people {wanted} is no range of people", remedy="for example --people 0-11")
    found = tuple(person for person in people_of(split) if int(first) <= person <= int(last or first))
    if not found:
        there = ", ".join(str(person) for person in people_of(split))
        raise UsageError(f"no simulated person in {wanted} belongs to {split}", remedy=f"there are: {there}")
    return found


def _print_progress(text: str) -> None:
    print(f"simulate: {text}", file=sys.stderr, flush=True)
