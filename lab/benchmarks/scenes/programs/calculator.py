"""Scenes in calculators: an expression that is malformed, a result that is doubted, and many sums."""

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from lab.benchmarks.scenes.programs.window import WindowScenes


class CalculatorScenes(WindowScenes):
    """Sums of a household."""

    def __init__(self, user: DemoUser, command: str, app: str) -> None:
        """Let `user` play them in the calculator that a command starts."""
        super().__init__(user)
        self._command, self._app = command, app
        price = self._rng.randint(20, 90)
        self._percents = [f"{price}*(1+19%", f"{price}+19%%", f"{price}x(19%"]
        self._doubted = f"{price}*12/7"
        self.in_vain = {"malformed": self._malformed, "result_doubted": self._doubt}
        self.calm = {"many_sums": self._add, "long_sum": self._go_on}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it."""
        self.start(desktop, [self._command], self._app)

    def begin(self, seconds: float) -> None:
        """Add up some sums."""
        self.fluent(seconds, self._add)

    def _malformed(self) -> None:
        """Type what it does not understand, read that, clear it and spell it otherwise."""
        self._percents = [*self._percents[1:], self._percents[0]]
        self._hands.chord("Escape")
        self._user.write(self._percents[0])
        self._hands.chord("Return")
        self._user.read(2.0, 5.0)

    def _doubt(self) -> None:
        """Type the same again, since the result cannot be right; it is the same."""
        self._hands.chord("Escape")
        self._user.write(self._doubted)
        self._hands.chord("Return")
        self._user.read(2.5, 5.0)

    def _add(self) -> None:
        """Another sum each time."""
        self._hands.chord("Escape")
        terms = [str(self._rng.randint(3, 400)) for _ in range(self._rng.randint(2, 4))]
        self._user.write(self._rng.choice("+-*").join(terms))
        self._hands.chord("Return")
        self._user.read(1.0, 3.0)

    def _go_on(self) -> None:
        """Go on from the result before."""
        self._user.write(f"{self._rng.choice('+-')}{self._rng.randint(3, 400)}")
        self._hands.chord("Return")
        self._user.read(0.8, 2.0)
