"""An account form: a date in one format only, a telephone number with its country, a button that wants the terms."""

import random
import re
from collections.abc import Sequence

from lab.simulation.tasks.apps.model import (
    AppDescription,
    Control,
    Effect,
    Event,
    Kind,
    Op,
    Page,
    Refusals,
    look_of,
)

_DATE = re.compile(r"\d{2}\.\d{2}\.\d{4}")
_PHONE = re.compile(r"\+\d[\d ]{7,}")
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.\w+")
_TITLES = ("Create an account", "Register", "New member", "Join the club", "Library card")
FIELDS = ("name", "mail", "birth", "phone")
CLEARED = ("birth", "phone")
"""Fields that are empty for the next person; the others are filled in from the one who is signed in."""


class Signup:
    """The form. The button does nothing at all until the terms are ticked."""

    def __init__(self, rng: random.Random) -> None:
        """Draw title, look and how a refusal is said."""
        self.succeeded = self.refused = 0
        self._refusals = Refusals(rng)
        rows = [
            Control(name="name", kind=Kind.ENTRY, text="Name", value="Anna Berg"),
            Control(name="mail", kind=Kind.ENTRY, text="E-mail", value="anna@example.org"),
            Control(name="birth", kind=Kind.ENTRY, text="Date of birth"),
            Control(name="phone", kind=Kind.ENTRY, text="Telephone"),
            Control(name="plan", kind=Kind.CHOICE, text="Plan", rows=("Basic", "Family", "Student"), value="Basic"),
            Control(name="news", kind=Kind.CHECK, text="Send me news"),
            Control(name="terms", kind=Kind.CHECK, text="I accept the terms of use"),
        ]
        title = rng.choice(_TITLES)
        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="form",
                    controls=(Control(name="title", kind=Kind.HEADING, text=title), *rows),
                    bar=(
                        Control(name="submit", kind=Kind.BUTTON, text=rng.choice(("Create", "Send", "Register"))),
                        Control(name="reset", kind=Kind.BUTTON, text="Clear"),
                    ),
                ),
            ),
            look=look_of(rng),
        )

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
