"""Shares of time spent on kinds of acts and at rest, and how often people turn from one kind to another.

With shares of time instead of counts, slow and fast typists look alike. The time just before an act, up to `REACH_NS`,
was spent on it; the rest of a longer gap was rest. A run is acts of one kind in a row, motion left out.
"""

from math import exp, log

from detectors.acts import Act
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import FAINT, PRIOR, SPANS, Fade, PerHalfLife, scaled
from storage.clock import NS_PER_S

REACH_NS = NS_PER_S  # about the longest gap inside an act that goes on, with slow people and merged motion; a guess
_GROUPS = ("typing", "erasing", "keys", "history", "commands", "pressing", "scrolling", "pointing", "rest")
_GROUP_OF = (0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 7)  # by act
_REST = len(_GROUPS) - 1
_RUNS = tuple(act.name.lower() for act in Act if act is not Act.MOTION)

_TABLE = defined("time_shares")
_SPENT = [
    (name, at, group)
    for at, span in enumerate(SPANS)
    for group, what in enumerate(_GROUPS)
    if (name := f"spent_{what}_{span}") in _TABLE  # the shortest half-life is there for some
]
_RUN_NAMES = [f"runs_{name}_8s" for name in _RUNS]


class TimeShares(FeatureExtractor):
    """Follows acts of all kinds."""

    table = _TABLE

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._short = fade.short_sums(len(_GROUPS))
        self._time = fade.sums(len(_GROUPS))
        self._runs = fade.long_sums(len(_RUNS))
        self._last = Act.MOTION
        self._last_ns: int | None = None

    def on_act(self, act: Act, count: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        fade, last_ns = self._fade, self._last_ns
        if last_ns is None:
            last_ns = t_ns if fade.resumed_ns is None else fade.resumed_ns
        if t_ns > last_ns:
            from_ns = t_ns - REACH_NS
            if from_ns > last_ns:
                self._spend(_REST, fade.weights_between(last_ns, from_ns))
                last_ns = from_ns
            self._spend(_GROUP_OF[act], fade.weights_between(last_ns, t_ns))
            last_ns = t_ns
        self._last_ns = last_ns
        if act is not Act.MOTION and act is not self._last:
            self._last = act
            self._runs[act] += fade.weights_at(t_ns)[2]

    def on_motion(self, x: int, y: int, path: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        """Take motion in: the only act that begins no run."""
        self.on_act(Act.MOTION, 1, t_ns)

    def _spend(self, group: int, seconds: PerHalfLife) -> None:
        self._short[group] += seconds[0]
        self._time.add(group, 1.0, seconds)

    def forget(self) -> None:
        """Drop what is in progress: observation stops, and that is no rest."""
        self._last_ns = None
        self._last = Act.MOTION

    def values(self, now_ns: int) -> dict[str, float]:
        fade = self._fade
        factors = fade.factors(now_ns)
        last_ns = fade.resumed_ns if self._last_ns is None else self._last_ns
        resting = last_ns is not None and now_ns - last_ns > REACH_NS
        pending = fade.elapsed_s(last_ns, now_ns) if resting else (0.0, 0.0, 0.0)
        spent = (scaled(self._short, factors[0]), *self._time.read(factors))
        for sums, rest in zip(spent, pending, strict=True):
            sums[_REST] += rest
        wholes = [sum(sums) or 1.0 for sums in spent]
        busy = [1.0 - sums[_REST] / whole for sums, whole in zip(spent, wholes, strict=True)]
        values = {name: spent[span][group] / wholes[span] for name, span, group in _SPENT}
        runs = scaled(self._runs, factors[2])
        begun = sum(runs)
        for name, value in zip(_RUN_NAMES, runs, strict=True):
            values[name] = value / (begun + PRIOR)
        values["run_rate_8s"] = begun / fade.observed_s(now_ns)[2]
        shares = [value / begun for value in runs if value > FAINT * begun]
        values["variety_8s"] = exp(-sum(share * log(share) for share in shares)) if shares else 0.0
        values["busy_change"] = busy[0] / (busy[0] + busy[2]) if busy[0] + busy[2] > FAINT else 0.5
        return values
