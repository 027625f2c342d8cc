"""The figures of goals, and the published ones: their sums hold."""

import math

import pytest

from lab.benchmarks.goals import figures as figures_module
from lab.benchmarks.goals.figures import (
    GoalFigures,
    WithPeople,
    always_yes,
    ambiguity_of,
    begins_with_navigate,
    figures_of,
)
from lab.benchmarks.goals.judging import GOLD, ComparedGoal, Controls, Verdict
from lab.measure.agreement import Agreement, PairwiseAgreement
from lab.measure.published import load_published
from lab.measure.resampling import share_of


def judged(
    key: str,
    p_g: bool | None,
    g_p: bool | None,
    fulfilled: bool | None = True,
    *,
    by: str = "m",
    against: str = GOLD,
    prediction: str = "Book it",
) -> ComparedGoal:
    return ComparedGoal(
        key=key,
        by=by,
        against=against,
        prediction=prediction,
        fulfilled=fulfilled,
        p_satisfies_g=p_g,
        g_satisfies_p=g_p,
    )


ROWS = [
    judged("a", True, True),
    judged("b", True, True, False),
    judged("c", True, False),
    judged("d", False, True),
    judged("e", None, True),
    judged("f", None, None, None, prediction="Navigate to the page"),
    judged("g", True, True, None),
    judged("h", False, False),
]


def verdict(key: str, p_g: bool | None, g_p: bool | None, rater: str = "p", fulfilled: bool | None = True) -> Verdict:
    return Verdict(key=key, by="m", rater=rater, fulfilled=fulfilled, p_satisfies_g=p_g, g_satisfies_p=g_p)


def figures(
    rows: list[ComparedGoal], verdicts: list[Verdict] | None = None, controls: Controls | None = None
) -> GoalFigures:
    return figures_of(
        rows,
        verdicts or [],
        controls or Controls(),
        {"a": "travel", "b": "travel", "c": "shopping"},
        judge="j",
        people="people",
        used=[row.key for row in rows],
    )


def test_both_tables_and_no_answer_is_a_no() -> None:
    found = figures(ROWS)
    (alone,), (with_it,) = found.as_published, found.with_fulfilment
    assert (alone.items, alone.unanswered) == (8, 3)
    assert (alone.match.value, alone.partial.value, alone.non_match.value) == (3 / 8, 3 / 8, 2 / 8)
    assert (alone.more_specific, alone.more_general, alone.fulfilment) == (1 / 8, 2 / 8, None)
    assert (with_it.match.value, with_it.partial.value, with_it.non_match.value) == (1 / 8, 3 / 8, 4 / 8)
    assert with_it.unanswered == 5
    assert with_it.fulfilment is not None
    assert with_it.fulfilment.value == 5 / 8
    assert alone.match.low < 3 / 8 < alone.match.high


def test_always_yes_matches_everything_and_agrees_with_nobody() -> None:
    """Match 1.0 and kappa 0: the figure alone would call it perfect; reflexive and swapped name it."""
    people = [
        verdict("a", True, True),
        verdict("b", False, True),
        verdict("c", True, False),
        verdict("d", False, False),
    ]
    rows = [judged(person.key, True, True) for person in people]
    found = figures(rows, people, Controls(reflexive=(True,) * 4, swapped=((True, True),) * 4))
    assert found.as_published[0].match.value == 1.0
    assert isinstance(found.judge_and_people.directions, Agreement)
    assert math.isclose(found.judge_and_people.directions.kappa.value, 0.0, abs_tol=1e-12)
    assert math.isclose(found.always_yes_and_people.value, 0.0, abs_tol=1e-12)
    assert (found.controls.reflexive, found.controls.swapped_match) == (1.0, 1.0)
    good = figures(rows, people, Controls(reflexive=(True,) * 3 + (None,), swapped=((True, False),) * 4))
    assert (good.controls.reflexive, good.controls.swapped_match) == (0.75, 0.0)
    assert math.isnan(always_yes([verdict("a", True, True)]).kappa.value)


