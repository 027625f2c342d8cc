"""No two rows of the timeline contradict each other: a table of rules, tried on sessions that were derived anew."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from daemon.history.timeline.moments import ASKED_SHOWS, MomentFold
from policies.gates import REASONS
from storage.clock import NS_PER_S
from storage.records import (
    Decision,
    Estimate,
    Feedback,
    FeedbackKind,
    Offer,
    Record,
    SessionStart,
    Switch,
    SwitchName,
    Verdict,
)
from storage.timeline import Moment, MomentKind, TimelineDay
from tests.fakes.narrowing import as_a
from tests.fakes.sessions.derived_session import number_anew, rows_of_here, stuck_rows
from ui.views.day import fold_work, merge_work
from ui.views.timeline import view_row, view_summary

NEEDY = {REASONS[code] for code in ("at_break", "wait_over", "waiting_for_break", "searching")}
"""Reasons that say of help that it may be needed, or was offered."""


def needs_without_estimate(row: Moment, _: Moment) -> bool:
    return row.kind is MomentKind.WORK and row.help_need is None and row.why in NEEDY


def repeats(row: Moment, below: Moment) -> bool:
    kinds = {row.kind, below.kind} == {MomentKind.STRETCH}
    touches = 0 <= below.begin_wall_ns - row.end_wall_ns < NS_PER_S
    return kinds and touches and (row.session, row.app, row.task) == (below.session, below.app, below.task)


def out_of_order(row: Moment, below: Moment) -> bool:
    return row.begin_wall_ns > below.begin_wall_ns or row.end_wall_ns < row.begin_wall_ns


def works_while_off(row: Moment, below: Moment) -> bool:
    return row.kind is MomentKind.OFF and below.kind is MomentKind.WORK and below.end_wall_ns < row.end_wall_ns


RULES: dict[str, Callable[[Moment, Moment], bool]] = {
    "help may be needed, without an estimate": needs_without_estimate,
    "one stretch is two rows": repeats,
    "a row is before the one above it, or ends before it begins": out_of_order,
    "work was seen while nothing was watched": works_while_off,
}


def rows_of(seed: int) -> Iterator[Record]:
    """Yield a session with what brings contradictions about: pauses, cards that were asked for, lost estimates."""
    draw = random.Random(seed)
    asked = 0
    first, *others = rows_of_here() if seed == 0 else stuck_rows(seed)
    for row in (replace(as_a(SessionStart, first), imported_from=None), *others):
        if isinstance(row, Estimate) and draw.random() < 0.4:
            yield replace(row, abstained=True, state_probs={}, help_need=0.0)
            continue
        yield row
        if isinstance(row, Decision) and draw.random() < 0.2:
            asked += 1
            decision = replace(row, verdict=Verdict.HOLD, gate="budget", reason="showing")
            yield from (made_offer(row.at_ns, asked), decision)
            yield Feedback(at_ns=row.at_ns, offer_id=f"a{asked}", kind=FeedbackKind.ACCEPTED)
        if isinstance(row, Decision) and draw.random() < 0.1:
            for on in (True, False):
                yield Switch(at_ns=row.at_ns, name=SwitchName.PAUSED, on=on, by="person")


def made_offer(at_ns: int, number: int) -> Offer:
    offer = next(row for row in rows_of_here() if isinstance(row, Offer))
    return replace(offer, at_ns=at_ns, offer_id=f"a{number}", asked=True)


def fold(rows: list[Record]) -> list[Moment]:
    made = MomentFold(as_a(SessionStart, rows[0]))
    for row in number_anew(rows)[1:]:
        made.add(row)
    return made.moments


@pytest.mark.parametrize("seed", range(4))
def test_no_row_contradicts_its_neighbour(seed: int) -> None:
    """Neither as stretches nor in every detail; what is summed up above says the same as the rows."""
    moments = sorted(fold(list(rows_of(seed))), key=lambda one: (one.begin_wall_ns, one.moment_id))
    stretches = [merge_work(name, parts) for name, parts in fold_work(moments).items()]
    marks = [row for row in moments if row.kind is not MomentKind.WORK]
    grouped = sorted([*stretches, *marks], key=lambda one: (one.begin_wall_ns, one.moment_id))
    for rows in (moments, grouped):
        broken = [
            (name, view_row(row).spoken, view_row(below).spoken)
            for row, below in pairwise(rows)
            for name, is_broken in RULES.items()
            if is_broken(row, below)
        ]
        assert broken == []
    offered = [row for row in moments if row.kind is MomentKind.OFFER and not row.asked]
    day = TimelineDay(day=None, today=None, begin_wall_ns=0, end_wall_ns=0, moments=())  # type: ignore[arg-type]
    assert ("no help offered" in view_summary(day, moments).lower()) is (not offered)
    assert sum(part.estimates for part in stretches) == sum(row.estimates for row in moments)


def test_a_card_that_was_asked_for_is_not_called_an_offer() -> None:
    """Neither while it is on the screen; control: for an offer the reason stays as it is."""
    rows = rows_of_here()
    estimate = next(row for row in rows if isinstance(row, Estimate))
    showing = next(row for row in rows if isinstance(row, Decision))
    showing = replace(showing, verdict=Verdict.HOLD, gate="budget", reason="showing")
    whys = []
    for asked in (True, False):
        offer = replace(made_offer(estimate.at_ns, 1), asked=asked)
        work = [row for row in fold([rows[0], estimate, offer, showing]) if row.kind is MomentKind.WORK]
        whys.append(work[0].why)
    assert whys == [ASKED_SHOWS, REASONS["showing"]]


def test_an_asked_card_says_what_was_answered() -> None:
    offer = made_offer(NS_PER_S, 1)
    answered = Feedback(at_ns=2 * NS_PER_S, offer_id=offer.offer_id, kind=FeedbackKind.ACCEPTED)
    (asked,) = fold([rows_of_here()[0], offer, answered])
    assert (view_row(asked).head, view_row(asked).line) == ("You asked for help", "Accepted.")


def test_the_rules_find_what_they_forbid() -> None:
    """The control: each is broken by the rows that it is about."""
    work = next(row for row in fold(list(rows_of_here())) if row.kind is MomentKind.WORK)
    needy = replace(work, help_need=None, why=REASONS["waiting_for_break"])
    off = replace(work, kind=MomentKind.OFF, end_wall_ns=work.end_wall_ns + 1)
    stretch = merge_work("x", [work])
    below = replace(stretch, begin_wall_ns=stretch.end_wall_ns, end_wall_ns=stretch.end_wall_ns + 1)
    pairs = [(needy, work), (stretch, below), (below, stretch), (off, work)]
    assert [is_broken(*pair) for pair, is_broken in zip(pairs, RULES.values(), strict=True)] == [True] * 4
