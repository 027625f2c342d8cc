"""The tasks: what is wanted, the page that says how, and how it is known that it was reached."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from storage.ports import HelpPage, HelpStep


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopTask:
    """One task.

    Attributes:
        name: what is asked, and the title of the page.
        program: which program it is done in.
        path: the way to the command, where the page is one of a command.
        steps: the steps of any other page.
        own: what the person does at a step without controls, by its number: keys, or words to type.
        saved: what matches the saved document once it is reached, and does not before.
        window: the title of the dialog that is wanted.
        setting: group, key and value in the program's settings.
    """

    name: str
    program: str
    path: Sequence[str] = ()
    steps: Sequence[HelpStep] = ()
    own: Mapping[str, Sequence[str]] = field(default_factory=dict)
    saved: str = ""
    window: str = ""
    setting: Sequence[str] = ()

    def page(self, app: str) -> HelpPage:
        """Return the page that the card shows; `app` is the program as records name it."""
        steps = tuple(self.steps) or (HelpStep(text=f"Choose {' > '.join(self.path)}.", controls=tuple(self.path)),)
        return HelpPage(page_id=f"loop/{self.name}", title=self.name, steps=steps, source="Tasks", app=app)


TASKS: Sequence[LoopTask] = msgspec.convert(
    tomllib.loads((Path(__file__).parent / "data" / "tasks.toml").read_text(encoding="utf-8"))["task"], list[LoopTask]
)
