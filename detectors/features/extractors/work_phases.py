"""Phases of work, undoing and looking, and the order of acts.

A phase is doing (keys, shortcuts, presses), mending (undo, redo) or looking (scrolling, or no act for `FLOW_NS`). Arrow
keys and Escape belong to whatever goes on. The place of a phase of doing is where the screen first changed in it.
"""

from collections import deque
from math import hypot, log1p

from detectors.acts import Act
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, scaled, spread
from detectors.features.screen import ChangeSummary, ScreenStates
from storage.clock import NS_PER_S

FLOW_NS = 2 * NS_PER_S
SAME = 0.05  # heights; about a line or two
AGAIN_NS = 90 * NS_PER_S
PLACES = 8  # phases of doing whose place is remembered
DO, MEND, LOOK = range(3)
_PHASE_OF = (DO, DO, DO, None, MEND, MEND, DO, DO, None, DO, LOOK)  # by act
_WORK = (Act.TEXT, Act.ERASE, Act.COMMIT, Act.CLIP, Act.COMMAND, Act.PRESS)
PAIRS = {
    "text_erase": ((Act.TEXT,), (Act.ERASE,)),
    "erase_text": ((Act.ERASE,), (Act.TEXT,)),
    "work_undo": (_WORK, (Act.UNDO,)),
    "undo_work": ((Act.UNDO,), _WORK),
    "undo_redo": ((Act.UNDO,), (Act.REDO,)),
    "press_press": ((Act.PRESS,), (Act.PRESS,)),
    "press_escape": ((Act.PRESS,), (Act.ESCAPE,)),
    "escape_press": ((Act.ESCAPE,), (Act.PRESS,)),
    "scroll_work": ((Act.SCROLL,), _WORK),
    "work_scroll": (_WORK, (Act.SCROLL,)),
}
_PAIR_NAMES = [f"pair_{pair}" for pair in PAIRS]
_ACTS = len(Act)
_PAIR_OF = [
    next((at for at, (firsts, thens) in enumerate(PAIRS.values()) if first in firsts and then in thens), -1)
    for first in Act
    for then in Act
]
_NEXT = len(PAIRS)
_BEGUN = _NEXT + 1  # by phase
_DO_LOGS, _DO_SQUARES, _DO_ENDED, _LOOK_LOGS, _LOOK_ENDED, _ACT_LOGS, _PLACED, _AGAIN, _MENDED, _SIZE = range(
    _BEGUN + 3, _BEGUN + 13
)


class WorkPhases(FeatureExtractor):
    """Follows phases and pairs of acts."""

    table = defined("work_phases")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._long = fade.long_sums(_SIZE)
        self._act: Act | None = None
        self._phase: int | None = None
        self._begin_ns: int | None = None
        self._last_ns = 0
        self._acts = 0
        self._worked = False
        self._placed = True
        self._places: deque[tuple[float, float, int]] = deque(maxlen=PLACES)

    def on_act(self, act: Act, count: int, t_ns: int) -> None:
        before, self._act = self._act, act
        if before is not None and (act is not before or act is Act.PRESS):
            weight = self._fade.weights_at(t_ns)[2]
            self._long[_NEXT] += weight
            pair = _PAIR_OF[before * _ACTS + act]
            if pair >= 0:
                self._long[pair] += weight
        phase = _PHASE_OF[act]
        if phase is None:
            phase = DO if self._phase is None else self._phase
        if self._phase is None:
            self._begin(phase, t_ns)
        elif t_ns - self._last_ns > FLOW_NS:
            if self._phase != LOOK:
                self._end(self._last_ns)
                self._begin(LOOK, self._last_ns)
            if phase != LOOK:
                self._end(t_ns)
                self._begin(phase, t_ns)
        elif phase != self._phase:
            self._end(t_ns)
            self._begin(phase, t_ns)
        self._acts += count
        self._last_ns = max(self._last_ns, t_ns)

    def _begin(self, phase: int, t_ns: int) -> None:
        weight = self._fade.weights_at(t_ns)[2]
        self._long[_BEGUN + phase] += weight
        if phase == MEND and self._worked:
            self._long[_MENDED] += weight
        if phase != LOOK:
            self._worked = phase == DO
        self._phase, self._begin_ns = phase, t_ns
        self._acts = 0
        self._placed = phase != DO

    def _end(self, t_ns: int) -> None:
        length = log_age(self._begin_ns, t_ns)
        totals, weight = self._long, self._fade.weights_at(t_ns)[2]
        if self._phase == DO:
            totals[_DO_ENDED] += weight
            totals[_DO_LOGS] += length * weight
            totals[_DO_SQUARES] += length * length * weight
            totals[_ACT_LOGS] += log1p(self._acts) * weight
        elif self._phase == LOOK:
            totals[_LOOK_ENDED] += weight
            totals[_LOOK_LOGS] += length * weight

    def on_response(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:  # noqa: ARG002  # a hook
        """Take in where the screen changed after an act, in pixels."""
        if self._placed:
            return
        self._placed = True
        x, y = change.x / self._window.height, change.y / self._window.height
        weight = self._fade.weights_at(t_ns)[2]
        self._long[_PLACED] += weight
        if any(
            t_ns - then_ns <= AGAIN_NS and hypot(x - then_x, y - then_y) < SAME
            for then_x, then_y, then_ns in self._places
        ):
            self._long[_AGAIN] += weight
        self._places.append((x, y, t_ns))

    def forget(self) -> None:
        self._act = self._phase = self._begin_ns = None
        self._worked = False

    def values(self, now_ns: int) -> dict[str, float]:
        long = scaled(self._long, self._fade.factors(now_ns)[2])
        observed = self._fade.observed_s(now_ns)[2]
        turns = long[_NEXT] + PRIOR
        phase, begin_ns = self._phase, self._begin_ns
        if phase == DO:  # a phase that goes on counts as it is
            length = log_age(begin_ns, self._last_ns)
            long[_DO_ENDED] += 1.0
            long[_DO_LOGS] += length
            long[_DO_SQUARES] += length * length
            long[_ACT_LOGS] += log1p(self._acts)
        if phase is not None and phase != LOOK and now_ns - self._last_ns > FLOW_NS:
            phase, begin_ns = LOOK, self._last_ns
        if phase == LOOK:
            long[_LOOK_ENDED] += 1.0
            long[_LOOK_LOGS] += log_age(begin_ns, now_ns)
        ended = long[_DO_ENDED]
        return {
            "do_rate": long[_BEGUN + DO] / observed,
            "mend_rate": long[_BEGUN + MEND] / observed,
            "look_rate": long[_BEGUN + LOOK] / observed,
            "do_length": mean(ended, long[_DO_LOGS]),
            "do_unevenness": spread(ended, long[_DO_LOGS], long[_DO_SQUARES]),
            "do_acts": mean(ended, long[_ACT_LOGS]),
            "do_again": long[_AGAIN] / (long[_PLACED] + PRIOR),
            "do_mended": long[_MENDED] / (ended + PRIOR),
            "look_length": mean(long[_LOOK_ENDED], long[_LOOK_LOGS]),
            "phase_now": log_age(begin_ns, now_ns),
            **{name: value / turns for name, value in zip(_PAIR_NAMES, long, strict=False)},
        }
