"""Settings with a preview: two of the switches do nothing until another one, further down, is on."""

import random
from collections.abc import Sequence

from demo.virtual_desktop.sample_text import item
from lab.simulation.apps.app_program import AppProgram, Toolkit
from lab.simulation.apps.model import Effect, Event, Op, described
from lab.simulation.simulated_user import SimulatedUser

THEMES = 5
"""Entries of the list of themes in the application's file."""


class SettingsApp:
    """Two pages; what the preview says is what is in force."""

    def __init__(self, rng: random.Random) -> None:
        self.succeeded = self.refused = 0
        self.description = described("settings", rng)
        self.page = "main"

    def handle(self, event: Event) -> Sequence[Effect]:
        """Apply: large letters and wide spacing count only with an own layout; bold titles always."""
        if event.control in {"more", "less"}:
            self.page = "more_page" if event.control == "more" else "main"
            return [Effect(op=Op.PAGE, control=self.page)]
        if event.control == "label":
            return [Effect(op=Op.STATUS, text=f"Profile {event.values['label'][:20]}")]
        if event.control not in {"apply", "theme"}:
            return []
        values = event.values
        parts = [values.get("theme", "")]
        own = values.get("advanced") == "on"
        parts += [name for name in ("large", "wide") if values.get(name) == "on" and own]
        parts += ["bold"] if values.get("bold") == "on" else []
        if event.control == "apply":
            wanted = any(values.get(name) == "on" for name in ("large", "wide"))
            self.succeeded += own or not wanted
            self.refused += wanted and not own
        return [Effect(op=Op.SET, control="preview", text=f"Preview: {', '.join(parts)}")]


class SettingsProgram(AppProgram):
    """The settings in a toolkit."""

    app = "settings"
    made = SettingsApp
    controls = ("theme", "large", "wide", "bold", "preview", "apply", "more", "advanced", "sounds", "label", "less")
    logic: SettingsApp

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        super().__init__(user, toolkit)
        self._on = {"large": False, "wide": False, "bold": False, "advanced": False}
        self._theme_at = 0

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

    def _without_layout(self, switch: str) -> None:
        """Let a switch be on and the own layout off, so that applying it has no effect."""
        if self._on["advanced"]:
            self._to_more()
            self._press("advanced")
        self._to_main()
        if not self._on[switch]:
            self._press(switch)

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
        self._choose_theme(self.rng.choice((1, 2)))

    def _other_theme(self) -> None:
        self._choose_theme(self.rng.choice((-2, -1, 1)))

    def _choose_theme(self, steps: int | str) -> None:
        """Choose a theme some entries away; the other way where the list ends before it."""
        self._to_main()
        steps = int(steps)
        if not 0 <= self._theme_at + steps < THEMES:
            steps = -steps
        self.desk.choose("theme", steps)
        self._theme_at += steps

    def _succeed(self, switch: str) -> None:
        """Turn the own layout on and the switch with it; with both on already, the switch off: it shows each time."""
        has_layout = self._on["advanced"]
        if not has_layout:
            self._to_more()
            self._press("advanced")
        self._to_main()
        if has_layout or not self._on[switch]:
            self._press(switch)
        before = self.logic.succeeded
        self.desk.press("apply")
        self.expect_success(before, "the setting had no effect")
