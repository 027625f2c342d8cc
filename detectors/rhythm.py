"""The beat of acts: how fast keys follow each other, how long people pause, and what a pause leads to.

Times are kept as logarithms, ln(1 + 10 s), so that a mean is a typical time and not that of the one long pause. Motion
of the pointer is no act here: a person who only moves it is pausing, as far as the work is concerned.
"""

from collections.abc import Mapping
from math import log1p

from detectors.acts import Act
from detectors.fading import PRIOR, SPANS, Fade, log_age, mean, spread
from storage.clock import NS_PER_S

FLOW_NS = 2 * NS_PER_S  # a longer gap between two acts is a pause; a guess
HASTY_NS = 2 * NS_PER_S // 5  # acts of one kind closer than this are hit in haste (typing, scrolling aside); a guess
_ACTS, _GAPS, _LOGS, _SQUARES, _KEYS, _KEY_LOGS, _KEY_SQUARES, _PAUSES, _PAUSE_LOGS = range(9)
_RUNS, _RUN_LOGS, _SINGLE, _HASTY, _HELD, _HELD_LOGS, _LED = range(9, 16)
_LEADS = {
    "edit": "typing, Enter, a shortcut",
    "mend": "erasing, undo, redo, Escape",
    "press": "a button press",
    "look": "scrolling, arrow or page keys",
}
_LEAD_OF = {
    Act.TEXT: 0, Act.COMMIT: 0, Act.CLIP: 0, Act.COMMAND: 0, Act.ERASE: 1, Act.UNDO: 1, Act.REDO: 1, Act.ESCAPE: 1,
    Act.PRESS: 2, Act.SCROLL: 3, Act.STEP: 3,
}  # fmt: skip
_TYPING = frozenset({Act.TEXT, Act.ERASE})
_REPEATED = _TYPING | {Act.SCROLL, Act.STEP}  # repeated quickly by everybody
_LN = "ln s"

TABLE: Mapping[str, tuple[str, str]] = {
    "key_gap": (_LN, "typical time between keys in typing, as ln(1 + 10 s); half-life 30s"),
    "key_unevenness": (_LN, "spread of the logarithms of times between keys in typing; half-life 30s"),
    "act_gap_10s": (_LN, "typical time between acts, as ln(1 + 10 s); half-life 10s"),
    "act_gap_30s": (_LN, "typical time between acts, as ln(1 + 10 s); half-life 30s"),
    "act_unevenness": (_LN, "spread of the logarithms of times between acts; half-life 30s"),
    **{f"act_rate_{span}": ("1/s", f"acts a second, motion aside; half-life {span}") for span in SPANS},
    "pause_rate": ("1/s", "pauses of more than 2 s that ended in an act, a second; half-life 30s"),
    "pause_length": (_LN, "typical length of these pauses, as ln(1 + 10 s); half-life 30s"),
    "pause_now": (_LN, "time since the last act, or since watching began, as ln(1 + 10 s)"),
    "run_length": ("ln 1", "characters typed without a pause or another act, as ln(1 + n), typically; half-life 30s"),
    "hasty_share": ("1", "of acts other than typing, steps and scrolling: repeated within 0.4 s; half-life 10s"),
    "hold_length": (_LN, "typical time a button is held, as ln(1 + 10 s); half-life 30s"),
    **{
        f"pause_to_{lead}": ("1", f"share of pauses that ended in {what}; half-life 30s")
        for lead, what in _LEADS.items()
    },
}


