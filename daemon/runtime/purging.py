"""Purges while Kairos runs: the gate is closed and the span noted at once, the rest follows between two sessions."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from daemon.history.labelling import LabelService
from daemon.history.timeline.service import TimelineService
from daemon.purge.purge import begin, finish, is_pending, span_from
from daemon.purge.span import PurgeSpan
from daemon.runtime.sensing import Reason, SensingControl
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.translation import translatable

PURGE_GOES_ON = translatable("Kairos tries again by itself; nothing is captured until it is done.")
"""Said of a purge that cannot be finished now."""


class Purging:
    """One purge at a time. Used in the core's thread."""

    def __init__(
        self,
        sessions_dir: Path,
        state_file: Path,
        sensing: SensingControl,
        timeline: TimelineService,
        *,
        labels: LabelService,
        on_begin: Callable[[], None],
    ) -> None:
        """Prepare; `on_begin` ends the session, `timeline` is told what becomes of a purge, `labels` is ended."""
        self._sessions_dir = sessions_dir
        self._state_file = state_file
        self._sensing = sensing
        self._timeline = timeline
        self._labels = labels
        self._on_begin = on_begin
        self._closed = 0
        self.outcome: dict[str, Any] = {"number": 0}
        """The newest purge as a JSON object: its number, then its report, or the error with its remedy."""

    @property
    def is_pending(self) -> bool:
        """Whether a purge was requested, or begun before a kill, and is not finished."""
        return is_pending(self._state_file)

    def request(self, request: Mapping[str, Any]) -> None:
        """Begin the purge that a request over the socket names.

        Raises:
            UsageError: it names no time, other sessions than ours, or comes while one is carried out.
        """
        span = span_from(request)
        if span is None:
            raise UsageError("a purge names what to forget, and from when on")
        if request.get("sessions_dir") != str(self._sessions_dir):
            raise UsageError(f"Kairos runs with the sessions in {self._sessions_dir}: quit it to purge others")
        self._begin(span)

    def request_from_window(self, span: PurgeSpan) -> None:
        """Begin a purge; the window is told where that is refused."""
        try:
            self._begin(span)
        except UsageError as error:
            self._timeline.not_purged(error.what, error.remedy)

    def _begin(self, span: PurgeSpan) -> None:
        """Close the gate, note what is to be forgotten, and end the session.

        Raises:
            UsageError: one is being carried out, or this cannot be noted.
        """
        if self.is_pending:
            raise UsageError("a purge is under way")
        self._closed = self._sensing.close(Reason.PURGING)
        try:
            begin(span, self._sessions_dir, self._state_file)
        except EnvironmentFault as fault:
            self._sensing.open(Reason.PURGING)
            raise UsageError(f"nothing was deleted: {fault.what}") from fault
        self.outcome = {"number": self.outcome["number"] + 1, "report": None, "error": None, "remedy": None}
        self._on_begin()

    async def finish(self) -> None:
        """Carry out the pending purge: no session runs, and none begins before.

        Raises:
            EnvironmentFault: it cannot be finished now; the caller tries again, and until then nothing is captured.
        """
        outcome, closed = self.outcome, self._closed  # another may be requested as soon as this one is done
        await asyncio.to_thread(self._labels.drop)  # or its window would write back what is deleted
        try:
            report = await asyncio.to_thread(finish, self._state_file)
        except (EnvironmentFault, BadFile) as fault:
            outcome.update(error=fault.what, remedy=f"{fault.remedy}\nNothing is captured until it is done".strip())
            self._timeline.not_purged(fault.what, PURGE_GOES_ON)
            raise
        outcome.update(report=report.as_json() if report is not None else None, error=None)
        self._sensing.open(Reason.PURGING, closed)
        if report is not None:
            self._timeline.purged(report)
