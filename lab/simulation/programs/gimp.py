"""GIMP 2.10 with one picture.

The view shows a part of the picture, so that what is drawn in it is always on the picture and paging shows another
part. A selection, a floating layer and a text under way change what every key does; `settle` clears all three.

Places are pixels from the main window's top left corner, measured with an empty profile at 96 dpi; negative ones count
from its far edges. The right dock's places count from the dock's left edge, rows of menus from the menu's top edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item
from demo.virtual_desktop.windows import poll
from lab.simulation.program import Point
from lab.simulation.programs.drawing import Dialog, DrawingProgram, distance, run_of
from lab.simulation.programs.pictures import paint
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

MENUS = {
    "File": 18, "Edit": 54, "Select": 98, "View": 146, "Image": 195, "Layer": 245, "Colors": 296, "Tools": 345,
    "Filters": 392, "Windows": 454, "Help": 511,
}  # fmt: skip
NO_SELECTION_ROW, INVERT_ROW = 41, 282

LEFT, TOP, BOTTOM, SCROLL_BAR = 208, 86, 51, 19
"""The canvas begins at (LEFT, TOP) and ends at the right dock and its own scroll bar, BOTTOM above the lower edge."""

TOOLS: dict[str, tuple[str, Point]] = {
    "move": ("m", (15, 66)),
    "rectangle": ("r", (46, 66)),
    "ellipse": ("e", (46, 66)),
    "flip": ("shift+f", (170, 66)),
    "bucket": ("shift+b", (46, 94)),
    "brush": ("p", (77, 94)),
    "pencil": ("n", (77, 94)),
    "eraser": ("shift+e", (108, 94)),
    "text": ("t", (46, 122)),
    "picker": ("o", (77, 122)),
    "zoom": ("z", (108, 122)),
}
"""Shortcut and button of each tool; the button of a group gives the one of its tools that was used last."""

BUTTONS: tuple[Point, ...] = tuple((15 + 31 * column, 66 + 28 * row) for row in range(2) for column in range(6))
FOREGROUND, SWAP = (80, 148), (108, 145)
PANEL_FILL = (85, 85, 85)
PANEL_FILL_Y, PANEL_FILL_LENGTH = 422, 15
"""The full opacity bar; the lower panels sometimes come out further down, and this shows how far."""
ZOOM_COLOUR = (48, 48, 48)
ZOOM_Y, ZOOM_FROM, ZOOM_WIDTH, ZOOM_LENGTH = -12, 250, 250, 35
"""The zoom field lies in the status bar where a run of its colour is; how far right depends on the picture's size."""
PANEL_TABS = (14, 35, 58)
PANEL_Y = 378
BRUSH_TABS = (15, 38, 62)
BRUSH_Y = 41
LAYER_BUTTONS = (16, 41, 65, 89, 136)
OPACITY_FIELD, OPACITY_DOWN, OPACITY_UP = (-44, 430), (-10, 434), (-10, 426)


@dataclass(frozen=True, slots=True, kw_only=True)
class GimpDialog(Dialog):
    """Also where its spin arrows and fields are; `ok` and `cancel` count from the lower right corner."""

    arrows: tuple[Point, ...] = ()
    fields: tuple[tuple[Point, int, int], ...] = ()
    ok: Point = (54, 27)
    cancel: Point = (146, 27)


DIALOGS = (
    GimpDialog(
        title="Scale Image",
        menu="Image",
        row=273,
        arrows=((197, 77), (197, 87), (197, 105), (197, 115)),
        fields=(((150, 159), 60, 150), ((150, 187), 60, 150)),
    ),
    GimpDialog(
        title="Set Image Print Resolution",
        menu="Image",
        row=248,
        arrows=((194, 78), (194, 88), (194, 148), (194, 158), (194, 108)),
        fields=(((150, 153), 60, 150), ((150, 83), 200, 500)),
    ),
    GimpDialog(
        title="Image Properties",
        menu="Image",
        row=587,
        keys="alt+Return",
        tabs=((37, 54), (120, 54), (202, 54)),
        cancel=(54, 27),
    ),
    GimpDialog(
        title="Configure Grid",
        menu="Image",
        row=546,
        arrows=((124, 238), (124, 248), (228, 238), (124, 378), (228, 378)),
        fields=(((70, 244), 4, 90), ((70, 384), 0, 40)),
    ),
    GimpDialog(
        title="Brightness-Contrast",
        menu="Colors",
        row=191,
        sliders=((92, 120, 240), (119, 130, 220)),
        ok=(48, 21),
        cancel=(142, 21),
    ),
)


