"""A checker of short programs: the same error comes back until its one cause is mended.

Four kinds of mistake; the message names a line near the cause and never the cause itself, as compilers do.
"""

import random
import re
from collections.abc import Sequence

from lab.simulation.tasks.apps.model import AppDescription, Control, Effect, Event, Kind, Op, Page, look_of

PROGRAM = (
    "total = 0",
    "for item in basket:",
    "    price = item.price",
    "    total = total + price",
    "    if price > 100:",
    "        warn(item)",
    "report(total)",
)
MISTAKES = {
    "colon": (1, "for item in basket"),
    "bracket": (5, "        warn(item"),
    "name": (2, "    prise = item.price"),
    "quote": (6, 'report("total)'),
}
"""Name -> (number of the line from 0, the line with the mistake)."""


class Snippets:
    """One page: a text, a check, and a list of messages."""

    def __init__(self, rng: random.Random) -> None:
        """Draw title and look."""
        self.succeeded = self.refused = 0
        title = rng.choice(("Rule checker", "Script editor", "Formula sheet", "Recipe for reports"))
        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="edit",
                    controls=(
                        Control(name="title", kind=Kind.HEADING, text=title),
                        Control(name="script", kind=Kind.TEXT, text="Script", value="\n".join(PROGRAM)),
                        Control(name="messages", kind=Kind.LIST, text="Messages"),
                        Control(name="strict", kind=Kind.CHECK, text="Strict"),
                        Control(name="trace", kind=Kind.CHECK, text="Show every step"),
                    ),
                    bar=(
                        Control(name="check", kind=Kind.BUTTON, text=rng.choice(("Check", "Run", "Build"))),
                        Control(name="tidy", kind=Kind.BUTTON, text="Tidy up"),
                    ),
                ),
            ),
            look=look_of(rng),
        )

    def handle(self, event: Event) -> Sequence[Effect]:
        """Check the text; tidying up only removes blank ends."""
        script = event.values.get("script", "")
        if event.control == "tidy":
            return [Effect(op=Op.SET, control="script", text="\n".join(line.rstrip() for line in script.split("\n")))]
        if event.control != "check":
            return []
        message = _message(script.split("\n"))
        if message is None:
            self.succeeded += 1
            rows: tuple[str, ...] = (f"no errors, run {self.succeeded}",)
        else:
            self.refused += 1
            rows = (message, "1 error")
        if event.values.get("trace") == "on":
            rows = ("reading the script", *rows)
        return [Effect(op=Op.ROWS, control="messages", rows=rows), Effect(op=Op.STATUS, text=rows[-1])]


def _message(lines: Sequence[str]) -> str | None:
    """Return the message about the first mistake in a script, or None; what follows a # is a remark."""
    lines = [line.partition("#")[0].rstrip() for line in lines]
    for number, line in enumerate(lines, start=1):
        if re.match(r"\s*(for|if)\b", line) and not line.endswith(":"):
            return f"line {number + 1}: unexpected indentation"
        if line.count("(") != line.count(")"):
            return f"line {number + 1}: syntax error"
        if line.count('"') % 2:
            return f"line {number}: text does not end"
    text = "\n".join(lines)
    if "price" in re.sub(r"\.price", "", text) and not re.search(r"^\s*price =", text, re.MULTILINE):
        return f"line {next(n for n, one in enumerate(lines, 1) if 'price' in one.replace('.price', ''))}: unknown name"
    return None
