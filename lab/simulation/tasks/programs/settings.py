"""People at the settings: a switch that does nothing by itself, tried over and over, and themes that are compared."""

from collections.abc import Sequence
from functools import partial

from demo.virtual_desktop.sample_text import item
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.apps.settings import SettingsApp
from lab.simulation.tasks.programs.app_program import AppProgram, Toolkit
from lab.simulation.tasks.task import Answer, Task, Way


class SettingsProgram(AppProgram):
    """The settings in a toolkit."""

    controls = ("theme", "large", "wide", "bold", "preview", "apply", "more", "advanced", "sounds", "label", "less")
    logic: SettingsApp

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        """Let `user` set things."""
        super().__init__(user, toolkit, SettingsApp)
        self.name = f"settings-{toolkit}"
        self._on = {"large": False, "wide": False, "bold": False, "advanced": False}

    def make_tasks(self) -> Sequence[Task]:
        """Return the two switches that do nothing yet."""
        return tuple(
            Task(
                name=switch,
                intent="make the text easier to read",
                help='turn on "Use own layout" under More first',
                begin=partial(self._begin, switch),
                succeed=partial(self._succeed, switch),
                leave=self._to_main,
                again=self._other_theme,
                options=tuple(partial(self.desk.choose, "theme", step) for step in (1, 1, -1, 1, -1)),
                wrong=(
                    Way(name="toggle", act=partial(self._toggle, switch), answer=Answer.NOTHING),
                    Way(name="apply", act=self._apply, answer=Answer.NOTHING),
                    Way(name="others", act=self._others, answer=Answer.OTHER, systematic=True, take_back=self._back),
                    Way(name="theme", act=self._theme, answer=Answer.OTHER, take_back=self._other_theme),
                ),
            )
            for switch in ("large", "wide")
        )

    def work(self) -> None:
        """Set a theme, bold titles or the profile's name, each with an effect."""
        if self.user.chance(0.4):
            self._to_more()
            self.desk.fill("label", item(self.rng))
            self.desk.hands.chord("Return")
            return
        self._to_main()
        if self.user.chance(0.5):
            self._other_theme()
        else:
            self._press("bold")
            self.desk.press("apply")

    def look_over(self) -> None:
        """Look at the other page."""
        if self.logic.page == "main":
            self._to_more()
        else:
            self._to_main()

    def _press(self, switch: str) -> None:
        self.desk.press(switch)
        self._on[switch] = not self._on[switch]

    def _to_more(self) -> None:
        if self.logic.page == "main":
            self.desk.press("more")
        self.desk.box("advanced")

    def _to_main(self) -> None:
        if self.logic.page != "main":
            self.desk.press("less")
        self.desk.box("theme")

    def _begin(self, switch: str) -> None:
        if self._on["advanced"]:
            self._to_more()
            self._press("advanced")
        self._to_main()
        if not self._on[switch]:
            self._press(switch)
        self.desk.press("apply")

    def _toggle(self, switch: str, _number: int) -> None:
        """Turn it off and on again, and apply: it ought to have an effect now."""
        self._to_main()
        if self._on[switch]:
            self._press(switch)
            self.user.think(0.5)
        self._press(switch)
        self.desk.press("apply")

    def _apply(self, _number: int) -> None:
        self._to_main()
        for _ in range(self.user.count(1, 2)):
            self.desk.press("apply")

    def _others(self, _number: int) -> None:
        self._to_main()
        self._press("bold")
        self.desk.press("apply")

    def _back(self) -> None:
        self._press("bold")
        self.desk.press("apply")

    def _theme(self, _number: int) -> None:
        self._to_main()
        self.desk.choose("theme", self.rng.choice((1, 2)))

    def _other_theme(self) -> None:
        self._to_main()
        self.desk.choose("theme", self.rng.choice((-2, -1, 1)))

    def _succeed(self, switch: str) -> None:
        if not self._on["advanced"]:
            self._to_more()
            self._press("advanced")
        self._to_main()
        if not self._on[switch]:
            self._press(switch)
        before = self.logic.succeeded
        self.desk.press("apply")
        self.expect_success(before, "the setting had no effect")
