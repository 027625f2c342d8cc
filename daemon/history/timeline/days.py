"""Reads the moments of a local day from its sessions; imported ones are left out, since they are not from here.

A session is opened for one request and closed again: whoever ends, exports or purges one needs it to itself.
"""

import datetime as dt
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from daemon.engine.estimated_need import EstimatedNeed
from daemon.history.timeline.moments import PARTS, MomentFold
from daemon.purge.span import PurgeSpan, of_day
from storage.clock import NS_PER_S, local_time
from storage.errors import BadFile
from storage.records import EarlierReport, Estimate, Frame, NeedReport, Prefix, SessionStart
from storage.session.log import SessionReader, list_sessions
from storage.session.video import read_small
from storage.timeline import Moment, TimelineDay

MAX_MOMENTS = 20_000
"""Moments of a day that are shown; one of 24 hours has some 5,000."""

LATE_CUT_NS = 120 * NS_PER_S
"""How long after midnight a session may go on before it is cut; it looks once a minute, if records arrive."""

BATCH = 500
"""Rows of the running session that are read at once."""


def read_day(
    base: Path,
    day: dt.date,
    *,
    studies: Collection[str] = (),
    now_s: float = 0.0,
    name_of: Callable[[str], str] = lambda _: "",
) -> tuple[TimelineDay, dict[str, MomentFold]]:
    """Read a local day; return it, and the folds of its sessions, which go on with rows that are added later.

    Args:
        base: the folder of sessions.
        day: the day.
        studies: those whose lots are not shown yet.
        now_s: the time of day now, in seconds since the epoch.
        name_of: says what people call a program.
    """
    span = of_day(day)
    folders = list_sessions(base)
    dates = {folder: date_of(folder) for folder in folders}
    near = (day, day - dt.timedelta(days=1), day + dt.timedelta(days=1))
    folds: dict[str, MomentFold] = {}
    unreadable: list[str] = []
    for folder in folders:
        if dates[folder] not in near:
            continue
        try:
            fold = _read(folder, span, studies, now_s, name_of)
        except BadFile:
            if dates[folder] == day:
                unreadable.append(folder.name)
            continue
        if fold is not None:
            folds[folder.name] = fold
    moments = [moment for fold in folds.values() for moment in fold.take_changed()]
    moments += said_elsewhere(folders, folds)
    moments = sorted((item for item in moments if belongs(item, span, day)), key=_order)
    days = sorted({found for found in dates.values() if found is not None})
    today = local_time(round(now_s * NS_PER_S)).date()
    found = TimelineDay(
        day=day,
        today=today,
        begin_wall_ns=span.begin_wall_ns,
        end_wall_ns=span.end_wall_ns or span.begin_wall_ns,
        moments=tuple(moments[-MAX_MOMENTS:]),
        earlier=max((other for other in days if other < day), default=None),
        later=min((date for date in (*days, today) if date > day), default=None),
        unreadable=tuple(unreadable),
        left_out=max(0, len(moments) - MAX_MOMENTS),
    )
    return found, folds


def belongs(moment: Moment, span: PurgeSpan, day: dt.date) -> bool:
    """Tell whether a moment is shown on a day: it began then, or right after it in a session that was cut late."""
    if span.holds(moment.begin_wall_ns):
        return True
    return moment.session.startswith(f"{day:%Y%m%d}") and span.holds(moment.begin_wall_ns - LATE_CUT_NS)


def date_of(folder: Path) -> dt.date | None:
    """Return the local day on which a session began, by its name."""
    try:
        return dt.date.fromisoformat(folder.name[:8])
    except ValueError:
        return None


def read_on(base: Path, fold: MomentFold) -> list[Moment]:
    """Add what was recorded since to a fold; return the moments that changed.

    Raises:
        BadFile: the session cannot be read.
    """
    with SessionReader(base / fold.session) as reader:
        while rows := list(reader.rows_behind(fold.seq, fold.kinds, BATCH)):
            for row in rows:
                fold.add(row)
    return fold.take_changed()


def said_elsewhere(folders: Collection[Path], folds: dict[str, MomentFold]) -> Iterator[Moment]:
    """Yield what later sessions say of these."""
    if not folds:
        return
    first = min(folds)
    for folder in folders:
        if folder.name < first:
            continue
        for report in _reports_in(folder, folds.get(folder.name)):
            if report.session in folds:
                yield folds[report.session].report_of(folder.name, report, report.seq)


def read_picture(sessions_dir: Path, moment: Moment, most: int) -> tuple[int, int, bytes] | None:
    """Return the picture of a moment, at most so wide, with three bytes a pixel; None where there is none."""
    folder = sessions_dir / moment.session
    if not moment.frame:
        return None
    try:
        with SessionReader(folder) as reader:
            row = next(reader.rows_behind(moment.frame - 1, (Frame.KIND,), 1), None)
        if isinstance(row, Frame) and row.seq == moment.frame and row.image_ref is not None:
            return read_small(folder, row.image_ref, most)
    except (BadFile, OSError):
        return None
    return None


def needs_between(base: Path, session: str, start_ns: int, end_ns: int) -> dict[str, float]:
    """Return the highest estimates in a stretch of a session, by program, as the engine would have found them.

    Raises:
        BadFile: the session cannot be read.
    """
    seen = EstimatedNeed()
    prefix: Prefix | None = None
    with SessionReader(base / session) as reader:
        for row in reader.rows((Prefix.KIND, Estimate.KIND)):
            if isinstance(row, Prefix):
                prefix = row if row.start_ns <= end_ns and row.end_ns >= start_ns else None
            elif isinstance(row, Estimate) and prefix is not None and row.prefix_id == prefix.prefix_id:
                seen.add(prefix, row)
                prefix = None  # further estimates of it are of models, and teach nothing
    return seen.between(NeedReport(start_ns=start_ns, end_ns=end_ns, needed=True))


def _reports_in(folder: Path, fold: MomentFold | None) -> Collection[EarlierReport]:
    if fold is not None:
        return fold.earlier
    try:
        with SessionReader(folder) as reader:
            return [row for row in reader.rows((EarlierReport.KIND,)) if isinstance(row, EarlierReport)]
    except BadFile:
        return ()


def _read(
    folder: Path, span: PurgeSpan, studies: Collection[str], now_s: float, name_of: Callable[[str], str]
) -> MomentFold | None:
    """Fold a session if it lies in a span.

    Raises:
        BadFile: it cannot be read.
    """
    with SessionReader(folder) as reader:
        start = reader.first()
        if start.imported_from is not None or not _reaches(start, reader.last_at_ns(), span):
            return None
        fold = MomentFold(_named(start, folder.name), studies=studies, now_s=now_s, name_of=name_of)
        for row in reader.rows(fold.kinds, parts=PARTS):
            fold.add(row)
    return fold


def _named(start: SessionStart, name: str) -> SessionStart:
    """Return a first row that names its session as its folder is named, by which it is found."""
    return start if start.session_id == name else replace(start, session_id=name)


def _reaches(start: SessionStart, last_ns: int | None, span: PurgeSpan) -> bool:
    """Tell whether a session lies in a span; one that was cut a moment after midnight belongs to the day before."""
    if span.holds(start.wall_ns):
        return True
    length_ns = max(0, (last_ns or start.at_ns) - start.at_ns)
    return start.wall_ns < span.begin_wall_ns and start.wall_ns + length_ns > span.begin_wall_ns + LATE_CUT_NS


def _order(moment: Moment) -> tuple[int, str]:
    return moment.begin_wall_ns, moment.moment_id
