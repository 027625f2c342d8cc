"""What a joined study changes: its settings, stricter only; its days; its seed; what it hides until it is over."""

import datetime as dt
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.cli.why.command import _joined_studies
from daemon.history.decisions import MASKED, mask_lots, runs_of_session
from daemon.runtime.core import next_midnight_wall_ns
from daemon.runtime.study.enrolment import (
    end_wall_ns,
    first_study_day,
    hides_lots,
    is_over,
    phase_end_wall_ns,
    study_day,
    study_row,
    study_settings,
    with_study_seed,
)
from participant.documents.rows import OUTCOME_S
from storage.clock import NS_PER_S, local_time, utc_offset_s
from storage.enrolment import COOLDOWN_S, Enrolment, Phase, QuestionPlan
from storage.errors import BadFile
from storage.files import state_file
from storage.records import Decision, Verdict
from storage.settings import PolicySettings, Settings
from storage.state.store import StateStore
from tests.fakes.detectors.questions import study_row as row_of
from tests.fakes.sessions.decision_log import hold, write

DAY_1 = dt.date(2026, 10, 20)
STUDY = Enrolment(
    study="s1",
    participant="p1",
    title="Hints at work",
    first_day=DAY_1,
    phases=(
        Phase(name="control", days=3, settings={"policy.name": "silent"}),
        Phase(name="lots", days=7, settings={"policy.name": "utility", "policy.exploration": 0.5}),
    ),
    seed=2**40 + 7,
    questions=QuestionPlan(event_probability=0.3),
)


@pytest.fixture
def berlin(set_zone: Callable[[str], None]) -> None:
    """Have local time be Berlin's, whose clocks go back on 2026-10-25."""
    set_zone("Europe/Berlin")


def wall_ns(*when: int) -> int:
    return round(dt.datetime(*when).astimezone().timestamp()) * NS_PER_S  # type: ignore[arg-type]  # year, month, ...


@pytest.mark.parametrize(
    ("day", "expected"),
    [(-1, (0, None, False)), (0, (1, "control", False)), (3, (4, "lots", False)), (9, (10, "lots", False)),
     (10, (11, None, True))],
)  # fmt: skip
def test_a_study_has_its_phases_on_whole_local_days(day: int, expected: tuple[int, str | None, bool]) -> None:
    found = study_day(STUDY, DAY_1 + dt.timedelta(days=day))
    assert (found.day, found.phase and found.phase.name, found.over) == expected


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("closed", "day", "expected"),
    [(4, 4, (5, "lots", False)), (4, 5, (6, None, True)), (-1, 0, (1, None, True)), (-3, -2, (0, None, True)),
     (99, 9, (10, "lots", False)), (99, 10, (11, None, True))],
)  # fmt: skip
def test_a_study_that_was_closed_ends_with_that_day(
    closed: int, day: int, expected: tuple[int, str | None, bool]
) -> None:
    study = replace(STUDY, closed_on=DAY_1 + dt.timedelta(days=closed))
    today = DAY_1 + dt.timedelta(days=day)
    found = study_day(study, today)
    assert (found.day, found.phase and found.phase.name, found.over) == expected
    noon_ns = wall_ns(today.year, today.month, today.day, 12)
    last = DAY_1 + dt.timedelta(days=min(closed, 9) + 1)
    midnight_ns = wall_ns(last.year, last.month, last.day)
    assert phase_end_wall_ns(study, noon_ns) == (None if expected[2] else midnight_ns)
    assert end_wall_ns(study) == midnight_ns


def test_the_settings_of_the_phase_are_laid_over_the_person_s_own() -> None:
    own = Settings(policy=PolicySettings(cooldown_s=7000.0))
    names = [study_settings(own, STUDY, DAY_1 + dt.timedelta(days=day)).policy.name for day in (-1, 0, 4)]
    assert names == ["silent", "silent", "utility"]
    during = study_settings(own, STUDY, DAY_1 + dt.timedelta(days=4))
    assert (during.policy.exploration, during.policy.cooldown_s) == (0.5, 7000.0)
    assert replace(during, policy=own.policy) == own
    assert study_settings(own, STUDY, DAY_1 + dt.timedelta(days=10)) is own
    silent = Settings(policy=PolicySettings(name="silent"))
    assert study_settings(silent, STUDY, DAY_1 + dt.timedelta(days=4)) is silent


