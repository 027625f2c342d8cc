"""Scenes in Calc (the demo's ways of getting stuck, and more) and in Calligra Sheets: formulas that stay errors."""

from demo.calc import CalcWork
from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import figure, item
from lab.benchmarks.scenes.programs.editors import DemoScenes
from lab.benchmarks.scenes.programs.window import WindowScenes


class CalcScenes(DemoScenes):
    """A budget in Calc."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        calc = CalcWork(user)
        super().__init__(user, calc)
        self._calc = calc
        self._formulas = ["=SUMM(B2:D2)", "=SUMME(B2:D2)", "=ADD(B2:D2)"]
        self.in_vain = {**self.in_vain, "formula_error": self._formula_error}
        self.calm = {
            "many_formats": self.task("dialog"),
            "many_corrections": self.task("correct a value"),
            "fluent_rows": self.task("rows"),
        }

    def _formula_error(self) -> None:
        """Type a formula that is none, see the error, try the next one, and the first again."""
        self._hands.chord("ctrl+Home")
        self._hands.repeat("Right", 5, gap_s=0.15)
        self._hands.chord("Down")
        self._formulas = [*self._formulas[1:], self._formulas[0]]
        self._hands.text(f"{self._formulas[0]}\n", rate=self._user.rate)
        self._user.read(2.0, 4.5)
        if self._user.chance(0.3):
            self._hands.chord("Up")
            self._hands.chord("Delete")
            self._hands.text(f"{figure(self._rng)}\n")


class SheetsScenes(WindowScenes):
    """A budget in Calligra Sheets, worked on by the keyboard alone."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user)
        self._row = 0
        self._formulas = ["=SUMM(B2:D2)", "=SUMME(B2:D2)", "=ADD(B2:D2)"]
        self._values = ["0.15", "15"]
        self.in_vain = {"formula_error": self._formula_error, "value_to_and_fro": self._change_to_and_fro}
        self.calm = {"fluent_rows": self._write_row, "many_corrections": self._correct}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a table of a few rows."""
        path = desktop.directory / "home" / "budget.csv"
        path.write_text("Item,First,Second,Third\n")
        desktop.spawn(["calligrasheets", path.name], "calligrasheets", cwd=path.parent)
        desktop.windows.wait(title="Import Data", timeout_s=60)
        self._hands.wait(1.0)
        self._hands.chord("Return")
        desktop.windows.wait_gone(title="Import Data")
        self.place(desktop, desktop.windows.wait(title=path.name), None)

    def begin(self, seconds: float) -> None:
        """Write rows."""
        self.fluent(seconds, self._write_row)

    def _go(self, column: int, row: int) -> None:
        self._hands.chord("ctrl+Home")
        self._hands.repeat("Down", row, gap_s=0.12)
        self._hands.repeat("Right", column, gap_s=0.12)

    def _write_row(self) -> None:
        self._row = self._row % 14 + 1
        self._go(0, self._row)
        self._user.write(item(self._rng))
        for _ in range(3):
            self._hands.chord("Tab")
            self._hands.text(figure(self._rng), rate=self._user.rate)
        self._hands.chord("Return")
        self._user.read(0.5, 1.5)

    def _correct(self) -> None:
        """Look at a row, and enter another value in it."""
        self._go(self._rng.randint(1, 3), self._rng.randint(1, max(2, self._row)))
        self._user.read(1.0, 2.5)
        self._hands.text(f"{figure(self._rng)}\n", rate=self._user.rate)
        self._user.read(0.5, 1.5)

    def _formula_error(self) -> None:
        """Type a formula that is none, see the error, try the next one."""
        self._go(5, 1)
        self._formulas = [*self._formulas[1:], self._formulas[0]]
        self._hands.text(f"{self._formulas[0]}\n", rate=self._user.rate)
        self._user.read(2.0, 4.5)

    def _change_to_and_fro(self) -> None:
        """Change a value, look, and change it back."""
        for _ in range(2):
            self._values.reverse()
            self._go(2, 1)
            self._hands.text(f"{self._values[0]}\n", rate=self._user.rate)
            self._user.read(1.5, 3.0)
