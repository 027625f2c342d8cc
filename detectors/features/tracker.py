"""The feature tracker: computes all features record by record.

It reads key classes, pointer events, changed boxes and digests of what they show, pop-ups and focus, and what the
accessibility sense saw, as classes and digests; no text, no key content, no titles. It is deterministic, has bounded
memory and takes some microseconds a record. Counts belong to the window; failures and work fade slowly, per
application, across windows. `detectors.features.table` defines every feature.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from detectors.acts import ProgramInUse, is_help_app, stops_observation
from detectors.features import state_scores
from detectors.features.attempts.entries import Entries
from detectors.features.attempts.memory import AttemptMemory, Clicks, Undos
from detectors.features.attempts.menus_dialogs import PICKING, FollowedDialogs, FollowedMenus
from detectors.features.extractor import FeatureExtractor
from detectors.features.extractors import EXTRACTORS
from detectors.features.fading import remember
from detectors.features.feature_set import FeatureSet
from detectors.features.screen import QUIET_NS, ScreenStates, is_tiny
from detectors.features.table import TRACKED, WINDOW_COUNTS, extracted
from storage.clock import NS_PER_MS, NS_PER_S
from storage.records import (
    PRESENCE,
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    MessageSeen,
    Record,
    Sense,
    TileDigests,
    UndoLabel,
    WindowEvent,
)

MAX_APPS = 8
FAR_S = 999.0  # "never", as a number
BUNDLE_NS = 400 * NS_PER_MS  # keys are handed over at most about so late
CELL = (96, 48)  # pixels; a place the pointer rests on
SOUGHT_FROM = 1.0  # failures in a program from which somebody turns to a browser: then it is help that is looked for
MENU_EDIT = 0.5  # a click in a menu may have chosen something, or hit an entry that is grey
_WORK_OF_KEY = {
    KeyClass.PASTE: 10.0,
    KeyClass.SAVE: 15.0,
    KeyClass.CUT: 3.0,
    KeyClass.SHORTCUT: 3.0,
}
_EDIT_WEIGHTS = {
    KeyClass.CHARACTER: 1.0,
    KeyClass.ENTER: 1.0,
    KeyClass.TAB: 1.0,
    KeyClass.DELETE: 1.0,
    KeyClass.PASTE: 1.0,
    KeyClass.CUT: 1.0,
    KeyClass.ESCAPE: 0.5,
    KeyClass.SHORTCUT: 0.5,  # it may only switch a view
}
_HISTORY = frozenset({KeyClass.UNDO, KeyClass.REDO})
_TAKING_BACK = _HISTORY | {KeyClass.BACKSPACE}
_COUNTED = {
    KeyClass.CHARACTER: "characters",
    KeyClass.BACKSPACE: "erasures",
    KeyClass.DELETE: "erasures",
    KeyClass.ENTER: "commits",
    KeyClass.TAB: "commits",
    KeyClass.NAVIGATION: "navigations",
    KeyClass.UNDO: "undos",
    KeyClass.REDO: "redos",
    KeyClass.PASTE: "pastes",
    KeyClass.SAVE: "saves",
    KeyClass.SHORTCUT: "shortcuts",
    KeyClass.ESCAPE: "escapes",
    KeyClass.HELP: "helps",
}
_ROUNDED = tuple(name for name in TRACKED if name not in WINDOW_COUNTS and not name.endswith("_count"))
"""The tracker's own features that may have decimals."""

_tracked = itemgetter(*TRACKED)


