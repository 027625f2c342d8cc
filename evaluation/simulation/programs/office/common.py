"""What a person does alike in LibreOffice's programs: undo, redo, save, look through a dialog, change the view.

Dialogs are known by their title; a tab that was shown last is shown again when the same dialog opens, so the tab is
kept track of over the whole session.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.office.window import OfficeWindow
from evaluation.stage.prose import item
from evaluation.stage.windows import WindowInfo

_EDIT_UNDO, _EDIT_REDO = 12, 37
_ZOOM_OUT, _ZOOM_IN = (-182, -11), (-65, -11)
_FIND_NEXT, _FIND_CLOSE = (336, -42), (20, -42)
_MOST_ZOOM = 3
_SIDE_X = -28
_KEEP_FORMAT = "Confirm File Format"
_KEEP_BUTTON = (-100, -18)
_OTHER_FORMATS = (".csv", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Something in a dialog to click on and, with `value`, to overwrite ("number" or "word")."""

    at: Point
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """A dialog: how it is opened, its tabs (the first one shows `controls`), and where it is left."""

    title: str
    menu: str
    entry: int
    keys: str = ""
    tabs: tuple[Point, ...] = ()
    controls: tuple[Control, ...] = ()
    accept: Point = (-52, -25)
    cancel: Point | None = (-142, -25)


