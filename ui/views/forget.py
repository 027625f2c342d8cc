"""What is said before something is forgotten, and afterwards."""

from dataclasses import dataclass

from storage.timeline import FORGET_LAST_S, ForgetReport, ForgetScope, TimelineTrouble
from storage.translation import tr, translatable
from ui.views.notice import NoticeView
from ui.views.text import in_our_language, local_time, long_day, view_fault, weekday_clock

FORGET_NOW, KEEP = translatable("&Forget it"), translatable("&Keep it")
CLOSE = translatable("&Close")
LAST_MINUTES = round(FORGET_LAST_S / 60)

TROUBLE_NOTICE = "timeline_trouble"  # code of the notice that says why something could not be forgotten
TROUBLE_LIMIT = 300
_RECENT = (ForgetScope.LAST, ForgetScope.HOUR)


@dataclass(frozen=True, slots=True)
class ForgetView:
    """The question before something is forgotten, or what was: a title, and headed lists."""

    title: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]


def view_forget(report: ForgetReport) -> ForgetView:
    """Say what would go, or has gone, and what stays."""
    gone = [
        tr("{sessions:session|sessions} of recorded work", sessions=report.sessions) if report.sessions else "",
        _cut(report),
        tr("copies of {requests:request|requests} to models", requests=report.requests) if report.requests else "",
        tr("what was learned from your answers then") if report.learned else "",
        tr(
            "the same in {sessions:later session, which no longer replays as it was|later sessions, which no longer "
            "replay as they were}",
            sessions=report.began_after,
        )
        if report.began_after
        else "",
    ]
    found = tuple(part for part in gone if part) or (_nothing(report),)
    parts = [(tr("Deleted") if report.done else _goes(report), found)]
    if report.problems:
        parts.append((tr("This could not be read, and stays"), tuple(map(in_our_language, report.problems))))
    parts.append((tr("Out of reach"), tuple(tr(line) for line in report.out_of_reach)))
    parts.append((tr("This stays"), (tr(report.kept),)))
    return ForgetView(_title(report), tuple(parts))


def view_trouble(trouble: TimelineTrouble) -> NoticeView:
    """Say why something could not be done, where no window shows it."""
    text = view_fault(trouble.what, trouble.remedy, limit=TROUBLE_LIMIT)
    return NoticeView(tr("This could not be done"), text)


def _title(report: ForgetReport) -> str:
    if not report.done:
        if report.scope is ForgetScope.HOUR:
            return tr("Forget the last hour?")
        if report.scope is ForgetScope.LAST:
            return tr("Forget the last {minutes:minute|minutes}?", minutes=LAST_MINUTES)
        return tr("Forget {what}?", what=_name(report))
    return tr("Forgotten: {what}", what=_name(report))


def _name(report: ForgetReport) -> str:
    at = local_time(report.begin_wall_ns)
    if report.scope is ForgetScope.DAY and at is not None:
        return long_day(at)
    if report.scope is ForgetScope.ALL:
        return tr("everything")
    return tr("all since {when}", when=_since(report))


def _goes(report: ForgetReport) -> str:
    """Say how far the deletion reaches: what comes before the yes goes too, also what is not yet listed."""
    if report.scope in _RECENT:
        return tr("This goes for good: everything from {when} until you say yes", when=_since(report))
    return tr("This goes for good")


def _nothing(report: ForgetReport) -> str:
    if report.scope in _RECENT:
        return tr("what was in memory; nothing else was stored since then")
    return tr("nothing is there")


def _since(report: ForgetReport) -> str:
    """Return when it begins; with the weekday, since minutes may reach over midnight."""
    at = local_time(report.begin_wall_ns)
    return weekday_clock(at) if at is not None else ""


def _cut(report: ForgetReport) -> str:
    if not report.cut:
        return ""
    if report.sessions:
        return tr("the end of {sessions:more session|more sessions}", sessions=report.cut)
    return tr("the end of {sessions:session|sessions}", sessions=report.cut)
