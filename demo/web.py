"""Work in a page in a browser: entering orders fluently, and five ways of getting stuck in a web form."""

import string
from collections.abc import Sequence
from pathlib import Path

from demo.user import DemoUser, Task
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.local_page import Browser, LocalPage, PagePlan
from demo.virtual_desktop.sample_text import item, labels, sentence
from storage.records import Box

_PAGE = Path(__file__).parent / "data" / "form.html"
_SIZE = (1200, 900)
_PLAN = PagePlan(
    file="orders.html",
    title="Orders",
    header="#274b6d",
    places={
        "name": (200, 93),
        "postcode": (120, 155),
        "article": (200, 217),
        "amount": (80, 279),
        "save": (110, 335),
        "collect": (540, 71),
        "deliver": (540, 101),
        "search": (980, 93),
        "labels": (905, 335),
        "terms": (1075, 335),
        "close": (322, 499),
        "orders": (400, 520),
        "notes": (980, 520),
    },
    miss=(8, 4),
)
_ARTICLES = ("bread", "honey", "jars", "olives", "tools", "yarn", "lamps", "vases", "wood", "glass")


class WebWork:
    """The orders of a small shop."""

    app = "web"
    stuck_kinds: Sequence[str] = (
        *("refused_form", "dead_button", "search_in_vain", "dialog_in_vain", "choice_to_and_fro"),
    )

    def __init__(self, user: DemoUser, browser: Browser = "chromium") -> None:
        """Let `user` do it; what they get wrong is chosen once."""
        self._user = user
        self._hands = user.hands
        self._rng = user.rng
        self._browser = browser
        self._page = LocalPage(_PLAN, user.hands, user.rng)
        code = self._postcode()
        self._wrong = [code.lower(), code.replace(" ", ""), f"{code[:2]} {code[2]} {code[4:]}", f"{code} GB"]
        self._rng.shuffle(self._wrong)
        self._words = self._rng.sample(("marmalade", "marmelade", "orange jam", "jam orange", "jelly"), 3)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the browser on the page and wait until it is there."""
        box = Box(self._rng.randint(40, 300), self._rng.randint(40, 110), *_SIZE)
        self._page.open(desktop, _PAGE.read_text(), self._browser, box)

    def begin(self) -> None:
        """Enter a first order."""
        self._enter_order()

    def tasks(self) -> Sequence[Task]:
        """Return orders, notes, searches, corrections: what fills an ordinary minute."""
        return (
            Task("order", self._enter_order, 4.0),
            Task("notes", self._write_notes, 2.0),
            Task("find an article", self._find_article, 0.8),
            Task("correct a field", self._correct_field, 0.7, hard_negative=True),
            Task("read over", self._read_over, 0.6, hard_negative=True),
            Task("compare", self._compare_once, 0.5, hard_negative=True),
            Task("dialog", self._read_terms, 0.5, hard_negative=True),
        )

    def attempt(self, kind: str) -> str:
        """Try once in vain."""
        tries = {
            "refused_form": self._try_form,
            "dead_button": self._try_button,
            "search_in_vain": self._try_search,
            "dialog_in_vain": self._try_dialog,
            "choice_to_and_fro": self._try_choice,
        }
        tries[kind]()
        return kind

    def recover(self) -> None:
        """Close what is open and enter one more order."""
        self._hands.chord("Escape")
        self._enter_order()

    def _postcode(self) -> str:
        """Return a postcode as the page wants it, such as `AB1 2CD`."""
        letters = [self._rng.choice(string.ascii_uppercase) for _ in range(4)]
        return f"{letters[0]}{letters[1]}{self._rng.randint(1, 9)} {self._rng.randint(1, 9)}{letters[2]}{letters[3]}"

    def _enter_order(self) -> None:
        self._page.press("name")
        self._hands.chord("ctrl+a")
        who = f"{self._rng.choice(labels(self._rng))} club"
        self._user.write(f"{who}\t{self._postcode()}\t{item(self._rng)}\t{self._rng.randint(1, 40)}")
        self._page.press("save")
        self._user.read(1.0, 2.5)

    def _write_notes(self) -> None:
        self._page.press("notes")
        self._hands.chord("ctrl+End")
        for _ in range(self._rng.randint(1, 3)):
            self._user.write(f"{sentence(self._rng)} ")

    def _find_article(self) -> None:
        self._search_for(self._rng.choice(_ARTICLES))
        self._user.read(1.5, 3.5)

    def _search_for(self, words: str) -> None:
        self._page.press("search")
        self._hands.chord("ctrl+a")
        self._user.write(words)
        self._hands.chord("Return")

    def _correct_field(self) -> None:
        """Enter an order with a wrong number, see it, and put it right before it is saved."""
        self._page.press("name")
        self._hands.chord("ctrl+a")
        self._user.write(f"{self._rng.choice(labels(self._rng))}\t{self._postcode()}\t{item(self._rng)}\t41")
        self._user.read(0.8, 1.6)
        self._hands.chord("ctrl+a")
        self._user.write(str(self._rng.randint(1, 40)))
        self._page.press("save")
        self._user.read(1.0, 2.0)

    def _read_over(self) -> None:
        self._page.move_to("orders")
        self._hands.scroll(-self._rng.randint(2, 4))
        self._user.read(4.0, 9.0)
        self._hands.scroll(self._rng.randint(2, 4))

    def _compare_once(self) -> None:
        for name in ("deliver", "collect"):
            self._page.press(name)
            self._user.read(1.5, 3.0)

    def _read_terms(self) -> None:
        self._page.press("terms")
        self._user.read(3.0, 6.0)
        self._page.press("close")

    def _try_form(self) -> None:
        """Spell the postcode in another way and save the order, which is refused with the same message."""
        self._wrong = [*self._wrong[1:], self._wrong[0]]
        self._page.press("postcode")
        self._hands.chord("ctrl+a")
        self._user.write(self._wrong[0])
        self._hands.wait(self._rng.uniform(0.3, 0.8))
        self._page.press("save")
        self._user.read(1.0, 3.0)

    def _try_button(self) -> None:
        """Press a button that does not respond, once or twice."""
        for _ in range(self._rng.randint(1, 2)):
            self._page.press("labels")
            self._user.read(0.8, 2.0)

    def _try_search(self) -> None:
        """Search for the same thing in other words; nothing is found."""
        self._words = [*self._words[1:], self._words[0]]
        self._search_for(self._words[0])
        self._user.read(1.5, 3.0)

    def _try_dialog(self) -> None:
        """Open the terms again, do not find there what was looked for, and close them."""
        self._page.press("terms")
        self._user.read(1.0, 3.0)
        self._page.press("close")
        self._user.read(0.5, 1.2)

    def _try_choice(self) -> None:
        """Change the choice to and fro."""
        for name in ("deliver", "collect"):
            self._page.press(name)
            self._user.read(0.8, 2.0)
