"""The report of a million points: how long it takes, and that the planted effect is on it. Simulated."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from participant.documents.plan import parse_plan
from storage.clock import SystemClock
from study.analysis.report import study_page
from study.opening.parcels import Status
from study.opening.report import build_report
from study.opening.tables import read_tables, write_tables
from tests.fakes.studies.documents import PLAN

PEOPLE, EACH = 1000, 1000
EFFECT = 0.05


def rows(people: int, each: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield rows of a study with an effect of offers on recovering, in two arms."""
    rng = np.random.default_rng(20261123)
    for person in range(people):
        who, arm = f"p{person:06d}", ("help", "control")[person % 2]
        participant = {"participant": who, "number": person + 1, "arm": arm, "status": Status.OPENED.value}
        yield "participants", participant | {"parcels": 30, "missing_parcels": 0, "problems": 0, "study_version": 1}
        draws = rng.random((each, 6)).tolist()
        for number, (gate, lot, watched, recovered, need, asked) in enumerate(draws):
            available = gate < 0.8
            offered = available and lot < 0.5
            drawn = available and arm == "help"
            action = ("offer" if offered else "withheld") if drawn else "none"
            place = {"participant": who, "n": number // 40, "place": number % 40, "phase": "trial", "arm": arm}
            moment = {"day": 8 + number // 50, "minute": 480 + number % 50 * 9}
            yield (
                "points",
                place
                | moment
                | {
                    "gate": None if available else "budget",
                    "propensity": 0.5 if drawn else 1.0,
                    "action": action,
                    "response": "accepted" if action == "offer" and need > 0.6 else None,
                    "lot_number": number if drawn else None,
                    "need": need,
                    "evidence": ["undo_bursts"],
                    "watched_s": 300 if watched < 0.95 else 100,
                    "outcome_need": need / 2,
                    "recovered": recovered < 0.4 + EFFECT * (action == "offer"),
                    "active_s": int(200 * need),
                    "undos": int(9 * watched),
                },
            )
            if asked < 0.1:
                step = "answered" if asked < 0.08 else "expired"
                answer = {"moment": "random", "probability": 1.0, "step": step, "delay_s": 1.0}
                choices = [("stuck", int(5 * need)), ("bad_moment", 0)] if step == "answered" else []
                yield "answers", place | moment | answer | {"choices": choices}
        yield "days", {"participant": who, "n": 30, "place": 0, "day": 9, "minutes": 480, "left_out": 0}


def report_of(folder: Path, people: int, each: int) -> tuple[float, float, Any]:
    """Return seconds of writing and of the report, and the report."""
    clock = SystemClock()
    started = clock.now_ns()
    write_tables(folder, rows(people, each))
    written = clock.now_ns()
    plan = parse_plan(PLAN)
    with read_tables(folder) as tables:
        report = build_report(tables, plan, masked=False, simulated=True)
    page = study_page(report)
    assert "Fixed outcome" in page
    return (written - started) / 1e9, (clock.now_ns() - written) / 1e9, report


def test_a_small_part_of_it(tmp_path: Path) -> None:
    """The same way with two thousand points."""
    _, _, report = report_of(tmp_path, 40, 50)
    assert report.outcome.fit.people == 20
    assert sum(row.points for row in report.acceptance) == 2000


@pytest.mark.slow
def test_the_report_of_a_million_points_takes_less_than_a_minute(tmp_path: Path) -> None:
    """And says what was planted."""
    writing_s, report_s, report = report_of(tmp_path, PEOPLE, EACH)
    (effect,) = report.outcome.fit.effects
    print(f"SIMULATED: {PEOPLE * EACH:,} points written in {writing_s:.1f} s, report in {report_s:.1f} s: {effect}")
    assert effect.low < EFFECT < effect.high
    assert effect.standard_error < 0.005
    assert report_s <= 60
