"""Scenes in pages of ours, in Firefox or Chromium: a form that refuses, a dead button, a search without result."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.local_page import Browser, LocalPage, PagePlan
from demo.virtual_desktop.sample_text import figure, item, sentence
from lab.benchmarks.scenes.acting import Act, look_back_once, read_twice, scroll_up_and_down
from storage.records import Box

_PAGE = Path(__file__).parent / "data" / "page.html"
_PLAN = PagePlan(
    file="booking.html",
    title="Booking",
    header="#3a5f2d",
    places={
        "name": (200, 95),
        "date": (200, 145),
        "amount": (200, 195),
        "save": (110, 245),
        "per day": (440, 90),
        "per week": (440, 120),
        "download": (490, 320),
        "details": (640, 320),
        "close": (300, 442),
        "search": (200, 345),
        "notes": (230, 570),
        "text": (620, 520),
    },
    miss=(6, 4),
)


class PageScenes:
    """A booking form with a search, details, a choice, a text to read and notes."""

    def __init__(self, user: DemoUser, browser: Browser, *, accepts: bool) -> None:
        """Let `user` play them; whether the form `accepts` and the search finds is the page's, not the user's."""
        self._user = user
        self._hands = user.hands
        self._rng = user.rng
        self._browser = browser
        self._page = LocalPage(_PLAN, user.hands, user.rng)
        self._accepts = accepts
        self._dates = ["3.5.2026", "05-03-26", "3 May 2026"]
        self._words = ["timetable", "time table", "timetabel"]
        self.in_vain: Mapping[str, Act] = {
            "refused_form": self._send_in_vain,
            "dead_button": self._press_dead,
            "search_in_vain": self._search_in_vain,
            "details_in_vain": self._look_at_details,
            "choice_to_and_fro": self._turn_choice,
            "scrolled_in_vain": lambda: self._in_text(scroll_up_and_down),
        }
        self.calm: Mapping[str, Act] = {
            "many_records": self._enter_record,
            "comparing_once": self._compare_once,
            "long_reading": self._read_on,
            "looked_back": lambda: self._in_text(look_back_once),
            "read_twice": lambda: self._in_text(read_twice),
            "notes_from_text": self._take_notes,
            "many_details": self._details_for_each,
            "many_searches": self._search_and_find,
            "fluent_text": self._write_notes,
        }

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the browser on the page."""
        html = _PAGE.read_text().replace("@ACCEPTS@", json.dumps(self._accepts))
        box = Box(self._rng.randint(40, 300), self._rng.randint(40, 120), 1200, 900)
        self._page.open(desktop, html, self._browser, box)

    def begin(self, seconds: float) -> None:
        """Write notes."""
        self._user.log.write("phase", name="fluent")
        end_ns = self._user.clock.now_ns() + int(seconds * 1e9)
        self._page.press("notes")
        while self._user.clock.now_ns() < end_ns:
            self._write_notes()

    def _write_notes(self) -> None:
        self._user.write(f"{sentence(self._rng)} ")
        self._user.read(0.6, 1.8)

    # ------------------------------------------------------------ in vain

    def _send_in_vain(self) -> None:
        """Give the date another spelling and send the form, which refuses it with the same message."""
        self._dates = [*self._dates[1:], self._dates[0]]
        self._page.press("date")
        self._hands.chord("ctrl+a")
        self._user.write(self._dates[0])
        self._hands.wait(0.5)
        self._page.press("save")
        self._user.read(2.0, 5.0)

    def _press_dead(self) -> None:
        self._page.press("download")
        self._user.read(2.5, 6.0)

    def _search_in_vain(self) -> None:
        """Search for the same thing in another spelling; nothing is found."""
        self._words = [*self._words[1:], self._words[0]]
        self._page.press("search")
        self._hands.chord("ctrl+a")
        self._user.write(f"{self._words[0]}")
        self._hands.chord("Return")
        self._user.read(2.0, 5.0)

    def _look_at_details(self) -> None:
        self._page.press("details")
        self._user.read(2.0, 4.5)
        self._page.press("close")
        self._user.read(1.0, 2.0)

    def _turn_choice(self) -> None:
        for name in ("per week", "per day"):
            self._page.press(name)
            self._user.read(1.5, 3.5)

    # ------------------------------------------------------------ calm

    def _enter_record(self) -> None:
        """Fill in the form and save, which succeeds each time."""
        self._page.press("name")
        self._hands.chord("ctrl+a")
        self._user.write(f"{item(self._rng)}\t{self._rng.randint(1, 28)}/{self._rng.randint(1, 12)}/2026\t")
        self._user.write(f"{figure(self._rng)}")
        self._page.press("save")
        self._user.read(1.0, 2.5)

    def _compare_once(self) -> None:
        """Look at both choices once, then go on writing for a while."""
        for name in ("per week", "per day"):
            self._page.press(name)
            self._user.read(1.5, 3.0)
        self._page.press("notes")
        self._hands.chord("ctrl+End")
        for _ in range(4):
            self._write_notes()

    def _read_on(self) -> None:
        self._page.move_to("text")
        self._hands.scroll(-self._rng.randint(1, 3))
        self._user.read(4.0, 10.0)

    def _take_notes(self) -> None:
        """Go to a passage further down or back up, read it, and write a note: known ground, but for something."""
        self._page.move_to("text")
        for _ in range(self._rng.randint(1, 2)):
            self._hands.scroll(self._rng.choice((-4, -3, -3, 2, 3, 4)))
            self._user.read(1.0, 2.5)
        self._page.press("notes")
        self._hands.chord("ctrl+End")
        self._write_notes()

    def _in_text(self, look: Callable[[DemoUser], None]) -> None:
        self._page.move_to("text")
        look(self._user)

    def _details_for_each(self) -> None:
        """Enter a record, look at its details, close them: the same dialog, each time about something new."""
        self._enter_record()
        self._look_at_details()

    def _search_and_find(self) -> None:
        self._page.press("search")
        self._hands.chord("ctrl+a")
        self._user.write(item(self._rng))
        self._hands.chord("Return")
        self._user.read(1.5, 4.0)
