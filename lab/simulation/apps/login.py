"""A sign-in page: it wants the e-mail address, not the name; a wrong pair brings the same dialog each time."""

import random
from collections.abc import Sequence

from demo.virtual_desktop.sample_text import item
from lab.simulation.apps.app_program import AppProgram
from lab.simulation.apps.model import Effect, Event, Op, described

ADDRESS, SECRET = "anna@example.org", "garden-42"
_REFUSALS = ("Sign-in failed", "Wrong user or password", "Access denied. Check your input.")
_ENTRIES = ("Monday 8.0 h", "Tuesday 7.5 h", "Wednesday 6.0 h", "Thursday 8.5 h", "Friday 7.0 h")


class Login:
    """Two pages: sign-in, and a list of hours behind it."""

    def __init__(self, rng: random.Random) -> None:
        self.succeeded = self.refused = self.entered = 0
        self._refusal = rng.choice(_REFUSALS)
        self.description = described("login", rng)
        self._rows = list(_ENTRIES)

    def handle(self, event: Event) -> Sequence[Effect]:
        """Let in who gives address and password; add remarks to the list."""
        if event.control in {"enter", "user", "secret"}:
            if event.values.get("user") == ADDRESS and event.values.get("secret") == SECRET:
                self.succeeded += 1
                return [Effect(op=Op.SET, control="secret"), Effect(op=Op.PAGE, control="hours")]
            self.refused += 1
            return [Effect(op=Op.SET, control="secret"), Effect(op=Op.DIALOG, text=self._refusal)]
        if event.control == "forgot":
            return [Effect(op=Op.STATUS, text="If the address is known, a message was sent.")]
        if event.control in {"add", "remark"} and event.values.get("remark"):
            self.entered += 1
            self._rows.insert(0, event.values["remark"])
            self._rows = self._rows[:12]
            return [
                Effect(op=Op.ROWS, control="days", rows=tuple(self._rows)),
                Effect(op=Op.SET, control="remark"),
                Effect(op=Op.STATUS, text=f"{self.entered} remarks"),
            ]
        if event.control == "leave":
            return [Effect(op=Op.PAGE, control="sign_in"), Effect(op=Op.STATUS)]
        return []


_OLD = ("garden-41", "Garden-42", "garden42", "summer-7", "garden-4")


class LoginProgram(AppProgram):
    """The sign-in page in a toolkit."""

    app = "login"
    made = Login
    controls = ("user", "secret", "stay", "forgot", "enter", "days", "remark", "add", "leave")

    def work(self) -> None:
        """Write remarks to the list; sign in first where that was not done."""
        if not self.desk.shows("remark"):
            self._sign_in()
        self.desk.fill("remark", item(self.rng))
        self._confirm("add")

    def _confirm(self, button: str) -> None:
        if self.user.by_key():
            self.desk.hands.chord("Return")
            self.desk.hands.wait(0.3)
        else:
            self.desk.press(button)

    def _sign_out(self) -> None:
        if self.desk.shows("leave"):
            self.desk.press("leave")
        self.desk.box("user")

    def _try(self, pair: str, number: int) -> None:
        user, _, secret = pair.partition(" ")
        if number == 0 or self.user.chance(0.3):
            self.desk.fill("user", user)
        self.desk.fill("secret", secret)
        self._confirm("enter")
        self.desk.dismiss()

    def _try_name(self, user: str) -> None:
        self.desk.fill("user", user)
        self.desk.fill("secret", SECRET)
        self._confirm("enter")
        self.desk.dismiss()

    def _other_secret(self, number: int) -> None:
        self._try(f"{ADDRESS} {_OLD[number % len(_OLD)]}", number)

    def _tick_and_try(self, number: int) -> None:
        self.desk.press("stay")
        self._try(f"{ADDRESS} {_OLD[0]}", number)

    def _sign_in(self) -> None:
        self._sign_out()
        self.desk.fill("user", ADDRESS)
        self.desk.fill("secret", SECRET)
        self._confirm("enter")
        self.desk.box("remark")

    def _in_and_out(self) -> None:
        self._sign_in()
        self.desk.hands.wait(0.5)
        self._sign_out()

    def _leave(self) -> None:
        if not self.desk.shows("remark"):
            self._sign_in()