def test_kappa_over_directions_and_over_labels() -> None:
    rows = [judged("a", True, True), judged("b", None, False), judged("c", True, False), judged("d", True, True)]
    people = [verdict("a", True, True), verdict("b", True, False), verdict("c", True, None), verdict("x", True, True)]
    found = figures(rows, people).judge_and_people
    assert isinstance(found.directions, Agreement)
    assert isinstance(found.labels, Agreement)
    assert (found.directions.items, found.directions.left_out) == (5, 1)
    assert found.directions.table == ((1, 1), (0, 3))
    assert (found.labels.items, found.labels.left_out) == (2, 1)
    assert found.labels.labels == ("match", "non-match", "partial, more specific")
    assert figures(rows).judge_and_people == WithPeople()


def test_people_among_each_other() -> None:
    rows = [judged(key, True, True) for key in "abcd"]
    people = [
        verdict(key, yes, True, rater)
        for rater, says in (("p", "1100"), ("q", "1000"), ("r", "1101"))
        for key, yes in zip("abcd", (digit == "1" for digit in says), strict=True)
    ]
    found = figures(rows, people)
    assert isinstance(found.people.directions, PairwiseAgreement)
    assert set(found.people.directions.pairs) == {"p and q", "p and r", "q and r"}
    assert isinstance(found.people.labels, PairwiseAgreement)
    assert all(pair.items == 4 for pair in found.people.labels.pairs.values())
    by_people = found.as_published[1]
    assert (by_people.compared_by, by_people.match.value, by_people.more_general) == ("people", 0.5, 0.5)
    assert figures(rows, people[:4]).people == WithPeople()


def test_ambiguity_of_three_goals() -> None:
    """All pairs match, some, or none; where nobody wrote two there is no figure."""

    def three(key: str, first: bool, second: bool, both: bool) -> list[ComparedGoal]:
        return [
            judged(key, first, first, by="h1"),
            judged(key, second, second, by="h2"),
            judged(key, both, both, None, by="h1", against="h2"),
            judged(key, True, True, by="m"),
        ]

    rows = three("a", True, True, True) + three("b", True, False, False) + three("c", False, False, False)
    found = ambiguity_of([*rows, *three("d", False, False, True)])
    assert found is not None
    assert (found.trajectories, found.all_match, found.some_match, found.none_match) == (4, 0.25, 0.5, 0.25)
    assert ambiguity_of([judged("a", True, True)]) is None
    tables = figures(rows)
    assert [shares.by for shares in tables.as_published] == ["h1", "h2", "m", "h1 beside h2"]
    assert tables.as_published[3].match.value == 1 / 3
    assert [shares.by for shares in tables.with_fulfilment] == ["h1", "h2", "m"]


def test_domains_and_style() -> None:
    found = figures(ROWS)
    assert {name: by["m"].value for name, by in found.domains.items()} == {"shopping": 0.0, "travel": 1.0}
    assert found.in_domain == {"shopping": 1, "travel": 2}
    assert found.navigate == {"m": 1 / 8}
    assert begins_with_navigate("Navigate, then buy")
    assert not begins_with_navigate("Find where to navigate")
    assert not begins_with_navigate("")


def test_published_shares_sum_to_one() -> None:
    """The paper's tables keep to that without exception."""
    (table,) = load_published(figures_module.__file__).tables
    assert [round(sum(map(float, row)), 6) for row in table.rows.values()] == [1.0] * 12


def test_verdicts_about_what_was_left_out_do_not_count() -> None:
    """The tables of people are of the same trajectories."""
    found = figures([judged("a", True, True)], [verdict("a", True, True), verdict("z", False, False)])
    assert [(shares.compared_by, shares.items) for shares in found.as_published] == [("j", 1), ("people", 1)]


def test_intervals_draw_whole_trajectories() -> None:
    """Of one trajectory there is none."""
    assert math.isnan(share_of([True, False], ["a", "a"]).low)
    whole = share_of([True] * 10 + [False] * 10, ["a"] * 10 + ["b"] * 10)
    assert (whole.low, whole.value, whole.high) == (0.0, 0.5, 1.0)
    alone = share_of([True] * 10 + [False] * 10, [str(number) for number in range(20)])
    assert 0.2 < alone.low < 0.5 < alone.high < 0.8
    assert share_of([True], ["a"]).value == pytest.approx(1.0)
