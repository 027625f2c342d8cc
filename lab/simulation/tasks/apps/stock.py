"""A stock table: a count is taken only for a row that is unlocked, as whole numbers, and never above its limit."""

import random
from collections.abc import Sequence

from lab.simulation.tasks.apps.model import (
    AppDescription,
    Control,
    Effect,
    Event,
    Kind,
    Op,
    Page,
    Refusals,
    look_of,
)

_GOODS = ("Nails", "Screws", "Hinges", "Bolts", "Hooks", "Rings", "Clips", "Plugs")
LIMIT = 500


class Stock:
    """One page: rows, a count, and an edit mode that is off at first."""

    def __init__(self, rng: random.Random) -> None:
        """Draw the rows, title, look and how a refusal is said."""
        self.succeeded = self.refused = 0
        self.counts = {name: rng.randint(5, 90) for name in _GOODS}
        self._refusals = Refusals(rng)
        title = rng.choice(("Stock", "Inventory", "Store room", "Seed bank"))
        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="table",
                    controls=(
                        Control(name="title", kind=Kind.HEADING, text=title),
                        Control(name="rows", kind=Kind.LIST, text="Items", rows=self._rows()),
                        Control(name="count", kind=Kind.ENTRY, text="Count"),
                        Control(name="edit", kind=Kind.CHECK, text="Edit mode"),
                        Control(name="sort", kind=Kind.CHOICE, text="Sort by", rows=("Name", "Count"), value="Name"),
                    ),
                    bar=(
                        Control(name="apply", kind=Kind.BUTTON, text=rng.choice(("Apply", "Set", "Change"))),
                        Control(name="plus", kind=Kind.BUTTON, text="+1"),
                        Control(name="minus", kind=Kind.BUTTON, text="-1"),
                    ),
                ),
            ),
            look=look_of(rng),
        )

    def _rows(self) -> tuple[str, ...]:
        return tuple(f"{name}: {count}" for name, count in self.counts.items())

    def handle(self, event: Event) -> Sequence[Effect]:
        """Change a count; without a chosen row, or outside the edit mode, nothing happens at all."""
        name = event.values.get("rows", "").partition(":")[0]
        if event.control == "sort":
            by_count = event.values["sort"] == "Count"
            items = sorted(self.counts.items(), key=lambda pair: -pair[1] if by_count else pair[0])
            self.counts = dict(items)
            return [Effect(op=Op.ROWS, control="rows", rows=self._rows())]
        if event.control not in {"apply", "count", "plus", "minus"} or event.values.get("edit") != "on" or not name:
            return []
        if event.control in {"plus", "minus"}:
            self.counts[name] = max(0, self.counts[name] + (1 if event.control == "plus" else -1))
        elif not (entered := event.values.get("count", "")).isdecimal() or int(entered) > LIMIT:
            self.refused += 1
            return [*self._refusals.clear(("count",)), self._refusals.say("count", "Not a valid count")]
        else:
            self.counts[name] = int(entered)
        self.succeeded += 1
        return [
            *self._refusals.clear(("count",)),
            Effect(op=Op.ROWS, control="rows", rows=self._rows()),
            Effect(op=Op.SET, control="count"),
            Effect(op=Op.STATUS, text=f"{name}: {self.counts[name]}"),
        ]
