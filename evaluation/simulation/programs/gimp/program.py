"""GIMP 2.10 in the hands of an actor: what a behavior may ask of it."""

from collections.abc import Sequence

from evaluation.simulation.program import Point
from evaluation.simulation.programs.gimp import layout
from evaluation.simulation.programs.gimp.painting import GimpPainting

_STEP = 10
_FAINT = 55
"""Below this opacity, in percent, one would not go on painting."""


class Gimp(GimpPainting):
    """Painting on a picture."""

    # ------------------------------------------------------------------ work that succeeds

    def compose(self) -> None:
        """Paint a few strokes, fill a few shapes, or write some words."""
        self._ready()
        self._rng.choices((self._paint, self._fill_shapes, self._write_words), (5, 3, 2))[0]()

    def adjust(self) -> None:
        """Fill a shape with another colour, rub something out, or shift a piece of the picture."""
        self._ready()
        self._rng.choices((self._recolour, self._rub_out, self._shift_piece), (3, 2, 2))[0]()

    def expert(self) -> None:
        """Copy, paste, place and anchor a piece, or paint and rub with keys alone for the tools and colours."""
        self._ready()
        self._rng.choice((self._copy_piece, self._switch_tools, self._fill_by_keys))()

    def repeat_useful(self) -> None:
        """Dab dots, zoom in and out by clicks, or step the layer's opacity."""
        self._ready()
        times = self._rng.randint(3, 8)
        kind = self._rng.choice(("dots", "zoom", "opacity"))
        if kind == "dots":
            self._tool(self._rng.choice(("brush", "pencil")))
            x, y = self._contrasting()
            for number in range(times):
                self._hands.click(x + 24 * number, y + self._rng.randint(-8, 8))
        elif kind == "zoom":
            self._tool("zoom")
            self._moved = self._zoomed = True
            x, y = self._somewhere()
            for _ in range(min(times, 5)):
                self._hands.click(x, y)
                self._hands.wait(self._hands.about(0.4))
        else:
            self._show_panel(0)
            down = self._values["opacity"] > _FAINT
            point = self._in_layers(layout.OPACITY_DOWN if down else layout.OPACITY_UP)
            for _ in range(times):
                self._hands.click(*point)
                self._values["opacity"] += -1 if down else 1
                self._hands.wait(self._hands.about(0.2))

    def save(self) -> None:
        """Save, the first time under the name that the program suggests."""
        if self._actor.by_key():
            self._hands.chord("ctrl+s")
        else:
            self._choose(self._menu("File"), layout.SAVE_ROW)
        if not self._saved:
            self._wait_dialog("Save Image")
            self._hands.wait(self._hands.about(0.6))
            self._hands.chord("Return")
            self._wait_gone("Save Image")
            self._saved = True

    # ------------------------------------------------------------------ looking

    def page(self, direction: int) -> None:
        """Turn the wheel over the picture; at its end, turn back."""
        if self._zoomed:
            self._ready()
        self._moved = True
        self._scroll(-direction * self._rng.randint(2, 3))

    def toggle(self, *, anew: bool) -> None:
        """Make the picture larger, or as large as it was."""
        self._moved = self._zoomed = True
        self._is_larger = anew or not self._is_larger
        self._hands.chord("plus" if self._is_larger else "minus")

    def overview(self) -> None:
        """Zoom out, in or to the whole picture, or look at another panel."""
        kind = self._rng.choice([kind for kind in ("out", "in", "all", "panel", "brushes") if kind != self._looked])
        self._looked = kind
        if kind == "panel":
            self._show_panel(self._rng.choice([number for number in range(3) if number != self._panel]))
        elif kind == "brushes":
            self._brushes = self._rng.choice([number for number in range(3) if number != self._brushes])
            self._hands.click(*self._in_dock(layout.BRUSH_TABS[self._brushes], layout.BRUSH_Y))
        else:
            self._moved = self._zoomed = True
            keys = {"out": "minus", "in": "plus", "all": "shift+ctrl+j"}[kind]
            self._hands.repeat(keys, 1 if kind == "all" else self._rng.randint(1, 2))

    def content_points(self) -> Sequence[Point]:
        """Return places spread over the picture."""
        return self._spread()

    def tool_points(self) -> Sequence[Point]:
        """Return buttons of the tool box and of the layers panel."""
        buttons = [self._at(*point) for point in layout.BUTTONS]
        return buttons + [self._in_dock(x, -15) for x in layout.LAYER_BUTTONS]

    def menu_points(self) -> Sequence[Point]:
        """Return the menus' titles."""
        return [self._menu(name) for name in layout.MENUS]

    def has_menu_windows(self) -> bool:
        """Say yes."""
        return True

    # ------------------------------------------------------------------ trying

    def dead_points(self) -> Sequence[Point]:
        """Return the empty parts of menu bar, tab bar and status bar, a heading, a label."""
        return [
            self._at(self._box.w * 2 // 3, layout.MENU_Y),
            self._at(self._box.w // 2, 45),
            self._at(self._box.w // 2, -18),
            self._at(90, 217),
            self._in_dock(18, 453 + self._lower),
        ]

    def change(self) -> int:
        """Paint a stroke, flip or invert the picture, or fill a new selection."""
        self._ready()
        kind = self._rng.choice(("stroke", "stroke", "flip", "invert", "fill"))
        if kind == "stroke":
            self._tool("brush")
            self._stroke()
        elif kind == "flip":
            self._tool("flip", by_key=True)
            self._hands.click(*self._somewhere())
        elif kind == "invert":
            self._choose(self._menu("Colors"), layout.INVERT_ROW)
        else:
            self._select()
            self._hands.chord("ctrl+comma")
            self._hands.wait(0.3)
            return 2
        self._hands.wait(0.3)
        return 1

    def undo(self, times: int) -> None:
        """Take back by ctrl+z, a single one now and then by the menu."""
        self._undone = True
        if times == 1 and not self._actor.by_key() and self._actor.chance(0.4):
            self._choose_or(self._menu("Edit"), layout.UNDO_ROW, "ctrl+z")
        else:
            self._hands.repeat("ctrl+z", times, gap_s=0.22)

    def redo(self, times: int) -> None:
        """Do again by ctrl+y, a single one now and then by the menu."""
        self._undone = True
        if times == 1 and not self._actor.by_key() and self._actor.chance(0.4):
            self._choose_or(self._menu("Edit"), layout.REDO_ROW, "ctrl+y")
        else:
            self._hands.repeat("ctrl+y", times, gap_s=0.22)

    def enter_value(self) -> None:
        """Enter a zoom or the layer's opacity; the picture shows it."""
        choices = range(60, 185, 5) if self._field == "zoom" else range(_FAINT, 100, 5)
        value = self._rng.choice([value for value in choices if abs(value - self._values[self._field]) >= _STEP])
        self._go_to_field()
        if self._field == "opacity":
            self._hands.chord("ctrl+a")
        self._commit(str(value))
        self._values[self._field] = value

    def revise_value(self) -> None:
        """Go back to the field and change the value's last digits."""
        text = str(self._values[self._field])
        kept, digit = text[:-2], text[-2]
        changed = kept + self._rng.choice([other for other in "56789" if other != digit]) + text[-1]
        self._go_to_field()
        if self._field == "zoom":
            self._hands.chord("End")
            self._hands.repeat("BackSpace", len(" %") + len(text) - len(kept), gap_s=0.05)
            self._commit(changed[len(kept) :])
        else:
            self._hands.chord("shift+Home")
            self._commit(changed)
        self._values[self._field] = int(changed)

    def drag(self) -> None:
        """Paint a stroke, pull up a selection, or drag the view's scroll bar."""
        self._ready()
        kind = self._rng.choice(("stroke", "select", "bar"))
        if kind == "stroke":
            self._tool("brush")
            self._stroke()
        elif kind == "select":
            self._select()
        else:
            x = self._box.x + self._box.w - self._dock - layout.SCROLL_BAR // 2
            y = self._box.y + self._box.h // 2
            self._moved = True
            self._hands.drag((x, y), (x, y + self._rng.choice((-1, 1)) * self._rng.randint(60, 140)))

    def open_dialog(self) -> None:
        """Open this session's dialog."""
        dialog = self._dialog
        if dialog.keys is not None and self._actor.by_key():
            self._hands.chord(dialog.keys)
        else:
            self._choose(self._menu(dialog.menu), dialog.row)
        self._wait_dialog(dialog.title)
        self._tab = 0

    def use_dialog(self) -> None:
        """Click spin arrows, enter a figure, set a slider, or turn to another tab."""
        box = self._dialog_box(self._dialog.title)
        dialog = self._dialog
        if dialog.tabs:
            self._tab = self._rng.choice([number for number in range(len(dialog.tabs)) if number != self._tab])
            x, y = dialog.tabs[self._tab]
            self._hands.click(box.x + x, box.y + y)
        elif dialog.sliders:
            y, first, last = self._rng.choice(dialog.sliders)
            self._hands.click(box.x + self._rng.randint(first, last), box.y + y)
        elif self._actor.chance(0.5):
            (x, y), low, high = self._rng.choice(dialog.fields)
            self._hands.click(box.x + x, box.y + y, count=2)
            self._hands.chord("ctrl+a")
            self._hands.text(f"{self._rng.randint(low, high)}\t", rate=self._actor.rate)
        else:
            x, y = self._rng.choice(dialog.arrows)
            for _ in range(self._rng.randint(1, 4)):
                self._hands.click(box.x + x, box.y + y)
        self._hands.wait(self._hands.about(0.3))

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave by the button that applies, or by Escape or the button that cancels."""
        box = self._dialog_box(self._dialog.title)
        if not apply and self._actor.by_key():
            self._hands.chord("Escape")
        else:
            left, up = self._dialog.ok if apply else self._dialog.cancel
            self._hands.click(box.x + box.w - left, box.y + box.h - up)
        self._wait_gone(self._dialog.title)
        self._moved = True
