"""The figures of a run: both tables, agreement with people, domains, ambiguity, style.

No answer is a no, and counted. Intervals draw whole trajectories. One table is as published, by satisfaction alone; the
other calls a prediction that its trajectory does not fulfil no match, as section 4.1 does.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from daemon.figures.intervals import Interval
from lab.benchmarks.goals.judging import GOLD, ComparedGoal, Controls, Verdict
from lab.benchmarks.goals.label import LEVELS, PARTIAL, GoalLabel, label_of
from lab.measure.agreement import Agreement, PairwiseAgreement, agreement, agreement_of_all
from lab.measure.resampling import share_of

NAVIGATE = "navigate"
YES, NO = "yes", "no"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShares:
    """Shares of labels among so many predictions; `unanswered` directions counted as no."""

    by: str
    compared_by: str
    items: int
    unanswered: int
    fulfilment: Interval | None
    non_match: Interval
    partial: Interval
    match: Interval
    more_specific: float
    more_general: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WithPeople:
    """How far the judge agrees with people, or people with each other; None where that was not compared."""

    directions: Agreement | PairwiseAgreement | None = None
    fulfilment: Agreement | PairwiseAgreement | None = None
    labels: Agreement | PairwiseAgreement | None = None
    labels_with_fulfilment: Agreement | PairwiseAgreement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguity:
    """Of trajectories with gold and two written goals: whether all pairs match, some do, or none."""

    trajectories: int
    all_match: float
    some_match: float
    none_match: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlFigures:
    """How the judge behaves where the answer is known: `reflexive` should be 1, `swapped_match` about 0."""

    reflexive_asked: int
    reflexive: float
    swapped_asked: int
    swapped_match: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFigures:
    """All figures of a run."""

    as_published: tuple[LabelShares, ...]
    with_fulfilment: tuple[LabelShares, ...]
    judge_and_people: WithPeople
    always_yes_and_people: Interval
    people: WithPeople
    domains: Mapping[str, Mapping[str, Interval]]
    in_domain: Mapping[str, int]
    ambiguity: Ambiguity | None
    navigate: Mapping[str, float]
    controls: ControlFigures


def figures_of(
    judged: Sequence[ComparedGoal],
    verdicts: Sequence[Verdict],
    controls: Controls,
    domains: Mapping[str, str],
    *,
    judge: str,
    people: str,
    used: Iterable[str],
) -> GoalFigures:
    """Return all figures of what was judged, and of people's verdicts about the trajectories that were used.

    `judge` and `people` are what those who compared are called in the tables.
    """
    kept = set(used)
    verdicts = [verdict for verdict in verdicts if verdict.key in kept and verdict.by]
    beside_gold = [goal for goal in judged if goal.against == GOLD]
    by_people = first_verdicts(verdicts)
    tables = {}
    for fulfilment in (False, True):
        rows = [
            _shares(by, judge, [goal for goal in beside_gold if goal.by == by], fulfilment=fulfilment)
            for by in _in_order(goal.by for goal in beside_gold)
        ]
        if not fulfilment:
            rows += [
                _shares(
                    f"{by} beside {against}",
                    judge,
                    [goal for goal in judged if (goal.by, goal.against) == (by, against)],
                )
                for by, against in _in_order((goal.by, goal.against) for goal in judged if goal.against != GOLD)
            ]
        said = [_as_judged(verdict) for verdict in by_people if _is_whole(verdict, fulfilment=fulfilment)]
        rows += [
            _shares(by, people, [answer for answer in said if answer.by == by], fulfilment=fulfilment)
            for by in _in_order(answer.by for answer in said)
        ]
        tables[fulfilment] = tuple(rows)
    return GoalFigures(
        as_published=tables[False],
        with_fulfilment=tables[True],
        judge_and_people=_with_people(beside_gold, by_people),
        always_yes_and_people=always_yes(by_people).kappa,
        people=_among_people(verdicts),
        domains=_by_domain(beside_gold, domains),
        in_domain=dict(sorted(Counter(domains[key] for key in kept if key in domains).items())),
        ambiguity=ambiguity_of(judged),
        navigate={
            by: _share([begins_with_navigate(goal.prediction) for goal in beside_gold if goal.by == by])
            for by in _in_order(goal.by for goal in beside_gold)
        },
        controls=control_figures(controls),
    )


def label(one: ComparedGoal, *, fulfilment: bool) -> GoalLabel:
    """Return the label of a prediction, no answer being a no."""
    return label_of(
        p_satisfies_g=one.p_satisfies_g is True,
        g_satisfies_p=one.g_satisfies_p is True,
        fulfilled=one.fulfilled is True if fulfilment else None,
    )


def begins_with_navigate(goal: str) -> bool:
    """Return whether a goal is a way instead of an end (appendix C.1)."""
    first = goal.split(maxsplit=1)
    return bool(first) and first[0].casefold().strip(".,:;\"'") == NAVIGATE


def ambiguity_of(judged: Iterable[ComparedGoal]) -> Ambiguity | None:
    """Return how often gold and two written goals match each other; None where nobody wrote two (appendix C.1)."""
    of_key: dict[str, list[ComparedGoal]] = {}
    for goal in judged:
        of_key.setdefault(goal.key, []).append(goal)
    counts = []
    for rows in of_key.values():
        pair = next((row for row in rows if row.against != GOLD), None)
        if pair is None:
            continue
        three = [pair, *(row for row in rows if row.against == GOLD and row.by in (pair.by, pair.against))]
        counts.append((sum(label(goal, fulfilment=False) is GoalLabel.MATCH for goal in three), len(three)))
    if not counts:
        return None
    every = sum(found == asked for found, asked in counts)
    none = sum(not found for found, _ in counts)
    return Ambiguity(
        trajectories=len(counts),
        all_match=every / len(counts),
        some_match=(len(counts) - every - none) / len(counts),
        none_match=none / len(counts),
    )


def control_figures(controls: Controls) -> ControlFigures:
    """Return how the judge behaves where the answer is known; no answer is a no."""
    return ControlFigures(
        reflexive_asked=len(controls.reflexive),
        reflexive=_share([is_same is True for is_same in controls.reflexive]),
        swapped_asked=len(controls.swapped),
        swapped_match=_share([p_g is True and g_p is True for p_g, g_p in controls.swapped]),
    )


def first_verdicts(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the first verdict about each prediction."""
    found: dict[tuple[str, str], Verdict] = {}
    for verdict in verdicts:
        found.setdefault((verdict.key, verdict.by), verdict)
    return list(found.values())


