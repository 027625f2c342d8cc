"""What people report themselves: held against what was estimated then, learned by the policy, the same in a replay."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from daemon.engine.engine import Engine
from daemon.engine.estimated_need import ASKED_NS, MAX_PROGRAMS, MAX_WINDOWS, EstimatedNeed, reported_needs
from policies import registry
from storage.clock import NS_PER_S
from storage.records import Decision, EarlierReport, NeedReport, Prefix, Record, ReportedBy, Tick
from storage.settings import PolicySettings, Settings, WindowSettings
from storage.testing import plain
from tests.fakes.detectors.fake_detectors import START_NS, FixedDetector, estimate_of, focus, key, make_engine, replayed

S = NS_PER_S
SETTINGS = Settings(policy=PolicySettings(quiet_start_s=0.0), window=WindowSettings(planned_s=8.0))


def prefix_of(window_id: int, start_s: int, end_s: int, app: str = "editor") -> Prefix:
    spent = {"start_ns": start_s * S, "end_ns": end_s * S}
    return plain(Prefix, prefix_id=f"w{window_id}", window_id=window_id, app=app, **spent)


def report(start_s: float, end_s: float, *, needed: bool = True, by: ReportedBy = ReportedBy.SAID) -> NeedReport:
    return NeedReport(start_ns=round(start_s * S), end_ns=round(end_s * S), needed=needed, by=by)


def test_a_stretch_is_held_against_its_highest_estimate_in_each_program() -> None:
    seen = EstimatedNeed()
    for window, end_s, need, app in ((1, 6, 0.2, "a"), (1, 12, 0.1, "a"), (2, 36, 0.7, "a"), (3, 60, 0.4, "b")):
        seen.add(prefix_of(window, 24 * (window - 1), end_s, app), estimate_of(need))
    seen.add(prefix_of(4, 72, 80, "b"), estimate_of(0.9, abstained=True))
    assert seen.between(report(0, 20)) == {"a": 0.2}
    assert seen.between(report(5, 50)) == {"a": 0.7, "b": 0.4}
    assert seen.between(report(61, 90)) == {}


def test_a_request_is_held_against_the_newest_estimate_alone() -> None:
    seen = EstimatedNeed()
    asked = report(40, 40, by=ReportedBy.ASKED)
    assert seen.between(asked) == {}
    seen.add(prefix_of(1, 0, 24), estimate_of(0.9))
    seen.add(prefix_of(2, 24, 36), estimate_of(0.3))
    assert seen.between(asked) == {"editor": 0.3}
    late_s = 36 + ASKED_NS / S + 1
    assert seen.between(report(late_s, late_s, by=ReportedBy.ASKED)) == {}


def test_only_the_windows_of_a_day_are_remembered() -> None:
    seen = EstimatedNeed()
    for window in range(MAX_WINDOWS + 1):
        seen.add(prefix_of(window, window, window + 1, f"app{window}"), estimate_of(0.5))
    assert "app0" not in seen.between(report(0, 2))


def live(reports: Sequence[NeedReport | EarlierReport]) -> list[Record]:
    engine = _engine()
    rows = [*engine.take(focus("editor", START_NS), START_NS), *engine.take(key(START_NS), START_NS)]
    for second in (2, 4, 6, 8):
        rows += engine.take(Tick(), START_NS + second * S)
    for said in reports:
        rows += engine.take(said, START_NS + 9 * S)
    for second in (10, 12):
        rows += engine.take(key(START_NS + second * S), START_NS + second * S)
        rows += engine.take(Tick(), START_NS + (second + 1) * S)
    return rows


def _engine() -> Engine:
    policy = registry.load(SETTINGS.policy, 0.05)
    return make_engine(SETTINGS, detector=FixedDetector(0.5), policy=policy)


def needs_in(rows: list[Record]) -> list[float]:
    return [row.numbers["p"] for row in rows if isinstance(row, Decision) and "p" in row.numbers]


def test_a_report_moves_later_decisions() -> None:
    stretch = replace(report(0, 0), start_ns=START_NS, end_ns=START_NS + 8 * S)
    none, stuck, fine, nowhere = (
        needs_in(live(reports))[-1]
        for reports in (
            [],
            [stretch] * 3,
            [replace(stretch, needed=False)] * 3,
            [replace(stretch, start_ns=0, end_ns=1)],
        )
    )
    assert fine < none < stuck
    assert nowhere == none


def earlier(*, needed: bool = True, **needs: float) -> EarlierReport:
    return EarlierReport(session="20260101-000000-abcd", start_ns=0, end_ns=S, needed=needed, needs=needs)


def test_a_report_about_an_earlier_session_is_learned_from_what_it_says_was_estimated() -> None:
    none, stuck, fine, empty = (
        needs_in(live(reports))[-1]
        for reports in ([], [earlier(editor=0.5)] * 3, [earlier(needed=False, editor=0.5)] * 3, [earlier()] * 3)
    )
    assert fine < none < stuck
    assert empty == none


@pytest.mark.parametrize(
    "said", [replace(report(0, 0), start_ns=START_NS, end_ns=START_NS + 8 * S), earlier(editor=0.5)]
)
def test_a_session_with_reports_replays_to_the_same_rows(said: NeedReport | EarlierReport) -> None:
    """What it needs of an earlier session stands in the report."""
    recorded = live([said])
    assert replayed(_engine(), recorded) == recorded


def test_of_a_hostile_report_only_what_can_be_true_is_learned() -> None:
    assert reported_needs(earlier(a=0.5, b=1.5, c=-1.0)) == {"a": 0.5}
    many = {f"p{n}": 0.5 for n in range(100)}
    assert len(reported_needs(replace(earlier(), needs=many))) == MAX_PROGRAMS


def test_a_break_is_no_input_for_a_moment_and_nothing_of_ours_on_the_screen() -> None:
    engine = _engine()
    engine.take(focus("editor", START_NS), START_NS)
    engine.take(key(START_NS + S), START_NS + S)
    assert not engine.at_break(SETTINGS.policy)
    engine.take(Tick(), START_NS + 10 * S)
    assert engine.at_break(SETTINGS.policy)
    engine.take(key(START_NS + 11 * S), START_NS + 11 * S)
    assert not engine.at_break(SETTINGS.policy)
