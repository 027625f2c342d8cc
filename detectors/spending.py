"""How time is spent: on which kinds of acts, and at rest; and how often people turn from one kind to another.

Shares of time, not counts: who types slowly and who types fast look alike. The time just before an act, up to
`REACH_NS`, was spent on it; what is longer was rest. A run is acts of one kind in a row, however many, with motion of
the pointer left out.
"""

from collections.abc import Mapping
from math import exp, log

from detectors.acts import Act
from detectors.fading import FAINT, PRIOR, SPANS, Fade
from storage.clock import NS_PER_S

REACH_NS = NS_PER_S  # about the longest gap inside an act that goes on, with slow people and merged motion; a guess
_GROUPS = {
    "typing": "character keys",
    "erasing": "backspace and delete",
    "keys": "Enter, Tab, arrow and page keys",
    "history": "undo and redo",
    "commands": "shortcuts, function keys, copy and paste, Escape",
    "pressing": "button presses",
    "scrolling": "scrolling",
    "pointing": "motion of the pointer",
    "rest": "no act",
}
_GROUP_OF = {
    Act.TEXT: 0, Act.ERASE: 1, Act.COMMIT: 2, Act.STEP: 2, Act.UNDO: 3, Act.REDO: 3, Act.CLIP: 4, Act.COMMAND: 4,
    Act.ESCAPE: 4, Act.PRESS: 5, Act.SCROLL: 6, Act.MOTION: 7,
}  # fmt: skip
_REST = len(_GROUPS) - 1
_RUNS = tuple(act.name.lower() for act in Act if act is not Act.MOTION)

TABLE: Mapping[str, tuple[str, str]] = {
    **{
        f"spent_{group}_{span}": ("1", f"share of time spent on {words}; half-life {span}")
        for group, words in _GROUPS.items()
        for span in SPANS
    },
    **{f"runs_{name}_30s": ("1", f"share of runs of acts that are {name}; half-life 30s") for name in _RUNS},
    "run_rate_10s": ("1/s", "runs of acts begun a second; half-life 10s"),
    "run_rate_30s": ("1/s", "runs of acts begun a second; half-life 30s"),
    "variety_30s": ("1", "over how many kinds of acts runs spread evenly (exponential of entropy); half-life 30s"),
    "busy_change": ("1", "share of time with acts at half-life 3s over the sum of those at 3s and 30s; 0.5 is steady"),
}


class Spending:
    """Follows acts of all kinds."""

    __slots__ = ("_fade", "_last", "_last_ns", "_runs", "_time")

    def __init__(self, fade: Fade) -> None:
        """Know of no act."""
        self._fade = fade
        self._time = fade.sums(len(_GROUPS))
        self._runs = fade.sums(len(_RUNS))
        self._last = Act.MOTION
        self._last_ns: int | None = None

    def act(self, act: Act, t_ns: int) -> None:
        """Take an act in."""
        fade, last_ns = self._fade, self._last_ns
        if last_ns is None:
            last_ns = t_ns if fade.start_ns is None else fade.start_ns
        if t_ns > last_ns:
            from_ns = t_ns - REACH_NS
            if from_ns > last_ns:
                self._time.add(_REST, 1.0, fade.span(last_ns, from_ns))
                last_ns = from_ns
            self._time.add(_GROUP_OF[act], 1.0, fade.span(last_ns, t_ns))
            last_ns = t_ns
        self._last_ns = last_ns
        if act is not Act.MOTION and act is not self._last:
            self._last = act
            self._runs.add(act, 1.0, fade.at(t_ns))

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `TABLE`."""
        fade = self._fade
        worth = fade.worth(now_ns)
        last_ns = fade.start_ns if self._last_ns is None else self._last_ns
        resting = last_ns is not None and now_ns - last_ns > REACH_NS
        pending = fade.since(last_ns, now_ns) if resting else (0.0, 0.0, 0.0)
        values: dict[str, float] = {}
        busy = []
        for span, spent, rest in zip(SPANS, self._time.read(worth), pending, strict=True):
            spent[_REST] += rest
            whole = sum(spent) or 1.0
            for group, value in zip(_GROUPS, spent, strict=True):
                values[f"spent_{group}_{span}"] = value / whole
            busy.append(sum(spent[:_REST]) / whole)
        _, middle, long = self._runs.read(worth)
        seen = fade.seen(now_ns)
        begun = sum(long)
        for name, value in zip(_RUNS, long, strict=True):
            values[f"runs_{name}_30s"] = value / (begun + PRIOR)
        values["run_rate_10s"] = sum(middle) / seen[1]
        values["run_rate_30s"] = begun / seen[2]
        shares = [value / begun for value in long if value > FAINT * begun]
        values["variety_30s"] = exp(-sum(share * log(share) for share in shares)) if shares else 0.0
        values["busy_change"] = busy[0] / (busy[0] + busy[2]) if busy[0] + busy[2] > 0.0 else 0.5
        return values
