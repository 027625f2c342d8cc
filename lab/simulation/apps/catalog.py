"""A catalog with a search: a filter on another page hides most of it, so that a search finds nothing."""

import random
from collections.abc import Sequence

from lab.simulation.apps.app_program import AppProgram
from lab.simulation.apps.model import Effect, Event, Op, described

_KINDS = ("Lamp", "Chair", "Table", "Shelf", "Carpet", "Mirror", "Clock", "Vase", "Basket", "Stool")
_STYLES = ("oak", "steel", "white", "blue", "small", "tall", "round", "folding")
REGIONS = ("Everywhere", "North", "South", "Abroad")
SHOWN = 12


class Catalog:
    """Two pages: the search, and the filters."""

    def __init__(self, rng: random.Random) -> None:
        self.succeeded = self.refused = 0
        self.goods = [f"{kind} {style} {rng.randint(20, 400)}" for kind in _KINDS for style in _STYLES]
        rng.shuffle(self.goods)
        self.region = REGIONS[0]
        self.description = described("catalog", rng, goods=self.goods[:SHOWN], count=str(len(self.goods)))
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


class CatalogProgram(AppProgram):
    """The catalog in a toolkit."""

    app = "catalog"
    made = Catalog
    controls = ("words", "exact", "found", "count", "find", "cart", "filters", "region", "stock", "back")
    logic: Catalog

    def work(self) -> None:
        """Find something and put it aside."""
        self._show_all()
        self._find_one()

    def _press_find(self, _number: int) -> None:
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
