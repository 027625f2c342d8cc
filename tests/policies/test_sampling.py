"""Questions of a study: when they are due, what may hold them back, and that each of them is accounted for."""

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.gates.availability import check_availability
from policies.sampling import ADVICE_NS, QuestionSampler, event_lot, lot_of, moments_of_day
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S
from storage.enrolment import QuestionItem, QuestionPlan
from storage.records import Answer, AnswerKind, QuestionMoment, QuestionOutcome, QuestionStep
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import offer_of
from tests.fakes.detectors.questions import (
    BOOT_NS,
    CONTEXT,
    DATE,
    PLAN,
    SESSION,
    SampledDay,
    midnight_wall_ns,
    study_row,
)

RANDOM = QuestionPlan()
S = NS_PER_S


# ---------------------------------------------------------------- lots and moments


@pytest.fixture
def day() -> SampledDay:
    return SampledDay(RANDOM)


@settings(max_examples=200)
@given(
    seed=st.integers(0, 2**48),
    date=st.integers(20_000, 30_000),
    blocks=st.integers(1, 6),
    first=st.integers(0, 600),
    spare=st.integers(0, 500),
)
def test_every_block_has_one_moment_and_no_two_are_close(
    seed: int, date: int, blocks: int, first: int, spare: int
) -> None:
    plan = QuestionPlan(blocks=blocks, hours=(first, first + 46 * blocks + spare))
    plan.check()
    moments = moments_of_day(plan, seed, date)
    length_ns = (plan.hours[1] - first) * MINUTE_NS // blocks
    assert [(moment - first * MINUTE_NS) // length_ns for moment in moments] == list(range(blocks))
    assert all(later - earlier >= 46 * MINUTE_NS for earlier, later in pairwise(moments))


def test_the_place_in_every_block_is_uniform() -> None:
    """Ten equal parts of each of six blocks hold as many of 2,000 days' moments each as chance lets them."""
    length_ns = 90 * MINUTE_NS
    for block in range(6):
        counts = [0] * 10
        for date in range(2_000):
            counts[(moments_of_day(RANDOM, 5, date)[block] - (540 + 90 * block) * MINUTE_NS) * 10 // length_ns] += 1
        assert sum((count - 200) ** 2 / 200 for count in counts) < 27.9  # chi-squared, 9 df, p > .001


def test_lots_follow_from_the_seed_and_from_what_they_are_for_alone() -> None:
    lots = [lot_of(1, "a"), lot_of(2, "a"), lot_of(1, "b"), event_lot(1, "s", 2), event_lot(1, "s", 3)]
    assert lots[0] == lot_of(1, "a")
    assert len(set(lots)) == len(lots)
    assert all(0.0 <= lot < 1.0 for lot in lots)


def test_a_plan_without_blocks_has_no_random_moments() -> None:
    plan = replace(PLAN, blocks=0)
    assert moments_of_day(plan, 1, DATE) == ()
    day = SampledDay(plan)
    day.next()
    assert (day.rows, day.now_ns) == ([], BOOT_NS + DAY_NS)


@pytest.mark.parametrize(
    "changes",
    [
        {"blocks": 7},
        {"blocks": -1},
        {"hours": (0, 1441)},
        {"hours": (600, 540)},
        {"hours": (540, 800)},
        {"event_probability": 1.5},
        {"event_probability": float("nan")},
        {"per_day": 7},
        {"apart_s": 600.0},
        {"wait_s": 61.0},
        {"expires_s": 600.0},
        {"break_s": 0.0},
        {"items": ()},
        {"items": (QuestionItem(code="a", text="A?", choices=("No",)),)},
        {"items": (QuestionItem(code="a", text="A?", choices=("No", "Yes")),) * 2},
    ],
)
def test_a_plan_that_asks_too_much_is_refused(changes: dict[str, object]) -> None:
    plan = replace(RANDOM, **changes)  # type: ignore[arg-type]  # one field of several types at a time
    with pytest.raises(ValueError, match=r"must|every item"):
        QuestionSampler(study_row(plan), plan, SESSION, PolicySettings())


@pytest.mark.parametrize("changes", [{"first_date": -1}, {"days": 500}, {"utc_offset_s": 10**6}])
def test_a_study_beyond_a_lifetime_is_refused(changes: dict[str, Any]) -> None:
    """Its times would not fit."""
    with pytest.raises(ValueError, match="lifetime"):
        QuestionSampler(study_row(**changes), PLAN, SESSION, PolicySettings())


# ---------------------------------------------------------------- a day


def test_a_day_has_its_six_questions_each_asked_once_when_it_is_due(day: SampledDay) -> None:
    for date in (DATE, DATE + 1):
        for moment_ns in moments_of_day(RANDOM, 7, date):
            asked = day.until_asked()
            assert asked.due_ns == day.now_ns == BOOT_NS + (date - DATE) * DAY_NS + moment_ns
            assert (asked.probability, asked.date) == (1.0, date)
            day.later(20)
            day.answer()
    assert day.steps == ["asked", "answered"] * 12
    assert len({question.question_id for question in day.questions}) == 12


def test_nothing_is_asked_before_the_first_and_after_the_last_day() -> None:
    before = SampledDay(RANDOM, first_date=DATE + 1)
    before.next()
    assert before.rows == []
    before.next()
    assert before.questions[0].date == DATE + 1
    after = SampledDay(RANDOM, first_date=DATE - 10)
    assert (after.state.next_ns, after.rows) == (None, [])


def test_a_due_question_waits_for_a_break_and_no_longer_than_a_minute(day: SampledDay) -> None:
    due_ns = day.until_waiting(in_word=True).due_ns
    day.later(30, in_word=True)
    day.look(last_input_ns=day.now_ns - S // 2)
    assert day.state.next_ns == day.now_ns + S // 2
    day.next(last_input_ns=day.now_ns - S // 2)
    assert day.steps == ["asked"]
    assert day.state.asked_ns == due_ns + 30 * S + S // 2
    day.answer()
    day.until_waiting(buttons_down=True)
    day.later(61, buttons_down=True)
    assert day.steps[2:] == ["skipped:no_break"]
    assert [row.delay_ns for row in day.rows if isinstance(row, QuestionOutcome)][-1] == 60 * S


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ({"call": True}, "call"),
        ({"locked": True}, "locked"),
        ({"full_screen": True}, "full_screen"),
        ({"do_not_disturb": True}, "do_not_disturb"),
        ({"paused": True}, "paused"),
        ({"excluded": True}, "excluded"),
        ({"consent": False}, "no_consent"),
        ({"dragging": True}, "no_break"),
        ({"last_input_ns": 0}, "away"),
        ({"showing": offer_of(0)}, "card"),
    ],
)
def test_what_holds_an_offer_back_holds_a_question_back(context: dict[str, object], reason: str) -> None:
    held = SampledDay(RANDOM)
    held.until_waiting(**context)
    held.later(60, **context)
    assert held.steps == [f"skipped:{reason}"]
    shown = SampledDay(RANDOM)
    shown.until_asked()
    shown.look(**context)
    assert shown.steps == ["asked"] + ([] if reason in ("no_break", "away") else [f"withdrawn:{reason}"])


def test_nothing_is_asked_while_the_advice_of_an_offer_may_be_read(day: SampledDay) -> None:
    due_ns = moments_of_day(RANDOM, 7, DATE)[0] + BOOT_NS
    day.now_ns = due_ns - 100 * S
    day.state = day.sampler.add_advice(day.state, day.now_ns)
    day.until_waiting()
    day.until_asked()
    assert due_ns - 100 * S + ADVICE_NS <= day.now_ns <= due_ns - 100 * S + ADVICE_NS + S


def test_no_offer_is_made_while_a_question_is_on_the_screen() -> None:
    stop = check_availability(replace(CONTEXT, asking=True), PolicySettings(quiet_start_s=0.0), BOOT_NS)
    assert stop is not None
    assert stop.reason == "question"
    assert check_availability(CONTEXT, PolicySettings(quiet_start_s=0.0), BOOT_NS) is None


def test_a_question_expires_after_five_minutes(day: SampledDay) -> None:
    asked = day.until_asked()
    day.later(299)
    assert day.state.shown == asked
    day.later(1)
    assert day.steps == ["asked", "expired"]
    assert day.state.unanswered == 1
    late = day.sampler.answer(day.state, Answer(question_id=asked.question_id, kind=AnswerKind.ANSWERED), day.now_ns)
    assert late == (day.state, ())
    other = day.until_asked()
    assert day.sampler.answer(day.state, Answer(question_id="x", kind=AnswerKind.ANSWERED), 0) == (day.state, ())
    assert day.state.shown == other


def test_three_unanswered_in_a_row_halve_the_day(day: SampledDay) -> None:
    for number in range(3):
        day.until_asked()
        if number == 1:
            day.answer(AnswerKind.NOT_NOW)
        else:
            day.later(300)
    assert day.state.unanswered == 3
    day.until_asked()
    day.answer()
    assert day.state.unanswered == 0
    day.later(86_400 - (day.now_ns - BOOT_NS) / S)
    assert [step for step in day.steps if step != "asked"] == [
        "expired",
        "declined:not_now",
        "expired",
        "skipped:halved",
        "answered",
        "skipped:halved",
    ]
    day.answer_next(6)
    assert day.steps[-12:] == ["asked", "answered"] * 6


def test_a_fourth_unanswered_in_a_row_leaves_a_halved_day_halved(day: SampledDay) -> None:
    for _ in range(4):
        day.until_asked()
        day.later(300)
    assert day.state.unanswered == 4
    assert day.steps == ["asked", "expired"] * 3 + ["skipped:halved", "asked", "expired"]


def test_none_today_is_none_today_and_the_next_day_is_another(day: SampledDay) -> None:
    day.until_asked()
    day.answer(AnswerKind.NONE_TODAY)
    asked = day.until_asked()
    assert asked.date == DATE + 1
    assert day.steps == ["asked", "declined:none_today", *["skipped:none_today"] * 5, "asked"]


def test_a_day_has_no_more_than_its_number() -> None:
    day = SampledDay(replace(RANDOM, per_day=2))
    while len(day.questions) < 6:
        day.next()
        if day.state.shown is not None:
            day.answer()
    assert day.steps[-4:] == ["skipped:day_full"] * 4


# ---------------------------------------------------------------- after offers


def test_a_question_follows_an_offer_and_one_left_out_alike() -> None:
    found: dict[bool, list[tuple[int, str, bool]]] = {True: [], False: []}
    for offered in found:
        day = SampledDay(replace(PLAN, blocks=0))
        for seq in range(1, 41):
            day.decide(seq, offered=offered, reason="silent")
        drawn = {question.question_id for question in day.state.coming}
        found[offered] = [(q.due_ns, q.question_id, q.question_id in drawn) for q in day.questions]
        expected = QuestionMoment.OFFER if offered else QuestionMoment.NO_OFFER
        assert {question.moment for question in day.questions} == {expected}
        assert all((q.lot < 0.5) == (q.question_id in drawn) for q in day.questions)
        assert day.steps == ["not_drawn"] * (40 - len(drawn))
        day.later(180)
        assert day.state.shown is not None
        others = ["skipped:too_close"] * (len(drawn) - 1)  # due at the same moment
        assert day.steps[-len(drawn) :] == [*others, "asked"]
    assert found[True] == found[False]
    assert 10 < sum(drawn for _, _, drawn in found[True]) < 30


def test_other_decisions_call_for_no_question() -> None:
    day = SampledDay()
    day.decide(1, offered=False, gate="evidence", reason="weak")
    day.decide(1, offered=False, reason="drawn")
    SampledDay(RANDOM).decide(1, offered=True)
    before = SampledDay(first_date=DATE + 5)
    before.decide(1, offered=True)
    assert day.questions == before.questions == []


def test_a_question_after_an_offer_keeps_its_distance_from_the_random_ones() -> None:
    plan = replace(RANDOM, event_probability=1.0)
    first_ns = moments_of_day(plan, 7, DATE)[0]
    day = SampledDay(plan, at_minute=first_ns / MINUTE_NS - 5)
    day.decide(1, offered=True)
    day.decide(2, offered=False)
    assert day.until_asked().moment is QuestionMoment.OFFER
    day.answer()
    day.later(600)
    assert day.steps == ["skipped:too_close", "asked", "answered", "skipped:too_close"]


# ---------------------------------------------------------------- sessions, and other clocks


def restarted(day: SampledDay, after_s: float, *, stop: bool = True, offset_s: int = 3600) -> SampledDay:
    if stop:
        day.stop()
    local_ns = day.now_ns - BOOT_NS + round((after_s + offset_s - 3600) * S)
    return next_session(day, midnight_wall_ns(offset_s=offset_s) + local_ns, round(after_s * S), offset_s)


def test_what_was_due_while_kairos_did_not_run_is_accounted_for_and_not_asked(day: SampledDay) -> None:
    day.answer_next(2)
    other = restarted(day, 86_400)
    assert len(other.questions) >= 4
    assert set(other.steps) == {"skipped:not_running"}
    assert [question.date for question in other.questions][:4] == [DATE] * 4
    both = [question.question_id for question in (*day.questions, *other.questions)]
    assert len(set(both)) == len(both)


def test_a_restart_right_after_a_question_asks_none_again(day: SampledDay) -> None:
    asked = day.until_asked()
    day.answer()
    other = restarted(day, 30)
    assert other.rows == []
    assert other.state.last_asked_ns is not None
    assert other.until_asked().question_id != asked.question_id


def test_a_session_that_was_cut_off_leaves_no_question_without_an_end() -> None:
    day = SampledDay(replace(RANDOM, event_probability=1.0))
    day.until_asked()
    day.decide(5, offered=True)
    other = restarted(day, 100, stop=False)
    assert other.steps == ["withdrawn:cut_off", "skipped:cut_off"]
    assert [row.delay_ns for row in other.rows if isinstance(row, QuestionOutcome)] == [100 * S, -80 * S]
    waiting = SampledDay(RANDOM)
    waiting.until_waiting(call=True)
    assert restarted(waiting, 10, stop=False).steps == ["skipped:cut_off"]


def test_the_end_of_a_session_ends_what_is_open() -> None:
    day = SampledDay(replace(RANDOM, event_probability=1.0))
    day.until_asked()
    day.decide(5, offered=True)
    day.stop()
    assert day.steps == ["asked", "skipped:stopped", "withdrawn:stopped"]
    assert day.state.next_ns is None
    waiting = SampledDay(RANDOM)
    waiting.until_waiting(call=True)
    waiting.stop()
    assert waiting.steps == ["skipped:stopped"]


def test_after_the_machine_slept_a_missed_question_is_left_out(day: SampledDay) -> None:
    due_ns = moments_of_day(RANDOM, 7, DATE)[0] + BOOT_NS
    day.now_ns = due_ns + 61 * S
    day.look()
    assert day.steps == ["skipped:late"]
    other = SampledDay(RANDOM)
    other.now_ns = due_ns + 30 * S
    other.look()
    assert other.steps == ["asked"]
    waits = SampledDay(RANDOM)
    waits.until_waiting(call=True)
    waits.now_ns += 61 * S
    waits.look()
    assert waits.steps == ["skipped:late"]


def test_a_clock_that_is_set_back_brings_no_question_again() -> None:
    for back_s in (3 * 3600, 86_400):
        day = SampledDay(RANDOM)
        day.answer_next(3)
        wall_ns = midnight_wall_ns() + day.now_ns - BOOT_NS - back_s * S
        day.state = day.sampler.set_wall_clock(day.state, wall_ns, day.now_ns)
        day.look()
        day.later(2 * 86_400)
        ids = [question.question_id for question in day.questions]
        assert len(set(ids)) == len(ids)
        asked = [row.question_id for row in day.rows if isinstance(row, QuestionOutcome) and row.step == "asked"]
        assert len(set(asked)) == len(asked)


def test_a_clock_that_jumps_ahead_asks_nothing_of_the_hours_it_left_out() -> None:
    day = SampledDay(RANDOM, at_minute=8 * 60)
    wall_ns = midnight_wall_ns() + 33 * 1800 * S
    day.state = day.sampler.set_wall_clock(day.state, wall_ns, day.now_ns)
    day.look()
    assert day.steps == ["skipped:late"] * 5
    assert day.until_asked().block == 5
    assert day.sampler.set_wall_clock(day.state, -5, day.now_ns) == day.state


@pytest.mark.parametrize("offset_s", [0, 7200, -8 * 3600, 10 * 3600])
def test_another_time_zone_brings_no_question_twice(offset_s: int, day: SampledDay) -> None:
    day.answer_next(3)
    other = restarted(day, 1, offset_s=offset_s)
    other.later(2 * 86_400)
    ids = [question.question_id for question in (*day.questions, *other.questions)]
    assert len(set(ids)) == len(ids)
    assert {f"r{DATE + 1}/{block}" for block in range(6)} <= set(ids)


@pytest.mark.parametrize(
    "saved",
    [
        {"days": 5},
        {"days": ["x"]},
        {"days": [{"date": "x"}]},
        {"unanswered": "x"},
        {"last_asked_age_ns": "x"},
        {"open": [{"id": "x"}]},
    ],
)
def test_a_saved_state_of_another_shape_is_refused(saved: dict[str, object]) -> None:
    day = SampledDay()
    with pytest.raises((TypeError, KeyError)):
        day.sampler.start(study_row(sampling_state=saved), midnight_wall_ns(), BOOT_NS)
    with pytest.raises(ValueError, match="wall clock"):
        day.sampler.start(study_row(), -1, BOOT_NS)


def test_an_accepted_offer_or_another_clock_leaves_a_coming_question_as_it_is() -> None:
    day = SampledDay(replace(PLAN, event_probability=1.0), at_minute=8 * 60)
    day.decide(1, offered=True)
    due_ns = day.now_ns + 180 * S
    day.later(60)
    day.decide(2, offered=False)
    assert day.state.next_ns == due_ns
    day.next()
    assert day.state.asked_ns == due_ns


OFFSETS_S = (3600, 7200, -8 * 3600, 10 * 3600, 14 * 3600, -11 * 3600)
"""Central Europe in winter and summer, California, Sydney, and the two ends of the world."""


def next_session(day: SampledDay, wall_ns: int, elapsed_ns: int, offset_s: int) -> SampledDay:
    saved = day.sampler.save(day.state, day.now_ns)
    row = study_row(day.plan, sampling_state=saved, elapsed_ns=max(0, elapsed_ns), utc_offset_s=offset_s)
    other = SampledDay.__new__(SampledDay)
    other.plan, other.rows, other.context, other.now_ns = day.plan, [], day.context, 77 * S
    other.sampler = QuestionSampler(row, day.plan, f"s{wall_ns}", PolicySettings(quiet_start_s=0.0))
    other.state, rows = other.sampler.start(row, wall_ns, other.now_ns)
    other.rows += rows
    other.look()
    return other


def journey(number: int, *, forgets: bool = False) -> list[SampledDay]:
    """Return the sessions of some days with changes of zone, clock jumps and restarts, drawn from a number.

    Control: with `forgets` no session knows which questions the one before it asked.
    """
    chance = random.Random(number)
    day = SampledDay(RANDOM)
    sessions = [day]
    for _ in range(20):
        day.later(chance.uniform(600, 9 * 3600))
        if chance.random() < 0.4:  # the clock is set, or jumps
            jump_ns = round(chance.choice((-3600, 3600, -2 * 3600, 5 * 3600, -86_400)) * S)
            day.state = day.sampler.set_wall_clock(
                day.state, day.state.wall_offset_ns + day.now_ns + jump_ns, day.now_ns
            )
            day.look()
            day.later(chance.uniform(60, 7200))
        if forgets:
            day.state = replace(day.state, days=(), last_asked_ns=None)
        pause_ns = round(chance.uniform(1, 1800) * S)
        set_ns = chance.choice((0, 0, 0, -3600 * S, 3600 * S))  # and while nothing runs
        wall_ns = day.state.wall_offset_ns + day.now_ns + pause_ns + set_ns
        day.stop()
        day = next_session(day, wall_ns, pause_ns + set_ns, chance.choice(OFFSETS_S))
        sessions.append(day)
    return sessions


def asked_in(sessions: list[SampledDay]) -> list[str]:
    return [
        row.question_id
        for day in sessions
        for row in day.rows
        if isinstance(row, QuestionOutcome) and row.step is QuestionStep.ASKED
    ]


def test_no_journey_and_no_clock_brings_a_question_twice() -> None:
    """Forty drawn ones; control: sessions that forget do ask again."""
    asked = [asked_in(journey(number)) for number in range(40)]
    assert [ids for ids in asked if len(set(ids)) < len(ids)] == []
    assert sum(map(len, asked)) > 200
    forgetful = [asked_in(journey(number, forgets=True)) for number in range(40)]
    assert sum(len(set(ids)) < len(ids) for ids in forgetful) > 10
