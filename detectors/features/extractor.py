"""What a feature extractor is: a class in a file of `extractors/`, registered by name in `extractors/__init__.py`.

An extractor overrides the hooks that it needs; `FeatureSet` calls no others. Worked example, a feature that counts
presses (`tests/detectors/features/test_add_an_extractor.py` runs one)::

    from detectors.features.extractor import FeatureExtractor

    class PressRate(FeatureExtractor):
        table = {"presses_8s": ("1/s", "button presses a second; half-life 8s")}

        def __init__(self, fade, window):
            super().__init__(fade, window)
            self._sums = fade.long_sums(1)

        def on_press(self, x, y, button, t_ns):
            self._sums[0] += self._fade.weights_at(t_ns)[2]

        def values(self, now_ns):
            return {"presses_8s": self._sums[0] * self._fade.factors(now_ns)[2] / self._fade.observed_s(now_ns)[2]}
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar

from detectors.acts import Act, ProgramInUse
from detectors.features.fading import Fade
from detectors.features.screen import ChangeSummary, ScreenStates
from detectors.features.states.judging import ActOutcome
from detectors.features.states.views import View
from storage.records import (
    Box,
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    Focus,
    Frame,
    MessageSeen,
    UndoLabel,
    WindowEvent,
)
from storage.records.tiles import Place

TOP, SIDE, OUTSIDE, MIDDLE = range(4)
TOP_SHARE, LEFT_SHARE, RIGHT_SHARE, BOTTOM_SHARE = 0.13, 0.06, 0.82, 0.95  # of the window; guesses


class ActiveWindow:
    """The active window, its screen and the pointer: what lengths, areas and places are measured against.

    Programs keep their tools at the edges of a window and the work in the middle, so places are parts of the window.
    Updated by `FeatureSet`; before the first record it has a common size.
    """

    def __init__(self) -> None:
        self.height = 1080.0
        self.box = Box(0, 0, 1920, 1080)
        self.area = 1920.0 * 1080.0
        self.pointer = (0, 0)
        self.program = ProgramInUse()

    def on_frame(self, frame: Frame) -> None:
        """Take the size of the screen."""
        self.height = float(max(1, frame.size[1]))

    def on_focus(self, focus: Focus) -> None:
        """Take the new active window; dialogs lie in front of it and do not replace it."""
        self.program.take(focus)
        box = focus.geometry
        if box.w > 0 and box.h > 0 and not focus.dialog:
            self.box = box
            self.area = float(box.w * box.h)

    def part(self, x: int, y: int) -> int:
        """Return the part of a point: TOP, SIDE (left, right or bottom edge), MIDDLE or OUTSIDE."""
        box = self.box
        across, down = x - box.x, y - box.y
        if not (0 <= across < box.w and 0 <= down < box.h):
            return OUTSIDE
        if down < TOP_SHARE * box.h:
            return TOP
        if across < LEFT_SHARE * box.w or across > RIGHT_SHARE * box.w or down > BOTTOM_SHARE * box.h:
            return SIDE
        return MIDDLE


FeatureTable = Mapping[str, tuple[str, str]]  # name -> (unit, definition)


@cache
def _sections() -> Mapping[str, Mapping[str, tuple[str, str]]]:
    return tomllib.loads((Path(__file__).parent / "data" / "features.toml").read_text(encoding="utf-8"))


def defined(section: str) -> FeatureTable:
    """Return the features that a section of `data/features.toml` defines, in its order."""
    return {name: (unit, definition) for name, (unit, definition) in _sections()[section].items()}


class FeatureExtractor:
    """Base class: follows one aspect of the records, in bounded memory, deterministically and without reading text.

    Hooks are called in the order of records, which may reach the log slightly out of the order of their times.
    """

    table: ClassVar[FeatureTable]

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        self._fade = fade
        self._window = window
        self.take_judged: tuple[Callable[[ActOutcome], None], ...] = ()
        """Hooks of other extractors for what this one judges, perhaps more than once; set by `FeatureSet`."""
        self.take_ended: tuple[Callable[[ActOutcome], None], ...] = ()
        """Called once for each act that this one judges, when it has ended; set by `FeatureSet`."""

    def on_act(self, act: Act, count: int, t_ns: int) -> None:
        """Take in `count` merged acts of a kind; motion comes to `on_motion` alone."""

    def on_motion(self, x: int, y: int, path: int, t_ns: int) -> None:
        """Take in motion of the pointer to a point, over a path in pixels."""

    def on_press(self, x: int, y: int, button: str | None, t_ns: int) -> None:
        """Take in a button press; `on_act` was called before."""

    def on_release(self, x: int, y: int, t_ns: int) -> None:
        """Take in a button release."""

    def on_scroll(self, dy: int, count: int, t_ns: int) -> None:
        """Take in scroll steps; `on_act` was called before."""

    def on_response(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:
        """Take in a change of the screen that follows an act."""

    def on_spontaneous_change(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:
        """Take in a change of the screen that no act preceded."""

    def on_tiles(self, t_ns: int, now: Mapping[Place, int], before: Mapping[Place, int]) -> None:
        """Take in digests of a frame's tiles: what stands at places now and, where it was not known, what stood."""

    def on_view(self, t_ns: int, view: View) -> None:
        """Take in digests of a tall change that are alike wherever it is scrolled to; `on_tiles` was called before."""

    def on_window(self, record: WindowEvent) -> None:
        """Take in a window that opened or is gone, a pop-up or another."""

    def on_focus(self, focus: Focus) -> None:
        """Take in a change of focus or title."""

    def on_spontaneous_focus(self, focus: Focus) -> None:
        """Take in a change of focus or title that no act preceded; `on_focus` is called too."""

    def on_judged(self, outcome: ActOutcome) -> None:
        """Take in what came of an act by the memory of states, once the act is over."""

    def on_sense(self, *, on: bool) -> None:
        """Take in that controls are understood from now on, or no longer."""

    def on_control(self, act: ControlAct) -> None:
        """Take in which control was pressed, toggled, chosen or typed into; the input came before."""

    def on_dialog(self, seen: DialogSeen) -> None:
        """Take in a dialog that appeared."""

    def on_message(self, seen: MessageSeen) -> None:
        """Take in a message in a window."""

    def on_loaded(self, loaded: DocumentLoaded) -> None:
        """Take in that a page or a document was loaded."""

    def on_undo_label(self, label: UndoLabel) -> None:
        """Take in what the program's next undo would take back."""

    def forget(self) -> None:
        """Drop what is in progress: observation stops for a while."""

    def values(self, now_ns: int) -> dict[str, float]:
        """Return a value for each feature of `table`; this must change nothing."""
        raise NotImplementedError
