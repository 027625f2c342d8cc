"""`kairos bench diagnosis` on few small sessions: what was planted is found, and the bars see what is not."""

from dataclasses import replace
from pathlib import Path

import pytest

from lab.benchmarks.diagnosis.benchmark import (
    EACH,
    Matched,
    Run,
    criteria_of,
    make_sessions,
    match,
    measure,
    run_command,
)
from storage.errors import UsageError


def test_what_was_planted_is_found_and_a_shifted_episode_is_not_it(tmp_path: Path) -> None:
    """The control: onsets moved by 4 s, another ending, one episode taken away, one added."""
    planted = make_sessions(tmp_path / "all", 3, 6.0, 1, stuck=True)
    run = run_command(tmp_path, tmp_path / "all")
    assert match(planted, run.answer) == Matched(planted=3 * EACH, found=3 * EACH, other=0)
    assert "3 of them simulated" in run.answer["headline"]

    def altered(**changes: object) -> Matched:
        first, *rest = run.answer["episodes"]
        return match(planted, {**run.answer, "episodes": [{**first, **changes}, *rest]})

    assert altered(onset=run.answer["episodes"][0]["onset"] + 4.0) == Matched(planted=9, found=8, other=1)
    assert altered(ending="left") == Matched(planted=9, found=8, other=1)
    assert match(planted, {"episodes": run.answer["episodes"][1:]}) == Matched(planted=9, found=8, other=0)
    doubled = [run.answer["episodes"][0], *run.answer["episodes"]]
    assert match(planted, {"episodes": doubled}) == Matched(planted=9, found=9, other=1)


def test_the_whole_benchmark_runs_and_says_that_it_is_simulated() -> None:
    report = measure(sessions=2, minutes=6.0, seed=2)
    assert report.fields["simulated"] is True
    assert "Simulated" in report.text[0]
    judged = {criterion.name: criterion.ok for criterion in report.criteria if not criterion.name.endswith("_s")}
    assert judged == dict.fromkeys(("again_same", "rss_growth_mb", "found", "not_planted", "found_without_need"), True)


def test_every_bar_can_be_missed() -> None:
    good = Run(seconds=0.5, cpu_s=0.4, rss_mb=50.0, answer={"episodes": []})
    matched = Matched(planted=9, found=9, other=0)
    assert all(criterion.ok for criterion in criteria_of(matched, good, good, good, good))
    odd = replace(good, answer={"episodes": [{}]})
    missed = [
        criteria_of(matched, good, replace(good, seconds=10.1), good, good),
        criteria_of(matched, good, good, replace(good, seconds=1.1), good),
        criteria_of(matched, good, good, odd, good),
        criteria_of(matched, good, replace(good, rss_mb=71.0), good, good),
        criteria_of(replace(matched, found=8), good, good, good, good),
        criteria_of(replace(matched, other=1), good, good, good, good),
        criteria_of(matched, good, good, good, odd),
    ]
    assert [[bar.name for bar in bars if not bar.ok] for bars in missed] == [
        ["first_s"],
        ["again_s"],
        ["again_same"],
        ["rss_growth_mb"],
        ["found"],
        ["not_planted"],
        ["found_without_need"],
    ]


def test_too_short_sessions_are_refused() -> None:
    """There would be no room for the episodes."""
    with pytest.raises(UsageError):
        measure(sessions=1, minutes=1.0, seed=1)