class Office(OfficeWindow):
    """What Writer, Calc and Impress have in common."""

    dialogs: ClassVar[Sequence[Dialog]]
    save_entry: ClassVar[int] = 241

    def __init__(self, actor: Actor) -> None:
        """Let `actor` work in it; the dialog of this session is drawn here."""
        super().__init__(actor)
        self.dialog = self.rng.choice(self.dialogs)
        self._tab = 0
        self._zoom = 0
        self._searching = False

    # ------------------------------------------------------------------ work

    def save(self) -> None:
        """Save by key, by the tool bar's button or by menu, and keep the format if asked."""
        if self.actor.by_key():
            self.hands.chord("ctrl+s")
        elif self.actor.chance(0.6):
            self.tool("save")
        else:
            self.choose("File", self.save_entry)
        if self.path.suffix in _OTHER_FORMATS:
            self._keep_format()

    def press(self, chords: Sequence[str]) -> None:
        """Press some shortcuts one after another."""
        for keys in chords:
            self.hands.chord(keys)
            if keys == "ctrl+s" and self.path.suffix in _OTHER_FORMATS:
                self._keep_format()

    def _keep_format(self) -> None:
        """Answer the question that comes with every format but the suite's own; none comes if nothing was changed."""
        for _ in range(30):
            if self.windows.find(title=_KEEP_FORMAT) is not None:
                self.hands.wait(self.hands.about(0.5))
                if self.actor.by_key():
                    self.hands.chord("Return")
                elif (window := self.windows.find(title=_KEEP_FORMAT)) is not None:
                    self.hands.click(*_inside(window, _KEEP_BUTTON))
                self.actor.wait_title_gone(_KEEP_FORMAT)
                return
            self.hands.wait(0.05)

    def undo(self, times: int) -> None:
        """Take back, by key, tool bar or (now and then) menu, about two a second."""
        self._step("ctrl+z", "undo", _EDIT_UNDO, times)

    def redo(self, times: int) -> None:
        """Do again what was taken back."""
        self._step("ctrl+y", "redo", _EDIT_REDO, times)

    def _step(self, keys: str, tool: str, entry: int, times: int) -> None:
        self.at_caret = False
        if self.actor.by_key() or self.actor.chance(0.3):
            self.hands.repeat(keys, times)
        elif times <= 2 and self.actor.chance(0.3):  # noqa: PLR2004
            try:
                for _ in range(times):
                    self.choose("Edit", entry)
            except LookupError:  # the entry may be grey: then the keys do no harm either
                self.hands.repeat(keys, times)
        else:
            for _ in range(times):
                self.tool(tool)
                self.hands.wait(self.hands.about(0.25, 0.25))

    def enter_into(self, place: Point, text: str) -> None:
        """Put something else into a field and commit it."""
        self.hands.click(*self.at(place))
        self.hands.chord("ctrl+a")
        self.hands.text(f"{text}\n", rate=self.actor.rate)
        self.hands.wait(self.hands.about(0.3))

    def by_key_or_tool(self, keys: str, tool: str) -> None:
        """Do one thing by shortcut or by its button, as this person likes."""
        if self.actor.by_key():
            self.hands.chord(keys)
        else:
            self.tool(tool)

    # ------------------------------------------------------------------ looking

    def zoom(self, steps: int) -> None:
        """Zoom by the status bar: in (positive) or out; turns round at the ends of a narrow range."""
        for _ in range(abs(steps)):
            direction = 1 if steps > 0 else -1
            if abs(self._zoom + direction) > _MOST_ZOOM:
                direction = -direction
            self._zoom += direction
            self.hands.click(*self.at(_ZOOM_IN if direction > 0 else _ZOOM_OUT))
            self.hands.wait(self.hands.about(0.25))

    def peek(self, panels: Sequence[int], *, home: int | None = None) -> None:
        """Look at a panel of the side bar for a moment, then close it or go back to the one that was open."""
        panel = self.rng.choice(panels)
        self.hands.click(*self.at((_SIDE_X, panel)))
        self.hands.wait(self.hands.about(1.2))
        self.hands.click(*self.at((_SIDE_X, panel if home is None else home)))

    def page(self, direction: int) -> None:
        """Move through the document, by wheel or key; where it ends, turn round."""
        self.at_caret = False
        before = self.view()
        self._page(direction)
        if not self.has_changed(before, pixels=800):
            self._page(-direction)

    def _page(self, direction: int) -> None:
        if self.actor.by_key():
            self.leave_search()  # its field takes the keys
            self.hands.chord("Next" if direction > 0 else "Prior")
        else:
            x, y = self.hands.at
            left, top = self.at((80, 200))
            right, bottom = self.at((-140, -140))
            if not (left < x < right and top < y < bottom):
                self.hands.move(*self.rng.choice(self.content_points()))
            self.hands.scroll(-direction * self.rng.randint(3, 6))

    # ------------------------------------------------------------------ searching

    def search(self, word: str) -> None:
        """Open the search bar, which stays, and go to the next place of a word."""
        self.at_caret = False
        self.hands.chord("ctrl+f")
        self._searching = True
        self.hands.wait(0.3)
        self.hands.chord("ctrl+a")
        self.hands.text(f"{word}\n", rate=self.actor.rate)
        self.hands.wait(self.hands.about(0.4))

    def search_on(self, times: int) -> None:
        """Click on "find next" again and again."""
        for _ in range(times):
            self.hands.click(*self.at(_FIND_NEXT))
            self.hands.wait(self.hands.about(0.35))

    def leave_search(self) -> None:
        """Close the search bar if it is there: it takes away a piece of the document's place."""
        if self._searching:
            self.hands.click(*self.at(_FIND_CLOSE))
            self._searching = False

    # ------------------------------------------------------------------ dialogs

    def open_dialog(self) -> None:
        """Open this session's dialog, by key or menu, and wait until it is there."""
        self.at_caret = False
        if self.dialog.keys and self.actor.by_key():
            self.hands.chord(self.dialog.keys)
        else:
            self.choose(self.dialog.menu, self.dialog.entry)
        self.actor.wait_dialog(self.dialog.title)

    def use_dialog(self) -> None:
        """Change one control of the dialog, or look at another tab."""
        window = self._dialog_window()
        tabs = self.dialog.tabs
        if tabs and (not self.dialog.controls or self.actor.chance(0.5)):
            self._show_tab(self.rng.choice([number for number in range(len(tabs)) if number != self._tab]))
            return
        if tabs and self._tab:
            self._show_tab(0)
        control = self.rng.choice(self.dialog.controls)
        self.hands.click(*_inside(window, control.at))
        if control.value:
            self.hands.chord("ctrl+a")
            word = self.rng.choice(item(self.rng).split())
            self.hands.text(word if control.value == "word" else str(self.rng.randint(1, 24)), rate=self.actor.rate)
        self.hands.wait(self.hands.about(0.4))

    def _show_tab(self, number: int) -> None:
        self.hands.click(*_inside(self._dialog_window(), self.dialog.tabs[number]))
        self._tab = number
        self.hands.wait(self.hands.about(0.4))

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave the dialog by its button or by key, and wait until it is gone."""
        window = self._dialog_window()
        if apply:
            self.hands.click(*_inside(window, self.dialog.accept))
        elif self.dialog.cancel is not None and not self.actor.by_key():
            self.hands.click(*_inside(window, self.dialog.cancel))
        else:
            self.hands.chord("Escape")
        if not self._is_left():
            self.actor.close_dialog(self.dialog.title)

    def _is_left(self) -> bool:
        for _ in range(20):
            if self.windows.find(title=self.dialog.title) is None:
                return True
            self.hands.wait(0.1)
        return False

    def _dialog_window(self) -> WindowInfo:
        window = self.windows.find(title=self.dialog.title)
        if window is None:
            raise LookupError("the dialog is not open")
        return window


def _inside(window: WindowInfo, point: Point) -> Point:
    """Return the desktop pixel of a place in a dialog; negative is from the right or the bottom."""
    (x, y), box = point, window.box
    return box.x + (x if x >= 0 else box.w + x), box.y + (y if y >= 0 else box.h + y)
