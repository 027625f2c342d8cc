"""A checker of short programs: the same error comes back until its one cause is mended.

Four kinds of mistake; the message names a line near the cause and never the cause itself, as compilers do.
"""

import random
import re
from collections.abc import Sequence

from lab.simulation.apps.app_program import AppProgram, Toolkit
from lab.simulation.apps.model import Effect, Event, Op, described
from lab.simulation.simulated_user import SimulatedUser

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
        self.succeeded = self.refused = 0
        self.description = described("snippets", rng, program="\n".join(PROGRAM))

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


_ENDINGS = ("  # sum", " ", "  # check", "  # new")


class SnippetsProgram(AppProgram):
    """The checker in a toolkit."""

    app = "snippets"
    made = Snippets
    controls = ("script", "messages", "strict", "trace", "check", "tidy")

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        super().__init__(user, toolkit)
        self._added: dict[int, str] = {}
        """What was added at the end of a line, so that it can be taken out again."""
        self._mistake: str | None = None
        """The mistake that is in the script."""

    def work(self) -> None:
        """Write a line at the end, and mostly check; mend first what was left broken."""
        if self._mistake is not None:
            self._mend(self._mistake)
        self._write_and_check()

    def look_over(self) -> None:
        """Turn the wheel over the script."""
        self.desk.hands.move(*self.desk.point("script"))
        self.desk.hands.scroll(self.rng.choice((-2, 2)))

    def _go_to(self, line: int) -> None:
        """Put the caret at the end of a line of the script."""
        self.desk.hands.click(*self.desk.point("script"))
        self.desk.hands.chord("ctrl+Home")
        self.desk.hands.repeat("Down", line, gap_s=0.08)
        self.desk.hands.chord("End")

    def _set_line(self, line: int, text: str) -> None:
        self._go_to(line)
        self.desk.hands.chord("Home")
        self.desk.hands.chord("Home")
        self.desk.hands.chord("shift+End")
        self.user.write(text, rate=max(6.0, self.user.rate))

    def _break(self, mistake: str) -> None:
        if self._mistake is not None and self._mistake != mistake:
            self._mend(self._mistake)
        line, text = MISTAKES[mistake]
        self._set_line(line, text)
        self._mistake = mistake
        self.desk.press("check")

    def _mend(self, mistake: str) -> None:
        line, _ = MISTAKES[mistake]
        before = self.logic.succeeded
        self._set_line(line, PROGRAM[line])
        self._mistake = None
        self.desk.press("check")
        self.expect_success(before, "the script still has an error")

    def _edit_named_line(self, number: int) -> None:
        """Change something harmless on a line near the one that the message names, and check."""
        line, ending = 3 + number % 2, self.rng.choice(_ENDINGS)
        self._go_to(line)
        self.desk.hands.repeat("BackSpace", len(self._added.get(line, "")), gap_s=0.05)
        self.user.write(ending)
        self._added[line] = ending
        self.desk.press("check")

    def _check_again(self, _number: int) -> None:
        self.desk.press("check")

    def _tidy_and_check(self, _number: int) -> None:
        self.desk.press("tidy")
        self._added = {line: ending.rstrip() for line, ending in self._added.items()}
        self.desk.press("check")

    def _option_and_check(self, _number: int) -> None:
        self._push(self.rng.choice(("strict", "trace")))
        self.desk.press("check")

    def _write_and_check(self) -> None:
        self._go_to(len(PROGRAM) + 20)
        self.desk.hands.chord("Return")
        self.user.write(f"report(total + {self.rng.randint(2, 90)})")
        if self.user.chance(0.6):
            self.desk.press("check")
