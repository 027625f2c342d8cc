"""What an offer can name: what came back, was tried in vain or stands there, found in the records of the last minute.

A pure fold: a replay of the same records gives the same sighting. `sighted_controls` reads what the accessibility sense
saw; keys, clicks and changes of the screen are read here. All counts are of records, so they are never above what was
seen, and what cannot be told from them is not said.
"""

from collections import deque
from collections.abc import Iterator, Sequence

from daemon.engine.sighted_controls import find_in_controls
from daemon.engine.span import IN_VAIN, SPAN_NS, RecentSpan, Timed, effect_ns, seconds
from detectors.acts import TOLD_DOUBLE_NS, UNDONE, Act, act_of, is_near
from storage.clock import NS_PER_S
from storage.records import (
    PRESENCE,
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

LEAD_NS = 15 * NS_PER_S  # how far before the last minute records are kept: acts that came before what happened in it
MAX_RECORDS = 6000  # records kept; in a busier minute the oldest go, and counts are lower than they could be
MAX_OWNERS = 64  # names of dialogs whose program is remembered
_OF_A_PROGRAM = (ControlAct, DialogSeen, MessageSeen, DocumentLoaded, UndoLabel)
_UNNOTED = (EventKind.MOTION, EventKind.BUTTON_UP, *PRESENCE)

AT_ONE_PLACE = 4
DIALOGS = 3
TURNS = 4
PAUSE_NS = 10 * NS_PER_S
PLACE_PX = 12

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

    def _span(self, app: str, now_ns: int) -> RecentSpan:
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
        return RecentSpan(here, elsewhere, lost_ns, now_ns, self._effect_ns)


def find_in_gestures(span: RecentSpan) -> Iterator[Sighting]:
    """Yield what keys, clicks and changes of the screen showed, the most telling first."""
    clicks = _clicks(span)
    in_vain = _most_at_one_place([click for click in clicks if span.is_without_effect(click.t_ns)])
    if len(in_vain) >= IN_VAIN:
        yield _counted("place_in_vain", in_vain)
    undone = sum(event.count for event in span.of_kind(InputEvent) if act_of(event) is Act.UNDO)
    if undone >= UNDONE:
        yield Sighting(code="undone", numbers={"count": float(undone)})
    dialogs = sum(focus.dialog and not focus.own for focus in span.of_kind(Focus))
    if dialogs >= DIALOGS:
        yield Sighting(code="dialogs", numbers={"count": float(dialogs)})
    at_one_place = _most_at_one_place(clicks)
    if len(at_one_place) >= AT_ONE_PLACE:
        yield _counted("place_again", at_one_place)
    turns = _turns(span)
    if turns >= TURNS:
        yield Sighting(code="turns", numbers={"count": float(turns)})
    last_ns = span.last_input_ns
    if last_ns is not None and span.now_ns - last_ns >= PAUSE_NS:
        yield Sighting(code="pause", numbers={"age_s": float((span.now_ns - last_ns) // NS_PER_S)})


def _counted(code: str, clicks: Sequence[InputEvent]) -> Sighting:
    numbers = {"count": float(len(clicks)), "span_s": seconds(clicks[0].t_ns, clicks[-1].t_ns)}
    return Sighting(code=code, numbers=numbers)


def _clicks(span: RecentSpan) -> list[InputEvent]:
    """Return the presses of the left button, a double click once."""
    clicks: list[InputEvent] = []
    last: InputEvent | None = None
    for event in span.of_kind(InputEvent):
        if event.kind is not EventKind.BUTTON_DOWN or event.button != "left" or event.x is None:
            continue
        if last is None or event.t_ns - last.t_ns >= TOLD_DOUBLE_NS or not _is_same_place(event, last):
            clicks.append(event)
        last = event
    return clicks


def _most_at_one_place(clicks: Sequence[InputEvent]) -> list[InputEvent]:
    """Return the most clicks that lie near one of them."""
    groups = ([other for other in clicks if _is_same_place(click, other)] for click in clicks)
    return max(groups, key=len, default=[])


def _is_same_place(event: InputEvent, other: InputEvent) -> bool:
    if event.x is None or event.y is None or other.x is None or other.y is None:
        return False
    return is_near((event.x, event.y), (other.x, other.y), (PLACE_PX, PLACE_PX))


def _turns(span: RecentSpan) -> int:
    """Return how often scrolling changed between up and down."""
    turns, before = 0, 0
    for event in span.of_kind(InputEvent):
        if event.kind is EventKind.SCROLL and event.dy:
            way = 1 if event.dy > 0 else -1
            turns += before not in (0, way)
            before = way
    return turns
