"""Who is asked how much, and what is not worth a question."""

from itertools import pairwise

import pytest

from daemon.capture.accessibility.atspi.budget import (
    ANSWERED_REST_NS,
    BUSY_PER_MINUTE_NS,
    CALLS_PER_S,
    FIRST_REST_NS,
    LEFT_ALONE_NS,
    STRIKES,
    AnswerBudget,
)
from daemon.capture.accessibility.atspi.recent import ECHO_NS, FLOOD_PER_S, QUIET_NS, RESTLESS, Echoes, Flood, Restless
from daemon.capture.accessibility.walk_rate import WALK_GAP_NS, WALKS_KEPT, WALKS_PER_MINUTE, WalkRate
from storage.clock import NS_PER_S

S = NS_PER_S


def test_calls_are_limited_by_the_second_but_for_urgent_ones() -> None:
    """Whether a password field has the keyboard may be asked all the same."""
    budget = AnswerBudget()
    assert [budget.allows("a", 1) for _ in range(CALLS_PER_S + 1)] == [True] * CALLS_PER_S + [False]
    assert budget.allows("a", 1, urgent=True)
    assert budget.allows("b", 1)
    assert budget.allows("a", S + 2)


def test_a_program_is_kept_busy_only_so_long_in_a_minute() -> None:
    """Answers that overlap count once, and a minute later there is a new account."""
    budget = AnswerBudget()
    for _ in range(3):
        budget.answered("a", 0, BUSY_PER_MINUTE_NS - 1)
    assert budget.allows("a", BUSY_PER_MINUTE_NS)
    budget.answered("a", BUSY_PER_MINUTE_NS, BUSY_PER_MINUTE_NS + 2)
    assert not budget.allows("a", BUSY_PER_MINUTE_NS + 3)
    assert budget.allows("a", BUSY_PER_MINUTE_NS + 61 * S)


def test_a_busy_program_gets_no_strike_for_being_late() -> None:
    """Until it has answered it is asked nothing but what is urgent."""
    budget = AnswerBudget()
    for call in range(1, 10):
        budget.is_late("a", call)
        assert not budget.allows("a", call * S)
        assert budget.allows("a", call * S, urgent=True)
        budget.answered("a", call * S, call * S, call)
        budget.gave_up("a", call, call * S)
        assert budget.allows("a", call * S)
    assert budget.left_alone(10 * S) == []


def test_a_program_that_hangs_is_left_alone_for_ten_minutes_after_three_strikes() -> None:
    """Calls that were on their way together are one strike; afterwards it gets another chance."""
    budget, now_ns = AnswerBudget(), 0
    for strike in range(STRIKES):
        assert budget.allows("a", now_ns)
        for call in (10 * strike, 10 * strike + 1):
            budget.is_late("a", call)
        for call in (10 * strike, 10 * strike + 1):
            budget.gave_up("a", call, now_ns)
        assert not budget.allows("a", now_ns, urgent=True)
        assert budget.left_alone(now_ns) == (["a"] if strike == STRIKES - 1 else [])
        now_ns += FIRST_REST_NS
    assert not budget.allows("a", now_ns)
    assert budget.allows("a", now_ns + LEFT_ALONE_NS)
    assert budget.left_alone(now_ns + LEFT_ALONE_NS) == []


def test_a_program_that_answers_after_all_is_asked_again_soon() -> None:
    """One that was stopped and goes on answers what it had not; ten minutes are for those that never do."""
    budget = AnswerBudget()
    for call in range(STRIKES):
        budget.is_late("a", call)
        budget.gave_up("a", call, S)
    assert not budget.allows("a", S + ANSWERED_REST_NS)
    budget.answered("a", S, 2 * S, 0)
    assert not budget.allows("a", 2 * S + ANSWERED_REST_NS - 1)
    assert budget.allows("a", 2 * S + ANSWERED_REST_NS)
    assert budget.left_alone(2 * S + ANSWERED_REST_NS) == []


def test_what_answers_cost_is_how_long_the_program_ran() -> None:
    """On a busy machine it waited the longest time; a slow program is one that takes long itself (the control)."""
    budget = AnswerBudget()
    for number in range(10):
        budget.answered("waits", number * S, (number + 1) * S, ran_ns=(number, number + 1))
        budget.answered("works", number * S, (number + 1) * S, ran_ns=(number * S, (number + 1) * S))
    assert budget.allows("waits", 10 * S)
    assert not budget.allows("works", 10 * S)
    assert budget.allows("works", 10 * S, urgent=True)


