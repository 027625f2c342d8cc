"""Mousepad 0.5 with tasks: words that the text does not have, replacing what is not found, folders that are not there.

How it looks (font, colours, tool bar, size, place) is drawn for each session. As root it shows a banner that pushes the
text down; nothing here points at a line more exactly than that.

Places are measured on screenshots with the GTK 3 look at 96 dpi: menu entries from the menu's top, tool bar buttons
from the window's top left corner, dialog controls from the dialog's.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from demo.virtual_desktop.desktop import PACKAGES, VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.sample_text import heading, item, sentence
from demo.virtual_desktop.windows import Point
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser
from storage.clock import NS_PER_S
from storage.records import Box

_MENU_Y = 12
_MENUS = {"Search": 110, "View": 160, "Document": 210}
_ENTRIES: Mapping[str, tuple[str, int]] = {
    "find": ("Search", 12),
    "line numbers": ("View", 63),
    "word wrap": ("Document", 12),
}
_BUTTONS_Y, _BUTTONS_X = 50, (24, 60, 97)
_NAMES = ("notes", "minutes", "draft", "plan", "list", "letter", "report")
_SHORT_WORDS = ("and", "new", "green", "small", "before", "again", "perhaps", "together", "tomorrow", "carefully")
_LIST_SHARE = 0.3
_LINE_TOP, _MARKED, _TURNED = 9, 60, 400
_STRIP = 160
_BANNER_S = 1.2

_REPLACE, _SAVE_AS = "Find and Replace", "Save As"
_CASE, _WHOLE, _WORDS, _OTHERS, _BUTTON = (20, 132), (20, 158), (257, 23), (257, 63), (297, 256)
"""Two check boxes of the dialog, both fields and the button that replaces, from its top left corner."""


def write_settings(folder: Path, rng: random.Random) -> Mapping[str, str]:
    """Write a settings file with a look of the seed's choice; return the environment that makes Mousepad use it."""
    width, height = rng.randint(1120, 1500), rng.randint(660, 900)
    maximised = rng.random() < 0.3  # noqa: PLR2004  # share of people who fill the screen
    style, size = rng.choice((("icons", "small-toolbar"), ("icons", "dnd"), ("both", "small-toolbar")))
    facts = {
        "preferences/window": {
            "toolbar-visible": "true",
            "statusbar-visible": "true",
            "toolbar-style": f"'{style}'",
            "toolbar-icon-size": f"'{size}'",
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


class MousepadProgram(DebianProgram):
    """Notes in a text file."""

    name = "mousepad-tasks"
    packages = PACKAGES["mousepad"]
    margins = (62, 175, 40, 90)

    def __init__(self, user: SimulatedUser) -> None:
        self._bar_open = False
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a file of 110 to 200 lines, at a size and place of the seed's choice."""
        file = desktop.directory / "home" / f"{self.rng.choice(_NAMES)}.txt"
        file.write_text(sample_notes(self.rng))
        env = write_settings(desktop.directory / "mousepad", self.rng)
        self.start(desktop, ["mousepad", "--disable-server", str(file)], env=env, sized=False)
        self.hands.wait(_BANNER_S)  # the first layout is not announced by anything
        self.hands.click(*self._somewhere())

    def settle(self) -> None:
        """Close menus, dialogs and the search bar, come to the front; some click into the text."""
        super().settle()
        self._close_bar()
        if self.user.chance(0.3):
            self.hands.click(*self._somewhere())

    def work(self) -> None:
        """Write something, or change a word."""
        if self.user.chance(0.6):
            self._compose()
        else:
            self._adjust()

    def look_over(self) -> None:
        """Turn the wheel or press a page key; the other way at the end of the text."""
        by_key, before = self.user.by_key(), self._shown()
        direction = self.rng.choice((-1, 1))
        for way in (direction, -direction):
            if by_key:
                self.hands.chord("Next" if way > 0 else "Prior")
            else:
                box = self.content_box()
                self.hands.move(box.x + self.rng.randint(5, box.w // 2), box.y + self.rng.randint(20, box.h - 20))
                self.hands.scroll(-way * self.rng.randint(3, 5))
            self.hands.wait(0.15)
            if differing_pixels(self._shown(), before) > _TURNED:
                return

    def places(self) -> Sequence[Point]:
        """Return words at eight heights, and buttons."""
        box, main = self.content_box(), self.main.box
        words = [(box.x + self.rng.randint(5, box.w // 2), box.y + (2 * row + 1) * box.h // 16) for row in range(8)]
        return [*words, *((main.x + x, main.y + _BUTTONS_Y) for x in _BUTTONS_X)]

    def _somewhere(self, reach: int = 140) -> Point:
        """Return a place in the first part of a line, as far as `reach`."""
        box = self.content_box()
        return box.x + self.rng.randint(0, reach), box.y + self.rng.randint(0, box.h)

    def _shown(self) -> bytes:
        """Return what a strip of the text shows."""
        box = self.content_box()
        return grab_pixels(self.desktop.display, Box(box.x, box.y, _STRIP, box.h))

    def _compose(self) -> None:
        """Write on below the caret, at another place, or at the end."""
        where = self.rng.choice(("here", "there", "end"))
        if where == "there":
            self.hands.click(*self._somewhere())
        self.hands.chord("ctrl+End" if where == "end" else "End")
        self.hands.chord("Return")
        self._write_for(self.rng.uniform(2.0, 5.5))

    def _write_for(self, seconds: float) -> None:
        """Write a sentence or an entry of a list, and more words, for about so long."""
        end_ns = self.user.clock.now_ns() + int(seconds * NS_PER_S)
        text = f"- {item(self.rng)}" if self.user.chance(_LIST_SHARE) else sentence(self.rng)
        words = text.removesuffix(".").split()
        space = ""
        while self.user.clock.now_ns() < end_ns:
            words = words or ["and", *item(self.rng).split()]
            self.user.write(space + words.pop(0))
            space = " "
        self.user.write(".")

    def _adjust(self) -> None:
        """Replace a word, or take it out."""
        if self.user.by_key():
            self.hands.repeat(self.rng.choice(("Up", "Down", "ctrl+Left", "ctrl+Right")), self.rng.randint(1, 4))
            self.hands.chord("ctrl+shift+Left")
        else:
            self._mark_word()
        self.user.think(0.4)
        if self.user.chance(0.2):
            self.hands.chord("Delete")
        else:
            self.user.write(self.rng.choice([word for word in _SHORT_WORDS if len(word) <= 2.5 * self.user.rate]))

    def _mark_word(self) -> None:
        """Mark a word by a double click; where nothing gets marked, try elsewhere."""
        for reach in (140, 70, 40, 40, 40):
            x, y = self._somewhere(reach)
            line = Box(x - 60, y - _LINE_TOP, 200, 2 * _LINE_TOP)
            self.hands.click(x, y)
            self.hands.wait(0.35)  # else the double click belongs to this click
            before = grab_pixels(self.desktop.display, line)
            self.hands.click(x, y, count=2)
            self.hands.wait(0.15)
            if differing_pixels(before, grab_pixels(self.desktop.display, line)) > _MARKED:
                return
        raise LookupError("no word to mark")

    def _choose(self, name: str) -> None:
        """Choose an entry from its menu."""
        menu, y = _ENTRIES[name]
        opened = self.user.open_menu(*self.main.at(_MENUS[menu], _MENU_Y))
        self.hands.click(opened.box.x + self.rng.randint(40, 110), opened.box.y + y)
        self.hands.wait(0.2)

    # ------------------------------------------------------------ find and replace

    def _open_bar(self) -> None:
        self.hands.chord("ctrl+f")
        self._bar_open = True
        self.hands.wait(0.3)

    def _close_bar(self) -> None:
        """Put the search bar away if it is open."""
        if self._bar_open:
            self.hands.chord("Escape")
            self._bar_open = False

    def _find(self, words: str) -> None:
        """Look for words with the search bar, which stays open."""
        if self.user.by_key() or self._bar_open:
            self.hands.chord("ctrl+f")
        else:
            self._choose("find")
        self._bar_open = True
        self.hands.wait(0.3)
        self.hands.chord("ctrl+a")
        self.user.write(words)
        self.hands.chord("Return")

    def _find_on(self, words: str, number: int) -> None:
        if number == 0 or not self._bar_open:
            self._find(words)
        self.hands.repeat("Return", self.user.count(1, 4))

    def _open_replace(self) -> None:
        if self.user.windows.find(title=_REPLACE) is None:
            self._close_bar()
            self.hands.chord("ctrl+r")
            self.user.wait_dialog(_REPLACE)

    def _leave_replace(self) -> None:
        if self.user.windows.find(title=_REPLACE) is not None:
            self.hands.chord("Escape")
            self.user.wait_title_gone(_REPLACE)

    def _in_dialog(self, place: Point) -> Point:
        box = self.user.wait_dialog(_REPLACE).box
        return box.x + place[0], box.y + place[1]

    def _search_for(self, word: str, other: str) -> None:
        """Fill in both fields; Enter goes on to the next find."""
        self._open_replace()
        for place, text in ((_WORDS, word), (_OTHERS, other)):
            self.hands.click(*self._in_dialog(place))
            self.replace(text)

    def _replace_in_vain(self, word: str) -> None:
        self._search_for(word, "path")
        self._press_replace(self.user.count(1, 2))

    def _press_replace(self, times: int) -> None:
        """Press the button; the first time it goes to the next find, then it replaces."""
        x, y = self._in_dialog(_BUTTON)
        for _ in range(times):
            self.hands.click(x + self.rng.randint(-8, 8), y)
            self.hands.wait(0.3)

    def _tick(self, number: int) -> None:
        """Look for the same with another option on or off."""
        if number == 0:
            self._search_for("gardenn", "path")
        else:
            self._open_replace()
        self.hands.click(*self._in_dialog(self.rng.choice((_CASE, _WHOLE))))
        self._press_replace(1)

    def _replace_well(self, word: str) -> None:
        self._search_for(word, word.upper())
        self._press_replace(self.rng.randint(2, 3))
        self._leave_replace()

    # ------------------------------------------------------------ save a copy

    def _save_in_vain(self, name: str) -> None:
        """Name a folder that is not there, and read the message; the dialog stays."""
        self.name_file_in_vain("ctrl+shift+s", name)

    def _save_well(self) -> None:
        self.name_file("ctrl+shift+s", f"copy-{self.rng.randint(100, 999)}.txt")
        self.user.wait_title_gone(_SAVE_AS)
