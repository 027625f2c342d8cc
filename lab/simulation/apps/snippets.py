"""A checker of short programs: the same error comes back until its one cause is mended.

Four kinds of mistake; the message names a line near the cause and never the cause itself, as compilers do.
"""

import random
import re
from collections.abc import Sequence
from functools import partial

from lab.simulation.apps.app_program import AppProgram, Toolkit
from lab.simulation.apps.model import AppDescription, Control, Effect, Event, Kind, Op, Page, look_of
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, Way

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


_ENDINGS = ("  # sum", " ", "  # check", "  # new")


class SnippetsProgram(AppProgram):
    """The checker in a toolkit."""

    controls = ("script", "messages", "strict", "trace", "check", "tidy")

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        """Let `user` write a script."""
        super().__init__(user, toolkit, Snippets)
        self.name = f"snippets-{toolkit}"
        self._added: dict[int, str] = {}
        """What was added at the end of a line, so that it can be taken out again."""
        self._mistake: str | None = None
        """The mistake that is in the script."""

    def make_tasks(self) -> Sequence[Task]:
        """Return one task for each kind of mistake."""
        return tuple(
            Task(
                name=mistake,
                intent="get the script to run",
                help="the mistake is on the line before the one that the message names",
                begin=partial(self._break, mistake),
                succeed=partial(self._mend, mistake),
                leave=partial(self._mend, mistake),
                again=self._write_and_check,
                options=(partial(self._tick, "strict"), partial(self._tick, "trace")),
                wrong=(
                    Way(name="line", act=self._edit_named_line, answer=Answer.ERROR, systematic=True),
                    Way(name="again", act=self._check_again, answer=Answer.ERROR),
                    Way(name="tidy", act=self._tidy_and_check, answer=Answer.ERROR),
                    Way(name="options", act=self._option_and_check, answer=Answer.ERROR),
                ),
            )
            for mistake in MISTAKES
        )

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
        self._tick(self.rng.choice(("strict", "trace")))
        self.desk.press("check")

    def _tick(self, name: str) -> None:
        self.desk.press(name)

    def _write_and_check(self) -> None:
        self._go_to(len(PROGRAM) + 20)
        self.desk.hands.chord("Return")
        self.user.write(f"report(total + {self.rng.randint(2, 90)})")
        if self.user.chance(0.6):
            self.desk.press("check")