def test_a_program_that_works_for_the_person_meanwhile_pays_for_its_answers_alone() -> None:
    """Its quickest answers say what one costs; one whose quickest are slow pays for all (the control)."""
    budget = AnswerBudget()
    for number in range(100):
        length = S if number % 4 else S // 1000
        budget.answered("busy", number * S, number * S + 1, ran_ns=(number * S, number * S + length))
        budget.answered("slow", number * S, number * S + 1, ran_ns=(number * S, number * S + S))
    assert budget.allows("busy", 100 * S)
    assert not budget.allows("slow", 100 * S)


def test_a_program_that_has_answered_too_much_rests_until_half_of_it_is_over() -> None:
    """It is not asked and refused in turn as each answer becomes a minute old."""
    budget, news = AnswerBudget(), list[bool]()
    budget.on_quiet = lambda _, on: news.append(on)
    for number in range(31):
        budget.answered("a", number * S, number * S + S // 10)
    allowed = [budget.allows("a", t_ns) for t_ns in range(31 * S, 90 * S, S)]
    assert news == [True, False]
    assert allowed == sorted(allowed)
    assert 10 < allowed.count(False) < 50


def test_a_program_that_is_not_asked_for_a_while_is_reported_once_and_its_end_too() -> None:
    """Whether its answers have taken too long, or it does not answer; one that ends is asked nothing more either."""
    budget, news = AnswerBudget(), list[tuple[str, bool]]()
    budget.on_quiet = lambda name, on: news.append((name, on))
    budget.answered("slow", 0, BUSY_PER_MINUTE_NS)
    for _ in range(3):
        assert not budget.allows("slow", 10 * S)
    assert news == [("slow", True)]
    assert (budget.spent(10 * S), budget.spent(80 * S)) == (["slow"], [])
    assert budget.allows("slow", 80 * S)
    assert news[1:] == [("slow", False)]
    for call in range(STRIKES):
        budget.is_late("hung", call)
        budget.gave_up("hung", call, call)
    assert news[2:] == [("hung", True)]
    assert budget.spent(STRIKES) == []
    assert budget.allows("hung", LEFT_ALONE_NS + S)
    assert news[3:] == [("hung", False)]
    budget.answered("ends", 0, BUSY_PER_MINUTE_NS)
    budget.allows("ends", 10 * S)
    budget.clear()
    assert news[4:] == [("ends", True), ("ends", False)]


def test_an_answer_in_between_takes_strikes_back() -> None:
    """Three in a row count, not three in a day."""
    budget = AnswerBudget()
    for call in range(10):
        budget.is_late("a", call)
        budget.gave_up("a", call, call * 10 * S)
        budget.answered("a", call * 10 * S + S, call * 10 * S + S)
    assert budget.left_alone(95 * S) == []


def test_what_changes_all_the_time_is_restless() -> None:
    """From the fifth change in twelve seconds on; one that rests is heard again."""
    restless = Restless()
    assert [restless.is_restless("a", n * S) for n in range(RESTLESS + 1)] == [False] * (RESTLESS - 1) + [True] * 2
    assert not restless.is_restless("b", 5 * S)
    assert not restless.is_restless("a", 60 * S)


def test_the_same_thing_at_once_is_an_echo() -> None:
    """A toggle in a toolbar and in a menu is one act."""
    echoes = Echoes()
    assert [echoes.is_echo("Bold", t) for t in (0, 1, ECHO_NS + 1)] == [False, True, False]


def test_a_flood_is_dropped_counted_and_over() -> None:
    """The first few hundred in a second are looked at."""
    flood = Flood()
    assert sum(flood.add(n) for n in range(10_000)) == FLOOD_PER_S
    assert flood.is_on(20_000)
    assert flood.take_dropped() == 10_000 - FLOOD_PER_S
    assert flood.take_dropped() == 0
    assert not flood.is_on(QUIET_NS + 20_000)
    assert flood.add(2 * S)


def test_signals_that_come_at_once_after_a_second_without_any_are_no_flood() -> None:
    """The thread had no processor, or the program paused; a minute of silence allows no more than that second."""
    for silence_s, most in ((0, FLOOD_PER_S - 1), (1, 2 * FLOOD_PER_S - 1), (60, 2 * FLOOD_PER_S)):
        flood = Flood()
        assert flood.add(0)
        assert sum(flood.add(silence_s * S) for _ in range(3 * FLOOD_PER_S)) == most
        assert flood.is_on(silence_s * S)


def test_a_window_is_walked_at_most_once_in_five_seconds_and_ten_times_a_minute() -> None:
    """What was refused does not count."""
    rate = WalkRate()
    assert [rate.allows(t_ns) for t_ns in (0, 1, WALK_GAP_NS - 1, WALK_GAP_NS)] == [True, False, False, True]
    rate = WalkRate()
    begun = [t_ns for t_ns in range(0, 120 * S, S) if rate.allows(t_ns, asked=True)]
    assert len([t_ns for t_ns in begun if t_ns < 60 * S]) == WALKS_PER_MINUTE
    assert all(after - before >= WALK_GAP_NS for before, after in pairwise(begun))
    assert all(after - before >= 60 * S for before, after in zip(begun, begun[WALKS_PER_MINUTE:], strict=False))


@pytest.mark.parametrize("cost_ns", [(120 * S // 1000, 0), (0, 120 * S // 1000)], ids=["ours", "theirs"])
def test_walks_stay_below_one_per_cent_over_an_hour_whoever_pays(cost_ns: tuple[int, int]) -> None:
    """At first they may come as often as ever; then the cost says how often. Cheap ones are not refused."""
    rate = WalkRate()
    begun = []
    for t_ns in range(0, 3600 * S, S):
        if rate.allows(t_ns, asked=True):
            rate.spend(*cost_ns)
            begun.append(t_ns)
    assert len([t_ns for t_ns in begun if t_ns < 60 * S]) == WALKS_PER_MINUTE
    assert 0.007 * 3600 * S < sum(rate.counted_ns) <= 0.0095 * 3600 * S
    assert rate.refused > 0
    assert rate.allows(3700 * S)
    cheap = WalkRate()
    for t_ns in range(0, 3600 * S, S):
        if cheap.allows(t_ns):
            cheap.spend(S // 100, S // 100)
    assert cheap.refused == 0


@pytest.mark.parametrize("kept", [None, (0, 0)], ids=["kept", "control"])
@pytest.mark.parametrize("cost_ns", [0, 300 * S // 1000], ids=["by number", "by cost"])
def test_what_nobody_asked_for_leaves_walks_to_a_person(kept: tuple[int, int] | None, cost_ns: int) -> None:
    """Menus that are opened all the time use up what is theirs, and who asks is not refused.

    Control: with nothing kept the menus use up everything.
    """
    rate = WalkRate() if kept is None else WalkRate(kept=kept)
    now_ns = 0
    while rate.allows(now_ns):
        rate.spend(cost_ns, cost_ns)
        now_ns += WALK_GAP_NS
    assert now_ns < 60 * S
    assert rate.refused == bool(cost_ns)
    assert rate.allows(now_ns, asked=True) is (kept is None)


def test_a_person_who_asks_again_and_again_gets_what_is_kept_and_no_more() -> None:
    """Three walks in a minute are left, behind the gap as every walk."""
    rate = WalkRate()
    assert sum(rate.allows(t_ns) for t_ns in range(0, 35 * S, WALK_GAP_NS)) == WALKS_PER_MINUTE - WALKS_KEPT
    asked = [t_ns for t_ns in range(31 * S, 60 * S, S) if rate.allows(t_ns, asked=True)]
    assert asked == [35 * S, 40 * S, 45 * S]


def test_questions_of_a_walk_leave_the_others_theirs() -> None:
    """A click right after a walk may be asked about; a program that is late or was busy enough is not walked."""
    budget = AnswerBudget()
    assert all(budget.allows("a", 1, walk=True) for _ in range(20 * CALLS_PER_S))
    assert budget.allows("a", 1)
    budget.is_late("a", 1)
    assert not budget.allows("a", 2, walk=True)
    budget.walked("b", 0, BUSY_PER_MINUTE_NS)
    assert not budget.allows("b", BUSY_PER_MINUTE_NS, walk=True)
    assert budget.allows("b", BUSY_PER_MINUTE_NS)
    budget.answered("c", 0, BUSY_PER_MINUTE_NS)
    assert budget.allows("c", BUSY_PER_MINUTE_NS, walk=True)
    assert not budget.allows("c", BUSY_PER_MINUTE_NS)


def test_a_call_that_nobody_will_answer_holds_up_nothing() -> None:
    """The connection that it was made on ended."""
    budget = AnswerBudget()
    budget.is_late("a", 1)
    budget.is_void("a", 1)
    budget.is_void("b", 1)
    assert budget.allows("a", 1)
