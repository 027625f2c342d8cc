"""A stock table: a count is taken only for a row that is unlocked, as whole numbers, and never above its limit."""

import random
from collections.abc import Sequence

from lab.simulation.apps.app_program import AppProgram
from lab.simulation.apps.model import Effect, Event, Op, Refusals, described

_GOODS = ("Nails", "Screws", "Hinges", "Bolts", "Hooks", "Rings", "Clips", "Plugs")
LIMIT = 500


class Stock:
    """One page: rows, a count, and an edit mode that is off at first."""

    def __init__(self, rng: random.Random) -> None:
        self.succeeded = self.refused = 0
        self.counts = {name: rng.randint(5, 90) for name in _GOODS}
        self._refusals = Refusals(rng)
        self.description = described("stock", rng, goods=self._rows())

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


_SPELLINGS = ("{n}", "{n}.0", "{n},5", "1.{n}", "{n} pcs", "{n}+")


class StockProgram(AppProgram):
    """The stock table in a toolkit."""

    app = "stock"
    made = Stock
    controls = ("rows", "count", "edit", "sort", "apply", "plus", "minus")

    _editing = False

    def work(self) -> None:
        """Set a count or two, or count one up by steps."""
        self._edit("on")
        if self.user.chance(0.4):
            self._pick()
            self.user.several(self.user.count(3, 7), lambda: self.desk.press(self._step), 0.3)
        else:
            self._set_count()

    @property
    def _step(self) -> str:
        return "plus" if self.rng.random() < 0.8 else "minus"  # noqa: PLR2004  # mostly up

    def _edit(self, way: str) -> None:
        on = way == "on"
        if self._editing != on:
            self.desk.press("edit")
            self._editing = on

    def _pick(self) -> None:
        self.desk.row("rows", self.rng.randint(0, 5))

    def _set_count(self) -> None:
        self._edit("on")
        before = self.logic.succeeded
        self._pick()
        self.desk.fill("count", str(self.rng.randint(3, LIMIT - 1)))
        self._press_apply(0)
        self.expect_success(before, "the count was refused")

    def _press_apply(self, _number: int) -> None:
        self.desk.press("apply")
        self.desk.dismiss()

    def _dead_apply(self, number: int) -> None:
        if number == 0 or self.user.chance(0.3):
            self._pick()
            self.desk.fill("count", str(self.rng.randint(3, 90)))
        for _ in range(self.user.count(1, 3)):
            self.desk.press("apply")

    def _dead_plus(self, _number: int) -> None:
        for _ in range(self.user.count(1, 4)):
            self.desk.press("plus")
            self.desk.hands.wait(self.desk.hands.about(0.5))

    def _other_row(self, _number: int) -> None:
        self._pick()
        self.desk.press(self.rng.choice(("plus", "apply")))

    def _spell(self, number: int) -> None:
        self._enter(_SPELLINGS[(number + 1) % len(_SPELLINGS)].format(n=self.rng.randint(510, 990)))

    def _enter(self, text: str) -> None:
        self._pick()
        self.desk.fill("count", text)
        self._press_apply(0)
