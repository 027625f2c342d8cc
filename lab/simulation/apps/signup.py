"""An account form: a date in one format only, a telephone number with its country, a button that wants the terms."""

import random
import re
from collections.abc import Sequence

from lab.simulation.apps.app_program import AppProgram, Toolkit
from lab.simulation.apps.model import Effect, Event, Op, Refusals, described
from lab.simulation.simulated_user import SimulatedUser

_DATE = re.compile(r"\d{2}\.\d{2}\.\d{4}")
_PHONE = re.compile(r"\+\d[\d ]{7,}")
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.\w+")
FIELDS = ("name", "mail", "birth", "phone")
CLEARED = ("birth", "phone")
"""Fields that are empty for the next person; the others are filled in from the one who is signed in."""


class Signup:
    """The form. The button does nothing at all until the terms are ticked."""

    def __init__(self, rng: random.Random) -> None:
        self.succeeded = self.refused = 0
        self._refusals = Refusals(rng)
        self.description = described("signup", rng)

    def handle(self, event: Event) -> Sequence[Effect]:
        """Check the form when it is sent; clear it on request."""
        if event.control == "reset":
            return [*self._refusals.clear(FIELDS), *(Effect(op=Op.SET, control=name) for name in CLEARED)]
        if event.control != "submit" or event.values.get("terms") != "on":
            return []
        values = event.values
        checks = (
            ("mail", _MAIL.fullmatch(values.get("mail", "")), "This is no e-mail address"),
            ("birth", _DATE.fullmatch(values.get("birth", "")), "Invalid date"),
            ("phone", _PHONE.fullmatch(values.get("phone", "")), "Invalid number"),
        )
        for control, ok, text in checks:
            if not ok:
                self.refused += 1
                return [*self._refusals.clear(FIELDS), self._refusals.say(control, text)]
        self.succeeded += 1
        return [
            *self._refusals.clear(FIELDS),
            *(Effect(op=Op.SET, control=name) for name in CLEARED),
            Effect(op=Op.STATUS, text=f"Account {1000 + self.succeeded} created"),
        ]


_NAMES = ("Anna Berg", "Jonas Falk", "Mira Stein", "Paul Adler", "Lena Roth", "Tim Keller", "Ida Sommer")
_HOSTS = ("example.org", "mail.example", "post.example.net")
_FORMATS = ("{y}-{m}-{d}", "{d}/{m}/{y}", "{m}/{d}/{y}", "{d}. {m}. {y}", "{d}.{m}.{s}", "{d}{m}{y}")


class SignupProgram(AppProgram):
    """The account form in a toolkit."""

    app = "signup"
    made = Signup
    controls = (*FIELDS, "plan", "news", "terms", "submit")

    _terms = False

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        super().__init__(user, toolkit)
        self._first_format = self.rng.randrange(len(_FORMATS))

    def work(self) -> None:
        """Fill in one or two fields, or send a form that is in order."""
        if self.user.chance(0.4):
            self._succeed()
            return
        name = self.rng.choice(FIELDS)
        self.desk.fill(name, self._right(name))

    # ------------------------------------------------------------ the parts of a form

    def _right(self, field: str) -> str:
        day, month, year = self.rng.randint(1, 28), self.rng.randint(1, 12), self.rng.randint(1950, 2008)
        return {
            "name": self.rng.choice(_NAMES),
            "mail": f"{self.rng.choice(_NAMES).split()[0].lower()}@{self.rng.choice(_HOSTS)}",
            "birth": f"{day:02}.{month:02}.{year}",
            "phone": f"+49 {self.rng.randint(200, 990)} {self.rng.randint(100000, 999999)}",
        }[field]

    def _wrong_date(self, number: int) -> str:
        pattern = _FORMATS[(number + self._first_format) % len(_FORMATS)]
        day, month, year = self.rng.randint(13, 28), self.rng.randint(1, 9), self.rng.randint(1950, 2008)
        return pattern.format(d=f"{day:02}", m=f"{month:02}", y=year, s=f"{year % 100:02}")

    def _wrong_number(self) -> str:
        prefix = self.rng.choice(("0", "0049 ", "(0)", "49-", ""))
        return (
            f"{prefix}{self.rng.randint(200, 990)}{self.rng.choice((' ', '/', '-'))}{self.rng.randint(100000, 999999)}"
        )

    def _tick_terms(self, *, on: bool) -> None:
        if self._terms != on and self.desk.shows("terms"):
            self.desk.press("terms")
            self._terms = on

    def _fill_all(self, wrong: str) -> None:
        """Fill in what is empty, but for the field that will be wrong."""
        if wrong != "phone":
            self.desk.fill("phone", self._right("phone"))
        if wrong != "birth":
            self.desk.fill("birth", self._right("birth"))

    # ------------------------------------------------------------ acts

    def _begin(self, wrong: str = "") -> None:
        self._fill_all(wrong)
        if wrong == "birth":
            self.desk.fill("birth", self._wrong_date(0))
        elif wrong == "phone":
            self.desk.fill("phone", self._wrong_number())
        self._tick_terms(on=bool(wrong))

    def _send(self) -> None:
        self.desk.press("submit")
        self.desk.dismiss()

    def _other_format(self, number: int) -> None:
        self.desk.fill("birth", self._wrong_date(number))
        self._send()

    def _other_number(self, _number: int) -> None:
        self.desk.fill("phone", self._wrong_number())
        self._send()

    def _send_again(self, _number: int) -> None:
        self._send()

    def _retype(self, _number: int) -> None:
        self.desk.fill("birth", self._wrong_date(0))
        self._send()

    def _press_dead(self, _number: int) -> None:
        for _ in range(self.user.count(1, 3)):
            self.desk.press("submit")
            self.desk.hands.wait(self.desk.hands.about(0.7))

    def _press_enter(self, _number: int) -> None:
        self.desk.hands.click(*self.desk.point("phone"))
        self.desk.hands.chord("Return")
        self.desk.press("submit")

    def _refill(self, _number: int) -> None:
        name = self.rng.choice(("name", "mail"))
        self.desk.fill(name, self._right(name))
        self.desk.press("submit")

    def _succeed(self) -> None:
        self._tick_terms(on=True)
        before = self.logic.succeeded
        self._fill_all("")
        self._send()
        self.expect_success(before, "the form was refused")

    def _leave(self) -> None:
        if self.user.chance(0.5):
            self.desk.press("reset")
