"""HomeBank, household accounts in GTK: words that no entry has, accounts and payees by names that do not do."""

import datetime as dt
from collections.abc import Callable, Sequence
from functools import partial

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import labels
from demo.virtual_desktop.windows import inside
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, repeated_and_varied
from storage.clock import NS_PER_S

_ACCOUNTS = {"Checking": 132, "Savings": 178}
"""The accounts and how far from the window's top they stand."""

_MISSPELLED = ("Cheking", "Chekcing", "Saving", "Savigns", "Current", "Main", "Bank", "Account")
_PAYEES = ("Bakery", "Market", "Library", "Garage", "Florist", "Museum", "Chemist", "Harbour", "Theatre", "Cinema")
_PROPERTIES = """<?xml version="1.0"?>
<homebank v="1.3" d="050602">
<properties title="Household" curr="1" auto_smode="0" auto_weekday="1"/>
<cur key="1" flags="0" iso="EUR" name="Euro" symb="E" syprf="0" dchar="." gchar="," frac="2" rate="0" mdate="0"/>
<account key="1" pos="1" type="1" curr="1" name="Checking" initial="{first}" minimum="0"/>
<account key="2" pos="2" type="7" curr="1" name="Savings" initial="{second}" minimum="0"/>"""
_ENTRY = '<ope date="{day}" amount="{amount}" account="{account}" paymode="1" payee="{payee}" category="{category}" wording="{words}"/>'  # noqa: E501
_PAYEES_BUTTON, _ADD_BUTTON = (247, 46), (547, 46)
_PAGES = (386, 424, 462)