class FeatureTracker:
    """Takes source records in log order; `values` gives the features at a moment."""

    def __init__(self, extractors: Sequence[type[FeatureExtractor]] = EXTRACTORS) -> None:
        """Begin with an empty memory; `extractors` are those whose features are given beside the tracker's own.

        Entries are judged by what the extractor of returning states says of an act, where it is one of them.
        """
        self._memories: OrderedDict[str, AttemptMemory] = OrderedDict({"": AttemptMemory()})
        self._program = ProgramInUse()
        self._memory = self._memories[""]
        self._screen = ScreenStates()
        self._menus = FollowedMenus()
        self._dialogs = FollowedDialogs()
        self._entries = Entries()
        self._held: deque[tuple[int, Record]] = deque()
        self._window_ns: int | None = None
        self._counts = dict.fromkeys(WINDOW_COUNTS, 0.0)
        self._input_ns = -FAR_NS
        self._act_ns: int | None = None
        self._still_ns: int | None = None
        self._undos = Undos()
        self._clicks = Clicks()
        self._help_ns: int | None = None
        self._app_ns: int | None = None
        self._sought = False
        self._places: set[tuple[int, int]] = set()
        self._hover_ns: int | None = None
        self._scroll_sign = 0
        self._character_ns: int | None = None
        self._watching: tuple[int, int] | None = None
        self._features = FeatureSet(extractors, take_ended=self._entries.on_judged)
        self._extracted_names = tuple(extracted(extractors))
        self._extracted = itemgetter(*self._extracted_names)

    def open_window(self, now_ns: int) -> None:
        """Mark the start of a window: counts begin anew, memory stays."""
        self._take_held()
        self._window_ns = now_ns
        self._counts = dict.fromkeys(WINDOW_COUNTS, 0.0)
        self._features.begin(now_ns)

    def take(self, record: Record) -> None:
        """Take one source record in; records of our own windows change nothing.

        Keys come in bundles, after what they opened or closed. So a change of windows, and what follows it, waits for
        the next input, for `BUNDLE_NS` at most; input from before it goes first.
        """
        if isinstance(record, InputEvent):
            self._take_held(record.t_ns)
            self._take_in(record)
            return
        held = self._held
        if held and record.at_ns - held[0][1].at_ns > BUNDLE_NS:
            self._take_held()
        if isinstance(record, (Focus, WindowEvent)):
            held.append((record.t_ns, record))
        elif held:
            held.append((held[-1][0], record))
        else:
            self._take_in(record)

    def _take_held(self, until_ns: int | None = None) -> None:
        """Take in what waits for input of an earlier time than `until_ns`."""
        held = self._held
        while held and (until_ns is None or held[0][0] <= until_ns):
            self._take_in(held.popleft()[1])

    def _take_in(self, record: Record) -> None:
        if isinstance(record, InputEvent):
            if not record.own:
                self._settle(record.t_ns)
                self._take_input(record)
                self._features.on_input(record)
        elif isinstance(record, Frame):
            self._take_frame(record)
        elif isinstance(record, TileDigests):
            if self._features.on_tiles(record):
                self._entries.sees_tiles = self._dialogs.sees_tiles = True
        elif isinstance(record, WindowEvent):
            self._settle(record.t_ns)
            self._take_opened(record)
            self._features.on_window(record)
        elif isinstance(record, Focus):
            if not record.own and record.app:
                self._settle(record.t_ns)
                self._take_focus(record)
                self._features.on_focus(record)
        elif isinstance(record, (ControlAct, DialogSeen, MessageSeen, DocumentLoaded, UndoLabel)):
            self._features.on_meaning(record)
        elif isinstance(record, Sense):
            self._features.on_sense(record)
        elif stops_observation(record):
            self._forget_pending()
            self._features.forget()

    def values(self, now_ns: int) -> dict[str, float]:
        """Return every feature of `TABLE` at `now_ns`."""
        self._take_held()
        self._settle(now_ns)
        memory, counts = self._memory, self._counts
        start_ns = now_ns if self._window_ns is None else self._window_ns
        watched_from_ns, watched_until_ns = self._watching or (0, 0)
        keys = counts["characters"] + counts["erasures"]
        found = {
            **counts,
            "window_s": max(0, now_ns - start_ns) / NS_PER_S,
            "erase_share": counts["erasures"] / keys if keys else 0.0,
            "failures": memory.active_failures(now_ns, pending_undos=self._undos.pending_weight(now_ns)),
            "relief": memory.relief,
            "pace": memory.pace(now_ns),
            "since_failure_s": _age_s(memory.last_failure_ns, now_ns),
            "since_kept_s": _age_s(memory.work_ns, now_ns),
            "idle_s": min(FAR_S, max(0, now_ns - self._input_ns) / NS_PER_S),
            "still_s": _age_s(self._still_ns, now_ns),
            "undo_presses": float(self._undos.recent_presses(now_ns)),
            "unanswered": float(self._clicks.recent_unanswered(now_ns)),
            "waver": float(self._undos.alternations),
            "hover_places": float(len(self._places)),
            "hover_s": 0.0 if self._hover_ns is None else _age_s(self._hover_ns, now_ns),
            "watching_s": max(0, watched_until_ns - watched_from_ns) / NS_PER_S,  # frames may be logged out of order
            "help_app": float(is_help_app(self._program.app)),
            "help_sought": float(self._sought),
            "since_help_s": _age_s(self._help_ns, now_ns),
            "app_s": _age_s(self._app_ns, now_ns),
            "failures_elsewhere": max(
                (other.active_failures(now_ns) for app, other in self._memories.items() if app != self._program.app),
                default=0.0,
            ),
        }
        found |= memory.values(now_ns)
        found |= self._features.values(now_ns)
        found |= state_scores.values(found)
        values = dict(zip(TRACKED, _tracked(found), strict=True))
        for name in _ROUNDED:
            values[name] = round(values[name], 6)
        extracted_values = np.array(self._extracted(found)).round(4).tolist()
        values.update(zip(self._extracted_names, extracted_values, strict=True))
        return values

    # ------------------------------------------------------------ input

    def _take_input(self, event: InputEvent) -> None:
        t_ns = event.t_ns
        self._input_ns = max(self._input_ns, t_ns)
        if event.kind in PRESENCE:
            return
        self._watching = None
        self._counts["inputs"] += event.count
        if event.kind is EventKind.KEY and event.key_class is not None:
            if event.key_class is not KeyClass.MODIFIER:
                self._act(t_ns, self._edit_weight(event.key_class))
                self._take_key(event.key_class, event.count, t_ns)
        elif event.kind is EventKind.BUTTON_DOWN:
            inside = event.x is not None and event.y is not None and self._menus.contains(event.x, event.y)
            self._act(t_ns, MENU_EDIT if inside else None)
            self._take_press(event, t_ns)
        elif event.kind is EventKind.BUTTON_UP:
            if event.x is not None and event.y is not None and event.button == "left":
                self._screen.on_release(event.x, event.y)
        elif event.kind is EventKind.MOTION:
            self._take_motion(event, t_ns)
        elif event.kind is EventKind.SCROLL:
            self._screen.on_act(t_ns, None)
            self._still_ns = t_ns  # who scrolls reads
            self._take_scroll(event)
        else:  # protected entry: something was entered, nothing is known about it
            self._act(t_ns, None)
            self._entries.forget()

    def _edit_weight(self, key_class: KeyClass) -> float | None:
        """Return the weight of a failure if this key brings an earlier state back; None for keys that edit nothing.

        Undo and backspace are meant to bring a state back, and are counted elsewhere.
        """
        in_menu = self._menus.is_open and key_class not in PICKING
        if in_menu or self._dialogs.current is not None:
            return None
        if key_class in _TAKING_BACK:
            return 0.0
        return _EDIT_WEIGHTS.get(key_class)

    def _act(self, t_ns: int, edit_weight: float | None) -> None:
        self._act_ns = self._still_ns = t_ns
        self._screen.on_act(t_ns, edit_weight)
        self._places.clear()
        self._hover_ns = None

    def _take_key(self, key_class: KeyClass, count: int, t_ns: int) -> None:
        name = _COUNTED.get(key_class)
        if name is not None:
            self._counts[name] += count
        if key_class not in _HISTORY:
            self._undos.other_act()
        self._dialogs.on_key(t_ns, key_class)
        if self._menus.on_key(t_ns, key_class):
            return
        work = _WORK_OF_KEY.get(key_class)
        if work is not None:
            self._memory.add_work(work, t_ns)
        elif key_class is KeyClass.UNDO:
            run = self._undos.undo(count, t_ns, self._memory)
            self._counts["undo_run_max"] = max(self._counts["undo_run_max"], run)
            self._entries.on_undo()
        elif key_class is KeyClass.REDO:
            self._undos.redo(count, t_ns, self._memory)
        elif key_class is KeyClass.HELP:
            self._help_ns = t_ns
        else:
            self._take_entry_key(key_class, count, t_ns)

    def _take_entry_key(self, key_class: KeyClass, count: int, t_ns: int) -> None:
        memory, entries = self._memory, self._entries
        match key_class:
            case KeyClass.CHARACTER:
                if self._character_ns is not None and t_ns - self._character_ns < NS_PER_S:
                    self._counts["fluent_characters"] += count
                self._character_ns = t_ns
                entries.characters(count, t_ns, memory)
            case KeyClass.BACKSPACE | KeyClass.DELETE:
                entries.erase(count, t_ns, memory)
            case KeyClass.ENTER | KeyClass.TAB | KeyClass.ESCAPE:
                entries.finish(key_class, t_ns, memory)
            case KeyClass.NAVIGATION:
                entries.step(count, t_ns, memory)
            case KeyClass.SELECT_ALL:
                entries.select_all()
            case KeyClass.COPY:
                entries.keep_selection()
            case _:
                pass

    def _take_press(self, event: InputEvent, t_ns: int) -> None:
        self._undos.other_act()
        self._counts["clicks"] += 1
        if event.x is None or event.y is None:
            return
        self._dialogs.on_click(t_ns)
        self._menus.on_click(t_ns, event.x, event.y)
        if not self._menus.is_open:
            self._entries.click(event.x, event.y, t_ns, self._memory)
        if event.button == "left":
            inside = self._menus.is_open or self._dialogs.current is not None
            self._screen.on_press(t_ns, event.x, event.y, inside=inside)

    def _take_motion(self, event: InputEvent, t_ns: int) -> None:
        self._counts["motion_px"] += event.path
        if event.x is not None and event.y is not None and len(self._places) < 64:  # noqa: PLR2004  # bounded
            self._places.add((event.x // CELL[0], event.y // CELL[1]))
        if self._hover_ns is None:
            self._hover_ns = t_ns

    def _take_scroll(self, event: InputEvent) -> None:
        self._counts["scrolls"] += event.count
        sign = (event.dy > 0) - (event.dy < 0)
        if sign and sign == -self._scroll_sign:
            self._counts["scroll_turns"] += 1
        self._scroll_sign = sign or self._scroll_sign

    # ------------------------------------------------------------ screen and windows

    def _take_frame(self, frame: Frame) -> None:
        t_ns = frame.t_ns
        boxes, came_back = self._screen.on_frame(frame, self._input_ns)
        if came_back:
            self._entries.on_state_returned(came_back, t_ns, self._memory)
        self._counts["frames"] += 1
        self._entries.on_frame(t_ns, boxes)
        self._dialogs.on_frame(t_ns, boxes)
        self._settle(t_ns)
        if t_ns - self._input_ns > QUIET_NS and any(not is_tiny(box) for box in frame.changed):
            self._counts["unprompted_frames"] += 1
            start_ns = t_ns if self._watching is None else self._watching[0]
            self._watching = (start_ns, t_ns)
        self._features.on_frame(frame, boxes, self._screen)

    def _take_opened(self, record: WindowEvent) -> None:
        if not record.popup:
            self._screen.on_window_change(record.t_ns)
            self._dialogs.on_window(record)
        elif self._menus.on_popup(record, self._act_ns if self._is_opening_act() else None):
            self._screen.on_window_change(record.t_ns)
            self._entries.on_menu_opened()
            self._counts["menus"] += not record.gone

    def _is_opening_act(self) -> bool:
        return self._character_ns is None or self._act_ns != self._character_ns

    def _take_focus(self, focus: Focus) -> None:
        t_ns = focus.t_ns
        self._screen.on_window_change(t_ns)
        if self._program.take(focus):
            self._forget_pending()
            sought = self._memory.active_failures(t_ns) >= SOUGHT_FROM and not is_help_app(self._program.before)
            self._sought = is_help_app(focus.app) and sought
            self._app_ns = t_ns
            self._memory = self._memories.get(focus.app) or AttemptMemory()
            remember(self._memories, focus.app, self._memory, MAX_APPS)
            self._counts["app_switches"] += 1
        before = self._dialogs.seen
        self._dialogs.on_focus(focus, self._screen, self._menus, self._memory)
        self._counts["dialogs"] += self._dialogs.seen - before
        self._screen.on_act(t_ns, None)
        self._entries.forget()

    def _settle(self, now_ns: int) -> None:
        self._menus.settle(now_ns, self._memory)
        self._entries.settle(now_ns, self._memory)
        self._dialogs.settle(now_ns, self._screen.state, self._memory)
        for outcome in self._screen.settle(now_ns):
            if not outcome.click.opened:
                self._counts["dead_clicks"] += outcome.dead
                self._clicks.add_outcome(outcome, self._memory)

    def _forget_pending(self) -> None:
        self._screen.forget_clicks()
        self._menus.forget()
        self._dialogs.forget()
        self._entries.forget()
        self._undos.other_act()
        self._watching = None


def _age_s(t_ns: int | None, now_ns: int) -> float:
    return FAR_S if t_ns is None else min(FAR_S, max(0, now_ns - t_ns) / NS_PER_S)


FAR_NS = round(FAR_S) * NS_PER_S
