"""Replay: equal rows, differences found, offers of other detectors and policies marked as counterfactual."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from daemon.replay import replay as replay_module
from daemon.replay.replay import DERIVED_ROWS_FREE, ReplayJob, replay, run_job
from detectors.features.table import TABLE
from storage.clock import NS_PER_S
from storage.enrolment import QuestionPlan
from storage.errors import BadFile, UsageError
from storage.records import (
    Decision,
    Feedback,
    FeedbackKind,
    Frame,
    HelpAnswer,
    InputEvent,
    ModelTier,
    Offer,
    Prefix,
    Question,
    QuestionOutcome,
    Record,
    StudyStart,
    Tick,
    is_derived,
)
from storage.settings import DetectorSettings, Settings, WindowSettings
from tests.fakes.detectors.fake_detectors import first_row, focus, key
from tests.fakes.detectors.questions import study_row
from tests.fakes.sessions.derived_session import number_anew, stuck_rows, write_session


@pytest.fixture(scope="module")
def rows() -> list[Record]:
    rows = stuck_rows()
    assert any(isinstance(row, Offer) for row in rows)
    return rows


def test_answers_for_people_change_nothing_in_a_replay(tmp_path: Path) -> None:
    answer = HelpAnswer(offer_id="o1", tier=ModelTier.LOCAL, model="m", asked_at_ns=1, latency_ns=9, steps=3, tied=1)
    with_answers = stuck_rows(1, others=[replace(answer, at_ns=second * NS_PER_S) for second in range(1, 200, 9)])
    assert [row.KIND for row in with_answers].count(HelpAnswer.KIND) > 9
    result = replay(write_session(with_answers, tmp_path), check=True)
    assert result.identical, result.reason
    derived = [(row.gate, row.reason) for row in with_answers if isinstance(row, Decision)]
    without = [(row.gate, row.reason) for row in stuck_rows(1) if isinstance(row, Decision)]
    assert derived[: len(without)] == without  # the answers make the session longer


def test_a_session_of_a_study_replays_with_its_questions(tmp_path: Path) -> None:
    """The lot of a question after an offer is drawn again; another policy has made other offers, so there is none."""
    plan = QuestionPlan(event_probability=1.0, after_offer_s=10.0)
    study = study_row(plan, first_date=1_700_000_000 // 86_400)
    folder = write_session(stuck_rows(1, study), tmp_path)
    result = replay(folder, check=True)
    assert result.identical, result.reason
    questions = {Question.KIND, QuestionOutcome.KIND}
    assert questions <= {row.KIND for row in result.rows}
    other = replay(folder, policy="always")
    assert other.offers
    assert not {StudyStart.KIND, *questions} & {row.KIND for row in other.rows}


def test_two_replays_are_byte_equal(rows: list[Record], tmp_path: Path) -> None:
    folder = write_session(rows, tmp_path)
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        assert main(["replay", str(folder), "--out", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_bytes().count(b"\n") == len(rows)
    assert files[0].stat().st_mode & 0o777 == 0o600
    assert main(["replay", str(folder), "--out", str(files[0])]) == 3  # no file is overwritten
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_log_cut_off_anywhere_between_steps_still_replays(rows: list[Record], tmp_path: Path) -> None:
    ends = [index for index, row in enumerate(rows) if index and not is_derived(row)]
    for end in ends[:: max(1, len(ends) // 7)]:
        assert replay(write_session(rows[:end], tmp_path), check=True).identical


ALTERATIONS: dict[type[Record], Callable[[Any], Record]] = {
    InputEvent: lambda row: replace(row, t_ns=row.t_ns + 1),
    Frame: lambda row: replace(row, changed=()),
    Tick: lambda row: replace(row, at_ns=row.at_ns + 1),
    Decision: lambda row: replace(row, reason="else"),
    Offer: lambda row: replace(row, help_need=row.help_need + 1e-4),
}


@pytest.mark.parametrize("kind", list(ALTERATIONS))
def test_any_altered_row_is_noticed(rows: list[Record], tmp_path: Path, kind: type[Record]) -> None:
    found = [index for index, row in enumerate(rows) if isinstance(row, kind)]
    for index in found[:: max(1, len(found) // 5)]:
        altered = [*rows]
        altered[index] = ALTERATIONS[kind](rows[index])
        assert replay(write_session(altered, tmp_path), check=True).identical is False


@pytest.mark.parametrize(("more", "is_alike"), [(2e-4, True), (2e-3, False)])
def test_the_last_digits_of_a_sum_are_the_build_s_own(
    rows: list[Record], tmp_path: Path, more: float, *, is_alike: bool
) -> None:
    (place, row), *_ = [(at, row) for at, row in enumerate(rows) if isinstance(row, Decision) and "sum" in row.numbers]
    altered = [*rows]
    altered[place] = replace(row, numbers={**row.numbers, "sum": row.numbers["sum"] + more})
    assert replay(write_session(altered, tmp_path), check=True).identical is is_alike


def test_another_constant_of_the_policy_is_noticed(rows: list[Record], tmp_path: Path) -> None:
    start = replace(rows[0], policy_hash="0" * 16)  # type: ignore[call-arg]  # the first row has one
    result = replay(write_session([start, *rows[1:]], tmp_path), check=True)
    assert result.identical is False
    assert result.reason is not None
    assert "this build has" in result.reason


def test_offers_of_another_policy_are_counterfactual(rows: list[Record], tmp_path: Path) -> None:
    result = replay(write_session(rows, tmp_path), policy="tests.fakes.detectors.fake_detectors:eager")
    offers = [row for row in result.rows if isinstance(row, Offer)]
    assert len(offers) > 1
    unseen = {offer.offer_id for offer in offers if offer.counterfactual}
    assert len(unseen) >= len(offers) - 1
    assert not any(isinstance(row, Feedback) and row.offer_id in unseen for row in result.rows)


def test_an_answer_in_the_log_reaches_only_the_same_offer(rows: list[Record], tmp_path: Path) -> None:
    offer = next(row for row in rows if isinstance(row, Offer))
    index = rows.index(offer) + 1
    answer = Feedback(seq=0, at_ns=offer.at_ns, offer_id=offer.offer_id, kind=FeedbackKind.ACCEPTED)
    folder = write_session(number_anew([*rows[:index], answer, *rows[index:]]), tmp_path)
    result = replay(folder, policy="tests.fakes.detectors.fake_detectors:eager")
    answered = {row.offer_id for row in result.rows if isinstance(row, Feedback) and row.by == "person"}
    shown = {row.offer_id for row in result.rows if isinstance(row, Offer) and not row.counterfactual}
    assert answered <= shown


def test_a_detector_of_ones_own_runs_when_named(rows: list[Record], tmp_path: Path) -> None:
    result = replay(write_session(rows, tmp_path), detector="tests.fakes.detectors.fake_detectors:certain")
    assert result.estimates > 0
    assert result.identical is None


def test_code_that_only_a_session_names_is_never_run(rows: list[Record], tmp_path: Path) -> None:
    trap = tmp_path / "trap_module.py"
    trap.write_text("raise SystemExit('the trap was sprung')\n")
    settings = {**rows[0].settings, "detector": {"name": "trap_module:go"}}  # type: ignore[attr-defined]
    folder = write_session([replace(rows[0], settings=settings), *rows[1:]], tmp_path)  # type: ignore[call-arg]
    sys.path.insert(0, str(tmp_path))
    try:
        with pytest.raises(UsageError, match="if you trust it"):
            replay(folder)
    finally:
        sys.path.remove(str(tmp_path))


def test_the_command_exits_with_one_on_a_difference(
    rows: list[Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write_session(rows, tmp_path)
    assert main(["replay", str(good), "--check", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["sessions"]
    assert {"path", "duration_s", "estimates", "decisions", "offers", "identical", "speed_x"} <= result.keys()
    assert result["identical"] is True
    index = next(i for i, row in enumerate(rows) if isinstance(row, Decision))
    bad = write_session([*rows[:index], replace(rows[index], reason="else"), *rows[index + 1 :]], tmp_path)  # type: ignore[call-arg]
    assert main(["replay", str(bad), "--check"]) == 1
    assert main(["replay", str(tmp_path / "none"), "--check"]) == 4


def sparse_session(base: Path, away_s: float, gap_s: float, keys: int = 12) -> Path:
    settings = Settings(window=WindowSettings(planned_s=1.0, away_s=away_s), detector=DetectorSettings(name="evidence"))
    times = [round(number * gap_s * NS_PER_S) for number in range(1, keys + 1)]
    rows = [first_row(settings, policy="utility"), focus("editor", 0), *(key(at_ns) for at_ns in times)]
    return write_session([replace(row, seq=n, at_ns=[0, 0, *times][n - 1]) for n, row in enumerate(rows, 1)], base)


@pytest.mark.parametrize("options", [{}, {"check": True}, {"policy": "always"}])
def test_a_session_cannot_keep_a_replay_busy_for_ever(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_module, "DERIVED_ROWS_FREE", 100)
    monkeypatch.setattr(replay_module, "DERIVED_ROWS_PER_SOURCE", 2)
    with pytest.raises(BadFile, match="settings") as refused:
        replay(sparse_session(tmp_path, away_s=1e9, gap_s=1e8), **options)
    assert "window.away_s wants a number from 0 to 3,600" in refused.value.remedy
    with pytest.raises(BadFile, match=r"more than [\d,]+ (rows|ticks)"):
        replay(sparse_session(tmp_path, away_s=200.0, gap_s=200.0, keys=100), **options)


def test_a_feature_of_0_may_be_left_out_and_one_that_a_build_lacked_is(rows: list[Record], tmp_path: Path) -> None:
    """Earlier builds stored those that are 0; another machine may compute 1e-9 in place of one."""

    def is_identical(change: Callable[[dict[str, float]], dict[str, float]]) -> bool | None:
        changed = [replace(x, features=change(dict(x.features))) if isinstance(x, Prefix) else x for x in rows]
        return replay(write_session(changed, tmp_path), check=True).identical

    def without(features: dict[str, float]) -> dict[str, float]:
        return {name: value for name, value in features.items() if name != "window_s"}

    zeros = dict.fromkeys(TABLE, 0.0)
    assert is_identical(lambda features: zeros | features)
    assert is_identical(lambda features: without(zeros | features))
    assert is_identical(lambda features: {"circling": 1e-9, **features})
    assert not is_identical(without)
    assert not is_identical(lambda features: zeros | features | {"window_s": features["window_s"] + 1.0})
    assert not is_identical(lambda features: without(zeros | features) | {"gone": 1.0})


def test_rows_that_cannot_be_written_are_reported(
    rows: list[Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_session(rows, tmp_path)
    assert main(["replay", str(folder), "--out", str(tmp_path / "nowhere" / "rows.jsonl")]) == 3
    assert "cannot be written" in capsys.readouterr().err


def test_a_missing_row_is_noticed(rows: list[Record], tmp_path: Path) -> None:
    index = next(i for i, row in enumerate(rows) if isinstance(row, Decision))
    result = replay(write_session([*rows[:index], *rows[index + 1 :]], tmp_path), check=True)
    assert result.identical is False


def test_recorded_estimates_check_the_policy_alone(rows: list[Record], tmp_path: Path) -> None:
    start = replace(rows[0], detector_version="0")  # type: ignore[call-arg]  # the first row has one
    folder = write_session([start, *rows[1:]], tmp_path)
    assert replay(folder, check=True).identical is False
    assert replay(folder, check=True, with_recorded_estimates=True).identical is True


@pytest.mark.parametrize("options", [{}, {"policy": "always"}])
def test_long_pauses_of_somebody_at_work_are_replayed(tmp_path: Path, options: dict[str, Any]) -> None:
    """The control: few keys with pauses between them are no attack."""
    result = replay(sparse_session(tmp_path, away_s=120.0, gap_s=100.0, keys=3), **options)
    assert 800 <= result.estimates < DERIVED_ROWS_FREE / 3


def test_rows_are_kept_only_where_they_are_wanted(rows: list[Record], tmp_path: Path) -> None:
    """Figures alone need no memory for every row; the figures are the same."""
    folder = write_session(rows, tmp_path)
    whole, figures = replay(folder), replay(folder, keep_rows=False)
    assert (len(whole.rows), figures.rows) == (len(rows), [])
    assert whole.as_json() | {"speed_x": 0} == figures.as_json() | {"speed_x": 0}
    job = ReplayJob(folder=str(folder), lines=True)
    assert run_job(job).lines.count("\n") == len(rows)
    assert run_job(replace(job, lines=False)).lines == ""
