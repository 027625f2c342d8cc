"""Measures `kairos diagnose` as a person runs it, in a process of its own, on sessions made of random numbers.

What is found is compared with what was planted, one to one: same program, sign, control and ending, onset and
end within 3 s. The control is the same sessions with need taken out: nothing may be found there. Memory is that of
the process at its highest, with all sessions against a quarter of them.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.benchmarks.diagnosis.made_sessions import Planted, plan_episodes, write_session
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault, UsageError
from storage.plain_text import print_progress

EACH = 3
"""Episodes planted in each session."""

WITHIN_S = 3.0
FIRST_S, AGAIN_S = 10.0, 1.0
FLAT_MB = 20.0
SIMULATED = "Simulated: these sessions are made of random numbers, nobody worked in them."
_DAY_S, _HOUR_S = 86_400.0, 3600.0
_A_DAY = 8  # sessions on each day
_LEAST_MINUTES = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the command: `seconds` by the clock on the wall, `cpu_s` what it computed."""

    seconds: float
    cpu_s: float
    rss_mb: float
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """How many planted episodes were found, of how many, and how many were found that were not planted."""

    planted: int
    found: int
    other: int


def measure(*, sessions: int, minutes: float, seed: int) -> Report:
    """Make the sessions, run the command, compare.

    Raises:
        UsageError: there is no room for the episodes.
        EnvironmentFault: the command failed.
    """
    if minutes < _LEAST_MINUTES or sessions < 1:
        raise UsageError(f"it takes at least one session of {_LEAST_MINUTES:.0f} minutes")
    with TemporaryDirectory(prefix="kairos-bench-") as name:
        folder = Path(name)
        print_progress(f"making {sessions} sessions of {minutes:g} minutes (simulated)")
        planted = make_sessions(folder / "all", sessions, minutes, seed, stuck=True)
        make_sessions(folder / "few", max(1, sessions // 4), minutes, seed, stuck=True)
        make_sessions(folder / "calm", max(1, sessions // 20), minutes, seed, stuck=False)
        print_progress("reading them")
        few = run_command(folder, folder / "few")
        first = run_command(folder, folder / "all")
        again = run_command(folder, folder / "all")
        calm = run_command(folder, folder / "calm")
    matched = match(planted, first.answer)
    return _report(matched, few, first, again, calm, sessions=sessions, minutes=minutes)


def make_sessions(
    base: Path, count: int, minutes: float, seed: int, *, stuck: bool
) -> dict[str, tuple[float, list[Planted]]]:
    """Write sessions, the newest of today; return when each began and what was planted in it, by its name."""
    base.mkdir(parents=True)
    rng = random.Random(seed)  # noqa: S311  # nothing secret
    now_s = SystemClock().wall_ns() / NS_PER_S
    found: dict[str, tuple[float, list[Planted]]] = {}
    for number in range(count):
        day, slot = divmod(number, _A_DAY)
        wall_s = round(now_s - (day + 1) * _DAY_S + slot * _HOUR_S / 2)
        episodes = plan_episodes(rng, minutes, EACH)
        folder = write_session(base, wall_s, rng, minutes=minutes, episodes=episodes if stuck else ())
        found[folder.name] = (wall_s, episodes)
    return found


def run_command(folder: Path, base: Path) -> Run:
    """Run `kairos diagnose --json` in a process of its own, with empty settings.

    Raises:
        EnvironmentFault: it failed.
    """
    clock = SystemClock()
    environment = {**os.environ, **{f"XDG_{name}_HOME": str(folder / name) for name in ("STATE", "CONFIG", "CACHE")}}
    words = [sys.executable, "-m", "daemon.cli.main", "diagnose", "--sessions", str(base), "--json"]
    answer = folder / "answer.json"
    began_ns = clock.now_ns()
    with answer.open("wb") as out:
        child = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(child.pid, 0)
    seconds = (clock.now_ns() - began_ns) / NS_PER_S
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise EnvironmentFault(f"kairos diagnose ended with {child.returncode}")
    return Run(
        seconds=seconds,
        cpu_s=used.ru_utime + used.ru_stime,
        rss_mb=used.ru_maxrss / 1024,
        answer=json.loads(answer.read_text(encoding="utf-8")),
    )


def match(planted: dict[str, tuple[float, list[Planted]]], answer: dict[str, Any]) -> Matched:
    """Compare what was found with what was planted, one to one."""
    left = {session: list(episodes) for session, (_, episodes) in planted.items()}
    found = other = 0
    for episode in answer["episodes"]:
        began_s = planted[episode["session"]][0]
        same = next((each for each in left[episode["session"]] if _is_same(episode, each, began_s)), None)
        if same is None:
            other += 1
        else:
            left[episode["session"]].remove(same)
            found += 1
    return Matched(planted=sum(len(episodes) for _, episodes in planted.values()), found=found, other=other)


def _is_same(found: dict[str, Any], planted: Planted, began_s: float) -> bool:
    onset_s = found["onset"] - began_s
    named = (found["app"], found["evidence"], found["place"]["name"], found["ending"])
    near = abs(onset_s - planted.start_s) <= WITHIN_S
    return (
        near
        and abs(onset_s + found["length_s"] - planted.end_s) <= WITHIN_S
        and named == (planted.app, planted.sign, planted.control, planted.ending.value)
    )


def _report(matched: Matched, few: Run, first: Run, again: Run, calm: Run, *, sessions: int, minutes: float) -> Report:
    criteria = criteria_of(matched, few, first, again, calm)
    return Report(
        criteria=criteria,
        fields={
            "simulated": True,
            "sessions": sessions,
            "minutes": minutes,
            "first_s": first.seconds,
            "again_s": again.seconds,
            "first_cpu_s": first.cpu_s,
            "again_cpu_s": again.cpu_s,
            "rss_mb": first.rss_mb,
            "rss_few_mb": few.rss_mb,
            "planted": matched.planted,
            "found": matched.found,
            "not_planted": matched.other,
            "recurring": sum(1 for spot in first.answer["spots"] if spot["recurs"]),
        },
        text=[
            SIMULATED,
            f"{sessions} sessions of {minutes:g} minutes, {matched.planted} episodes planted.",
            f"Found: {matched.found} of them, and {matched.other} that were not planted.",
            f"CPU time: {first.cpu_s:.1f} s the first time, {again.cpu_s:.1f} s again; a busy machine takes longer.",
        ],
    )


def criteria_of(matched: Matched, few: Run, first: Run, again: Run, calm: Run) -> Sequence[AcceptanceCriterion]:
    """Return the bars."""
    same = float(without_times(first.answer) == without_times(again.answer))
    return (
        at_most("first_s", first.seconds, FIRST_S, "s for the whole command, nothing read before"),
        at_most("again_s", again.seconds, AGAIN_S, "s for the whole command, read before"),
        at_least("again_same", same, 1.0, "answers equal"),
        at_most("rss_growth_mb", first.rss_mb - few.rss_mb, FLAT_MB, "MB more than with a quarter of the sessions"),
        at_least("found", matched.found / matched.planted, 1.0, "share of the planted episodes"),
        at_most("not_planted", float(matched.other), 0.0, "episodes"),
        at_most("found_without_need", float(len(calm.answer["episodes"])), 0.0, "episodes"),
    )


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without when it was given."""
    return {key: value for key, value in answer.items() if key != "until"}