def always_yes(verdicts: Sequence[Verdict]) -> Agreement:
    """Return how far somebody who always says yes agrees with people on single directions: kappa 0 or undefined."""
    rows = [
        (verdict.key, _word(said)) for verdict in verdicts for said in (verdict.p_satisfies_g, verdict.g_satisfies_p)
    ]
    return agreement([YES] * len(rows), [said for _, said in rows], [key for key, _ in rows])


def _with_people(judged: Sequence[ComparedGoal], people: Sequence[Verdict]) -> WithPeople:
    """Return how far the judge agrees with the first verdict about each prediction that both compared."""
    said = {(person.key, person.by): person for person in people}
    both = [(goal, said[goal.key, goal.by]) for goal in judged if goal.prediction and (goal.key, goal.by) in said]
    if not both:
        return WithPeople()
    keys = [one.key for one, _ in both]
    return WithPeople(
        directions=agreement(
            [_no_is_no(value) for one, _ in both for value in (one.p_satisfies_g, one.g_satisfies_p)],
            [_word(value) for _, one in both for value in (one.p_satisfies_g, one.g_satisfies_p)],
            [key for key in keys for _ in range(2)],
        ),
        fulfilment=agreement(
            [_no_is_no(one.fulfilled) for one, _ in both], [_word(one.fulfilled) for _, one in both], keys
        ),
        labels=_label_agreement(both, keys, fulfilment=False),
        labels_with_fulfilment=_label_agreement(both, keys, fulfilment=True),
    )


def _label_agreement(
    both: Sequence[tuple[ComparedGoal, Verdict]], keys: Sequence[str], *, fulfilment: bool
) -> Agreement:
    return agreement(
        [label(one, fulfilment=fulfilment).value for one, _ in both],
        [_label_of_verdict(one, fulfilment=fulfilment) for _, one in both],
        keys,
    )