def write_profile(folder: Path, window: Box, *, maximised: bool, dock: int) -> None:
    """Write a profile that asks no questions and opens the one window at a place, with a right dock of a width."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gimprc").write_text("(confirm-on-close no)\n(check-updates no)\n(num-processors 1)\n")
    book = "        (book{} (current-page 0)\n{})\n"
    entry = '            (dockable "gimp-{}" (tab-style automatic){} (aux-info (show-button-bar "true")))\n'
    tools = "".join(entry.format(name, "") for name in ("tool-options", "device-status", "undo-history", "image-list"))
    brushes = "".join(entry.format(name, "") for name in ("brush-grid", "pattern-grid", "font-list", "document-list"))
    layers = "".join(
        entry.format(name, " (preview-size 32)").replace("automatic", "icon")  # a wide dock else has wider tabs
        for name in ("layer-list", "channel-list", "vectors-list")
    )
    (folder / "sessionrc").write_text(
        '(session-info "toplevel"\n    (factory-entry "gimp-single-image-window")\n'
        f"    (position {window.x} {window.y})\n    (size {window.w} {window.h})\n    (open-on-exit)\n"
        f'    (aux-info (left-docks-width "188") (right-docks-width "{dock}")'
        f' (maximized "{"yes" if maximised else "no"}"))\n'
        f"    (gimp-toolbox (side left)\n{book.format('', tools)}    )\n"
        f"    (gimp-dock (side right)\n{book.format('', brushes)}{book.format(' (position 336)', layers)}    ))\n"
        "(hide-docks no)\n(single-window-mode yes)\n(tabs-position 0)\n(last-tip-shown 0)\n"
    )


_ALIKE = 90
_MARGIN = 50
_MAXIMISED_SHARE = 0.35


_STEP = 10
_FAINT = 55
"""Below this opacity, in percent, one would not go on painting."""


class Gimp(DrawingProgram):
    """Painting on one picture, in a window at a size and place of the seed's choice."""

    name = "gimp"
    packages = "gimp fonts-dejavu-core"
    app = "Gimp"
    menus = MENUS
    menu_y = 13
    save_row, undo_row, redo_row = 182, 16, 41
    redo_keys = ("ctrl+y",)
    _dialog: GimpDialog

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; which dialog and which field they use is chosen once."""
        super().__init__(user)
        self._dialog = self._rng.choice(DIALOGS)
        self._field = self._rng.choice(("zoom", "zoom", "opacity"))
        self._zoom = self._rng.choice((1, 2))
        self._dock = self._rng.randint(205, 250)
        self._values = {"zoom": 100 * self._zoom, "opacity": 100}
        self._saved = self._selected = self._pasted = self._zoomed = False
        self._looked = ""
        self._panel = self._brushes = 0

    def open(self, desktop: VirtualDesktop) -> None:
        """Start GIMP with a painted picture, at a size and place of the seed's choice, and show a part of it."""
        maximised = self._user.chance(_MAXIMISED_SHARE)
        width, height = self._rng.randint(1240, 1640), self._rng.randint(790, 960)
        place = Box(self._rng.randint(10, 1900 - width), self._rng.randint(30, 1010 - height), width, height)
        profile = desktop.directory / "config" / "GIMP" / "2.10"
        write_profile(profile, place, maximised=maximised, dock=self._dock)
        across = (1920 if maximised else width) - LEFT - self._dock + self._rng.randint(90, 240)
        down = int((1060 if maximised else height) * self._rng.uniform(1.7, 2.1))
        name = self._rng.choice(("poster", "picture", "sketch", "cover", "flyer"))
        path = desktop.directory / "home" / f"{name}.png"
        paint(path, (across // self._zoom, down // self._zoom), self._rng)
        desktop.spawn(["gimp", "-s", str(path)], "gimp")
        self._take(desktop, desktop.windows.wait(self.app, name, timeout_s=120))
        poll(self._has_layout, what="laying out GIMP", timeout_s=30)
        self._hands.wait(1.0)
        self._hands.move(*self._somewhere())
        self._hands.chord(str(self._zoom))
        self._hands.chord("shift+j")
        self._hands.wait(0.5)
        poll(self._has_layout, what="laying out GIMP", timeout_s=30)

    def settle(self) -> None:
        """Get out of everything, with nothing selected and the view as it was at first."""
        self._come_back()
        self._hands.chord("Escape")
        if self._undone or self._pasted:
            self._hands.chord("ctrl+h")
            self._hands.chord("End")
            self._pasted = False
        self._ready(by_key=True)  # Escape may have taken the selection back, which leaves the menu's entry grey
        self._show_panel(0)

    def _has_layout(self) -> bool:
        """Find the places that differ from run to run; return whether they could be found yet."""
        self._measure()
        try:
            bar = self._colours(self._at(-110, 300), 250, down=True)
            self._lower = run_of(PANEL_FILL, bar, PANEL_FILL_LENGTH) + 300 - PANEL_FILL_Y
            row = self._colours(self._at(ZOOM_FROM, ZOOM_Y), ZOOM_WIDTH)
            field = run_of(ZOOM_COLOUR, row, ZOOM_LENGTH)
        except LookupError:
            return False
        self._zoom_field = (ZOOM_FROM + field + ZOOM_LENGTH // 2, ZOOM_Y)
        return True

    def _ready(self, *, by_key: bool = False) -> None:
        """Have nothing selected, nothing afloat after an undo, and the view where the picture fills it."""
        if self._undone and self._pasted:
            self._hands.chord("ctrl+h")
            self._pasted = False
        if self._undone or (self._selected and (by_key or self._user.by_key() or self._user.chance(0.5))):
            self._hands.chord("shift+ctrl+a")
        elif self._selected:
            self._choose(self._menu("Select"), NO_SELECTION_ROW)
        self._undone = self._selected = False
        if self._moved:
            self._hands.chord(str(self._zoom))
            self._hands.chord("shift+j")
            self._hands.wait(0.2)
            self._moved = self._zoomed = False
            self._looked = ""
            self._values["zoom"] = 100 * self._zoom

    def _tool(self, name: str, *, by_key: bool = False) -> None:
        keys, button = TOOLS[name]
        if by_key or self._user.by_key():
            self._hands.chord(keys)
        else:
            self._hands.click(*self._at(*button))
        self._hands.wait(0.15)

    def _view(self) -> Box:
        """Return the visible part of the picture, less a margin."""
        left, top = self._at(LEFT + _MARGIN, TOP + _MARGIN)
        right, bottom = self._at(-self._dock - SCROLL_BAR - _MARGIN, -BOTTOM - _MARGIN)
        return Box(left, top, right - left, bottom - top)

    def _contrasting(self) -> Point:
        """Return a place whose colour is not the foreground's; swap the two colours if there seems to be none."""
        (ink,) = self._colours(self._at(*FOREGROUND), 1)
        look = self._look()
        box = look.box
        for _ in range(20):
            point = box.x + self._rng.randint(0, box.w * 3 // 4), box.y + self._rng.randint(0, box.h * 3 // 4)
            if distance(look.colour(point), ink) > _ALIKE:
                return point
        if self._user.by_key():
            self._hands.chord("x")
        else:
            self._hands.click(*self._at(*SWAP))
        return point

    def _in_dock(self, x: int, y: int) -> Point:
        return self._at(self._box.w - self._dock + x, y)

    def _in_layers(self, place: Point) -> Point:
        return self._at(place[0], place[1] + self._lower)

    def _show_panel(self, number: int) -> None:
        if number != self._panel:
            self._hands.click(*self._in_dock(PANEL_TABS[number], PANEL_Y + self._lower))
            self._panel = number
            self._hands.wait(0.3)

    def _go_to_field(self) -> None:
        if self._field == "zoom":
            self._hands.click(*self._at(*self._zoom_field), count=2)
        else:
            self._show_panel(0)
            self._hands.click(*self._in_layers(OPACITY_FIELD))
        self._hands.wait(0.2)

    def _commit(self, text: str) -> None:
        """Type and press Enter; the opacity's field keeps the keyboard until Escape."""
        self._hands.text(text + "\n", rate=self._user.rate)
        self._hands.wait(0.3)
        if self._field == "zoom":
            self._moved = self._zoomed = True
        else:
            self._hands.chord("Escape")

    def _paint(self) -> None:
        if self._user.chance(0.4):
            self._tool("picker")
            self._hands.click(*self._contrasting())
        self._tool(self._rng.choice(("brush", "pencil")))
        end = self._until(self._rng.uniform(2.5, 4.5))
        while self._is_before(end):
            self._stroke()

    def _stroke(self) -> None:
        start = self._contrasting()
        self._hands.drag(start, self._away(start, 110, 380))

    def _fill_shapes(self) -> None:
        end = self._until(2.5)
        while True:
            self._select()
            self._hands.chord("ctrl+comma")
            if not self._is_before(end):
                return

    def _write_words(self) -> None:
        """Write a few words into a layer of their own, and go back to the picture's layer."""
        box = self._view()
        self._tool("text")
        self._hands.click(box.x + self._rng.randint(0, box.w // 3), box.y + self._rng.randint(0, box.h * 2 // 3))
        words = item(self._rng)
        self._user.write(words[: max(4, int(self._user.rate * 2.5))])
        self._hands.chord("Escape")
        self._hands.chord("End")

    def _recolour(self) -> None:
        self._tool("bucket", by_key=True)
        self._hands.click(*self._contrasting())

    def _rub_out(self) -> None:
        self._tool("eraser")
        for _ in range(self._rng.randint(1, 2)):
            start = self._somewhere()
            self._hands.drag(start, self._away(start, 120, 300))

    def _shift_piece(self) -> None:
        """Cut a piece out and put it elsewhere."""
        self._select()
        self._hands.chord("ctrl+x")
        self._hands.chord("ctrl+v")
        self._place_piece()

    def _copy_piece(self) -> None:
        self._select()
        self._hands.chord("ctrl+c")
        self._hands.chord("ctrl+v")
        self._place_piece()

    def _place_piece(self) -> None:
        """Move what was pasted and anchor it; it may lie anywhere, so move the active layer wherever it is."""
        self._pasted = True
        self._tool("move", by_key=True)
        x, y, across, down = self._piece
        self._hands.drag((x + across // 2, y + down // 2), self._away((x, y), 90, 260))
        self._hands.chord("ctrl+h")
        self._selected = False

    def _switch_tools(self) -> None:
        for _ in range(2):
            self._tool(self._rng.choice(("brush", "pencil")), by_key=True)
            self._stroke()
            self._hands.chord("x")

    def _fill_by_keys(self) -> None:
        self._select(by_key=True)
        for keys in self._rng.choice((("ctrl+comma", "x", "ctrl+comma"), ("ctrl+period", "ctrl+comma", "x"))):
            self._hands.chord(keys)
        self._hands.chord("shift+ctrl+a")
        self._selected = False

    def _select(self, *, by_key: bool = False) -> None:
        """Pull up a new rectangle or ellipse, of another colour than the foreground's."""
        self._ready()
        self._tool(self._rng.choice(("rectangle", "ellipse")), by_key=by_key)
        x, y = self._contrasting()
        across, down = self._rng.randint(70, 220), self._rng.randint(60, 160)
        box = self._view()
        end = (min(x + across, box.x + box.w), min(y + down, box.y + box.h))
        self._hands.drag((x, y), end)
        self._piece = (x, y, end[0] - x, end[1] - y)
        self._selected = True

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
            self._user.several(min(times, 5), lambda: self._hands.click(x, y), 0.4)
        else:
            self._show_panel(0)
            down = self._values["opacity"] > _FAINT
            point = self._in_layers(OPACITY_DOWN if down else OPACITY_UP)
            for _ in range(times):
                self._hands.click(*point)
                self._values["opacity"] += -1 if down else 1
                self._hands.wait(self._hands.about(0.2))

    def save(self) -> None:
        """Save, the first time under the name that the program suggests."""
        super().save()
        if not self._saved:
            self._wait_dialog("Save Image")
            self._hands.wait(self._hands.about(0.6))
            self._hands.chord("Return")
            self._wait_gone("Save Image")
            self._saved = True

    def page(self, direction: int) -> None:
        """Turn the wheel over the picture; at its end, turn back."""
        if self._zoomed:
            self._ready()
        self._moved = True
        self._scroll(-direction * self._rng.randint(2, 3))

    def toggle(self, *, anew: bool) -> None:
        """Make the picture larger, or as large as it was."""
        self._zoomed = True
        super().toggle(anew=anew)

    def overview(self) -> None:
        """Zoom out, in or to the whole picture, or look at another panel."""
        kind = self._rng.choice([kind for kind in ("out", "in", "all", "panel", "brushes") if kind != self._looked])
        self._looked = kind
        if kind == "panel":
            self._show_panel(self._rng.choice([number for number in range(3) if number != self._panel]))
        elif kind == "brushes":
            self._brushes = self._rng.choice([number for number in range(3) if number != self._brushes])
            self._hands.click(*self._in_dock(BRUSH_TABS[self._brushes], BRUSH_Y))
        else:
            self._moved = self._zoomed = True
            keys = {"out": "minus", "in": "plus", "all": "shift+ctrl+j"}[kind]
            self._hands.repeat(keys, 1 if kind == "all" else self._rng.randint(1, 2))

    def tool_points(self) -> Sequence[Point]:
        """Return buttons of the tool box and of the layers panel."""
        buttons = [self._at(*point) for point in BUTTONS]
        return buttons + [self._in_dock(x, -15) for x in LAYER_BUTTONS]

    def dead_points(self) -> Sequence[Point]:
        """Return the empty parts of menu bar, tab bar and status bar, a heading, a label."""
        return [
            self._at(self._box.w * 2 // 3, self.menu_y),
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
            self._choose(self._menu("Colors"), INVERT_ROW)
        else:
            self._select()
            self._hands.chord("ctrl+comma")
            self._hands.wait(0.3)
            return 2
        self._hands.wait(0.3)
        return 1

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
            x = self._box.x + self._box.w - self._dock - SCROLL_BAR // 2
            y = self._box.y + self._box.h // 2
            self._moved = True
            self._hands.drag((x, y), (x, y + self._rng.choice((-1, 1)) * self._rng.randint(60, 140)))

    def use_dialog(self) -> None:
        """Click spin arrows, enter a figure, set a slider, or turn to another tab."""
        box = self._dialog_box(self._dialog.title)
        dialog = self._dialog
        if dialog.tabs:
            self._tab = self._rng.choice([number for number in range(len(dialog.tabs)) if number != self._tab])
            x, y = dialog.tabs[self._tab]
            self._hands.click(box.x + x, box.y + y)
        elif dialog.sliders:
            self._set_slider(box)
        elif self._user.chance(0.5):
            (x, y), low, high = self._rng.choice(dialog.fields)
            self._hands.click(box.x + x, box.y + y, count=2)
            self._hands.chord("ctrl+a")
            self._hands.text(f"{self._rng.randint(low, high)}\t", rate=self._user.rate)
        else:
            x, y = self._rng.choice(dialog.arrows)
            for _ in range(self._rng.randint(1, 4)):
                self._hands.click(box.x + x, box.y + y)
        self._hands.wait(self._hands.about(0.3))

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave by the button that applies, or by Escape or the button that cancels."""
        box = self._dialog_box(self._dialog.title)
        if not apply and self._user.by_key():
            self._hands.chord("Escape")
        else:
            left, up = self._dialog.ok if apply else self._dialog.cancel
            self._hands.click(box.x + box.w - left, box.y + box.h - up)
        self._wait_gone(self._dialog.title)
        self._moved = True
