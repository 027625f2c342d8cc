"""Hands each record to the extractors that have a hook for it.

What they share is computed once here: the kind of act, how much of the screen changed, and whether an act preceded it.
"""

from collections.abc import Callable, Mapping, Sequence

from detectors.acts import Act, act_of
from detectors.features.extractor import ActiveWindow, FeatureExtractor
from detectors.features.extractors import EXTRACTORS
from detectors.features.fading import Fade
from detectors.features.screen import QUIET_NS, ScreenStates, is_beside, summarize
from detectors.features.states.judging import ActOutcome
from detectors.features.states.views import View, changed_part
from storage.records import (
    Box,
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    MessageSeen,
    Sense,
    TileDigests,
    UndoLabel,
    WindowEvent,
)
from storage.records.tiles import digested_tiles, unpack, unpack_patches

Meaning = ControlAct | DialogSeen | MessageSeen | DocumentLoaded | UndoLabel  # what the accessibility sense sees
CONTROLS = "controls"  # name of that sense in a `Sense` record
_TYPING = frozenset({Act.TEXT, Act.ERASE, Act.COMMIT})
_MEANING: Mapping[type[Meaning], str] = {
    ControlAct: "on_control",
    DialogSeen: "on_dialog",
    MessageSeen: "on_message",
    DocumentLoaded: "on_loaded",
    UndoLabel: "on_undo_label",
}


class FeatureSet:
    """All extractors of one stream of records."""

    def __init__(
        self,
        extractors: Sequence[type[FeatureExtractor]] = EXTRACTORS,
        *,
        take_ended: Callable[[ActOutcome], None] | None = None,
    ) -> None:
        """Create the extractors, and note which of them override which hook.

        `take_ended` is called with what came of each act by the memory of states, once, after the extractors.
        """
        self._fade, self._window = Fade(), ActiveWindow()
        self.extractors = tuple(extractor(self._fade, self._window) for extractor in extractors)
        self._on_act = self._overriding("on_act")
        self._on_motion = self._overriding("on_motion")
        self._on_press = self._overriding("on_press")
        self._on_release = self._overriding("on_release")
        self._on_scroll = self._overriding("on_scroll")
        self._on_response = self._overriding("on_response")
        self._on_spontaneous_change = self._overriding("on_spontaneous_change")
        self._on_tiles = self._overriding("on_tiles")
        self._on_view = self._overriding("on_view")
        self._on_window = self._overriding("on_window")
        self._on_focus = self._overriding("on_focus")
        self._on_spontaneous_focus = self._overriding("on_spontaneous_focus")
        self._on_meaning = {kind: self._overriding(hook) for kind, hook in _MEANING.items()}
        self._on_sense = self._overriding("on_sense")
        for extractor in self.extractors:
            extractor.take_judged = self._overriding("on_judged")
            extractor.take_ended = () if take_ended is None else (take_ended,)
        self._frame: Frame | None = None
        self._act = Act.MOTION
        self._act_ns: int | None = None

    def _overriding(self, hook: str) -> tuple[Callable[..., None], ...]:
        """Return the bound hooks of those extractors that override it: the others cost nothing."""
        base = getattr(FeatureExtractor, hook)
        return tuple(
            getattr(extractor, hook) for extractor in self.extractors if getattr(type(extractor), hook) is not base
        )

    def begin(self, t_ns: int) -> None:
        """Note that observation goes on from `t_ns` at the latest."""
        self._fade.begin(t_ns)

    def on_input(self, event: InputEvent) -> None:
        """Take in input to other windows than our own."""
        t_ns, act = event.t_ns, act_of(event)
        self._fade.begin(t_ns)
        if event.x is not None and event.y is not None:
            self._window.pointer = (event.x, event.y)
        x, y = self._window.pointer
        if act is None:
            if event.kind is EventKind.BUTTON_UP:
                for release in self._on_release:
                    release(x, y, t_ns)
            return
        if act is Act.MOTION:
            for motion in self._on_motion:
                motion(x, y, event.path, t_ns)
            return
        self._act = act
        self._act_ns = t_ns if self._act_ns is None else max(self._act_ns, t_ns)
        count = event.count
        for take_act in self._on_act:
            take_act(act, count, t_ns)
        if act is Act.PRESS:
            for press in self._on_press:
                press(x, y, event.button, t_ns)
        elif act is Act.SCROLL:
            for scroll in self._on_scroll:
                scroll(event.dy, count, t_ns)

    def on_frame(self, frame: Frame, boxes: Sequence[Box], screen: ScreenStates) -> None:
        """Take in a frame that `screen` has classified: `boxes` are those that are not background."""
        t_ns = frame.t_ns
        self._fade.begin(t_ns)
        self._window.on_frame(frame)
        self._frame = frame
        if self._is_spontaneous(t_ns):
            change = summarize(frame.changed)
            for take_change in self._on_spontaneous_change:
                take_change(t_ns, change, screen)
        elif boxes:
            change = summarize(boxes)
            typing = self._act in _TYPING  # a letter is no larger than a caret
            if change.wide or typing or any(is_beside(box, *self._window.pointer) for box in boxes):
                for take_response in self._on_response:
                    take_response(t_ns, change, screen)

    def on_tiles(self, record: TileDigests) -> bool:
        """Take in the digests of the newest frame's tiles; return whether they fit it: others are ignored."""
        frame, self._frame = self._frame, None
        if frame is None or not self._on_tiles:
            return False
        places = digested_tiles(frame)
        now = unpack(record.now, len(places))
        before = unpack(record.before, len(places)) if record.before else []
        if now is None or before is None:
            return False
        now_at, before_at = dict(zip(places, now, strict=True)), dict(zip(places, before, strict=False))
        for take_tiles in self._on_tiles:
            take_tiles(frame.t_ns, now_at, before_at)
        patches = unpack_patches(record.patches) if places and record.patches and self._on_view else frozenset()
        if patches:
            view = View(changed_part(frame.changed), patches)
            for take_view in self._on_view:
                take_view(frame.t_ns, view)
        return True

    def on_window(self, record: WindowEvent) -> None:
        """Take in a window that opened or closed."""
        for take_window in self._on_window:
            take_window(record)

    def on_focus(self, focus: Focus) -> None:
        """Take in a change of focus."""
        if self._fade.resumed_ns is not None and self._is_spontaneous(focus.t_ns):
            for take_spontaneous in self._on_spontaneous_focus:
                take_spontaneous(focus)
        self._window.on_focus(focus)
        for take_focus in self._on_focus:
            take_focus(focus)

    def on_meaning(self, record: Meaning) -> None:
        """Take in what the accessibility sense saw; it is no part of what other features call observed."""
        for take in self._on_meaning[type(record)]:
            take(record)

    def on_sense(self, record: Sense) -> None:
        """Take in that a sense began to work, or no longer does."""
        if record.name == CONTROLS:
            for take_sense in self._on_sense:
                take_sense(on=record.on)

    def _is_spontaneous(self, t_ns: int) -> bool:
        return self._act_ns is None or t_ns - self._act_ns > QUIET_NS

    def forget(self) -> None:
        """Drop what is in progress: observation stops for a while."""
        self._act_ns = None
        self._fade.forget()
        for extractor in self.extractors:
            extractor.forget()

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of all extractors."""
        values: dict[str, float] = {}
        for extractor in self.extractors:
            values |= extractor.values(now_ns)
        return values
