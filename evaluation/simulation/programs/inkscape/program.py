"""Inkscape 1.2 in the hands of an actor: what a behavior may ask of it."""

from collections.abc import Sequence

from evaluation.simulation.program import Point
from evaluation.simulation.programs.inkscape import layout
from evaluation.simulation.programs.inkscape.drawing import SHAPES, InkscapeDrawing

_PAGES = 4


class Inkscape(InkscapeDrawing):
    """Drawing on a page."""

    # ------------------------------------------------------------------ work that succeeds

    def compose(self) -> None:
        """Draw a few shapes or strokes and colour them, or write some words."""
        self._ready()
        self._rng.choices((self._draw_shapes, self._draw_strokes, self._write_words), (5, 2, 3))[0]()

    def adjust(self) -> None:
        """Move a thing, give it another colour, or another size."""
        self._rng.choices((self._move_thing, self._colour_thing, self._size_thing), (1, 2, 1))[0]()

    def expert(self) -> None:
        """Duplicate or copy a thing and place it with keys, or turn and raise it, or go from thing to thing."""
        self._take_hold()
        self._rng.choice((self._duplicate, self._copy, self._turn, self._walk))()

    def repeat_useful(self) -> None:
        """Click the zoom buttons or the stepper of a thing's size, place or opacity."""
        times = self._rng.randint(3, 8)
        if self._actor.chance(0.4):
            self._moved = True
            point = self._at(*self._rng.choice((layout.ZOOM_IN, layout.ZOOM_OUT)))
            times = min(times, 5)
        else:
            self._take_hold()
            point = self._at(*self._rng.choice(list(layout.STEPPERS.values())))
        for _ in range(times):
            self._hands.click(*point)
            self._hands.wait(self._hands.about(0.2))

    def save(self) -> None:
        """Save, by key or menu."""
        if self._actor.by_key():
            self._hands.chord("ctrl+s")
        else:
            self._choose(self._menu("File"), layout.SAVE_ROW)

    # ------------------------------------------------------------------ looking

    def page(self, direction: int) -> None:
        """Turn the wheel over the page, or press ctrl and an arrow; at its end, turn back."""
        if abs(self._page + direction) > _PAGES:
            direction = -direction
        self._page += direction
        self._moved = True
        if self._actor.by_key() and self._actor.chance(0.4):
            self._hands.repeat("ctrl+Down" if direction > 0 else "ctrl+Up", self._rng.randint(3, 5), gap_s=0.04)
            return
        self._scroll(-direction * self._rng.randint(2, 3))

    def toggle(self, *, anew: bool) -> None:
        """Make the page larger, or as large as it was."""
        self._moved = True
        self._is_larger = anew or not self._is_larger
        self._hands.chord("plus" if self._is_larger else "minus")

    def overview(self) -> None:
        """Show the whole page or drawing, or zoom out or in, by keys or buttons."""
        self._moved = True
        if self._actor.by_key():
            choices = ("4", "5", "6", "1", "minus", "plus")
            keys = self._rng.choice([keys for keys in choices if keys not in {self._fit, self._looked}])
            self._looked = keys
            self._hands.repeat(keys, self._rng.randint(1, 2) if keys in {"minus", "plus"} else 1)
        else:
            point = self._at(*self._rng.choice((layout.ZOOM_IN, layout.ZOOM_OUT)))
            for _ in range(self._rng.randint(1, 2)):
                self._hands.click(*point)

    def content_points(self) -> Sequence[Point]:
        """Return places spread over the page."""
        return self._spread()

    def tool_points(self) -> Sequence[Point]:
        """Return buttons of the tool box and of the commands bar."""
        tools = [
            self._at(layout.TOOL_X, round(layout.TOOL_Y + number * layout.TOOL_PITCH))
            for number in range(layout.TOOL_COUNT)
        ]
        return tools + [self._at(layout.COMMANDS_X, y) for y in layout.COMMANDS]

    def menu_points(self) -> Sequence[Point]:
        """Return the menus' titles."""
        return [self._menu(name) for name in layout.MENUS]

    def has_menu_windows(self) -> bool:
        """Say yes."""
        return True

    # ------------------------------------------------------------------ trying

    def dead_points(self) -> Sequence[Point]:
        """Return empty parts of the menu bar and the tool box, and labels of the status bar that show no tool tip."""
        return [
            self._at(self._box.w * 2 // 3, layout.MENU_Y),
            self._at(-70, layout.MENU_Y),
            self._at(15, -66),
            self._at(-250, -18),
            self._at(-128, -18),
        ]

    def change(self) -> int:
        """Colour, move or delete a thing, or draw a new one."""
        kind = self._rng.choice(("colour", "move", "delete", "draw"))
        if kind == "colour":
            self._colour_thing()
        elif kind == "move":
            self._move_thing()
        elif kind == "delete":
            self._take_hold()
            if self._actor.by_key():
                self._hands.chord("Delete")
            else:
                self._choose(self._menu("Edit"), layout.DELETE_ROW)
            self._selected = False
        else:
            self._ready()
            self._tool(self._rng.choice(SHAPES))
            self._draw()
        self._hands.wait(0.3)
        return 1

    def undo(self, times: int) -> None:
        """Take back by ctrl+z, a single one now and then by the menu."""
        if times == 1 and not self._actor.by_key() and self._actor.chance(0.4):
            self._choose_or(self._menu("Edit"), layout.UNDO_ROW, "ctrl+z")
        else:
            self._hands.repeat("ctrl+z", times, gap_s=0.22)

    def redo(self, times: int) -> None:
        """Do again by key, a single one now and then by the menu."""
        if times == 1 and not self._actor.by_key() and self._actor.chance(0.4):
            self._choose_or(self._menu("Edit"), layout.REDO_ROW, "ctrl+y")
        else:
            self._hands.repeat(self._rng.choice(("ctrl+y", "ctrl+shift+z")), times, gap_s=0.22)

    def enter_value(self) -> None:
        """Enter a zoom, or a thing's place or size."""
        if self._field == "zoom":
            value = self._rng.choice([value for value in range(40, 200, 5) if value != self._value])
        else:
            self._take_hold()
            value = self._rng.randint(60, 480 if self._field in {"x", "y"} else 260)
        self._hands.click(*self._at(*layout.FIELDS[self._field]))
        self._hands.chord("ctrl+a")
        self._commit(value)

    def revise_value(self) -> None:
        """Go back to the field and change the value's first digit; the thing must still be the selected one."""
        if self._field != "zoom" and not self._selected:
            self._take_hold()
        first = str(self._value)[0]
        changed = self._rng.choice([digit for digit in "1234" if digit != first])
        self._hands.click(*self._at(*layout.FIELDS[self._field]))
        self._hands.chord("Home")
        self._hands.chord("Delete")
        self._commit(int(changed + str(self._value)[1:]), typed=changed)

    def _commit(self, value: int, typed: str | None = None) -> None:
        self._hands.text((typed or str(value)) + "\n", rate=self._actor.rate)
        self._value = value
        self._moved = self._moved or self._field == "zoom"
        self._hands.wait(0.3)

    def drag(self) -> None:
        """Move a thing, draw one, or pull a frame around some."""
        kind = self._rng.choices(("move", "draw", "frame"), (3, 2, 1))[0]
        if kind == "move":
            self._move_thing()
            return
        self._ready()
        self._tool("select" if kind == "frame" else self._rng.choice(SHAPES))
        if kind == "frame":
            self._hands.chord("Escape")
            start = self._paper()
            self._hands.drag(start, self._away(start, 250, 600))
            self._selected = True
        else:
            self._draw()

    def open_dialog(self) -> None:
        """Open this session's dialog, with a thing selected where it needs one."""
        dialog = self._dialog
        if dialog.needs_selection:
            self._take_hold()
        if self._actor.by_key():
            self._hands.chord(dialog.keys)
        else:
            self._choose(self._menu(dialog.menu), dialog.row)
        self._wait_dialog(dialog.title)
        self._tab = 0

    def use_dialog(self) -> None:
        """Tick a box, turn to a tab, set a slider, or write a name."""
        dialog = self._dialog
        box = self._dialog_box(dialog.title)
        if dialog.has_name:
            self._hands.click(box.x + self._rng.randint(100, 200), box.y + 22)
            self._hands.chord("ctrl+a")
            self._hands.text(self._rng.choice(("notes", "text", "frame", "back")), rate=self._actor.rate)
        elif dialog.sliders:
            y, first, last = self._rng.choice(dialog.sliders)
            self._hands.click(box.x + self._rng.randint(first, last), box.y + y)
        else:
            x, y = self._rng.choice(self._controls())
            self._hands.click(box.x + x, box.y + y)
        self._hands.wait(self._hands.about(0.3))

    def _controls(self) -> list[Point]:
        """Return what has an effect when clicked: other tabs, and on the first tab the boxes there."""
        tabs = self._dialog.tabs
        others = [number for number in range(len(tabs)) if number != self._tab]
        if self._tab == 0 and self._dialog.checks and self._actor.chance(0.6):
            return list(self._dialog.checks)
        self._tab = self._rng.choice(others)
        return [tabs[self._tab]]

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave by Enter or Escape where it asks something, else close its window."""
        dialog = self._dialog
        box = self._dialog_box(dialog.title)
        if dialog.has_name:
            if self._actor.by_key():
                self._hands.chord("Return" if apply else "Escape")
            else:
                self._hands.click(box.x + (210 if apply else 121), box.y + 61)
        elif self._actor.by_key() and not self._main.is_front():
            self._hands.chord("alt+F4")
        else:
            self._hands.click(box.x + box.w - 8, box.y - 10)
        self._wait_gone(dialog.title)
