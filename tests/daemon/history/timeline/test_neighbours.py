"""No two rows of the timeline contradict each other: a table of rules, tried on sessions that were derived anew."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from daemon.history.timeline.moments import ASKED_SHOWS
from policies.gates import REASONS
from storage.clock import NS_PER_S
from storage.records import (
    Decision,
    Estimate,
    Feedback,
    FeedbackKind,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    Switch,
    SwitchName,
    Verdict,
    Window,
)
from storage.timeline import MomentKind, TimelineDay
from tests.fakes.narrowing import as_a
from tests.fakes.sessions.contradictions import RULES, contradictions, fold
from tests.fakes.sessions.derived_session import rows_of_here, stuck_rows
from ui.views.day import fold_work, merge_work
from ui.views.timeline import view_row, view_summary


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


@pytest.mark.parametrize("seed", range(4))
def test_no_row_contradicts_its_neighbour(seed: int) -> None:
    """Neither as stretches nor in every detail; what is summed up above says the same as the rows."""
    moments = fold(list(rows_of(seed)))
    assert contradictions(moments) == []
    offered = [row for row in moments if row.kind is MomentKind.OFFER and not row.asked]
    day = TimelineDay(day=None, today=None, begin_wall_ns=0, end_wall_ns=0, moments=())  # type: ignore[arg-type]
    assert ("no help offered" in view_summary(day, moments).lower()) is (not offered)
    stretches = [merge_work(name, parts) for name, parts in fold_work(moments).items()]
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


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)], ids=["within", "ends with it"])
@pytest.mark.parametrize("before_ns", [0, NS_PER_S])
def test_a_window_within_time_that_nobody_watched_is_no_work(order: tuple[int, ...], before_ns: int) -> None:
    """Seen in sessions that come with Kairos; controls: one that opened before is, and the same window alone."""
    rows = rows_of_here()
    estimate = next(row for row in rows if isinstance(row, Estimate))
    off, on = (Switch(at_ns=estimate.at_ns, name=SwitchName.EXCLUDED, on=to, by="fence") for to in (True, False))
    window = next(row for row in rows if isinstance(row, Window) and row.window_id == estimate.window_id)
    window = replace(window, at_ns=estimate.at_ns, start_ns=estimate.at_ns - before_ns, end_ns=estimate.at_ns)
    end = SessionEnd(at_ns=estimate.at_ns, reason="stop")  # with the switch on: what is derived of it comes behind it
    ended = fold([rows[0], off, end, estimate, window])
    assert (MomentKind.WORK in {row.kind for row in ended}) is bool(before_ns)
    during = fold([rows[0], *([off, estimate, on][place] for place in order), window])
    assert [row.kind for row in during] == [MomentKind.OFF, *([MomentKind.WORK] if before_ns else [])]
    assert MomentKind.WORK in {row.kind for row in fold([rows[0], estimate])}


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
