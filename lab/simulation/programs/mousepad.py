"""Mousepad 0.5, a plain text editor, with a file of several screens.

How it looks (font, colours, tool bar, size, place) is drawn for each session. As root it shows a banner that pushes the
text down; nothing here points at a line more exactly than that. One undo takes back one typed word, the marked text
that was typed over, or one command.

Places are measured on screenshots with the GTK 3 look at 96 dpi: menu entries from the menu's top, tool bar buttons
from the window's top left corner, dialog controls from the dialog's.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from demo.virtual_desktop.desktop import PACKAGES, VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.sample_text import heading, item, sentence
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.simulation.program import Point
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.programs.text_editing import TextEditing
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

MENU_Y = 12
MENUS = {"File": 19, "Edit": 60, "Search": 110, "View": 160, "Document": 210, "Help": 290}
ENTRIES: Mapping[str, tuple[str, int]] = {
    "save": ("File", 139),
    "undo": ("Edit", 12),
    "redo": ("Edit", 37),
    "delete line": ("Edit", 188),
    "duplicate": ("Edit", 290),
    "find": ("Search", 12),
    "line numbers": ("View", 63),
    "word wrap": ("Document", 12),
}
BAR_NEXT = (262, -49)
"""The search bar's button for the next find, from the window's bottom left corner."""

_BUTTONS = ("new", "open", "save", "save as", "reload", "close", "undo", "redo", "cut", "copy", "paste", "find")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBar:
    """A look of the tool bar and where its buttons then are."""

    style: str
    icons: str
    y: int
    across: tuple[int, ...]

    def button(self, name: str) -> Point:
        """Return the middle of a button."""
        return self.across[_BUTTONS.index(name)], self.y


_SMALL = (24, 60, 97, 133, 170, 208, 259, 295, 333, 370, 407, 457)
_LARGE = (38, 96, 156, 217, 278, 341, 415, 475, 537, 598, 659, 733)
_WORDY = (45, 127, 209, 300, 390, 480, 583, 665, 747, 829, 911, 1007)
TOOL_BARS = (
    ToolBar(style="icons", icons="small-toolbar", y=46, across=_SMALL),
    ToolBar(style="icons", icons="dnd", y=58, across=_LARGE),
    ToolBar(style="both", icons="small-toolbar", y=56, across=_WORDY),
    ToolBar(style="text", icons="small-toolbar", y=46, across=_WORDY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """A harmless dialog: how it is opened and what can be used in it while its first tab is shown."""

    title: str
    key: str
    entry: tuple[str, int]
    numbers: bool = False
    fields: tuple[Point, ...] = ()
    marks: tuple[Point, ...] = ()
    tabs: tuple[Point, ...] = ()
    ok: Point | None = None
    cancel: Point | None = None


DIALOGS = (
    Dialog(
        title="Find and Replace",
        key="ctrl+r",
        entry=("Search", 87),
        fields=((257, 23), (257, 63)),
        marks=((20, 132), (20, 158), (20, 184), (222, 100)),
        ok=(387, 256),
    ),
    Dialog(
        title="Go To",
        key="ctrl+l",
        entry=("Search", 164),
        numbers=True,
        fields=((170, 25), (170, 64)),
        marks=((261, 23), (227, 23)),
        ok=(243, 104),
        cancel=(153, 104),
    ),
    Dialog(
        title="Mousepad Preferences",
        key="",
        entry=("Edit", 366),
        marks=((33, 79), (33, 103), (33, 188), (33, 212)),
        tabs=((39, 19), (105, 19), (181, 19), (254, 19)),
    ),
    Dialog(
        title="Print",
        key="ctrl+p",
        entry=("File", 240),
        marks=((551, 371), (370, 432)),
        tabs=((45, 17), (137, 17), (267, 17)),
        cancel=(477, 486),
    ),
)


def write_settings(folder: Path, rng: random.Random, bar: ToolBar) -> Mapping[str, str]:
    """Write a settings file with a look of the seed's choice; return the environment that makes Mousepad use it."""
    width, height = rng.randint(1120, 1500), rng.randint(660, 900)
    maximised = rng.random() < 0.3  # noqa: PLR2004  # share of people who fill the screen
    facts = {
        "preferences/window": {
            "toolbar-visible": "true",
            "statusbar-visible": "true",
            "toolbar-style": f"'{bar.style}'",
            "toolbar-icon-size": f"'{bar.icons}'",
            "path-in-title": rng.choice(("true", "false")),
            "always-show-tabs": rng.choice(("true", "false")),
            "remember-position": "true",
        },
        "preferences/view": {
            "show-line-numbers": rng.choice(("true", "false")),
            "highlight-current-line": rng.choice(("true", "false")),
            "word-wrap": rng.choice(("true", "false")),
            "use-default-monospace-font": "false",
            "font-name": f"'{rng.choice(('Monospace', 'Sans', 'Serif'))} {rng.randint(9, 14)}'",
            "color-scheme": f"'{rng.choice(('none', 'none', 'classic', 'tango', 'solarized-light', 'oblivion'))}'",
        },
        "state/window": {
            "width": f"uint32 {width}",
            "height": f"uint32 {height}",
            "left": f"uint32 {rng.randint(10, 1900 - width)}",
            "top": f"uint32 {rng.randint(10, 1000 - height)}",
            "maximized": "true" if maximised else "false",
        },
    }
    place = folder / "glib-2.0" / "settings"
    place.mkdir(parents=True)
    lines: list[str] = []
    for group, values in facts.items():
        lines += [f"[org/xfce/mousepad/{group}]", *(f"{key}={value}" for key, value in values.items())]
    (place / "keyfile").write_text("\n".join(lines) + "\n")
    scroll_bars_stay = "0"  # those over the text fade away by themselves, which looks like an answer to a click
    return {"GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": str(folder), "GTK_OVERLAY_SCROLLING": scroll_bars_stay}


