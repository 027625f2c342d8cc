"""Zim, a desktop wiki: words that a page does not have, page names that are refused or taken."""

from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item, sentence
from lab.simulation.programs.mousepad import sample_notes
from lab.simulation.programs.search_bar import SearchBarProgram
from lab.simulation.simulated_user import SimulatedUser

_PAGES = ("Bakery", "Choir", "Garden", "Hall", "Library", "Market", "Minutes", "Plan", "School", "Tools")
_HOME, _DRAFT = "Home", "Draft"
_HEAD = "Content-Type: text/x-zim-wiki\nWiki-Format: zim 0.6\n\n"


class ZimProgram(SearchBarProgram):
    """A notebook of a dozen pages."""

    name = "zim"
    packages = "zim adwaita-icon-theme hicolor-icon-theme"
    margins = (240, 140, 40, 60)
    there = ("garden", "bench", "choir", "library")
    missing = ("gardn", "bensh", "kwire", "libary", "sumer fair", "seed ling")
    next_key = "ctrl+g"

    def __init__(self, user: SimulatedUser) -> None:
        self._book = Path()
        self._page, self._draft, self._sought = _HOME, _DRAFT, ""
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it at the notebook's first page."""
        self._book = desktop.directory / "home" / self.rng.choice(("Club", "Notes", "Village", "Projects"))
        self._book.mkdir()
        (self._book / "notebook.zim").write_text(
            f"[Notebook]\nname={self._book.name}\nversion=0.4\nhome={_HOME}\nshared=False\n"
        )
        for page in (*_PAGES, _HOME, _DRAFT):
            links = "\n".join(f"* [[{other}]]" for other in self.rng.sample(_PAGES, 3))
            text = f"{_HEAD}====== {page} ======\n\n{links}\n\n{sample_notes(self.rng)}\n"
            (self._book / f"{page}.txt").write_text(text)
        style = Path("/usr/share/zim/style.conf").read_text()  # letters can only be made larger where a font is named
        (desktop.directory / "config" / "zim").mkdir()
        (desktop.directory / "config" / "zim" / "style.conf").write_text(
            style.replace("\nfont =", f"\nfont = Sans {self.rng.randint(9, 12)}", 1)
        )
        self.start(desktop, ["zim", "--standalone", str(self._book)])
        self.hands.wait(1.5)
        self._into_page()

    def work(self) -> None:
        """Write a sentence or an entry at the page's end."""
        self._into_page()
        self.hands.chord("ctrl+End")
        self.hands.chord("Return")
        words = self.rng.choice((sentence(self.rng), f"* {item(self.rng)}"))
        self.user.write(words[: int(4 * self.user.rate)])
        if self.user.chance(0.3):
            self.hands.chord("ctrl+s")

    def _into_page(self) -> None:
        box = self.content_box()
        self.hands.click(box.x + box.w - self.rng.randint(10, 90), box.y + self.rng.randint(box.h // 3, box.h - 60))
        self.hands.wait(0.2)

    def _find(self, words: str) -> None:
        self._sought = words
        super()._find(words)

    def _find_on(self, number: int) -> None:
        """Go on with a word that is not there, never with one that was found."""
        super()._find_on(number if self._sought in self.missing else 0)

    def _dialog(self, keys: str) -> None:
        """Open a dialog unless it is open."""
        if not self.main.others():
            self.hands.chord(keys)
            self.wait_dialog()

    def _open_jump(self) -> None:
        self._dialog("ctrl+j")

    def _jump(self, page: str) -> None:
        self._open_jump()
        self.replace(page)
        self.hands.chord("Return")
        self.hands.wait(0.5)

    def _jump_in_vain(self, name: str) -> None:
        """Give a name that no page can have; the field turns red, and the dialog stays."""
        self._jump(name)
        if not self.main.others():
            raise LookupError("the name was taken")

    def _jump_well(self) -> None:
        self._go(self.rng.choice([page for page in _PAGES if page != self._page]))

    def _go(self, page: str) -> None:
        self._jump(page)
        self.wait_closed()
        self._page = page

    def _go_to_draft(self) -> None:
        if self._page != self._draft:
            self.main.leave_others()
            self._go(self._draft)

    def _rename(self, name: str) -> None:
        self._dialog("F2")
        self.replace(name)
        self.hands.chord("Return")
        self.hands.chord("Return")

    def _rename_in_vain(self, name: str) -> None:
        """Give a name that another page has; the dialog goes, and the page keeps its name."""
        self._go_to_draft()
        self._rename(name)
        self.wait_closed()
        self.user.think(0.7)

    def _rename_well(self) -> None:
        self._go_to_draft()
        new = f"{self.rng.choice(('Letter', 'Report', 'Idea', 'Offer'))}{self.rng.randint(10, 99)}"
        self._rename(new)
        self.wait_closed()
        self._page = self._draft = new
