"""The records of the last minute, and which of what they show an offer names.

A pure fold: a replay of the same records gives the same sighting.
"""

from collections import deque

from daemon.engine.sightings.controls import find_in_controls
from daemon.engine.sightings.gestures import find_in_gestures
from daemon.engine.sightings.span import SPAN_NS, Span, Timed, effect_ns
from storage.clock import NS_PER_S
from storage.records import (
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    Dropped,
    EventKind,
    Focus,
    InputEvent,
    MessageSeen,
    Problem,
    Record,
    Sighting,
    UndoLabel,
    Wake,
)
from storage.settings import CaptureSettings

LEAD_NS = 15 * NS_PER_S
"""Records from so long before the last minute are still there: acts that came before what happened in it."""

MAX_RECORDS = 6000
"""More of a minute are forgotten from the oldest on; counts are then lower than they could be."""

MAX_OWNERS = 64
"""Names of dialogs whose program is remembered."""

_OF_A_PROGRAM = (ControlAct, DialogSeen, MessageSeen, DocumentLoaded, UndoLabel)
_UNNOTED = (EventKind.MOTION, EventKind.BUTTON_UP)

NAMELESS = frozenset({"trouble_pattern", "nothing_gained", "long_pause", "help_resource", "hover_without_act"})
"""Topics that say little: whatever can be named goes before them."""

BY_MODEL = "model_judgement"
"""The topic that rests on a language model's answer. The card says so, and names nothing else."""

_GESTURES_FOR = frozenset({"trouble_pattern"})
_ONLY_FOR = {
    "step_undone": NAMELESS | {"undo_bursts", "comparing"},
    "page_again": NAMELESS,
    "error_seen": NAMELESS,
    "entry_seen": NAMELESS,
}
"""Sightings that go before the evidence of these topics alone; the others go before that of any."""


class RecentRecords:
    """Collects records in log order, and finds what an offer can name."""

    def __init__(self, capture: CaptureSettings) -> None:
        """Start with nothing seen; how often the screen is looked at decides when an effect would have been seen."""
        self._effect_ns = effect_ns(capture)
        self._records: deque[tuple[Timed | Dropped, str]] = deque(maxlen=MAX_RECORDS)
        self._owners: dict[str, str] = {}

    def add(self, record: Record, app: str, *, stopped: bool) -> None:
        """Take in one source record; `app` is the application in use after it, `stopped` whether sensing is off.

        Nothing is counted over a time in which something could not be seen.
        """
        if stopped or isinstance(record, (Wake, Problem)):
            self._records.clear()
            return
        if not isinstance(record, (Timed, Dropped)):
            return
        if isinstance(record, InputEvent) and (record.own or record.kind in _UNNOTED):
            return
        if isinstance(record, Focus):
            if record.own:
                return
            if record.dialog:  # a program's dialogs may go by another name
                if len(self._owners) >= MAX_OWNERS:
                    self._owners.clear()
                self._owners[record.app] = app
        while self._records and self._records[0][0].at_ns < record.at_ns - SPAN_NS - LEAD_NS:
            self._records.popleft()
        self._records.append((record, record.app if isinstance(record, _OF_A_PROGRAM) else app))

    def find(self, topic: str, app: str, now_ns: int) -> Sighting:
        """Return what an offer about a topic in an application names now; one without a code if there is nothing."""
        if topic == BY_MODEL:
            return Sighting()
        span = self._span(app, now_ns)
        for sighting in find_in_controls(span):
            only_for = _ONLY_FOR.get(sighting.code)
            if only_for is None or topic in only_for:
                return sighting
        if topic in _GESTURES_FOR:
            return next(find_in_gestures(span), Sighting())
        return Sighting()

    def _span(self, app: str, now_ns: int) -> Span:
        here: list[Timed] = []
        elsewhere: list[Timed] = []
        lost_ns = []
        for record, of_app in self._records:
            if isinstance(record, Dropped):
                lost_ns.append(record.at_ns)
            elif app in (of_app, self._owners.get(of_app)):
                here.append(record)
            else:
                elsewhere.append(record)
        return Span(here, elsewhere, lost_ns, now_ns, self._effect_ns)