_TOP, _BOTTOM, _LEFT = 175, 90, 62
_STRIP = 160
_MARKED = 60
_TURNED = 400
_SENTENCES = 0.3


def sample_notes(rng: random.Random) -> str:
    """Return a text of 110 to 200 lines: headings, sentences, lists, some lines wider than the window."""
    lines: list[str] = []
    length = rng.randint(110, 200)
    while len(lines) < length:
        kind = rng.random()
        if kind < 0.12:  # noqa: PLR2004  # shares of what notes are made of
            lines += [f"{heading(rng)} for the {rng.choice(('hall', 'garden', 'fair', 'library'))}", "=" * 30]
        elif kind < 0.3:  # noqa: PLR2004
            lines += [f"- {item(rng)} and {item(rng)}" for _ in range(rng.randint(2, 5))]
        elif kind < 0.4:  # noqa: PLR2004
            lines.append(" ".join(sentence(rng) for _ in range(rng.randint(3, 5))))
        else:
            lines += [sentence(rng) for _ in range(rng.randint(2, 6))]
    return "\n".join(lines) + "\n"


_DIALOG_WORDS = ("garden", "path", "shed", "choir", "hall", "bench")


_NAMES = ("notes", "minutes", "draft", "plan", "list", "letter", "report")
_WORDS = ("garden", "committee", "lower path", "old shed", "library", "choir", "market stall", "bakery", "bus route")
_COMMON = ("the", "for", "as", "and", "a ", "is")


