"""SpeedCrunch, a calculator: expressions with words or signs that it does not know stay where they were typed."""

from collections.abc import Callable, Sequence
from functools import partial

from demo.virtual_desktop.desktop import VirtualDesktop
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.tasks.task import Answer, Task, Way, repeated, varied

_SUMS = ("{a}+{b}*{c}", "({a}-{b})/{c}", "{a}*{b}", "sqrt({a})+{b}", "{a}/{b}", "{a}^2-{c}")


class SpeedcrunchProgram(DebianProgram):
    """A line to type into, and the results above it."""

    name = "speedcrunch"
    packages = "speedcrunch"
    margins = (12, 40, 30, 110)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it and work out a few things."""
        folder = desktop.directory / "home" / ".config" / "SpeedCrunch"
        folder.mkdir(parents=True)
        (folder / "SpeedCrunch.ini").write_text("[SpeedCrunch]\nGeneral\\Language=en_GB\n")
        self.start(desktop, ["speedcrunch"], env={"XDG_CONFIG_HOME": str(folder.parent)}, largest=(900, 760))
        self.hands.wait(0.8)
        for _ in range(3):
            self._enter(self._some_sum())

    def settle(self) -> None:
        """Come to the front with an empty line."""
        super().settle()
        self._clear()

    def make_tasks(self) -> Sequence[Task]:
        """Return a mean, a share and an angle, each with names that other calculators have."""
        a, b, c = (self.rng.randint(11, 99) for _ in range(3))
        return (
            self._task(
                "mean",
                "the mean of three values",
                "the function is called average",
                right=f"average({a};{b};{c})",
                wrong=tuple(f"{word}({a};{b};{c})" for word in ("mean", "avg", "AVG", "avrg", "means")),
            ),
            self._task(
                "share",
                "which part of the costs that is",
                "divide the part by the whole",
                right=f"{a}/{a + b}*100",
                wrong=(f"{a} of {a + b}", f"{a}%of {a + b}", f"percent({a};{a + b})", f"{a} out of {a + b}"),
            ),
            self._task(
                "length",
                "how many miles that is",
                "it does not know these units by such words; multiply",
                right=f"{a}*0.6214",
                wrong=(f"{a} km to miles", f"{a} kms in miles", f"{a} km as mi", f"miles({a} km)", f"convert({a};mi)"),
            ),
        )

    def work(self) -> None:
        """Work out one or two sums."""
        for _ in range(self.rng.randint(1, 2)):
            self._enter(self._some_sum())
            self.user.think(0.5)

    def _task(self, name: str, intent: str, help_: str, *, right: str, wrong: Sequence[str]) -> Task:
        return Task(
            name=name,
            intent=intent,
            help=help_,
            begin=self._clear,
            succeed=partial(self._enter, right),
            leave=self._clear,
            again=lambda: self._enter(self._some_sum()),
            options=self._options(),
            wrong=(
                repeated(self._enter, wrong[0], Answer.ERROR),
                varied(self._correct, wrong[1:], Answer.ERROR),
                Way(name="enter", act=partial(self._press_again, wrong[0]), answer=Answer.ERROR),
            ),
        )

    def _options(self) -> Sequence[Callable[[], None]]:
        """Return how the same value looks in other notations."""
        return tuple(partial(self.hands.chord, keys) for keys in ("F8", "F7", "F6"))

    def _some_sum(self) -> str:
        a, b, c = (self.rng.randint(2, 999) for _ in range(3))
        return self.rng.choice(_SUMS).format(a=a, b=b, c=c)

    def _clear(self) -> None:
        self.hands.chord("ctrl+a")
        self.hands.chord("BackSpace")

    def _enter(self, expression: str) -> None:
        self.replace(expression)
        self.hands.chord("Return")
        self.hands.wait(0.3)

    def _correct(self, expression: str) -> None:
        """Enter another spelling, and look at the message."""
        self._enter(expression)
        self.user.think(0.5)

    def _press_again(self, expression: str, number: int) -> None:
        if number == 0:
            self._enter(expression)
        else:
            self.hands.repeat("Return", self.user.count(1, 3))
