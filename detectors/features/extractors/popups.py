"""Menus, dialogs and tool tips: how many, how long, and whether it is the same one again.

A pop-up is a menu if an act came just before it or a menu is open already, otherwise a tool tip, which opens because
the pointer rests. Menus and dialogs that a program draws inside its window leave no record.
"""

from collections import OrderedDict
from math import log1p

from detectors.acts import ANSWER_NS, Act, holds
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, remember, scaled
from detectors.features.standing import StandingDialogs
from storage.clock import NS_PER_S
from storage.records import Box, Focus, WindowEvent

AGAIN_NS = 120 * NS_PER_S
TOOLTIP_H = 40  # pixels; a menu is taller
MAX_OPEN = 16
MAX_KNOWN = 64
_MENUS, _MENUS_AGAIN, _MENU_LOGS, _MENUS_LEFT, _MENUS_GONE, _TIPS = range(6)
_DIALOGS, _DIALOGS_AGAIN, _DIALOG_LOGS, _DIALOG_ACTS, _CANCELLED, _DIALOGS_GONE, _SIZE = range(6, 13)

_PICKS = frozenset({Act.COMMIT, Act.TEXT})


class Popups(FeatureExtractor):
    """Follows pop-ups and dialogs."""

    table = defined("popups")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._time = fade.sums(1)
        self._long = fade.long_sums(_SIZE)
        self._open: dict[Box, int] = {}
        self._known: OrderedDict[tuple[object, ...], int] = OrderedDict()
        self._dialog: tuple[str, str] | None = None
        self._standing = StandingDialogs()
        self._dialog_ns = 0
        self._acts = 0
        self._act: Act | None = None
        self._act_ns: int | None = None
        self._picked_ns: int | None = None
        self._inside_ns: int | None = None

    def on_act(self, act: Act, count: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        self._act, self._act_ns = act, t_ns
        self._acts += 1
        if self._open and (act in _PICKS or (act is Act.PRESS and self._holds(*self._window.pointer))):
            self._picked_ns = t_ns

    def on_window(self, record: WindowEvent) -> None:
        """Take in a window that opened or is gone."""
        if record.popup:
            self._on_popup(record)
        else:
            self._standing.on_window(record)

    def _on_popup(self, record: WindowEvent) -> None:
        t_ns, box, totals = record.t_ns, record.geometry, self._long
        weight = self._fade.weights_at(t_ns)[2]
        if record.gone:
            opened_ns = self._open.pop(box, None)
            if opened_ns is not None:
                totals[_MENUS_GONE] += weight
                totals[_MENU_LOGS] += log_age(opened_ns, t_ns) * weight
                if self._picked_ns is None or t_ns - self._picked_ns > ANSWER_NS:
                    totals[_MENUS_LEFT] += weight
                self._settle(t_ns)
            return
        prompted = self._act_ns is not None and t_ns - self._act_ns <= ANSWER_NS
        if box.h < TOOLTIP_H or not (prompted or self._open):
            totals[_TIPS] += weight
            return
        totals[_MENUS] += weight
        if self._again((box.x, box.y), t_ns):
            totals[_MENUS_AGAIN] += weight
        if len(self._open) >= MAX_OPEN:
            del self._open[next(iter(self._open))]
        self._open[box] = t_ns
        self._settle(t_ns)

    def on_focus(self, focus: Focus) -> None:
        """Take a change of focus in: it may open a dialog, and ends the one before and all menus."""
        t_ns, totals = focus.t_ns, self._long
        key = (focus.app, focus.title_digest) if focus.dialog else None
        stood = key is not None and self._standing.show(key, focus.geometry)
        if key == self._dialog:
            return
        weight = self._fade.weights_at(t_ns)[2]
        if self._dialog is not None and not self._standing.stands(self._dialog):
            totals[_DIALOGS_GONE] += weight
            totals[_DIALOG_LOGS] += log_age(self._dialog_ns, t_ns) * weight
            totals[_DIALOG_ACTS] += log1p(self._acts) * weight
            if self._act is Act.ESCAPE:
                totals[_CANCELLED] += weight
        self._dialog, self._dialog_ns = key, t_ns
        self._acts = 0
        self._open.clear()
        if key is not None and not stood:
            totals[_DIALOGS] += weight
            if self._again(key, t_ns):
                totals[_DIALOGS_AGAIN] += weight
        self._settle(t_ns)

    def _holds(self, x: int, y: int) -> bool:
        return any(holds(box, x, y) for box in self._open)

    def _again(self, key: tuple[object, ...], t_ns: int) -> bool:
        known = self._known
        before_ns = known.get(key)
        remember(known, key, t_ns, MAX_KNOWN)
        return before_ns is not None and t_ns - before_ns <= AGAIN_NS

    def _settle(self, t_ns: int) -> None:
        """Begin or end the time inside, after something opened or went."""
        inside = bool(self._open) or self._dialog is not None
        if inside and self._inside_ns is None:
            self._inside_ns = t_ns
        elif not inside and self._inside_ns is not None:
            if t_ns > self._inside_ns:
                self._time.add(0, 1.0, self._fade.weights_between(self._inside_ns, t_ns))
            self._inside_ns = None

    def forget(self) -> None:
        """Drop what is in progress: observation stops, and whatever is open may be gone by then."""
        self._open.clear()
        self._dialog = self._inside_ns = self._act_ns = None

    def values(self, now_ns: int) -> dict[str, float]:
        fade = self._fade
        factors, observed = fade.factors(now_ns), fade.observed_s(now_ns)
        (middle,), (whole,) = self._time.read(factors)
        _, middle_now, whole_now = fade.elapsed_s(self._inside_ns, now_ns)
        long = scaled(self._long, factors[2])
        gone = long[_DIALOGS_GONE]
        return {
            "menu_rate": long[_MENUS] / observed[2],
            "menu_again": long[_MENUS_AGAIN] / (long[_MENUS] + PRIOR),
            "menu_length": mean(long[_MENUS_GONE], long[_MENU_LOGS]),
            "menu_left": long[_MENUS_LEFT] / (long[_MENUS_GONE] + PRIOR),
            "tip_rate": long[_TIPS] / observed[2],
            "dialog_rate": long[_DIALOGS] / observed[2],
            "dialog_again": long[_DIALOGS_AGAIN] / (long[_DIALOGS] + PRIOR),
            "dialog_length": mean(gone, long[_DIALOG_LOGS]),
            "dialog_acts": mean(gone, long[_DIALOG_ACTS]),
            "dialog_cancelled": long[_CANCELLED] / (gone + PRIOR),
            "inside_6s": min(1.0, (middle + middle_now) / observed[1]),
            "inside_8s": min(1.0, (whole + whole_now) / observed[2]),
        }
