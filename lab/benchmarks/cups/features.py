"""Features of a programmer at one event of the CUPS study, from it and from what came before it.

Nothing looks ahead, and nothing comes from labels, from the study's questionnaire or from another programmer. Numbers
stay as they are, as a forest only asks for their order; what is missing lies below everything that is measured.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from daemon.figures.resampling import Floats
from lab.benchmarks.cups.study import ACCEPTED, KINDS, REJECTED, SHOWN, Event

MEASURED = (
    "compCharLen",
    "confidence",
    "delayMs",
    "documentLength",
    "meanAlternativeLogProb",
    "meanLogProb",
    "numLines",
    "numTokens",
    "promptCharLen",
    "promptComputeTimeMs",
    "promptEndPos",
    "quantile",
    "timeSinceDisplayedMs",
    "timeSinceIssuedMs",
)
HIDDEN = ("UserTyping", "UserPaused", "UserBeforeAction")
LOOK_BACK = 5
RECENT_S = 60.0
NAMES = (
    *(f"is {kind}" for kind in KINDS),
    *(f"is {hidden}" for hidden in HIDDEN),
    "seconds since the event before",
    *MEASURED,
    "characters behind the cursor",
    *(f"kind, {back} back" for back in range(1, LOOK_BACK + 1)),
    *(f"seconds since, {back} back" for back in range(1, LOOK_BACK + 1)),
    "times shown again",
    "seconds since shown first",
    "characters typed into it",
    "change of confidence since shown first",
    "document grown since the event before",
    "document grown since the last decision",
    "seconds since accepted",
    "seconds since rejected",
    "accepted of the last ten",
    "decisions so far",
    "events of the last minute",
)

_MISSING = -100.0
_DECISIONS = 10


@dataclass(slots=True)
class _Past:
    """What is remembered of one programmer."""

    before: deque[Event] = field(default_factory=lambda: deque(maxlen=LOOK_BACK))
    shown: Event | None = None
    again: int = 0
    decided: Event | None = None
    last: dict[str, Event] = field(default_factory=dict)
    decisions: list[bool] = field(default_factory=list)
    times: deque[Event] = field(default_factory=deque)


def features(events: Sequence[Event]) -> Floats:
    """Return a row for each event, in the order of `NAMES`; events are sorted by programmer and time."""
    pasts: dict[int, _Past] = {}
    return np.array([_row(event, pasts.setdefault(event.session, _Past())) for event in events], np.float64)


def _row(event: Event, past: _Past) -> list[float]:
    """Return one row, and then remember its event."""
    _show(event, past)
    while past.times and _since(event, past.times[0]) > RECENT_S:
        past.times.popleft()
    back = [*reversed(past.before)]
    gone = [None] * (LOOK_BACK - len(back))
    recent = past.decisions[-_DECISIONS:]
    row = [
        *_one_of(event.event, KINDS),
        *_one_of(event.hidden_state, HIDDEN),
        event.seconds_in_state,
        *(event.measurements.get(name, _MISSING) for name in MEASURED),
        event.measurements.get("documentLength", 0.0) - event.measurements.get("promptEndPos", 0.0),
        *(float(KINDS.index(one.event)) if one else _MISSING for one in (*back, *gone)),
        *(_since(event, one) for one in (*back, *gone)),
        float(past.again),
        _since(event, past.shown),
        _grown(past.shown, event, "compCharLen") * -1.0,
        _grown(past.shown, event, "confidence"),
        _grown(back[0] if back else None, event, "documentLength"),
        _grown(past.decided, event, "documentLength"),
        _since(event, past.last.get(ACCEPTED)),
        _since(event, past.last.get(REJECTED)),
        (sum(recent) + 1.0) / (len(recent) + 2.0),
        float(len(past.decisions)),
        float(len(past.times)),
    ]
    _remember(event, past)
    return row


def _show(event: Event, past: _Past) -> None:
    """Count how often the suggestion in sight was shown."""
    if event.event == SHOWN:
        past.shown, past.again = event, 0
    else:
        past.again += event.event not in (ACCEPTED, REJECTED)


def _remember(event: Event, past: _Past) -> None:
    past.before.append(event)
    past.times.append(event)
    past.last[event.event] = event
    if event.event in (ACCEPTED, REJECTED):
        past.decided = event
        past.decisions.append(event.event == ACCEPTED)


def _one_of(value: str, values: Iterable[str]) -> list[float]:
    return [float(value == one) for one in values]


def _since(event: Event, before: Event | None) -> float:
    return _MISSING if before is None else (event.time - before.time).total_seconds()


def _grown(before: Event | None, event: Event, name: str) -> float:
    """Return by how much a measurement changed; 0 where it was not taken both times."""
    if before is None or name not in before.measurements or name not in event.measurements:
        return 0.0
    return event.measurements[name] - before.measurements[name]
