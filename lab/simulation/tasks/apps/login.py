"""A sign-in page: it wants the e-mail address, not the name; a wrong pair brings the same dialog each time."""

import random
from collections.abc import Sequence

from lab.simulation.tasks.apps.model import AppDescription, Control, Effect, Event, Kind, Op, Page, look_of

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