class Rhythm:
    """Follows the times of acts."""

    __slots__ = ("_act", "_act_ns", "_chars", "_down_ns", "_fade", "_sums")

    def __init__(self, fade: Fade) -> None:
        """Know of no act."""
        self._fade = fade
        self._sums = fade.sums(_LED + len(_LEADS))
        self._act = Act.MOTION
        self._act_ns: int | None = None
        self._chars = 0
        self._down_ns: int | None = None

    def act(self, act: Act, count: int, t_ns: int) -> None:
        """Take an act in, of any kind but motion."""
        sums, fade = self._sums, self._fade
        weights = fade.at(t_ns)
        last_ns = fade.start_ns if self._act_ns is None else self._act_ns
        gap_ns = 0 if last_ns is None else max(0, t_ns - last_ns)
        paused = gap_ns > FLOW_NS
        sums.add(_ACTS, count, weights)
        if self._chars and (act is not Act.TEXT or paused):
            sums.add(_RUNS, 1.0, weights)
            sums.add(_RUN_LOGS, log1p(self._chars), weights)
            self._chars = 0
        if self._act_ns is not None or paused:
            gap = log1p(gap_ns * 1e-8)
            sums.add(_GAPS, 1.0, weights)
            sums.add(_LOGS, gap, weights)
            sums.add(_SQUARES, gap * gap, weights)
            if paused:
                sums.add(_PAUSES, 1.0, weights)
                sums.add(_PAUSE_LOGS, gap, weights)
                sums.add(_LED + _LEAD_OF[act], 1.0, weights)
            elif act in _TYPING and self._act in _TYPING:
                sums.add(_KEYS, 1.0, weights)
                sums.add(_KEY_LOGS, gap, weights)
                sums.add(_KEY_SQUARES, gap * gap, weights)
        if act is Act.TEXT:
            self._chars += count
        elif act not in _REPEATED:
            sums.add(_SINGLE, count, weights)
            if count > 1 or (act is self._act and gap_ns < HASTY_NS):
                sums.add(_HASTY, count, weights)
        self._act = act
        self._act_ns = t_ns if self._act_ns is None else max(self._act_ns, t_ns)

    def press(self, t_ns: int) -> None:
        """A button went down."""
        self._down_ns = t_ns

    def release(self, t_ns: int) -> None:
        """A button came up again."""
        if self._down_ns is not None:
            weights = self._fade.at(t_ns)
            self._sums.add(_HELD, 1.0, weights)
            self._sums.add(_HELD_LOGS, log1p(max(0, t_ns - self._down_ns) * 1e-8), weights)
            self._down_ns = None

    def forget(self) -> None:
        """Break off: nobody watched for a while, and that was no pause."""
        self._act_ns = self._down_ns = None
        self._act = Act.MOTION
        self._chars = 0

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `TABLE`."""
        fade = self._fade
        read = self._sums.read(fade.worth(now_ns))
        _, middle, long = read
        last_ns = fade.start_ns if self._act_ns is None else self._act_ns
        paused = PRIOR + long[_PAUSES]
        runs, run_logs = long[_RUNS], long[_RUN_LOGS]
        if self._chars:
            runs, run_logs = runs + 1.0, run_logs + log1p(self._chars)
        values = {
            "key_gap": mean(long[_KEYS], long[_KEY_LOGS]),
            "key_unevenness": spread(long[_KEYS], long[_KEY_LOGS], long[_KEY_SQUARES]),
            "act_gap_10s": mean(middle[_GAPS], middle[_LOGS]),
            "act_gap_30s": mean(long[_GAPS], long[_LOGS]),
            "act_unevenness": spread(long[_GAPS], long[_LOGS], long[_SQUARES]),
            "pause_rate": long[_PAUSES] / fade.seen(now_ns)[2],
            "pause_length": mean(long[_PAUSES], long[_PAUSE_LOGS]),
            "pause_now": log_age(last_ns, now_ns),
            "run_length": mean(runs, run_logs),
            "hasty_share": middle[_HASTY] / (middle[_SINGLE] + PRIOR),
            "hold_length": mean(long[_HELD], long[_HELD_LOGS]),
        }
        for span, sums, seen in zip(SPANS, read, fade.seen(now_ns), strict=True):
            values[f"act_rate_{span}"] = sums[_ACTS] / seen
        for at, lead in enumerate(_LEADS):
            values[f"pause_to_{lead}"] = long[_LED + at] / paused
        return values