def _among_people(verdicts: Sequence[Verdict]) -> WithPeople:
    """Return how far people agree with each other; nothing where there is one of them."""
    raters = _in_order(verdict.rater for verdict in verdicts)
    if len(raters) < 2:  # noqa: PLR2004  # a pair
        return WithPeople()
    items = _in_order((verdict.key, verdict.by) for verdict in verdicts)
    said = {(verdict.rater, verdict.key, verdict.by): verdict for verdict in verdicts}

    def of_all(words: Callable[[Verdict | None], Sequence[str | None]]) -> PairwiseAgreement:
        width = len(words(None))
        rows = {rater: [word for item in items for word in words(said.get((rater, *item)))] for rater in raters}
        return agreement_of_all(rows, [key for key, _ in items for _ in range(width)])

    return WithPeople(
        directions=of_all(
            lambda one: (None, None) if one is None else (_word(one.p_satisfies_g), _word(one.g_satisfies_p))
        ),
        fulfilment=of_all(lambda one: (None if one is None else _word(one.fulfilled),)),
        labels=of_all(lambda one: (None if one is None else _label_of_verdict(one, fulfilment=False),)),
        labels_with_fulfilment=of_all(lambda one: (None if one is None else _label_of_verdict(one, fulfilment=True),)),
    )


def _by_domain(judged: Sequence[ComparedGoal], domains: Mapping[str, str]) -> dict[str, dict[str, Interval]]:
    """Return the share of matches by domain and by whose goals, as published."""
    found: dict[str, dict[str, Interval]] = {}
    for domain in sorted({domains[goal.key] for goal in judged if goal.key in domains}):
        for by in _in_order(goal.by for goal in judged):
            rows = [goal for goal in judged if goal.by == by and domains.get(goal.key) == domain]
            if rows:
                matches = [label(row, fulfilment=False) is GoalLabel.MATCH for row in rows]
                found.setdefault(domain, {})[by] = share_of(matches, [row.key for row in rows])
    return found


def _shares(by: str, compared_by: str, rows: Sequence[ComparedGoal], *, fulfilment: bool = False) -> LabelShares:
    labels = [label(row, fulfilment=fulfilment) for row in rows]
    keys = [row.key for row in rows]
    shares = {level: share_of([label_.level == level for label_ in labels], keys) for level in LEVELS}
    return LabelShares(
        by=by,
        compared_by=compared_by,
        items=len(rows),
        unanswered=sum(
            (row.p_satisfies_g is None) + (row.g_satisfies_p is None) + (fulfilment and row.fulfilled is None)
            for row in rows
        ),
        fulfilment=share_of([row.fulfilled is True for row in rows], keys) if fulfilment else None,
        non_match=shares[GoalLabel.NON_MATCH.value],
        partial=shares[PARTIAL],
        match=shares[GoalLabel.MATCH.value],
        more_specific=_share([label_ is GoalLabel.MORE_SPECIFIC for label_ in labels]),
        more_general=_share([label_ is GoalLabel.MORE_GENERAL for label_ in labels]),
    )


def _share(yes: Sequence[bool]) -> float:
    return sum(yes) / len(yes) if yes else math.nan


def _word(said: bool | None) -> str | None:
    return None if said is None else (YES if said else NO)


def _no_is_no(said: bool | None) -> str:
    return YES if said is True else NO


def _is_whole(one: Verdict, *, fulfilment: bool) -> bool:
    """Return whether a verdict says all that a label takes."""
    needed = (one.p_satisfies_g, one.g_satisfies_p, *([one.fulfilled] if fulfilment else []))
    return None not in needed


def _label_of_verdict(one: Verdict, *, fulfilment: bool) -> str | None:
    return label(_as_judged(one), fulfilment=fulfilment).value if _is_whole(one, fulfilment=fulfilment) else None


def _as_judged(one: Verdict) -> ComparedGoal:
    return ComparedGoal(
        key=one.key,
        by=one.by,
        against=GOLD,
        prediction="",
        fulfilled=one.fulfilled,
        p_satisfies_g=one.p_satisfies_g,
        g_satisfies_p=one.g_satisfies_p,
    )


def _in_order(values: Iterable[_T]) -> list[_T]:
    return list(dict.fromkeys(values))