class Mousepad(TextEditing):
    """Notes in a text file."""

    name = "mousepad"
    packages = PACKAGES["mousepad"]

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` write; file, look and the dialog they use are chosen once."""
        super().__init__(user)
        self._bar = self._rng.choice(TOOL_BARS)
        self._by_line = user.chance(0.3)
        self._value = ""
        self._at_start = True
        self._toggled = "line numbers"
        self._bar_open = False

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a file of 110 to 200 lines, at a size and place of the seed's choice."""
        file = desktop.directory / "home" / f"{self._rng.choice(_NAMES)}.txt"
        file.write_text(sample_notes(self._rng))
        env = write_settings(desktop.directory / "mousepad", self._rng, self._bar)
        process = desktop.spawn(["mousepad", "--disable-server", str(file)], "mousepad", env=env)

        def opened() -> WindowInfo | None:
            return next((one for one in desktop.windows.list_all() if one.pid == process.pid and not one.popup), None)

        self._desktop = desktop
        self._main = MainWindow(self._user, desktop, poll(opened, what="opening Mousepad", timeout_s=60))
        self._dialog = self._rng.choice(DIALOGS)
        poll(self._main.is_front, what="activating Mousepad")
        self._hands.wait(1.2)  # the first layout is not announced by anything
        self._hands.click(*self._somewhere())

    def settle(self) -> None:
        """Close menus, dialogs and the search bar, come to the front; some click into the text."""
        met = self._come_back()
        self._close_bar()
        if met or self._user.chance(0.3):
            self._hands.click(*self._somewhere())

    def _text_box(self) -> Box:
        """Return the part of the window that is text whatever bars are shown."""
        box = self._main.box
        return Box(box.x + _LEFT, box.y + _TOP, box.w - _LEFT - 40, box.h - _TOP - _BOTTOM)

    def _somewhere(self, reach: int = 140) -> Point:
        """Return a place in the first part of a line, as far as `reach`."""
        box = self._text_box()
        return box.x + self._rng.randint(0, reach), box.y + self._rng.randint(0, box.h)

    def _shown(self) -> bytes:
        """Return what a strip of the text shows."""
        box = self._text_box()
        return grab_pixels(self._desktop.display, Box(box.x, box.y, _STRIP, box.h))

    def page(self, direction: int) -> None:
        """Turn the wheel or press a page key; the other way at the end of the text."""
        by_key, before = self._user.by_key(), self._shown()
        for way in (direction, -direction):
            if by_key:
                self._hands.chord("Next" if way > 0 else "Prior")
            else:
                box = self._text_box()
                self._move_into(box, 5, box.w // 2)
                self._hands.scroll(-way * self._rng.randint(3, 5))
            self._hands.wait(0.15)
            if differing_pixels(self._shown(), before) > _TURNED:
                return

    def _write_sentence(self, seconds: float) -> None:
        """Write a sentence or an entry of a list for about so long."""
        self._write_for(seconds, f"- {item(self._rng)}" if self._user.chance(_SENTENCES) else sentence(self._rng))

    def _mark(self) -> Point:
        """Mark a word."""
        return self._mark_word(self._somewhere, (140, 70, 40, 40, 40), width=200, rest_s=0.35, least=_MARKED)

    def _choose(self, name: str) -> None:
        """Choose an entry from its menu."""
        menu, y = ENTRIES[name]
        self._choose_at(menu, y)

    def _choose_at(self, menu: str, y: int) -> None:
        """Choose the entry `y` pixels below a menu's top."""
        opened = self._user.open_menu(*self._main.at(MENUS[menu], MENU_Y))
        self._hands.click(opened.box.x + self._rng.randint(40, 110), opened.box.y + y)
        self._hands.wait(0.2)

    def _do(self, keys: str, name: str) -> None:
        """Give a command by key, menu or button."""
        if self._user.by_key():
            self._hands.chord(keys)
        elif name == "delete line" or self._user.chance(0.5):
            self._choose(name)
        else:
            self._hands.click(*self._button(name))

    def _step(self, times: int, keys: str, name: str) -> None:
        """Give undo or redo several times, about two a second."""
        if self._user.by_key() or self._user.chance(0.6):
            self._hands.repeat(keys, times)
        elif times == 1 and self._user.chance(0.5):
            self._choose(name)
        else:
            self._user.several(times, lambda: self._hands.click(*self._button(name)), 0.25)

    def _button(self, name: str) -> Point:
        """Return a button of the tool bar."""
        return self._main.at(*self._bar.button(name))

    def _find(self, words: str, *, back: int = 0) -> None:
        """Look for words with the search bar, which stays open; with `back` they replace the last letters there."""
        if self._user.by_key() or self._bar_open:
            self._hands.chord("ctrl+f")
        else:
            self._choose("find")
        self._bar_open = True
        self._hands.wait(0.3)
        if back:
            self._hands.chord("End")
            self._hands.repeat("BackSpace", back, gap_s=0.02)
        else:
            self._hands.chord("ctrl+a")
        self._user.write(words)
        self._hands.chord("Return")

    def _close_bar(self) -> None:
        """Put the search bar away if it is open."""
        if self._bar_open:
            self._hands.chord("Escape")
            self._bar_open = False

    def menu_points(self) -> Sequence[Point]:
        """Return the menus' titles."""
        box = self._main.box
        return [(box.x + x, box.y + MENU_Y) for x in MENUS.values()]

    def change(self) -> int:
        """Duplicate, delete, indent, cut, rewrite or add something; return how many undos it takes."""
        changes: tuple[Callable[[], int], ...] = (
            self._duplicate,
            self._delete_line,
            self._indent,
            self._cut,
            self._rewrite,
            self._add_word,
        )
        self._hands.click(*self._somewhere())
        steps = self._rng.choice(changes)()
        self._hands.wait(0.2)
        return steps

    def _duplicate(self) -> int:
        self._choose("duplicate")
        return 1

    def _delete_line(self) -> int:
        self._do("ctrl+shift+Delete", "delete line")
        return 1

    def _indent(self) -> int:
        self._hands.chord("Home")
        self._hands.repeat("shift+Down", self._rng.randint(1, 3), gap_s=0.1)
        self._hands.chord("ctrl+i")
        return 1

    def _cut(self) -> int:
        self._mark()
        self._hands.chord("ctrl+x")
        return 1

    def _rewrite(self) -> int:
        self._mark()
        self._hands.text(self._short_word(), rate=self._user.rate)
        return 2

    def _add_word(self) -> int:
        self._hands.chord("End")
        self._hands.text(self._short_word(), rate=self._user.rate)
        return 1

    def compose(self) -> None:
        """Write on below the caret, at another place, or at the end."""
        where = self._rng.choice(("here", "there", "end"))
        if where == "there":
            self._hands.click(*self._somewhere())
        self._hands.chord("ctrl+End" if where == "end" else "End")
        self._hands.chord("Return")
        self._write_sentence(self._rng.uniform(2.0, 5.5))

    def adjust(self) -> None:
        """Replace a word, or take it out."""
        if self._user.by_key():
            self._hands.repeat(self._rng.choice(("Up", "Down", "ctrl+Left", "ctrl+Right")), self._rng.randint(1, 4))
            self._hands.chord("ctrl+shift+Left")
        else:
            self._mark()
        self._user.think(0.4)
        if self._user.chance(0.2):
            self._hands.chord("Delete")
        else:
            self._user.write(self._short_word())

    def expert(self) -> None:
        """Copy, move and indent lines by shortcuts; some save at once."""
        if self._user.chance(0.3):
            self._hands.click(*self._somewhere())
        self._hands.chord("Home")
        self._hands.repeat("shift+Down", self._rng.randint(1, 3), gap_s=0.05)
        deeds: tuple[Sequence[str], ...] = (
            ("ctrl+c", "Right", "ctrl+v", "ctrl+v"),
            ("ctrl+x", "Down", "Down", "ctrl+v"),
            ("ctrl+i", "ctrl+i", "ctrl+c", "Right", "ctrl+v"),
            ("ctrl+c", "Right", "ctrl+v", "ctrl+shift+Right", "ctrl+x", "End", "ctrl+v"),
        )
        for keys in self._rng.choice(deeds):
            self._hands.chord(keys)
        if self._user.chance(0.5):
            self._hands.chord("ctrl+s")

    def repeat_useful(self) -> None:
        """Go from one find to the next, or paste a line several times, by a button."""
        times = self._user.count(3, 8)
        finding = self._user.chance(0.6)
        if finding:
            self._find(self._rng.choice(_COMMON))
            point = self._main.at(*BAR_NEXT)
        else:
            self._hands.click(*self._somewhere())
            for keys in ("Home", "shift+Down", "ctrl+c", "Right"):
                self._hands.chord(keys)
            point = self._button("paste")
        for _ in range(times):
            self._hands.click(point[0] + self._rng.randint(-4, 4), point[1] + self._rng.randint(-3, 3))
            self._hands.wait(self._hands.about(0.3))
        self._close_bar()

    def save(self) -> None:
        """Save, by key, menu or button."""
        self._do("ctrl+s", "save")

    def toggle(self, *, anew: bool) -> None:
        """Show or hide line numbers, or wrap lines or not."""
        if anew:
            self._toggled = self._rng.choice(("line numbers", "word wrap"))
        self._choose(self._toggled)

    def overview(self) -> None:
        """Show or hide line numbers, wrap lines or not, go to the far end, or fill the screen for a moment."""
        kind = self._rng.choice(("line numbers", "word wrap", "ends", "ends", "full"))
        if kind == "ends":
            self._at_start = not self._at_start
            self._hands.chord("ctrl+Home" if self._at_start else "ctrl+End")
        elif kind == "full":
            self._hands.chord("F11")
            self._hands.wait(self._rng.uniform(0.8, 1.8))
            self._hands.chord("F11")
        else:
            self._choose(kind)
        self._hands.wait(0.3)

    def content_points(self) -> Sequence[Point]:
        """Return words at eight heights."""
        box = self._text_box()
        return [(box.x + self._rng.randint(5, box.w // 2), box.y + (2 * row + 1) * box.h // 16) for row in range(8)]

    def tool_points(self) -> Sequence[Point]:
        """Return the tool bar's buttons."""
        box = self._main.box
        return [(box.x + x, box.y + self._bar.y) for x in self._bar.across]

    def has_menu_windows(self) -> bool:
        """They are."""
        return True

    def dead_points(self) -> Sequence[Point]:
        """Return empty places of the status bar, the menu bar and, where it is short, the tool bar.

        Grey buttons are none: they show tips.
        """
        box = self._main.box
        places = [(0.06, -13), (0.18, -13), (0.3, -13), (0.5, MENU_Y), (0.8, MENU_Y)]
        if self._bar.across[-1] < box.w // 2:
            places.append((0.75, self._bar.y))
        return [(box.x + int(part * box.w), box.y + (y if y > 0 else box.h + y)) for part, y in places]

    def undo(self, times: int) -> None:
        """Take back by key; now and then by button or menu."""
        self._step(times, "ctrl+z", "undo")

    def redo(self, times: int) -> None:
        """Do again, likewise."""
        self._step(times, "ctrl+y", "redo")

    def enter_value(self) -> None:
        """Look for a word, or go to a line."""
        self._value = str(self._rng.randint(12, 98)) if self._by_line else f"the {self._rng.choice(_WORDS)}"
        self._commit(self._value)

    def revise_value(self) -> None:
        """Look for another word, or go to another line, by changing the end of what was entered."""
        if not self._value:
            self.enter_value()
            return
        kept = self._value[0] if self._by_line else "the "
        others = [str(digit) for digit in range(10)] if self._by_line else list(_WORDS)
        end = self._rng.choice([other for other in others if kept + other != self._value])
        self._commit(end, back=len(self._value) - len(kept))
        self._value = kept + end

    def drag(self) -> None:
        """Mark some text, or move a word to another line."""
        if self._user.chance(0.3):
            x, y = self._mark()
            self._hands.wait(0.4)  # else the press belongs to a triple click
        else:
            x, y = self._somewhere()
        box = self._text_box()
        down = self._rng.choice((0, 0, 40, 80, 120))
        across = self._rng.randint(90, 300)
        self._hands.drag((x, y), (x + across, y + down if y + down < box.y + box.h else y - down))

    def open_dialog(self) -> None:
        """Open it by key or menu."""
        if self._dialog.key and self._user.by_key():
            self._hands.chord(self._dialog.key)
        else:
            self._choose_at(*self._dialog.entry)
        self._on_first_tab = True
        self._user.wait_dialog(self._dialog.title)

    def use_dialog(self) -> None:
        """Fill in a field, set a mark or a number, or look at another tab."""
        box, dialog = self._dialog_window().box, self._dialog
        kinds = {"field": dialog.fields, "mark": dialog.marks, "tab": dialog.tabs}
        kind = self._rng.choice([name for name, places in kinds.items() if places]) if self._on_first_tab else "tab"
        place = self._rng.choice(kinds[kind])
        self._hands.click(box.x + place[0], box.y + place[1])
        if kind == "tab":
            self._on_first_tab = place == dialog.tabs[0]
        elif kind == "field":
            self._hands.chord("ctrl+a")
            word = str(self._rng.randint(2, 99)) if dialog.numbers else self._rng.choice(_DIALOG_WORDS)
            self._hands.text(word, rate=self._user.rate)
        self._user.think(0.5)

    def leave_dialog(self, *, apply: bool) -> None:
        """Press the button or Enter, or Escape or Cancel."""
        box, dialog = self._dialog_window().box, self._dialog
        button = dialog.ok if apply else dialog.cancel
        if button is not None and not self._user.by_key():
            self._hands.click(box.x + button[0], box.y + button[1])
        else:
            self._hands.chord("Return" if apply and dialog.numbers else "Escape")
        self._user.wait_title_gone(dialog.title)

    def _dialog_window(self) -> WindowInfo:
        window = next((one for one in self._main.others() if self._dialog.title in one.title), None)
        if window is None:
            raise LookupError("the dialog is not open")
        return window

    def _commit(self, words: str, *, back: int = 0) -> None:
        """Enter a value; `back` letters of the last one go, all if 0."""
        if self._by_line:
            self._hands.chord("ctrl+l")
            self._user.wait_dialog("Go To")
            self._hands.chord("ctrl+a")
            self._user.write(words if not back else self._value[0] + words)
            self._hands.chord("Return")
            self._user.wait_title_gone("Go To")
        else:
            self._find(words, back=back)