def in_phase(**settings: str | float) -> Settings:
    phase = Phase(name="one", days=1, settings={key.replace("__", "."): value for key, value in settings.items()})
    own = Settings(policy=PolicySettings(offers_per_hour=2, offers_per_day=12))
    return study_settings(own, replace(STUDY, phases=(phase,)), DAY_1)


def test_offers_are_so_far_apart_that_no_outcome_is_of_two() -> None:
    assert in_phase().policy.cooldown_s == COOLDOWN_S == OUTCOME_S > PolicySettings().cooldown_s


def test_budgets_are_only_ever_lowered() -> None:
    found = in_phase(policy__offers_per_hour=4, policy__offers_per_day=3.0)
    assert (found.policy.offers_per_hour, found.policy.offers_per_day) == (2, 3)


@pytest.mark.parametrize(
    "settings",
    [
        {"policy__cooldown_s": 0.0},
        {"policy__quiet_start_s": 0.0},
        {"fence__excluded_apps": ""},
        {"storage__keep_days": 1},
        {"strong_model__preset": "gemini"},
        {"policy__name": "os:system"},
        {"policy__exploration": 1.5},
        {"policy__exploration": float("nan")},
        {"nothing": 1},
    ],
)
def test_a_study_that_sets_anything_else_is_refused(settings: dict[str, str | float]) -> None:
    with pytest.raises(BadFile):
        in_phase(**settings)


def test_it_is_stored_beside_the_consent_and_leaving_forgets_it(tmp_path: Path) -> None:
    with StateStore(tmp_path / "state.db") as state:
        assert state.enrolment() is None
        state.save_sampling_state("s1", {"unanswered": 2}, 5)
        assert state.sampling_state("s1") == ({}, 0)
        state.save_enrolment(STUDY)
        state.save_sampling_state("s2", {"unanswered": 2}, 5)
        assert state.sampling_state("s2") == ({}, 0)
        state.save_sampling_state("s1", {"unanswered": 2}, 5)
        assert state.enrolment() == STUDY
        assert state.sampling_state("s1") == ({"unanswered": 2}, 5)
        assert state.sampling_state("s2") == ({}, 0)
        bad = replace(STUDY, phases=(Phase(name="x", days=1, settings={"fence.settle_s": 0.0}),))
        with pytest.raises(ValueError, match=r"fence\.settle_s"):
            state.save_enrolment(bad)
        state._put("enrolment", bad)
        with pytest.raises(BadFile, match="study"):
            state.enrolment()
        state.save_enrolment(None)
        assert state.enrolment() is None
        state.save_sampling_state("s1", {"unanswered": 2}, 5)  # of a session that still ran
        assert state.sampling_state("s1") == ({}, 0)


@pytest.mark.usefixtures("berlin")
def test_phases_end_at_local_midnight_also_when_the_clocks_change() -> None:
    assert phase_end_wall_ns(STUDY, wall_ns(2026, 10, 19, 12)) == wall_ns(2026, 10, 20)
    assert phase_end_wall_ns(STUDY, wall_ns(2026, 10, 20)) == wall_ns(2026, 10, 23)
    assert phase_end_wall_ns(STUDY, wall_ns(2026, 10, 25, 1)) == wall_ns(2026, 10, 30) == end_wall_ns(STUDY)
    assert phase_end_wall_ns(STUDY, wall_ns(2026, 10, 30)) is None
    assert not is_over(STUDY, wall_ns(2026, 10, 29, 23, 59))
    assert is_over(STUDY, wall_ns(2026, 10, 30))
    assert wall_ns(2026, 10, 30) - wall_ns(2026, 10, 23) == (7 * 24 + 1) * 3600 * NS_PER_S
    offsets = {utc_offset_s(wall_ns(2026, 10, day)) for day in (25, 26)}
    assert offsets == {7200, 3600}
    assert local_time(wall_ns(2026, 10, 26)).date() == dt.date(2026, 10, 26)


