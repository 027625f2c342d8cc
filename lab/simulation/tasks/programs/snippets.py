"""People at the checker: an error that stays whatever they change, since they change the line that it names."""

from collections.abc import Sequence
from functools import partial

from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.apps.snippets import MISTAKES, PROGRAM, Snippets
from lab.simulation.tasks.programs.app_program import AppProgram, Toolkit
from lab.simulation.tasks.task import Answer, Task, Way

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
