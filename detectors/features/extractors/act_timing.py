"""Timing of acts: how fast keys follow each other, how long people pause, and what ends a pause.

Times are logarithms, ln(1 + 10 s), so that a mean is a typical time and not that of the one long pause. Motion
of the pointer is no act here: a person who only moves it is pausing, as far as the work is concerned.
"""

from math import log1p

from detectors.acts import Act
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, scaled, spread
from storage.clock import NS_PER_S

FLOW_NS = 2 * NS_PER_S  # a longer gap between two acts is a pause; a guess
HASTY_NS = 2 * NS_PER_S // 5  # acts of one kind closer than this are hit in haste (typing, scrolling aside); a guess
_ACTS, _GAPS, _LOGS, _SINGLE, _HASTY, _BOTH = range(6)
_SQUARES, _KEYS, _KEY_LOGS, _KEY_SQUARES, _PAUSES, _PAUSE_LOGS, _RUNS, _RUN_LOGS, _HELD, _HELD_LOGS, _LED = range(11)
_LEADS = ("pause_to_edit", "pause_to_mend", "pause_to_press", "pause_to_look")
_LEAD_OF = (0, 1, 0, 3, 1, 1, 0, 0, 1, 2, 3)  # by act
_TYPING = frozenset({Act.TEXT, Act.ERASE})
_REPEATED = _TYPING | {Act.SCROLL, Act.STEP}  # repeated quickly by everybody


class ActTiming(FeatureExtractor):
    """Follows the times of acts."""

    table = defined("act_timing")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._short = fade.short_sums(1)
        self._sums = fade.sums(_BOTH)
        self._long = fade.long_sums(_LED + len(_LEADS))
        self._act = Act.MOTION
        self._act_ns: int | None = None
        self._chars = 0
        self._down_ns: int | None = None

    def on_act(self, act: Act, count: int, t_ns: int) -> None:
        sums, totals, fade = self._sums, self._long, self._fade
        weights = fade.weights_at(t_ns)
        weight = weights[2]
        last_ns = fade.resumed_ns if self._act_ns is None else self._act_ns
        gap_ns = 0 if last_ns is None else max(0, t_ns - last_ns)
        paused = gap_ns > FLOW_NS
        sums.add(_ACTS, count, weights)
        self._short[0] += count * weights[0]
        if self._chars and (act is not Act.TEXT or paused):
            totals[_RUNS] += weight
            totals[_RUN_LOGS] += log1p(self._chars) * weight
            self._chars = 0
        if self._act_ns is not None or paused:
            gap = log1p(gap_ns * 1e-8)
            sums.add(_GAPS, 1.0, weights)
            sums.add(_LOGS, gap, weights)
            totals[_SQUARES] += gap * gap * weight
            if paused:
                totals[_PAUSES] += weight
                totals[_PAUSE_LOGS] += gap * weight
                totals[_LED + _LEAD_OF[act]] += weight
            elif act in _TYPING and self._act in _TYPING:
                totals[_KEYS] += weight
                totals[_KEY_LOGS] += gap * weight
                totals[_KEY_SQUARES] += gap * gap * weight
        if act is Act.TEXT:
            self._chars += count
        elif act not in _REPEATED:
            sums.add(_SINGLE, count, weights)
            if count > 1 or (act is self._act and gap_ns < HASTY_NS):
                sums.add(_HASTY, count, weights)
        self._act = act
        self._act_ns = t_ns if self._act_ns is None else max(self._act_ns, t_ns)

    def on_press(self, x: int, y: int, button: str | None, t_ns: int) -> None:  # noqa: ARG002  # a hook
        self._down_ns = t_ns

    def on_release(self, x: int, y: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        if self._down_ns is not None:
            weight = self._fade.weights_at(t_ns)[2]
            self._long[_HELD] += weight
            self._long[_HELD_LOGS] += log_age(self._down_ns, t_ns) * weight
            self._down_ns = None

    def forget(self) -> None:
        """Drop what is in progress: observation stops, and that was no pause."""
        self._act_ns = self._down_ns = None
        self._act = Act.MOTION
        self._chars = 0

    def values(self, now_ns: int) -> dict[str, float]:
        fade = self._fade
        factors, observed = fade.factors(now_ns), fade.observed_s(now_ns)
        middle, whole = self._sums.read(factors)
        long = scaled(self._long, factors[2])
        last_ns = fade.resumed_ns if self._act_ns is None else self._act_ns
        paused = PRIOR + long[_PAUSES]
        runs, run_logs = long[_RUNS], long[_RUN_LOGS]
        if self._chars:
            runs, run_logs = runs + 1.0, run_logs + log1p(self._chars)
        values = {
            "key_gap": mean(long[_KEYS], long[_KEY_LOGS]),
            "key_unevenness": spread(long[_KEYS], long[_KEY_LOGS], long[_KEY_SQUARES]),
            "act_gap_6s": mean(middle[_GAPS], middle[_LOGS]),
            "act_gap_8s": mean(whole[_GAPS], whole[_LOGS]),
            "act_unevenness": spread(whole[_GAPS], whole[_LOGS], long[_SQUARES]),
            "act_rate_2s": self._short[0] * factors[0] / observed[0],
            "act_rate_6s": middle[_ACTS] / observed[1],
            "pause_rate": long[_PAUSES] / observed[2],
            "pause_length": mean(long[_PAUSES], long[_PAUSE_LOGS]),
            "pause_now": log_age(last_ns, now_ns),
            "run_length": mean(runs, run_logs),
            "hasty_share": middle[_HASTY] / (middle[_SINGLE] + PRIOR),
            "hold_length": mean(long[_HELD], long[_HELD_LOGS]),
        }
        for name, led in zip(_LEADS, long[_LED:], strict=True):
            values[name] = led / paused
        return values