@pytest.mark.usefixtures("berlin")
def test_a_zone_that_is_changed_while_kairos_runs_is_seen() -> None:
    """The C library looks again only when it is told to; days, offset and midnight all follow."""
    now_ns = wall_ns(2026, 10, 20, 23, 30)
    assert utc_offset_s(now_ns) == 7200
    os.environ["TZ"] = "Asia/Tokyo"
    assert utc_offset_s(now_ns) == 9 * 3600
    os.environ["TZ"] = "Europe/Berlin"
    assert local_time(now_ns).date() == DAY_1
    os.environ["TZ"] = "Asia/Tokyo"
    assert local_time(now_ns).date() == DAY_1 + dt.timedelta(days=1)
    os.environ["TZ"] = "Europe/Berlin"
    berlin_ns = end_wall_ns(STUDY)
    os.environ["TZ"] = "Asia/Tokyo"
    assert berlin_ns - end_wall_ns(STUDY) == 8 * 3600 * NS_PER_S
    assert next_midnight_wall_ns(now_ns) == wall_ns(2026, 10, 22)


def test_lots_of_offers_follow_from_the_study_s_seed_and_go_on_over_sessions() -> None:
    assert with_study_seed({"seed": 1, "drawn": 9, "muted": ["x"]}, STUDY) == {
        "seed": STUDY.seed,
        "drawn": 0,
        "muted": ["x"],
    }
    assert with_study_seed({"seed": STUDY.seed, "drawn": 4}, STUDY)["drawn"] == 4


def test_lots_and_what_tells_of_them_are_hidden_until_the_study_is_over(tmp_path: Path) -> None:
    offer = Decision(verdict=Verdict.OFFER, gate="all", reason="by_arm", propensity=0.5, numbers={"p": 0.9})
    rows = [
        row_of(None, masked_until_wall_ns=2_000_000_000 * NS_PER_S),
        offer,
        replace(hold("withheld", "arm"), propensity=0.5),
        hold("cooldown", "budget", since_s=3.0),
        hold("drawn", "arm"),
        hold("said_recently", "novelty"),
        hold("snoozed", "budget"),
        hold("call", "manners"),
    ]
    folder = write(tmp_path, *((float(second), row) for second, row in enumerate(rows)))
    runs = runs_of_session(folder)
    masked = mask_lots(runs, {"s1"}, 1_999_999_999.0)
    assert [(run.verdict, run.reason) for run in masked] == [("offer", MASKED), ("hold", "snoozed"), ("hold", "call")]
    assert all(run.propensity is None and not run.numbers for run in masked)
    assert "study" in masked[0].sentence
    assert mask_lots(runs, {"s1"}, 2_000_000_000.0) == runs
    assert mask_lots(runs, (), 0.0) == mask_lots(runs, {"s2"}, 0.0) == runs


def test_where_nobody_knows_which_study_runs_every_one_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged or locked database must not show lots, nor keep `why` from answering; without a file nobody joined."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    own = runs_of_session(write(tmp_path / "own", (0.0, hold("withheld", "arm"))))
    runs = [replace(own[0], study="s1"), *own]
    assert _joined_studies(runs) == frozenset()
    state_file().parent.mkdir(parents=True, mode=0o700)
    state_file().write_bytes(b"no database" * 100)
    assert _joined_studies(runs) == {"s1"}
    assert _joined_studies(runs[1:]) == frozenset()


def test_a_quiet_day_comes_before_day_1() -> None:
    assert first_study_day(dt.datetime(2026, 11, 23, 9, 30, tzinfo=dt.UTC)) == dt.date(2026, 11, 25)


def test_lots_are_hidden_in_a_masked_study_until_it_is_over() -> None:
    assert not hides_lots(None, 0)
    assert hides_lots(STUDY, wall_ns(2026, 10, 19))
    assert hides_lots(STUDY, wall_ns(2026, 10, 29, 23, 59))
    assert not hides_lots(STUDY, wall_ns(2026, 10, 30))
    assert not hides_lots(replace(STUDY, masked=False), wall_ns(2026, 10, 20))


@pytest.mark.usefixtures("berlin")
def test_the_row_of_the_study_says_what_is_in_force() -> None:
    now_ns = wall_ns(2026, 10, 24, 9)
    row = study_row(STUDY, now_ns, {"unanswered": 1}, now_ns - 5)
    assert (row.day, row.phase, row.days, row.seed, row.elapsed_ns) == (5, "lots", 10, STUDY.seed, 5)
    assert row.first_date == (DAY_1 - dt.date(1970, 1, 1)).days
    assert row.masked_until_wall_ns == wall_ns(2026, 10, 30)
    open_row = study_row(replace(STUDY, masked=False), wall_ns(2026, 10, 19), {}, 0)
    assert (open_row.day, open_row.phase, open_row.masked_until_wall_ns, open_row.elapsed_ns) == (0, "quiet", 0, 0)
