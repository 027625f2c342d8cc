"""The hands in Mousepad: places in the text, words typed and marked, entries chosen from menus, the search bar.

Nothing here knows what a behavior is; `evaluation.simulation.programs.mousepad.program` puts these together.
"""

import random
from collections.abc import Callable, Sequence

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.main_window import MainWindow
from evaluation.simulation.programs.mousepad.places import BAR_NEXT, ENTRIES, MENU_Y, MENUS, ToolBar
from evaluation.simulation.scenery.screen import differing, picture
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.prose import heading, item, sentence
from evaluation.stage.windows import WindowInfo
from storage.clock import NS_PER_S
from storage.records import Box

_TOP, _BOTTOM, _LEFT = 175, 90, 62
_ROW = 9
_STRIP = 160
_MARKED = 60
_TURNED = 400
_SENTENCES = 0.3


def content(rng: random.Random) -> str:
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


class Page:
    """The window's menus and the text below them."""

    def __init__(self, actor: Actor, desktop: VirtualDesktop, window: WindowInfo, bar: ToolBar) -> None:
        """Work in `window`, which shows that tool bar."""
        self._actor, self._hands, self._rng = actor, actor.hands, actor.rng
        self._display = desktop.display
        self.main = MainWindow(actor, desktop, window)
        self._bar = bar
        self.bar_open = False

    # ------------------------------------------------------------------ places

    def text_box(self) -> Box:
        """Return the part of the window that is text whatever bars are shown."""
        box = self.main.box
        return Box(box.x + _LEFT, box.y + _TOP, box.w - _LEFT - 40, box.h - _TOP - _BOTTOM)

    def somewhere(self, *, reach: int = 140) -> Point:
        """Return a place in the first part of a line, as far as `reach`."""
        box = self.text_box()
        return box.x + self._rng.randint(0, reach), box.y + self._rng.randint(0, box.h)

    def shown(self) -> bytes:
        """Return what a strip of the text shows."""
        box = self.text_box()
        return picture(self._display, Box(box.x, box.y, _STRIP, box.h))

    def turn(self, direction: int) -> None:
        """Turn the wheel or press a page key; the other way at the end of the text."""
        by_key, before = self._actor.by_key(), self.shown()
        for way in (direction, -direction):
            if by_key:
                self._hands.chord("Next" if way > 0 else "Prior")
            else:
                self._into_text()
                self._hands.scroll(-way * self._rng.randint(3, 5))
            self._hands.wait(0.15)
            if differing(self.shown(), before) > _TURNED:
                return

    def _into_text(self) -> None:
        """Move into the text unless the pointer is there."""
        box, (x, y) = self.text_box(), self._hands.at
        if not (box.x <= x < box.x + box.w and box.y <= y < box.y + box.h):
            self._hands.move(box.x + self._rng.randint(5, box.w // 2), box.y + self._rng.randint(20, box.h - 20))

    # ------------------------------------------------------------------ words

    def short(self) -> str:
        """Return a word that takes this person about two seconds."""
        words = ("and", "new", "green", "small", "before", "again", "perhaps", "together", "tomorrow", "carefully")
        fitting = [word for word in words if len(word) <= 2.5 * self._actor.rate]
        return self._rng.choice(fitting)

    def write_for(self, seconds: float) -> None:
        """Write words for about so long, and end the sentence."""
        end_ns = self._actor.clock.now_ns() + int(seconds * NS_PER_S)
        words: list[str] = []
        first = f"- {item(self._rng)}" if self._actor.chance(_SENTENCES) else sentence(self._rng)
        words = first.removesuffix(".").split()
        written = ""
        while self._actor.clock.now_ns() < end_ns:
            if not words:
                words = ["and", *item(self._rng).split()]
            word = words.pop(0)
            self._actor.write(f" {word}" if written else word)
            written += word
        self._actor.write(".")

    def mark_word(self) -> Point:
        """Mark a word by a double click and return where; who meets an empty line tries elsewhere."""
        for reach in (140, 70, 40, 40, 40):
            x, y = self.somewhere(reach=reach)
            line = Box(x - 60, y - _ROW, 200, 2 * _ROW)
            self._hands.click(x, y)
            self._hands.wait(0.35)
            before = picture(self._display, line)
            self._hands.click(x, y, count=2)
            self._hands.wait(0.15)
            if differing(before, picture(self._display, line)) > _MARKED:
                return x, y
        raise LookupError("no word to mark")

    # ------------------------------------------------------------------ menus and bars

    def choose(self, name: str) -> None:
        """Choose an entry from its menu."""
        menu, y = ENTRIES[name]
        self.choose_at(menu, y)

    def choose_at(self, menu: str, y: int) -> None:
        """Choose the entry `y` pixels below a menu's top."""
        opened = self._actor.open_menu(*self.main.at(MENUS[menu], MENU_Y))
        self._hands.click(opened.box.x + self._rng.randint(40, 110), opened.box.y + y)
        self._hands.wait(0.2)

    def do(self, keys: str, name: str) -> None:
        """Give a command by key, menu or button."""
        if self._actor.by_key():
            self._hands.chord(keys)
        elif name == "delete line" or self._actor.chance(0.5):
            self.choose(name)
        else:
            self._hands.click(*self.button(name))

    def step(self, times: int, keys: str, name: str) -> None:
        """Give undo or redo several times, about two a second."""
        if self._actor.by_key() or self._actor.chance(0.6):
            self._hands.repeat(keys, times)
        elif times == 1 and self._actor.chance(0.5):
            self.choose(name)
        else:
            for _ in range(times):
                self._hands.click(*self.button(name))
                self._hands.wait(self._hands.about(0.25))

    def button(self, name: str) -> Point:
        """Return a button of the tool bar."""
        return self.main.at(*self._bar.button(name))

    def find(self, words: str, *, back: int = 0) -> None:
        """Look for words with the search bar, which stays open; with `back` they replace the last letters there."""
        if self._actor.by_key() or self.bar_open:
            self._hands.chord("ctrl+f")
        else:
            self.choose("find")
        self.bar_open = True
        self._hands.wait(0.3)
        if back:
            self._hands.chord("End")
            self._hands.repeat("BackSpace", back, gap_s=0.02)
        else:
            self._hands.chord("ctrl+a")
        self._actor.write(words)
        self._hands.chord("Return")

    def next_find(self) -> Point:
        """Return the button that goes to the next find."""
        return self.main.at(*BAR_NEXT)

    def close_bar(self) -> None:
        """Put the search bar away if it is open."""
        if self.bar_open:
            self._hands.chord("Escape")
            self.bar_open = False

    def menu_points(self) -> Sequence[Point]:
        """Return the menus' titles."""
        box = self.main.box
        return [(box.x + x, box.y + MENU_Y) for x in MENUS.values()]

    # ------------------------------------------------------------------ changes

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
        self._hands.click(*self.somewhere())
        steps = self._rng.choice(changes)()
        self._hands.wait(0.2)
        return steps

    def _duplicate(self) -> int:
        self.choose("duplicate")
        return 1

    def _delete_line(self) -> int:
        self.do("ctrl+shift+Delete", "delete line")
        return 1

    def _indent(self) -> int:
        self._hands.chord("Home")
        self._hands.repeat("shift+Down", self._rng.randint(1, 3), gap_s=0.1)
        self._hands.chord("ctrl+i")
        return 1

    def _cut(self) -> int:
        self.mark_word()
        self._hands.chord("ctrl+x")
        return 1

    def _rewrite(self) -> int:
        self.mark_word()
        self._hands.text(self.short(), rate=self._actor.rate)
        return 2

    def _add_word(self) -> int:
        self._hands.chord("End")
        self._hands.text(self.short(), rate=self._actor.rate)
        return 1
