"""Responses of the screen: how much changes after which acts, how soon, how often nothing does, and what comes back.

Areas are shares of the active window. A change belongs to the kind of act before it; those without one are the subject
of `spontaneous_changes`. Background changes (`detectors.features.screen`) are no responses. Input may reach the log a
moment after the frame that responds to it.
"""

from math import hypot, log1p

from detectors.acts import ANSWER_NS, WAITED_NS, Act
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, scaled, scatter
from detectors.features.screen import ChangeSummary, ScreenStates

VIEW = 0.35  # of the window; such a change shows something else rather than more of the same
LOCAL = 0.02  # of the window; such a change is a word, a cell, a button
CAUSES = ("typing", "command", "press", "moving")
_CAUSE_OF = (0, 0, 0, 3, 1, 1, 1, 1, 1, 2, 3)  # by act
_PRESS = CAUSES.index("press")
_WAITED = (1, 2)  # whose answer people wait for
_BY_CAUSE = _ANSWERED, _DEAD, _CHANGES, _VIEWS, _BACK, _FRESH = range(0, 24, 4)
_LOCALS, _X, _XX, _Y, _YY, _SIZE = range(24, 30)
_PLACES = (_X, _XX, _Y, _YY)
_AREAS, _DELAYS, _JUMPS, _JUMP_LOGS, _LONG_SIZE = 0, 4, 5, 6, 7


_NAMES = tuple(tuple(f"{what}_{cause}" for what in ("dead", "area", "view", "back")) for cause in CAUSES)


class ScreenResponses(FeatureExtractor):
    """Follows acts and what the screen does after them."""

    table = defined("screen_responses")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._sums = fade.sums(_SIZE)
        self._long = fade.long_sums(_LONG_SIZE)
        self._pending: list[int | None] = [None] * len(CAUSES)
        self._cause = 0
        self._act_ns = 0
        self._response_ns: int | None = None
        self._response = (0.0, 0.0)
        self._fresh_ns: int | None = None
        self._known = self._state = 0

    def on_act(self, act: Act, count: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        cause = self._cause = _CAUSE_OF[act]
        self._act_ns = t_ns
        if self._response_ns is not None and 0 <= self._response_ns - t_ns <= ANSWER_NS:
            self._answer(cause, self._response_ns, t_ns)  # the frame came before the act it responds to
            return
        pending_ns = self._pending[cause]
        if pending_ns is not None and t_ns - pending_ns > ANSWER_NS:
            self._sums.add(_DEAD + cause, 1.0, self._fade.weights_at(pending_ns + ANSWER_NS))
            pending_ns = None
        if pending_ns is None:
            self._pending[cause] = t_ns

    def on_response(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:
        sums, window, cause, state = self._sums, self._window, self._cause, screen.state
        for which, since_ns in enumerate(self._pending):
            if since_ns is not None and since_ns <= t_ns:
                waits = change.wide and which == _PRESS and since_ns == self._act_ns
                if t_ns - since_ns <= (WAITED_NS if waits else ANSWER_NS):
                    self._answer(which, t_ns, since_ns)
                else:
                    sums.add(_DEAD + which, 1.0, self._fade.weights_at(since_ns + ANSWER_NS))
                    self._pending[which] = None
        weights = self._fade.weights_at(t_ns)
        share = min(1.0, change.area / window.area)
        sums.add(_CHANGES + cause, 1.0, weights)
        self._long[_AREAS + cause] += log1p(100.0 * share) * weights[2]
        if share > VIEW:
            sums.add(_VIEWS + cause, 1.0, weights)
        elif share < LOCAL:
            sums.add(_LOCALS, 1.0, weights)
        if state > self._known:
            self._known, self._fresh_ns = state, t_ns
            sums.add(_FRESH + cause, 1.0, weights)
        elif state != self._state:
            sums.add(_BACK + cause, 1.0, weights)
        self._state = state
        x, y = change.x / window.height, change.y / window.height
        for into, weight in ((sums.middle, weights[1]), (sums.long, weights[2])):
            into[_X] += x * weight
            into[_XX] += x * x * weight
            into[_Y] += y * weight
            into[_YY] += y * y * weight
        if self._response_ns is not None:
            self._long[_JUMPS] += weights[2]
            self._long[_JUMP_LOGS] += log1p(10.0 * hypot(x - self._response[0], y - self._response[1])) * weights[2]
        self._response, self._response_ns = (x, y), t_ns

    def _answer(self, cause: int, t_ns: int, act_ns: int) -> None:
        weights = self._fade.weights_at(t_ns)
        self._sums.add(_ANSWERED + cause, 1.0, weights)
        self._long[_DELAYS] += log_age(act_ns, t_ns) * weights[2]
        self._pending[cause] = None

    def forget(self) -> None:
        self._pending = [None] * len(CAUSES)

    def values(self, now_ns: int) -> dict[str, float]:
        fade = self._fade
        factors = fade.factors(now_ns)
        middle, long = self._sums.read(factors)
        totals = scaled(self._long, factors[2])
        _, seen_middle, seen_long = fade.observed_s(now_ns)
        for which, since_ns in enumerate(self._pending):
            if since_ns is not None and now_ns - since_ns > ANSWER_NS:
                _, left_middle, left_long = fade.remaining(since_ns + ANSWER_NS, now_ns)
                middle[_DEAD + which] += left_middle
                long[_DEAD + which] += left_long
        values: dict[str, float] = {}
        for at, (dead_name, area_name, view_name, back_name) in enumerate(_NAMES):
            dead, back = long[_DEAD + at], long[_BACK + at]
            values[dead_name] = dead / (dead + long[_ANSWERED + at] + PRIOR)
            values[area_name] = mean(long[_CHANGES + at], totals[_AREAS + at])
            values[view_name] = long[_VIEWS + at] / seen_long
            values[back_name] = back / (back + long[_FRESH + at] + PRIOR)
        all_of = {at: (sum(middle[at : at + 4]), sum(long[at : at + 4])) for at in _BY_CAUSE}
        changes, returns = all_of[_CHANGES], all_of[_BACK]
        waited = [since_ns for since_ns in map(self._pending.__getitem__, _WAITED) if since_ns is not None]
        return values | {
            "dead_6s": all_of[_DEAD][0] / (all_of[_DEAD][0] + all_of[_ANSWERED][0] + PRIOR),
            "dead_rate_8s": all_of[_DEAD][1] / seen_long,
            "unanswered_now": log_age(min(waited, default=now_ns), now_ns),
            "answer_delay": mean(all_of[_ANSWERED][1], totals[_DELAYS]),
            "change_rate_6s": changes[0] / seen_middle,
            "view_share_6s": all_of[_VIEWS][0] / (changes[0] + PRIOR),
            "local_share_8s": long[_LOCALS] / (changes[1] + PRIOR),
            "back_share_6s": returns[0] / (returns[0] + all_of[_FRESH][0] + PRIOR),
            "back_rate_8s": returns[1] / seen_long,
            "fresh_rate_8s": all_of[_FRESH][1] / seen_long,
            "fresh_now": log_age(fade.resumed_ns if self._fresh_ns is None else self._fresh_ns, now_ns),
            "change_now": log_age(fade.resumed_ns if self._response_ns is None else self._response_ns, now_ns),
            "change_spread_6s": scatter(changes[0], *(middle[at] for at in _PLACES)),
            "change_spread_8s": scatter(changes[1], *(long[at] for at in _PLACES)),
            "change_jump": mean(totals[_JUMPS], totals[_JUMP_LOGS]),
        }
