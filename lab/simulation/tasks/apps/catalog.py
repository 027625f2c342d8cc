"""A catalog with a search: a filter on another page hides most of it, so that a search finds nothing."""

import random
from collections.abc import Sequence

from lab.simulation.tasks.apps.model import AppDescription, Control, Effect, Event, Kind, Op, Page, look_of

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
        found = [one for one in self.goods if all(word in one.lower() for word in words)]
        if self.region != REGIONS[0]:
            found = []
        if words and not found:
            self.refused += 1
        text = f"{len(found)} items" if found else "Nothing found"
        return [
            Effect(op=Op.ROWS, control="found", rows=tuple(found[:SHOWN])),
            Effect(op=Op.SET, control="count", text=text),
        ]
