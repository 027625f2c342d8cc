"""Between what the interface shows of a purge and the purge itself: spans one way, reports the other."""

import datetime as dt

from daemon.purge.purge import KEPT, PurgeReport
from daemon.purge.span import Span, everything, last, of_day
from storage.clock import local_time
from storage.timeline.rows import FORGET_LAST_S, ForgetReport, ForgetScope


def span_of(scope: ForgetScope, day: dt.date | None, now_wall_ns: int) -> Span:
    """Return what a scope means now; without a day it is today."""
    if scope is ForgetScope.ALL:
        return everything()
    if scope is ForgetScope.DAY:
        return of_day(day or local_time(now_wall_ns).date())
    return last(FORGET_LAST_S, now_wall_ns)


def shown_span(report: ForgetReport) -> Span:
    """Return the span that a report is about, whatever the time is now."""
    return Span(scope=report.scope.value, begin_wall_ns=report.begin_wall_ns, end_wall_ns=report.end_wall_ns)


def forget_report(report: PurgeReport) -> ForgetReport:
    """Return what a purge did, or would do, as the interface gets it."""
    span = report.span
    return ForgetReport(
        scope=ForgetScope(span.scope),
        begin_wall_ns=span.begin_wall_ns,
        end_wall_ns=span.end_wall_ns,
        done=not report.dry_run,
        sessions=len(report.deleted),
        cut=len(report.cut),
        requests=report.requests,
        learned=report.learned,
        began_after=len(report.began_after),
        problems=report.problems,
        out_of_reach=report.not_reached,
        kept=KEPT,
    )
