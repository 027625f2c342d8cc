"""A set-up in four steps: the third refuses to go on until a choice of the first is another."""

import random
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

PAGES = ("kind", "folder", "parts", "ready")
KINDS = ("Quick", "Complete", "Custom")


class Wizard:
    """Next and Back, and one condition between two pages that nothing explains."""

    def __init__(self, rng: random.Random) -> None:
        """Draw title, look and how a refusal is said."""
        self.succeeded = self.refused = 0
        self.page = 0
        self._refusals = Refusals(rng)
        self._needed = rng.choice(KINDS[1:])
        title = rng.choice(("Set-up", "New project", "Import of photos", "Backup plan"))

        def bar(number: int) -> tuple[Control, ...]:
            return (
                Control(name=f"back_{number}", kind=Kind.BUTTON, text="Back"),
                Control(name=f"next_{number}", kind=Kind.BUTTON, text="Finish" if number == 3 else "Next"),  # noqa: PLR2004  # the last page
            )

        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="kind",
                    controls=(
                        Control(name="t0", kind=Kind.HEADING, text=f"{title}: kind"),
                        Control(name="kind", kind=Kind.CHOICE, text="Kind", rows=KINDS, value=KINDS[0]),
                        Control(name="hint", kind=Kind.LABEL, text="You can change this later."),
                    ),
                    bar=bar(0),
                ),
                Page(
                    name="folder",
                    controls=(
                        Control(name="t1", kind=Kind.HEADING, text=f"{title}: name"),
                        Control(name="label", kind=Kind.ENTRY, text="Name", value="Plan 1"),
                        Control(name="hidden", kind=Kind.CHECK, text="Hidden"),
                    ),
                    bar=bar(1),
                ),
                Page(
                    name="parts",
                    controls=(
                        Control(name="t2", kind=Kind.HEADING, text=f"{title}: parts"),
                        Control(name="docs", kind=Kind.CHECK, text="Documents", value="on"),
                        Control(name="pictures", kind=Kind.CHECK, text="Pictures"),
                        Control(name="mail", kind=Kind.CHECK, text="Mail"),
                    ),
                    bar=bar(2),
                ),
                Page(
                    name="ready",
                    controls=(
                        Control(name="t3", kind=Kind.HEADING, text=f"{title}: ready"),
                        Control(name="summary", kind=Kind.LABEL, text="Everything is chosen."),
                        Control(name="open", kind=Kind.CHECK, text="Open it afterwards"),
                    ),
                    bar=bar(3),
                ),
            ),
            look=look_of(rng),
        )

    @property
    def needed(self) -> int:
        """The number of the kind that lets one pass."""
        return KINDS.index(self._needed)

    def handle(self, event: Event) -> Sequence[Effect]:
        """Go on or back; the third page lets pass only one kind."""
        name, _, _ = event.control.partition("_")
        if name == "back":
            self.page = max(0, self.page - 1)
            return [Effect(op=Op.PAGE, control=PAGES[self.page])]
        if name != "next":
            return []
        if self.page == 2 and event.values.get("kind") != self._needed:  # noqa: PLR2004  # the third page
            self.refused += 1
            return [self._refusals.say("docs", "These parts are not available")]
        done = self.page == len(PAGES) - 1
        self.page = 0 if done else self.page + 1
        self.succeeded += done
        status = f"Done: {self.succeeded}" if done else ""
        return [
            *self._refusals.clear(("docs",)),
            Effect(op=Op.PAGE, control=PAGES[self.page]),
            Effect(op=Op.STATUS, text=status),
        ]
