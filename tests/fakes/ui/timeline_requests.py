"""A reader of the timeline that notes what the interface requests, and answers nothing; and a preview to show."""

import datetime as dt
from collections.abc import Sequence

from storage.timeline import ForgetReport, ForgetScope, Moment, TimelineView


class Requests:
    """A reader that only notes what it is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def attach(self, view: TimelineView) -> None:
        """Nothing to answer."""

    def open(self) -> None:
        """Note it."""
        self.calls.append(("open",))

    def close(self) -> None:
        """Note it."""
        self.calls.append(("close",))

    def request_day(self, day: dt.date | None) -> None:
        """Note it."""
        self.calls.append(("day", day))

    def request_thumbnails(self, moments: Sequence[Moment]) -> None:
        """Note it."""
        self.calls.append(("thumbnails", *(moment.moment_id for moment in moments)))

    def request_facts(self) -> None:
        """Note it."""
        self.calls.append(("facts",))

    def report(self, session: str, start_ns: int, end_ns: int, *, needed: bool) -> None:
        """Note it."""
        self.calls.append(("report", session, start_ns, end_ns, needed))

    def preview_forget(self, scope: ForgetScope, day: dt.date | None) -> None:
        """Note it."""
        self.calls.append(("preview", scope, day))

    def forget(self, report: ForgetReport) -> None:
        """Note it."""
        self.calls.append(("forget", report))


def forget_report(**changes: object) -> ForgetReport:
    """Return what forgetting the last minutes would delete, unless it is said otherwise."""
    values: dict[str, object] = {
        "scope": ForgetScope.LAST,
        "begin_wall_ns": 1_790_000_000_000_000_000,
        "end_wall_ns": None,
        "done": False,
        "sessions": 2,
        "cut": 1,
        "requests": 3,
        "learned": True,
        "began_after": 1,
        "problems": (),
        "out_of_reach": ("backups",),
        "kept": "your consent",
    }
    return ForgetReport(**(values | changes))  # type: ignore[arg-type]  # tests give what fits
