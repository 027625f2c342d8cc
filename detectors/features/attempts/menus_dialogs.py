"""Menus and dialogs: opened, looked at, and left with or without an act.

Tool tips and completion lists are pop-ups too, so a pop-up counts only if a click or a menu key came just before it, or
if a menu is open already. A dialog had an effect if something was entered in it or the screen outside it changed.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from detectors.acts import ANSWER_NS, holds, is_inside
from detectors.features.attempts.memory import AttemptMemory
from detectors.features.fading import remember
from detectors.features.screen import ScreenStates, is_tiny, marks_of
from detectors.features.standing import StandingDialogs
from storage.clock import NS_PER_S
from storage.records import Box, Focus, KeyClass, WindowEvent

ACT_NS = 2 * NS_PER_S  # a menu or dialog opens at most this long after the act that opens it; a guess
PICK_NS = ANSWER_NS  # a menu vanishes at most this long after the pick
GAP_NS = NS_PER_S // 2  # between two menus of one walk along the menu bar
SETTLE_NS = ANSWER_NS  # the screen shows within this time what a dialog did
AGAIN_NS = 120 * NS_PER_S  # the same dialog within this time is the same dialog "again"
TOOLTIP_H = 40  # pixels; a menu is taller
CARET_W = 64  # pixels, a tile; a caret that comes back is in one, and a cell of a sheet in two
AROUND = 96  # pixels; a tile, and shadows and frames around a window
MAX_OPEN = 16
PICK_WORK = 6.0  # units of work, about characters
DIALOG_WORK = 8.0
ENTERING = frozenset({KeyClass.CHARACTER, KeyClass.PASTE})
PICKING = frozenset({KeyClass.ENTER, KeyClass.CHARACTER})


class FollowedMenus:
    """Follows pop-up menus from the first opened to the last gone."""

    def __init__(self) -> None:
        self._open: list[Box] = []
        self._count = 0
        self._picked_ns: int | None = None
        self._last_gone_ns: int | None = None
        self.last_pick_ns: int | None = None
        self.seen = 0

    @property
    def is_open(self) -> bool:
        """Whether a menu is open."""
        return bool(self._open)

    def on_popup(self, record: WindowEvent, last_act_ns: int | None) -> bool:
        """Take a pop-up in; return whether it is (part of) a menu the person opened."""
        if record.gone:
            if record.geometry in self._open:
                self._open.remove(record.geometry)
                if not self._open:
                    self._last_gone_ns = record.t_ns
                return True
            return False
        prompted = last_act_ns is not None and 0 <= record.t_ns - last_act_ns <= ACT_NS
        if record.geometry.h < TOOLTIP_H or not (prompted or self._open or self._last_gone_ns is not None):
            return False
        self._open.append(record.geometry)
        del self._open[:-MAX_OPEN]
        self._count += 1
        self.seen += 1
        self._last_gone_ns = None
        return True

    def contains(self, x: int, y: int) -> bool:
        """Whether a point lies in an open menu."""
        return any(holds(box, x, y) for box in self._open)

    def on_click(self, t_ns: int, x: int, y: int) -> None:
        """Take a click in: inside a menu it picks, for now."""
        if self.contains(x, y):
            self._picked_ns = t_ns

    def on_key(self, t_ns: int, key_class: KeyClass) -> bool:
        """Take a key in; return whether a menu consumed it."""
        if not self._open:
            return False
        if key_class in PICKING:
            self._picked_ns = t_ns
        elif key_class is KeyClass.ESCAPE:
            self._picked_ns = None
        return True

    def settle(self, now_ns: int, memory: AttemptMemory) -> None:
        """Judge the menus that are all gone: picked from, or left without an act."""
        gone_ns = self._last_gone_ns
        if gone_ns is None or now_ns - gone_ns <= GAP_NS:
            return
        if self._picked_ns is not None and gone_ns - self._picked_ns <= PICK_NS:
            memory.add_work(PICK_WORK, gone_ns)
            self.last_pick_ns = gone_ns
        else:
            memory.add_failure("menu", 1.0 + min(0.2 * (self._count - 1), 0.6), gone_ns)
        self.forget()

    def forget(self) -> None:
        """Drop what is open: a pause, or another application."""
        self._open.clear()
        self._count = 0
        self._picked_ns = self._last_gone_ns = None


@dataclass(slots=True)
class Dialog:
    """One dialog while it is open, and shortly after."""

    key: tuple[str, str]
    box: Box
    opened_ns: int
    state: int
    frame_marks: set[tuple[int, int]] = field(default_factory=set)
    typed: bool = False
    useful: bool = False
    escaped: bool = False
    gone: bool = False
    last_act_ns: int = 0
    closed_ns: int | None = None


@dataclass(slots=True)
class FollowedDialogs:
    """Follows dialogs by focus; remembers which were opened before, and how often to no use.

    One that still stands when what it did could be seen was not left in vain, nor was one that went by itself, as
    progress does. Where no window is told of, every dialog without the focus counts as gone.
    """

    current: Dialog | None = None
    closing: Dialog | None = None
    seen: int = 0
    standing: StandingDialogs = field(default_factory=StandingDialogs)
    sees_tiles: bool = False  # sessions without digests of tiles are judged as they were when they were recorded
    _useless: OrderedDict[tuple[str, str], tuple[int, int]] = field(default_factory=OrderedDict)

    def on_focus(self, record: Focus, screen: ScreenStates, menus: FollowedMenus, memory: AttemptMemory) -> None:
        """Take a change of focus in: it may open a dialog, and closes the one before."""
        key = (record.app, record.title_digest)
        if self.current is not None and not (record.dialog and key == self.current.key):
            self.settle(record.t_ns + SETTLE_NS + 1, screen.state, memory)
            self.current.closed_ns = record.t_ns
            self.closing, self.current = self.current, None
        stood = record.dialog and self.standing.show(key, record.geometry)
        if record.dialog and self.current is None:
            self.current = Dialog(key, record.geometry, record.t_ns, screen.act_state)
            if record.t_ns - screen.frame_ns <= SETTLE_NS:
                self.current.frame_marks |= marks_of(screen.boxes)
            self.seen += not stood
            if menus.last_pick_ns is not None and record.t_ns - menus.last_pick_ns <= ACT_NS:
                memory.remove_work(PICK_WORK, record.t_ns)  # the pick only led here
                menus.last_pick_ns = None

        elif record.dialog and self.current is not None:
            self.current.box = record.geometry

    def on_window(self, record: WindowEvent) -> None:
        """Take in a window that opened or is gone."""
        self.standing.on_window(record)
        for dialog in (self.current, self.closing):
            if record.gone and dialog is not None and dialog.box == record.geometry:
                dialog.gone = True

    def on_key(self, t_ns: int, key_class: KeyClass) -> None:
        """Take a key in."""
        dialog = self.current
        if dialog is None:
            return
        dialog.escaped = key_class is KeyClass.ESCAPE
        dialog.last_act_ns = t_ns
        if key_class in ENTERING:
            dialog.typed = True
        elif key_class is KeyClass.ENTER and dialog.typed:
            dialog.useful = True

    def on_click(self, t_ns: int) -> None:
        """Take a click in."""
        if self.current is not None:
            self.current.escaped = False
            self.current.last_act_ns = t_ns

    def on_frame(self, t_ns: int, boxes: Sequence[Box]) -> None:
        """Take changed boxes in: a change outside the dialog after an act in it means that it did something."""
        for dialog in (self.current, self.closing):
            if dialog is None or dialog.escaped or dialog.useful:
                continue
            outside = [box for box in boxes if self._is_shown(box) and not is_inside(box, dialog.box, AROUND)]
            if dialog.last_act_ns == 0:  # it has just opened: title bars change their colours, now and at its end
                dialog.frame_marks |= marks_of(outside)
            elif 0 <= t_ns - dialog.last_act_ns <= SETTLE_NS:
                dialog.useful = not marks_of(outside) <= dialog.frame_marks

    def _is_shown(self, box: Box) -> bool:
        return not is_tiny(box) or (self.sees_tiles and box.w > CARET_W)

    def settle(self, now_ns: int, state: int, memory: AttemptMemory) -> None:
        """Judge the dialog that was closed last, once the screen had time to show what it did."""
        dialog = self.closing
        if dialog is None or dialog.closed_ns is None:
            return
        stands = self.standing.told and not dialog.gone
        sure = not stands and (dialog.escaped or state == dialog.state)
        if not sure and now_ns - dialog.closed_ns <= SETTLE_NS:
            return
        self.closing = None
        if dialog.useful and state != dialog.state:
            self._useless.pop(dialog.key, None)
            memory.add_work(DIALOG_WORK, dialog.closed_ns)
            return
        if stands or not dialog.last_act_ns:
            return
        count, last_ns = self._useless.get(dialog.key, (0, 0))
        count = count + 1 if dialog.closed_ns - last_ns <= AGAIN_NS else 1
        remember(self._useless, dialog.key, (count, dialog.closed_ns), MAX_OPEN)
        if dialog.escaped:
            weight = 1.0
        elif dialog.typed:
            weight = 0.0 if count == 1 else 0.5  # something was entered: closed by its button, it may have worked
        else:
            weight = {1: 0.4, 2: 1.6}.get(count, 1.0)  # the second time says what the first one was, too
        if weight:
            memory.add_failure("dialog", weight, dialog.closed_ns)

    def forget(self) -> None:
        """Drop the dialogs being followed: a pause."""
        self.current = self.closing = None
