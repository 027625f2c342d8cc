"""Settings with a preview: two of the switches do nothing until another one, further down, is on."""

import random
from collections.abc import Sequence

from lab.simulation.tasks.apps.model import AppDescription, Control, Effect, Event, Kind, Op, Page, look_of

THEMES = ("Plain", "Paper", "Night", "Contrast", "Garden")
SWITCHES = ("large", "wide", "bold", "advanced")


class SettingsApp:
    """Two pages; what the preview says is what is in force."""

    def __init__(self, rng: random.Random) -> None:
        """Draw title and look."""
        self.succeeded = self.refused = 0
        title = rng.choice(("Settings", "Preferences", "Options", "Appearance"))
        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="main",
                    controls=(
                        Control(name="title", kind=Kind.HEADING, text=title),
                        Control(name="theme", kind=Kind.CHOICE, text="Theme", rows=THEMES, value=THEMES[0]),
                        Control(name="large", kind=Kind.CHECK, text="Large letters"),
                        Control(name="wide", kind=Kind.CHECK, text="Wide spacing"),
                        Control(name="bold", kind=Kind.CHECK, text="Bold titles"),
                        Control(name="preview", kind=Kind.LABEL, text=f"Preview: {THEMES[0]}"),
                    ),
                    bar=(
                        Control(name="apply", kind=Kind.BUTTON, text="Apply"),
                        Control(name="more", kind=Kind.LINK, text="More"),
                    ),
                ),
                Page(
                    name="more_page",
                    controls=(
                        Control(name="more_title", kind=Kind.HEADING, text="More settings"),
                        Control(name="advanced", kind=Kind.CHECK, text="Use own layout"),
                        Control(name="sounds", kind=Kind.CHECK, text="Sounds"),
                        Control(name="label", kind=Kind.ENTRY, text="Name of the profile", value="Default"),
                    ),
                    bar=(Control(name="less", kind=Kind.BUTTON, text="Back"),),
                ),
            ),
            look=look_of(rng),
        )
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
