"""Scenes in Calc: the demo's ways of getting stuck, a formula that stays an error, and many successes."""

from evaluation.benchmarks.scenes.programs.editors import DemoScenes
from evaluation.demo.calc import CalcWork
from evaluation.demo.user import DemoUser
from evaluation.stage.sample_text import figure


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
