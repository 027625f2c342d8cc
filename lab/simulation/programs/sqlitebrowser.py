"""DB Browser for SQLite: queries with names or signs that the database does not know; the error stays below them."""

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import grab_pixels
from demo.virtual_desktop.sample_text import labels
from demo.virtual_desktop.windows import inside
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, Way, varied
from storage.records import Box

_RIGHT = (
    "select item from stock where n > {n};",
    "select * from stock where n < {n};",
    "select count(*) from stock where n > {n};",
    "select sum(n) from stock where n > {n};",
    "select town from people limit {n};",
)
_SETTINGS = """[checkversion]
enabled=false
[General]
language=en_US
[editor]
auto_completion=false
[remote]
active=false
"""
_ORDERS = ("select * from stock order by 1;", "select * from stock order by 2;", "select * from stock order by 3;")
_TOWNS = ("Bern", "Linz", "Ulm", "Metz", "Graz")


class SqlitebrowserProgram(DebianProgram):
    """A database of two tables, and a place to write queries."""

    name = "sqlitebrowser"
    packages = "sqlitebrowser"

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` ask the database."""
        self._editor = (200, 190)
        self._idle = b""
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a small database, at the page for queries."""
        home = desktop.directory / "home"
        with sqlite3.connect(home / "shop.db") as base:
            base.execute("create table stock (item text, n integer, shelf text)")
            base.execute("create table people (name text, town text)")
            names = labels(self.rng)
            base.executemany(
                "insert into stock values (?, ?, ?)",
                [(name, self.rng.randint(1, 400), self.rng.choice("ABC")) for name in names],
            )
            base.executemany("insert into people values (?, ?)", [(name, self.rng.choice(_TOWNS)) for name in names])
        base.close()
        folder = home / ".config" / "sqlitebrowser"
        folder.mkdir(parents=True)
        (folder / "sqlitebrowser.conf").write_text(_SETTINGS)
        self.start(
            desktop, ["sqlitebrowser", "shop.db"], env={"XDG_CONFIG_HOME": str(folder.parent)}, largest=(1500, 950)
        )
        self.hands.click(*inside(self.main.box, 398, 68))
        self.hands.wait(0.6)
        self._into_editor()
        self._idle = self._tab_icon()

    def settle(self) -> None:
        """Come to the front, with no query under way."""
        super().settle()
        if not self._is_idle(100):
            self._stop()
            if not self._is_idle(60):
                raise LookupError("the query does not end")

    def content_box(self) -> Box:
        """Return where the rows of the answer are."""
        box = self.main.box
        return Box(box.x + 30, box.y + int(box.h * 0.46), int(box.w * 0.55), int(box.h * 0.18))

    def make_tasks(self) -> Sequence[Task]:
        """Return a query with a wrong name, one without a needed word, and one with the wrong quotes."""
        return (
            self._task(
                "names",
                "list the shelves in use",
                "the column is called shelf, the table stock",
                (
                    "select place from stock;",
                    "select item from shelf;",
                    "select name from stock;",
                    "select item from items;",
                ),
                "select shelf from stock;",
            ),
            self._task(
                "filter",
                "count what there is much of",
                "a condition goes with where, before group by",
                (
                    "select item from stock if n > 90;",
                    "select item from stock with n > 90;",
                    "select item where n > 90 from stock;",
                    "select item from stock and n > 90;",
                ),
                "select item from stock where n > 90;",
            ),
            self._task(
                "function",
                "get the mean of all counts",
                "the function is called avg",
                (
                    "select mean(n) from stock;",
                    "select average(n) from stock;",
                    "select avrg(n) from stock;",
                    "select avg n from stock;",
                ),
                "select avg(n) from stock;",
            ),
        )

    def work(self) -> None:
        """Ask something that has an answer."""
        self._ask(self._some_query())

    def look_over(self) -> None:
        """Turn the wheel over the rows of the answer."""
        box = self.content_box()
        self.hands.move(box.x + 200 + self.rng.randint(-60, 60), box.y + box.h // 2)
        self.hands.scroll(self.rng.choice((-3, -2, 2)))

    def _task(self, name: str, intent: str, help_: str, wrong: Sequence[str], right: str) -> Task:
        return Task(
            name=name,
            intent=intent,
            help=help_,
            begin=self._into_editor,
            succeed=partial(self._ask, right),
            leave=self._clear,
            again=lambda: self._ask(self._some_query()),
            options=tuple(partial(self._ask, query) for query in _ORDERS),
            wrong=(
                Way(name="same", act=self._insist(wrong[0]), answer=Answer.ERROR),
                varied(self._ask, wrong, Answer.ERROR, "variant"),
                Way(name="other", act=self._insist(wrong[1]), answer=Answer.ERROR),
            ),
        )

    def _insist(self, query: str) -> Callable[[int], None]:
        def act(number: int) -> None:
            if number == 0 or self.user.chance(0.25):
                self._ask(query)
            else:
                self._run()

        return act

    def _some_query(self) -> str:
        return self.rng.choice(_RIGHT).format(n=self.rng.randint(3, 200))

    def _into_editor(self) -> None:
        self.hands.click(*inside(self.main.box, self._editor[0] + self.rng.randint(0, 120), self._editor[1]))
        self.hands.wait(0.2)

    def _clear(self) -> None:
        self._into_editor()
        self.hands.chord("ctrl+a")
        self.hands.chord("BackSpace")

    def _ask(self, query: str) -> None:
        self._into_editor()
        self.hands.chord("ctrl+a")
        self.user.write(query, rate=max(7.0, self.user.rate))
        self._run()

    def _run(self) -> None:
        """Run the query and wait for its end; one in fourteen hangs, whoever runs it, and is stopped and run again."""
        for _ in range(3):
            self.hands.chord(self.rng.choice(("F5", "ctrl+Return")))
            self.hands.wait(0.5)
            if self._is_idle(100):
                return
            self._stop()
        raise LookupError("the query does not end")

    def _stop(self) -> None:
        self.hands.click(*inside(self.main.box, 233, 111))
        self.hands.wait(0.5)

    def _tab_icon(self) -> bytes:
        """Return the picture on the query's tab; it is an hourglass while the query runs."""
        box = self.main.box
        return grab_pixels(self.desktop.display, Box(box.x + 14, box.y + 140, 20, 20))

    def _is_idle(self, times: int) -> bool:
        return bool(self.user.wait_until(lambda: self._tab_icon() == self._idle, times=times))
