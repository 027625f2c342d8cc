"""A sign-in page: it wants the e-mail address, not the name; a wrong pair brings the same dialog each time."""

import random
from collections.abc import Sequence

from demo.virtual_desktop.sample_text import item
from lab.simulation.apps.app_program import AppProgram, Toolkit
from lab.simulation.apps.model import AppDescription, Control, Effect, Event, Kind, Op, Page, look_of
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, Way, varied

ADDRESS, SECRET = "anna@example.org", "garden-42"
_TITLES = ("Sign in", "Member area", "Portal", "Library account", "Time sheets")
_REFUSALS = ("Sign-in failed", "Wrong user or password", "Access denied. Check your input.")
_ENTRIES = ("Monday 8.0 h", "Tuesday 7.5 h", "Wednesday 6.0 h", "Thursday 8.5 h", "Friday 7.0 h")


class Login:
    """Two pages: sign-in, and a list of hours behind it."""

    def __init__(self, rng: random.Random) -> None:
        """Draw title, look and the words of the refusal."""
        self.succeeded = self.refused = self.entered = 0
        self._refusal = rng.choice(_REFUSALS)
        title = rng.choice(_TITLES)
        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="sign_in",
                    controls=(
                        Control(name="title", kind=Kind.HEADING, text=title),
                        Control(name="user", kind=Kind.ENTRY, text="User"),
                        Control(name="secret", kind=Kind.PASSWORD, text="Password"),
                        Control(name="stay", kind=Kind.CHECK, text="Stay signed in"),
                        Control(name="forgot", kind=Kind.LINK, text="Forgot the password?"),
                    ),
                    bar=(Control(name="enter", kind=Kind.BUTTON, text="Sign in"),),
                ),
                Page(
                    name="hours",
                    controls=(
                        Control(name="hours_title", kind=Kind.HEADING, text="Hours of this week"),
                        Control(name="days", kind=Kind.LIST, text="Days", rows=_ENTRIES),
                        Control(name="remark", kind=Kind.ENTRY, text="Remark"),
                    ),
                    bar=(
                        Control(name="add", kind=Kind.BUTTON, text="Add"),
                        Control(name="leave", kind=Kind.BUTTON, text="Sign out"),
                    ),
                ),
            ),
            look=look_of(rng),
        )
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


_USERS = ("anna", "aberg", "Anna Berg", "anna.berg")
_OLD = ("garden-41", "Garden-42", "garden42", "summer-7", "garden-4")


class LoginProgram(AppProgram):
    """The sign-in page in a toolkit."""

    controls = ("user", "secret", "stay", "forgot", "enter", "days", "remark", "add", "leave")

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        """Let `user` sign in."""
        super().__init__(user, toolkit, Login)
        self.name = f"login-{toolkit}"

    def make_tasks(self) -> Sequence[Task]:
        """Return what can go wrong: the user's name, and the password."""
        return (
            Task(
                name="user",
                intent="get into the member area",
                help="sign in with the e-mail address, not the name",
                begin=self._sign_out,
                succeed=self._sign_in,
                leave=self._leave,
                again=self._in_and_out,
                wrong=(
                    Way(name="name", act=lambda number: self._try(_USERS[0], SECRET, number), answer=Answer.REFUSED),
                    varied(self._try_name, _USERS, Answer.REFUSED, "names"),
                    Way(name="forgot", act=lambda _: self.desk.press("forgot"), answer=Answer.OTHER),
                ),
            ),
            Task(
                name="password",
                intent="get into the member area",
                help="set a new password by the link; the old ones are not taken any more",
                begin=self._sign_out,
                succeed=self._sign_in,
                leave=self._leave,
                again=self._in_and_out,
                wrong=(
                    Way(name="same", act=lambda number: self._try(ADDRESS, _OLD[0], number), answer=Answer.REFUSED),
                    Way(name="others", act=self._other_secret, answer=Answer.REFUSED, systematic=True),
                    Way(name="stay", act=self._tick_and_try, answer=Answer.REFUSED),
                ),
            ),
        )

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

    def _try(self, user: str, secret: str, number: int) -> None:
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
        self._try(ADDRESS, _OLD[number % len(_OLD)], number)

    def _tick_and_try(self, number: int) -> None:
        self.desk.press("stay")
        self._try(ADDRESS, _OLD[0], number)

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
