"""Rules that two neighbouring rows of the timeline must not break, and the rows of a session."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from daemon.history.timeline.moments import MomentFold
from policies.gates import REASONS
from storage.clock import NS_PER_S
from storage.records import Record, SessionStart
from storage.timeline import Moment, MomentKind
from tests.fakes.narrowing import as_a
from tests.fakes.sessions.derived_session import number_anew
from ui.views.day import fold_work, merge_work
from ui.views.timeline import view_row

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


def contradictions(moments: Sequence[Moment]) -> list[tuple[str, str, str]]:
    """Return which rule is broken between which rows of a session, as stretches and in every detail."""
    rows = sorted(moments, key=_place)
    stretches = [merge_work(name, parts) for name, parts in fold_work(rows).items()]
    marks = [row for row in rows if row.kind is not MomentKind.WORK]
    return [
        (name, view_row(row).spoken, view_row(below).spoken)
        for listed in (rows, sorted([*stretches, *marks], key=_place))
        for row, below in pairwise(listed)
        for name, is_broken in RULES.items()
        if is_broken(row, below)
    ]


def _place(moment: Moment) -> tuple[int, str]:
    return moment.begin_wall_ns, moment.moment_id


def fold(rows: Sequence[Record]) -> list[Moment]:
    made = MomentFold(as_a(SessionStart, rows[0]))
    for row in number_anew(list(rows))[1:]:
        made.add(row)
    return made.moments
