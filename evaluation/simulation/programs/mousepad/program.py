"""Mousepad, a plain text editor, with a file of several screens.

How it looks (font, colours, tool bar, size, place) is drawn for each session. As root it shows a banner that pushes the
text down; nothing here points at a line more exactly than that. One undo takes back one typed word, the marked text
that was typed over, or one command.
"""

from collections.abc import Sequence

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.mousepad.dialog import PageDialog
from evaluation.simulation.programs.mousepad.page import Page, content
from evaluation.simulation.programs.mousepad.places import MENU_Y, TOOL_BARS, write_settings
from evaluation.stage.desktop import PACKAGES, VirtualDesktop
from evaluation.stage.windows import WindowInfo, poll

_NAMES = ("notes", "minutes", "draft", "plan", "list", "letter", "report")
_WORDS = ("garden", "committee", "lower path", "old shed", "library", "choir", "market stall", "bakery", "bus route")
_COMMON = ("the", "for", "as", "and", "a ", "is")


class Mousepad:
    """Notes in a text file."""

    name = "mousepad"
    packages = PACKAGES["mousepad"]

    def __init__(self, actor: Actor) -> None:
        """Let `actor` write; file, look and the dialog they use are chosen once."""
        self._actor, self._hands, self._rng = actor, actor.hands, actor.rng
        self._bar = self._rng.choice(TOOL_BARS)
        self._by_line = actor.chance(0.3)
        self._value = ""
        self._at_start = True
        self._toggled = "line numbers"

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a file of 110 to 200 lines, at a size and place of the seed's choice."""
        file = desktop.directory / "home" / f"{self._rng.choice(_NAMES)}.txt"
        file.write_text(content(self._rng))
        env = write_settings(desktop.directory / "mousepad", self._rng, self._bar)
        process = desktop.spawn(["mousepad", "--disable-server", str(file)], "mousepad", env=env)

        def opened() -> WindowInfo | None:
            return next((one for one in desktop.windows.listed() if one.pid == process.pid and not one.popup), None)

        self._page = Page(self._actor, desktop, poll(opened, what="opening Mousepad", timeout_s=60), self._bar)
        self._dialog = PageDialog(self._actor, self._page)
        self._main = self._page.main
        poll(self._main.is_front, what="activating Mousepad")
        self._hands.wait(1.2)  # the first layout is not announced by anything
        self._hands.click(*self._page.somewhere())

    def settle(self) -> None:
        """Close menus, dialogs and the search bar, come to the front; some click into the text."""
        self._actor.close_menus()
        met = self._main.leave_others()
        if not self._main.is_front():
            self._main.come_to_front()
            met = True
        self._page.close_bar()
        if met or self._actor.chance(0.3):
            self._hands.click(*self._page.somewhere())

    # ------------------------------------------------------------------ work that succeeds

    def compose(self) -> None:
        """Write on below the caret, at another place, or at the end."""
        where = self._rng.choice(("here", "there", "end"))
        if where == "there":
            self._hands.click(*self._page.somewhere())
        self._hands.chord("ctrl+End" if where == "end" else "End")
        self._hands.chord("Return")
        self._page.write_for(self._rng.uniform(2.0, 5.5))

    def adjust(self) -> None:
        """Replace a word, or take it out."""
        if self._actor.by_key():
            self._hands.repeat(self._rng.choice(("Up", "Down", "ctrl+Left", "ctrl+Right")), self._rng.randint(1, 4))
            self._hands.chord("ctrl+shift+Left")
        else:
            self._page.mark_word()
        self._actor.think(0.4)
        if self._actor.chance(0.2):
            self._hands.chord("Delete")
        else:
            self._actor.write(self._page.short())

    def expert(self) -> None:
        """Copy, move and indent lines by shortcuts; some save at once."""
        if self._actor.chance(0.3):
            self._hands.click(*self._page.somewhere())
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
        if self._actor.chance(0.5):
            self._hands.chord("ctrl+s")

    def repeat_useful(self) -> None:
        """Go from one find to the next, or paste a line several times, by a button."""
        times = self._actor.count(3, 8)
        finding = self._actor.chance(0.6)
        if finding:
            self._page.find(self._rng.choice(_COMMON))
            point = self._page.next_find()
        else:
            self._hands.click(*self._page.somewhere())
            for keys in ("Home", "shift+Down", "ctrl+c", "Right"):
                self._hands.chord(keys)
            point = self._page.button("paste")
        for _ in range(times):
            self._hands.click(point[0] + self._rng.randint(-4, 4), point[1] + self._rng.randint(-3, 3))
            self._hands.wait(self._hands.about(0.3))
        self._page.close_bar()

    def save(self) -> None:
        """Save, by key, menu or button."""
        self._page.do("ctrl+s", "save")

    # ------------------------------------------------------------------ looking

    def page(self, direction: int) -> None:
        """Turn the wheel or press a page key; turn round at the end of the file."""
        self._page.turn(direction)

    def toggle(self, *, anew: bool) -> None:
        """Show or hide line numbers, or wrap lines or not."""
        if anew:
            self._toggled = self._rng.choice(("line numbers", "word wrap"))
        self._page.choose(self._toggled)

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
            self._page.choose(kind)
        self._hands.wait(0.3)

    def content_points(self) -> Sequence[Point]:
        """Return words at eight heights."""
        box = self._page.text_box()
        return [(box.x + self._rng.randint(5, box.w // 2), box.y + (2 * row + 1) * box.h // 16) for row in range(8)]

    def tool_points(self) -> Sequence[Point]:
        """Return the tool bar's buttons."""
        box = self._main.box
        return [(box.x + x, box.y + self._bar.y) for x in self._bar.across]

    def menu_points(self) -> Sequence[Point]:
        """Return the six titles."""
        return self._page.menu_points()

    def has_menu_windows(self) -> bool:
        """They are."""
        return True

    # ------------------------------------------------------------------ trying

    def dead_points(self) -> Sequence[Point]:
        """Return empty places of the status bar, the menu bar and, where it is short, the tool bar.

        Grey buttons are none: they show tips.
        """
        box = self._main.box
        places = [(0.06, -13), (0.18, -13), (0.3, -13), (0.5, MENU_Y), (0.8, MENU_Y)]
        if self._bar.across[-1] < box.w // 2:
            places.append((0.75, self._bar.y))
        return [(box.x + int(part * box.w), box.y + (y if y > 0 else box.h + y)) for part, y in places]

    def change(self) -> int:
        """Duplicate, delete, indent, cut, rewrite or add something."""
        return self._page.change()

    def undo(self, times: int) -> None:
        """Take back by key; now and then by button or menu."""
        self._page.step(times, "ctrl+z", "undo")

    def redo(self, times: int) -> None:
        """Do again, likewise."""
        self._page.step(times, "ctrl+y", "redo")

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
        if self._actor.chance(0.3):
            x, y = self._page.mark_word()
            self._hands.wait(0.4)  # else the press belongs to a triple click
        else:
            x, y = self._page.somewhere()
        box = self._page.text_box()
        down = self._rng.choice((0, 0, 40, 80, 120))
        across = self._rng.randint(90, 300)
        self._hands.drag((x, y), (x + across, y + down if y + down < box.y + box.h else y - down))

    # ------------------------------------------------------------------ the dialog

    def open_dialog(self) -> None:
        """Open the session's dialog by key or menu."""
        self._dialog.open()

    def use_dialog(self) -> None:
        """Fill in a field, set a mark or a number, or look at another tab."""
        self._dialog.use()

    def leave_dialog(self, *, apply: bool) -> None:
        """Press the button or Enter, or Escape or Cancel."""
        self._dialog.leave(apply=apply)

    # ------------------------------------------------------------------ pieces

    def _commit(self, words: str, *, back: int = 0) -> None:
        """Enter a value; `back` letters of the last one go, all if 0."""
        if self._by_line:
            self._hands.chord("ctrl+l")
            self._actor.wait_dialog("Go To")
            self._hands.chord("ctrl+a")
            self._actor.write(words if not back else self._value[0] + words)
            self._hands.chord("Return")
            self._actor.wait_title_gone("Go To")
        else:
            self._page.find(words, back=back)
