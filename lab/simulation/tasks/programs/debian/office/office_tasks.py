"""What LibreOffice's programs with tasks share: a word to find in the document, settling, places to point at."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

from lab.simulation.program import Point
from lab.simulation.programs.office import Office
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import repeated, varied


class OfficeTasks(Office):
    """A document with tasks; first among a program's bases, since tasks are made from what the other one has drawn."""

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; the tasks are made once."""
        super().__init__(user)
        self._tasks = tuple(self.make_tasks())

    @abstractmethod
    def make_tasks(self) -> Sequence[Task]:
        """Return the tasks; called once."""

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are."""
        return self._tasks

    def settle(self) -> None:
        """Leave what is open, the search bar too."""
        super().settle()
        self.leave_search()

    def places(self) -> Sequence[Point]:
        """Return places in the document, and buttons."""
        return [*self.content_points(), *self.tool_points()[:3]]

    def state(self) -> bytes:
        """Return the pixels of the document, for tests."""
        return self.view()

    def find_task(
        self,
        intent: str,
        help_: str,
        *,
        begin: Callable[[], None],
        there: Sequence[str],
        missing: Sequence[str],
        options: Sequence[Callable[[], None]],
    ) -> Task:
        """Return the task of finding a word: `there` are in the document, `missing` are not."""
        word = self.rng.choice(missing)

        def find() -> None:
            self.search(self.rng.choice(there))

        return Task(
            name="find",
            intent=intent,
            help=help_,
            begin=begin,
            succeed=find,
            leave=self.leave_search,
            again=find,
            options=options,
            wrong=(
                repeated(self.search, word, Answer.REFUSED),
                varied(self.search, missing, Answer.REFUSED),
                Way(name="on", act=partial(self._find_on, word), answer=Answer.REFUSED),
            ),
        )

    def _find_on(self, word: str, number: int) -> None:
        """Look for a word, and go on with it."""
        if number == 0:
            self.search(word)
        self.hands.repeat("Return", self.user.count(1, 3))
