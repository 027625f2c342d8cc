"""People at the catalog: a forgotten filter, or words that are not in it, and nothing is found."""

from collections.abc import Callable, Sequence

from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.apps.catalog import REGIONS, Catalog
from lab.simulation.tasks.programs.app_program import AppProgram, Toolkit
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import repeated, varied

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
