"""Repeats and returns, whatever the screen answers: presses at one place, fields returned to, values wiped and retyped.

People in real trouble are quiet: they click the same entry again and again though each click changes something, come
back to a field, erase what stands in it and type it anew. `attempts` counts a try as failed by what the screen does, so
it misses these. Typing is judged as a value only where little was typed at one place; prose is erased all the time, so
erasing is held against the person's own rate.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from math import exp, exp2

from detectors.acts import DOUBLE_NS, Act, Reach, is_near
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import Fade
from detectors.features.screen import ChangeSummary, ScreenStates
from storage.clock import NS_PER_S

BURST_NS = 15 * NS_PER_S
RETURN_NS = 45 * NS_PER_S
KEPT_NS = RETURN_NS + 15 * NS_PER_S  # older presses are dropped: they count no more, not even if a record comes late
PLACE = (0.015, 0.012)  # heights; repeated clicks at one place scatter less than this
FIELD = (0.1, 0.012)  # heights; a field is wide and as high as a line
SHORT = 40  # characters; more at one place are text, not a value
WIPED = 0.6  # of what was typed at the place
LONG_WIPED = 8  # characters; as much at once is no typing error in text either
LEAST_WIPED = 3  # characters; fewer are a typo
KEYS_NOW, KEYS_OWN = 30.0, 600.0  # keys over which erasing is measured: now, and the person's own
USUAL = 0.1  # share of erasures assumed before the person's own is known
NORMAL = 1.6  # times the own share: more is unusual
CELL = 1.0 / 24.0
WANDER_CELLS = 6
MAX_CELLS = 64
MAX_PRESSES = 48
VIEW = 0.35
OWN_S = 300.0  # over which a person's own rate of wiping is measured
USUAL_WIPES = 0.4  # in `RETURN_NS`, before the own rate is known
LEARN = 0.25  # weight of the newest entry among the last ones
MAX_S = 60.0
FRESH_NS = 15 * NS_PER_S
MAX_FIELDS = 16

Press = tuple[int, float, float]  # when, and where in heights


class Repeats(FeatureExtractor):
    """Follows presses, typing at one place, erasing, and the pointer between acts."""

    table = defined("repeats")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._presses: deque[Press] = deque(maxlen=MAX_PRESSES)
        self._repeat_ns: int | None = None
        self._fields: deque[tuple[float, float]] = deque(maxlen=MAX_FIELDS)
        self._returns: deque[Press] = deque(maxlen=MAX_PRESSES)
        self._return_ns: int | None = None
        self._comebacks: deque[Press] = deque(maxlen=MAX_PRESSES)
        self._comeback_ns: int | None = None
        self._wipes: deque[int] = deque(maxlen=32)
        self._typed = self._left = self._erased = self._piece = 0
        self._entry = 0
        self._value_entries = 0.0
        self._text = False
        self._double = False
        self._own_wipes = self._own_s = 0.0
        self._own_ns: int | None = None
        self._keys_now = self._keys_own = 0.0
        self._erased_now = self._erased_own = 0.0
        self._cells: set[tuple[int, int]] = set()
        self._wander_ns: int | None = None
        self._moved_ns = 0
        self._turned = False

    def on_act(self, act: Act, count: int, t_ns: int) -> None:
        """Take an act in; the pointer's way to it is over."""
        self._cells.clear()
        self._wander_ns = None
        self._turned = False
        self._pass(t_ns)
        if self._entry and not self._text and (act is Act.COMMIT or act is Act.ESCAPE):
            self._end_entry(value=True)
        if act is Act.COMMIT:
            self._entry, self._text = 0, False
        if (act is Act.TEXT or act is Act.ERASE) and self._presses:
            self._note_field(self._presses[-1][1:])
        if act is Act.TEXT:
            self._type(count, t_ns)
        elif act is Act.ERASE:
            self._erased += count
            self._left = max(0, self._left - count)
            self._count_keys(count, erased=True)
        elif act is Act.COMMIT or act is Act.PRESS or act is Act.STEP:
            self._typed = self._left = self._erased = self._piece = 0

    def _type(self, count: int, t_ns: int) -> None:
        wiped = self._erased >= max(LEAST_WIPED, WIPED * self._piece)
        if wiped and (self._typed <= SHORT or self._erased >= LONG_WIPED):
            self._wipes.append(t_ns)
            self._own_wipes += 1.0
        if self._erased:
            self._typed = self._left
            self._piece = 0
        self._piece += count
        self._erased = 0
        self._typed += count
        self._left += count
        self._count_keys(count, erased=False)
        self._entry += count
        if self._entry > SHORT:
            self._end_entry(value=False)
            self._text = True

    def _end_entry(self, *, value: bool) -> None:
        """Count an entry; so many characters without Enter or Tab are text."""
        self._entry = 0
        self._value_entries += LEARN * (value - self._value_entries)

    def _note_field(self, here: tuple[float, float]) -> None:
        """Remember where something is typed."""
        if not any(is_near(here, field, FIELD) for field in self._fields):
            self._fields.append(here)

    def _pass(self, t_ns: int) -> None:
        """Let the person's own rate of wiping fade; pauses of more than ten seconds are no work."""
        if self._own_ns is not None:
            passed_s = min(10.0, max(0, t_ns - self._own_ns) / NS_PER_S)
            self._own_wipes *= exp(-passed_s / OWN_S)
            self._own_s = self._own_s * exp(-passed_s / OWN_S) + passed_s
        self._own_ns = t_ns if self._own_ns is None else max(t_ns, self._own_ns)

    def _count_keys(self, count: int, *, erased: bool) -> None:
        """Count keys over a short and a long past."""
        now, own = (1.0 - 1.0 / KEYS_NOW) ** count, (1.0 - 1.0 / KEYS_OWN) ** count
        self._keys_now = self._keys_now * now + count
        self._keys_own = self._keys_own * own + count
        self._erased_now = self._erased_now * now + count * erased
        self._erased_own = self._erased_own * own + count * erased

    def on_press(self, x: int, y: int, button: str | None, t_ns: int) -> None:  # noqa: ARG002  # a hook
        here = x / self._window.height, y / self._window.height
        if self._presses:
            last_ns, last_x, last_y = self._presses[-1]
            again = t_ns - last_ns < DOUBLE_NS and is_near(here, (last_x, last_y), PLACE)
            self._double = again and not self._double
            if self._double:
                return
        self._note_return(here, t_ns)
        _add(self._presses, here, t_ns)
        if self._repeats(here, t_ns) > 2:  # noqa: PLR2004  # the third at the place
            self._repeat_ns = t_ns

    def _note_return(self, here: tuple[float, float], t_ns: int) -> None:
        """Count a press at a place that was left by a press elsewhere."""
        if not self._presses or is_near(here, self._presses[-1][1:], FIELD):
            return
        if _count(self._presses, here, t_ns, RETURN_NS, FIELD):
            _add(self._comebacks, here, t_ns)
            if _count(self._comebacks, here, t_ns, RETURN_NS, FIELD) > 1:
                self._comeback_ns = t_ns
        if any(is_near(here, field, FIELD) for field in self._fields):
            _add(self._returns, here, t_ns)
            if _count(self._returns, here, t_ns, RETURN_NS, FIELD) > 1:
                self._return_ns = t_ns

    def _repeats(self, here: tuple[float, float], now_ns: int) -> int:
        """Return the presses at a place within `BURST_NS`."""
        return _count(self._presses, here, now_ns, BURST_NS, PLACE)

    def on_motion(self, x: int, y: int, path: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        if self._wander_ns is None:
            self._wander_ns = t_ns
        self._moved_ns = t_ns
        if len(self._cells) < MAX_CELLS:
            height = self._window.height
            self._cells.add((int(x / height / CELL), int(y / height / CELL)))

    def on_response(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:  # noqa: ARG002  # a hook
        """Take in a change after an act: it may have turned the view round."""
        self._turned = self._turned or change.area > VIEW * self._window.area

    def forget(self) -> None:
        self._typed = self._left = self._erased = 0
        self._cells.clear()
        self._wander_ns = None

    def values(self, now_ns: int) -> dict[str, float]:
        wandered = 0.0
        if self._wander_ns is not None and len(self._cells) >= WANDER_CELLS:
            wandered = min(MAX_S, max(0, self._moved_ns - self._wander_ns) / NS_PER_S)
        wipes = [t_ns for t_ns in self._wipes if now_ns - t_ns <= RETURN_NS]
        before_s = max(0.0, self._own_s - RETURN_NS / NS_PER_S)
        own_wipes = max(0.0, self._own_wipes - len(wipes)) + USUAL_WIPES
        own_wipes /= 1.0 + before_s * NS_PER_S / RETURN_NS
        own = (self._erased_own + USUAL * KEYS_NOW) / (self._keys_own + KEYS_NOW)
        share = self._erased_now / max(KEYS_NOW / 3, self._keys_now)
        return {
            "same_place": _most(self._presses, now_ns, BURST_NS, PLACE),
            "same_place_fresh": _fresh(self._repeat_ns, now_ns),
            "place_returns": _most(self._comebacks, now_ns, RETURN_NS, FIELD),
            "place_return_fresh": _fresh(self._comeback_ns, now_ns),
            "field_returns": _most(self._returns, now_ns, RETURN_NS, FIELD),
            "field_return_fresh": _fresh(self._return_ns, now_ns),
            "value_wipes": float(len(wipes)),
            "value_wipe_fresh": _fresh(wipes[-1] if wipes else None, now_ns),
            "value_wipe_excess": max(0.0, len(wipes) - NORMAL * own_wipes),
            "value_entries": self._value_entries,
            "erase_excess": max(0.0, share - NORMAL * own),
            "wander_s": wandered,
            "wander_view_s": wandered if self._turned else 0.0,
        }


def _add(presses: deque[Press], here: tuple[float, float], t_ns: int) -> None:
    """Remember a press."""
    presses.append((t_ns, *here))
    while t_ns - presses[0][0] > KEPT_NS:
        presses.popleft()


def _count(presses: Iterable[Press], here: tuple[float, ...], now_ns: int, span_ns: int, reach: Reach) -> int:
    """Return the presses at a place within a time; most are elsewhere."""
    (here_x, here_y), (across, down) = here, reach
    return sum(
        [abs(x - here_x) <= across and abs(y - here_y) <= down and now_ns - t_ns <= span_ns for t_ns, x, y in presses]
    )


def _most(presses: Sequence[Press], now_ns: int, span_ns: int, reach: Reach) -> float:
    """Return the presses at the place that has most of them."""
    across, down = reach
    places = [(x, y) for t_ns, x, y in presses if now_ns - t_ns <= span_ns]
    most = 0
    for here_x, here_y in set(places):
        many = sum([-across <= x - here_x <= across and -down <= y - here_y <= down for x, y in places])
        most = max(most, many)
    return float(most)


def _fresh(t_ns: int | None, now_ns: int) -> float:
    return 0.0 if t_ns is None else exp2(-max(0, now_ns - t_ns) / FRESH_NS)