class HomebankProgram(DebianProgram):
    """Two accounts with some dozens of entries."""

    name = "homebank"
    packages = "homebank adwaita-icon-theme hicolor-icon-theme"
    margins = (20, 80, 20, 60)

    def __init__(self, user: SimulatedUser) -> None:
        self._payees = user.rng.sample(_PAYEES, 6)
        self._categories = labels(user.rng)[:5]
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a file of the last weeks."""
        (desktop.directory / "home" / "household.xhb").write_text(self._file())
        self.start(desktop, ["homebank", "household.xhb"], largest=(1350, 920))

    def settle(self) -> None:
        """Close what is open and come to the front."""
        self.user.close_menus()
        self._leave()
        super().settle()

    def make_tasks(self) -> Sequence[Task]:
        """Return a search, an entry to add and a payee to add."""
        words = [*self._payees, *self._categories]
        missing = [f"{word[0]}{word[2]}{word[1]}{word[3:]}x" for word in self.rng.sample(words, 6)]
        return (
            self._task(
                "find",
                ("find what was paid to somebody", "the word is spelled differently in the entries"),
                (self._open_account, lambda: self._find(self.rng.choice(self._payees))),
                (self._find, missing),
            ),
            self._task(
                "entry",
                ("put down what was paid", "there are two accounts, Checking and Savings"),
                (self._open_entry, self._add_entry),
                (self._add_in_vain, self.rng.sample(_MISSPELLED, 6)),
            ),
            self._task(
                "payee",
                ("put another shop on the list of payees", "it is on the list already"),
                (self._open_payees, self._add_new_payee),
                (self._add_payee, self._payees[:5]),
            ),
        )

    def work(self) -> None:
        """Put down an entry, or go through those of an account."""
        if self.user.chance(0.5):
            self._add_entry()
        else:
            self._open_account()
            self.hands.repeat("Down", self.user.count(3, 8))
            self._leave()

    def _task(
        self,
        name: str,
        words: tuple[str, str],
        right: tuple[Callable[[], None], Callable[[], None]],
        wrong: tuple[Callable[[str], None], Sequence[str]],
    ) -> Task:
        act, spellings = wrong
        return Task(
            name=name,
            intent=words[0],
            help=words[1],
            begin=right[0],
            succeed=right[1],
            leave=self._leave,
            again=right[1],
            options=tuple(partial(self._show, y) for y in _PAGES),
            wrong=repeated_and_varied(act, spellings, Answer.NOTHING, self.rng),
        )

    def _file(self) -> str:
        rng, now_s = self.rng, self.user.clock.wall_ns() // NS_PER_S
        today = dt.datetime.fromtimestamp(now_s, tz=dt.UTC).date().toordinal()
        rows = [_PROPERTIES.format(first=rng.randint(300, 900), second=rng.randint(1000, 4000))]
        rows += [f'<pay key="{key}" name="{name}"/>' for key, name in enumerate(self._payees, 1)]
        rows += [f'<cat key="{key}" name="{name}"/>' for key, name in enumerate(self._categories, 1)]
        for number in range(rng.randint(36, 60)):
            payee, category = rng.randint(1, len(self._payees)), rng.randint(1, len(self._categories))
            entry = {"day": today - rng.randint(0, 25), "amount": f"-{rng.randint(3, 60)}.5", "account": 1 + number % 2}
            words = f"receipt {rng.randint(100, 999)}"
            rows.append(_ENTRY.format(payee=payee, category=category, words=words, **entry))
        return "\n".join((*rows, "</homebank>\n"))

    def _leave(self) -> None:
        """Close what is open; an account by its keys."""
        others, active = self.main.others(), self.desktop.windows.active()
        is_front = bool(others) and active is not None and others[0].xid == active.xid
        if is_front and others[0].title.startswith(tuple(_ACCOUNTS)):
            self.hands.chord("ctrl+w")
            self.hands.wait(0.4)
        self.main.leave_others()

    def _show(self, y: int) -> None:
        """Show another page below the accounts."""
        self._leave()
        self.hands.click(*self.main.at(self.rng.randint(20, 50), y + self.rng.randint(-6, 6)))
        self.hands.wait(0.4)

    def _open(self, title: str, way: Callable[[], None]) -> None:
        """Open a window unless it is open."""
        others = self.main.others()
        if not others or not others[0].title.startswith(title):
            self._leave()
            way()
            self.wait_dialog()

    def _click_in(self, x: int, y: int) -> None:
        """Click at a place of the topmost dialog."""
        others = self.main.others()
        if not others:
            raise LookupError("no dialog is open")
        self.hands.click(*inside(others[0].box, x, y))
        self.hands.wait(0.2)

    def _open_account(self) -> None:
        name = self.rng.choice(list(_ACCOUNTS))

        def activate() -> None:
            self.hands.click(*self.main.at(self.rng.randint(110, 165), _ACCOUNTS[name]))
            self.hands.wait(0.3)
            self.hands.chord("Return")

        if not any(dialog.title.startswith(tuple(_ACCOUNTS)) for dialog in self.main.others()):
            self._open(name, activate)

    def _find(self, words: str) -> None:
        self._open_account()
        self.hands.chord("ctrl+f")
        self.hands.wait(0.2)
        self.replace(words)
        self.hands.wait(0.7)

    def _open_entry(self) -> None:
        self._open("Add transaction", lambda: self.hands.click(*self.main.at(*_ADD_BUTTON)))

    def _name_account(self, name: str) -> None:
        """Write an account's name into the entry and go for the button, which takes no account there is not."""
        self._click_in(170, 188)
        self.replace(name)
        self.hands.chord("Tab")
        self._click_in(302, -21)
        self.hands.wait(0.4)

    def _add_in_vain(self, name: str) -> None:
        self._open_entry()
        self._name_account(name)

    def _add_entry(self) -> None:
        self._open_entry()
        self._click_in(140, 132)
        self.replace(str(self.rng.randint(3, 250)))
        self._name_account(self.rng.choice(list(_ACCOUNTS)))

    def _open_payees(self) -> None:
        """Open the list of payees, and the field for new ones below it."""
        others = self.main.others()
        if not others or not others[0].title.startswith("Manage Payees"):
            self._open("Manage Payees", lambda: self.hands.click(*self.main.at(*_PAYEES_BUTTON)))
            self._click_in(43, -80)
            self.hands.wait(0.4)

    def _add_payee(self, name: str) -> None:
        """Add a payee; one that is on the list is not added, and nothing says so."""
        self._open_payees()
        self._click_in(self.rng.randint(60, 260), -77)
        self.replace(name)
        self.hands.chord("Return")
        self.hands.wait(0.5)

    def _add_new_payee(self) -> None:
        self._add_payee(f"{self.rng.choice(('Shop', 'Stall', 'Club', 'Kiosk'))} {self.rng.randint(10, 999)}")
