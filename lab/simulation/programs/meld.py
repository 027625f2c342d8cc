"""Meld, which compares two files: searches without result, lines that are not there, and saving where no folder is."""

from demo.virtual_desktop.desktop import VirtualDesktop
from lab.simulation.programs.mousepad import sample_notes
from lab.simulation.programs.search_bar import SearchBarProgram

_NEXT = "alt+Down"
_TEXTS, _LONGEST_WALK = 3, 30
"""The text is long enough, and people go to its top often enough, that there is always a next change to go to."""


class MeldProgram(SearchBarProgram):
    """Two versions of some notes side by side."""

    name = "meld"
    packages = "meld adwaita-icon-theme hicolor-icon-theme"
    margins = (40, 140, 40, 110)
    there = ("garden", "bench", "choir", "library")
    missing = ("gardenn", "bensh", "kwire", "libary", "sumer fair")
    next_key = "ctrl+g"
    redo = "ctrl+shift+z"

    _walked = 0

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a file and an edited copy of it."""
        home = desktop.directory / "home"
        lines = "".join(sample_notes(self.rng) for _ in range(_TEXTS)).splitlines()
        (home / "old.txt").write_text("\n".join(lines) + "\n")
        for number in range(3, len(lines), 3):
            lines[number] = self.rng.choice((f"Now {lines[number]}", f"{lines[number]} Really.", "This can go."))
        (home / "new.txt").write_text("\n".join(lines) + "\n")
        self.start(desktop, ["meld", "old.txt", "new.txt"], largest=(1500, 950))
        self.hands.wait(1.0)
        self._into_text()

    def state(self) -> bytes:
        """Return the new version as it was saved: a search may scroll without having found anything."""
        return (self.desktop.directory / "home" / "new.txt").read_bytes()

    def has_changed(self, before: bytes) -> bool:
        """Return whether the new version was changed."""
        return self.state() != before

    def work(self) -> None:
        """Go from one change to the next, and take one over now and then."""
        for _ in range(self.rng.randint(2, 3)):
            self._go_on()
            self.user.think(0.9)
        if self.user.chance(0.4):
            self._take_over()

    def _go_on(self) -> None:
        """Go to the next change, now and then from the top again."""
        self._walked += 1
        if self._walked % _LONGEST_WALK == 0:
            self.hands.chord("ctrl+Home")
        self.hands.chord(_NEXT)

    def _leave_search(self) -> None:
        """Close the search bar and click into the text: Meld gives the keyboard to nobody, and keys do nothing."""
        super()._leave_search()
        self._into_text()

    def _into_text(self) -> None:
        """Click into the left version."""
        box = self.content_box()
        self.hands.click(box.x + self.rng.randint(30, box.w // 3), box.y + self.rng.randint(10, box.h - 10))
        self.hands.wait(0.2)

    def _away_from_changes(self) -> None:
        """Go to the first line, which is the same in both."""
        self._into_text()
        self.hands.chord("ctrl+Home")
        self.hands.wait(0.2)

    def _push(self, keys: str) -> None:
        self.hands.repeat(keys, self.user.count(1, 2))
        self.hands.wait(0.3)

    def _push_once(self, keys: str) -> None:
        self.hands.chord(keys)
        self.user.think(0.6)

    def _take_over(self) -> None:
        self._go_on()
        self.user.think(0.6)
        self.hands.chord("alt+Right")
        self.hands.wait(0.4)
        self.hands.chord("ctrl+shift+l")
        self.hands.wait(0.3)
