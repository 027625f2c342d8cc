"""What was estimated when, in this session: what a person's own report of need is held against."""

from collections import deque
from typing import NamedTuple

from storage.clock import NS_PER_S
from storage.records import EarlierReport, Estimate, NeedReport, Prefix, ReportedBy

MAX_WINDOWS = 4000  # windows remembered: a day of them. A session is cut at midnight.
MAX_PROGRAMS = 16  # programs of one report that are learned from; nobody works in more within one stretch
ASKED_NS = 30 * NS_PER_S  # a request for help is about the newest window, if its estimate is no older than this


class _Window(NamedTuple):
    window_id: int
    app: str
    start_ns: int
    end_ns: int
    help_need: float


class EstimatedNeed:
    """The highest estimate of each window."""

    def __init__(self) -> None:
        self._windows: deque[_Window] = deque(maxlen=MAX_WINDOWS)

    def add(self, prefix: Prefix, estimate: Estimate) -> None:
        """Note the estimate of a prefix, unless it carries no opinion."""
        if estimate.abstained or estimate.error is not None:
            return
        window = _Window(prefix.window_id, prefix.app, prefix.start_ns, prefix.end_ns, estimate.help_need)
        if self._windows and self._windows[-1].window_id == prefix.window_id:
            earlier = self._windows.pop()
            window = window._replace(help_need=max(earlier.help_need, window.help_need))
        self._windows.append(window)

    def between(self, report: NeedReport) -> dict[str, float]:
        """Return the highest estimate of each program in the time that a report is about.

        One number each, however long: a stretch is one answer, and its highest estimate is what the answer confirms
        or corrects.
        """
        if report.by is ReportedBy.ASKED:
            newest = next(reversed(self._windows), None)
            recent = newest is not None and newest.end_ns >= report.end_ns - ASKED_NS
            return {newest.app: newest.help_need} if newest is not None and recent else {}
        found: dict[str, float] = {}
        for window in self._windows:
            if window.start_ns <= report.end_ns and window.end_ns >= report.start_ns:
                found[window.app] = max(window.help_need, found.get(window.app, 0.0))
        return found


def reported_needs(report: EarlierReport) -> dict[str, float]:
    """Return what a report about an earlier session says was estimated, as far as it can have been."""
    sound = {app: need for app, need in report.needs.items() if 0.0 <= need <= 1.0}
    return dict(sorted(sound.items())[:MAX_PROGRAMS])
