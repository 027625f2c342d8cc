"""A catalog with a search: a filter on another page hides most of it, so that a search finds nothing."""

import random
from collections.abc import Callable, Sequence

from lab.simulation.apps.app_program import AppProgram, Toolkit
from lab.simulation.apps.model import AppDescription, Control, Effect, Event, Kind, Op, Page, look_of
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, Way, repeated, varied

_KINDS = ("Lamp", "Chair", "Table", "Shelf", "Carpet", "Mirror", "Clock", "Vase", "Basket", "Stool")
_STYLES = ("oak", "steel", "white", "blue", "small", "tall", "round", "folding")
REGIONS = ("Everywhere", "North", "South", "Abroad")
SHOWN = 12


class Catalog:
    """Two pages: the search, and the filters."""

    def __init__(self, rng: random.Random) -> None:
        """Draw the goods, title and look."""
        self.succeeded = self.refused = 0
        self.goods = [f"{kind} {style} {rng.randint(20, 400)}" for kind in _KINDS for style in _STYLES]
        rng.shuffle(self.goods)
        self.region = REGIONS[0]
        title = rng.choice(("Catalog", "Shop", "Spare parts", "Stock list"))
        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="search",
                    controls=(
                        Control(name="title", kind=Kind.HEADING, text=title),
                        Control(name="words", kind=Kind.ENTRY, text="Search"),
                        Control(name="exact", kind=Kind.CHECK, text="Whole words only"),
                        Control(name="found", kind=Kind.LIST, text="Found", rows=tuple(self.goods[:SHOWN])),
                        Control(name="count", kind=Kind.LABEL, text=f"{len(self.goods)} items"),
                    ),
                    bar=(
                        Control(name="find", kind=Kind.BUTTON, text="Find"),
                        Control(name="cart", kind=Kind.BUTTON, text="Put aside"),
                        Control(name="filters", kind=Kind.LINK, text="Filters"),
                    ),
                ),
                Page(
                    name="filters",
                    controls=(
                        Control(name="filters_title", kind=Kind.HEADING, text="Filters"),
                        Control(name="region", kind=Kind.CHOICE, text="Region", rows=REGIONS, value=REGIONS[0]),
                        Control(name="stock", kind=Kind.CHECK, text="In stock only"),
                    ),
                    bar=(Control(name="back", kind=Kind.BUTTON, text="Back to the search"),),
                ),
            ),
            look=look_of(rng),
        )
        self._aside = 0

    def handle(self, event: Event) -> Sequence[Effect]:
        """Search, put aside, set filters."""
        if event.control in {"find", "words", "exact"}:
            return self._search(event)
        if event.control == "cart" and event.values.get("found"):
            self._aside += 1
            self.succeeded += 1
            return [Effect(op=Op.STATUS, text=f"{self._aside} put aside")]
        if event.control == "region":
            self.region = event.values["region"]
            return [Effect(op=Op.STATUS, text=f"Region: {self.region}")]
        if event.control in {"filters", "back"}:
            return [Effect(op=Op.PAGE, control="filters" if event.control == "filters" else "search")]
        return []

    def _search(self, event: Event) -> Sequence[Effect]:
        words = event.values.get("words", "").lower().split()
        found = [good for good in self.goods if all(word in good.lower() for word in words)]
        if self.region != REGIONS[0]:
            found = []
        if words and not found:
            self.refused += 1
        text = f"{len(found)} items" if found else "Nothing found"
        return [
            Effect(op=Op.ROWS, control="found", rows=tuple(found[:SHOWN])),
            Effect(op=Op.SET, control="count", text=text),
        ]


_GOOD = ("lamp", "chair oak", "table", "shelf white", "mirror", "clock", "vase blue", "stool")
_BAD = ("armchair", "lamps", "sofa", "desk oak", "cupboard", "lamp, oak", "wardrobe", "couch")


class CatalogProgram(AppProgram):
    """The catalog in a toolkit."""

    controls = ("words", "exact", "found", "count", "find", "cart", "filters", "region", "stock", "back")
    logic: Catalog

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        """Let `user` search."""
        super().__init__(user, toolkit, Catalog)
        self.name = f"catalog-{toolkit}"

    def make_tasks(self) -> Sequence[Task]:
        """Return what can go wrong: a filter that hides everything, and words that are not in the catalog."""
        return (
            Task(
                name="filter",
                intent="find an item",
                help="clear the region filter: it hides everything",
                begin=self._hide_all,
                succeed=self._succeed,
                leave=self._show_all,
                again=self._find_one,
                options=tuple(self._sort(word) for word in ("lamp", "chair", "clock")),
                wrong=(
                    varied(self._find, _GOOD, Answer.NOTHING, "words", systematic=False),
                    Way(name="same", act=lambda _: self._press_find(), answer=Answer.NOTHING),
                    Way(name="exact", act=self._toggle_exact, answer=Answer.NOTHING, systematic=True),
                ),
            ),
            Task(
                name="words",
                intent="find an item",
                help="search for the kind in one word, as the catalog names it",
                begin=self._show_all,
                succeed=self._succeed,
                leave=self._show_all,
                again=self._find_one,
                options=tuple(self._sort(word) for word in ("table", "vase", "mirror")),
                wrong=(
                    varied(self._find, _BAD, Answer.NOTHING, "others"),
                    repeated(self._find, _BAD[0], Answer.NOTHING),
                ),
            ),
        )

    def work(self) -> None:
        """Find something and put it aside."""
        self._show_all()
        self._find_one()

    def _sort(self, word: str) -> Callable[[], None]:
        return lambda: self._find(word)

    def _press_find(self) -> None:
        self._to_search()
        self.desk.press("find")

    def _to_search(self) -> None:
        if self.desk.shows("back"):
            self.desk.press("back")
        self.desk.box("words")

    def _find(self, words: str) -> None:
        self._to_search()
        self.desk.fill("words", words)
        if self.user.by_key():
            self.desk.hands.chord("Return")
            self.desk.hands.wait(0.4)
        else:
            self.desk.press("find")

    def _find_one(self) -> None:
        self._find(self.rng.choice(_GOOD))
        self.desk.row("found", self.rng.randint(0, 2))
        self.desk.press("cart")

    def _toggle_exact(self, _number: int) -> None:
        self._to_search()
        self.desk.press("exact")
        self.desk.press("find")

    def _hide_all(self) -> None:
        if self.logic.region == REGIONS[0]:
            if self.desk.shows("filters"):
                self.desk.press("filters")
            self.desk.choose("region", self.rng.randint(1, 3))
        self._to_search()

    def _show_all(self) -> None:
        if self.logic.region != REGIONS[0]:
            if self.desk.shows("filters"):
                self.desk.press("filters")
            self.desk.choose("region", -len(REGIONS))
        self._to_search()

    def _succeed(self) -> None:
        self._show_all()
        self._find_one()
