"""People at the sign-in page: they give their name, or a password of old, and the same dialog comes back."""

from collections.abc import Sequence

from demo.virtual_desktop.sample_text import item
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.apps.login import ADDRESS, SECRET, Login
from lab.simulation.tasks.programs.app_program import AppProgram, Toolkit
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import varied

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
