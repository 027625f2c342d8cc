"""DB Browser for SQLite: queries with names or signs that the database does not know; the error stays below them."""

import sqlite3

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import grab_pixels
from demo.virtual_desktop.sample_text import labels
from demo.virtual_desktop.windows import inside
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser
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
_TOWNS = ("Bern", "Linz", "Ulm", "Metz", "Graz")


class SqlitebrowserProgram(DebianProgram):
    """A database of two tables, and a place to write queries."""

    name = "sqlitebrowser"
    packages = "sqlitebrowser"

    def __init__(self, user: SimulatedUser) -> None:
        self._editor = (200, 190)
        self._stands = ""
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

    def work(self) -> None:
        """Ask something that has an answer."""
        self._ask(self._some_query())

    def look_over(self) -> None:
        """Turn the wheel over the rows of the answer."""
        box = self.content_box()
        self.hands.move(box.x + 200 + self.rng.randint(-60, 60), box.y + box.h // 2)
        self.hands.scroll(self.rng.choice((-3, -2, 2)))

    def _insist(self, query: str, number: int) -> None:
        """Ask the same again, mostly by running it as it stands there."""
        if number == 0 or self._stands != query or self.user.chance(0.25):
            self._ask(query)
        else:
            self._run()

    def _ask_something(self) -> None:
        self._ask(self._some_query())

    def _some_query(self) -> str:
        return self.rng.choice(_RIGHT).format(n=self.rng.randint(3, 200))

    def _into_editor(self) -> None:
        self.hands.click(*inside(self.main.box, self._editor[0] + self.rng.randint(0, 120), self._editor[1]))
        self.hands.wait(0.2)

    def _clear(self) -> None:
        self._into_editor()
        self.hands.chord("ctrl+a")
        self.hands.chord("BackSpace")
        self._stands = ""

    def _ask(self, query: str) -> None:
        self._into_editor()
        self.hands.chord("ctrl+a")
        self.user.write(query, rate=max(7.0, self.user.rate))
        self._stands = query
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
