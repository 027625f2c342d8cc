"""Scenes in programs of the demo: its ways of getting stuck and its fluent work, and quieter ones."""

from collections.abc import Mapping, Sequence

from demo.acts import Act, Step
from demo.programs import ScriptedWork
from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop

_FORMULAS = ["=SUMM(B2:D2)", "=SUMME(B2:D2)", "=ADD(B2:D2)"]


class DemoScenes:
    """Scenes in a program of the demo: `calm` are its tasks by the kind of scene, or steps of their own."""

    def __init__(
        self,
        user: DemoUser,
        work: ScriptedWork,
        *,
        calm: Mapping[str, str | Sequence[Step]],
        in_vain: Mapping[str, Sequence[Step]] | None = None,
    ) -> None:
        self._user, self.work, self._acts = user, work, work.acts
        self._acts.lists["formulas"] = list(_FORMULAS)
        self.in_vain: Mapping[str, Act] = {
            **{kind: self._attempt(kind) for kind in work.stuck_kinds},
            **{kind: self._steps(steps) for kind, steps in (in_vain or {}).items()},
        }
        self.calm: Mapping[str, Act] = {
            kind: self._acts.act(what) if isinstance(what, str) else self._steps(what) for kind, what in calm.items()
        }

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the program."""
        self.work.open(desktop)

    def begin(self, seconds: float) -> None:
        """Do the demo's fluent work."""
        self._user.work(self.work, seconds=seconds)

    def _attempt(self, kind: str) -> Act:
        def act() -> None:
            self.work.attempt(kind)

        return act

    def _steps(self, steps: Sequence[Step]) -> Act:
        return lambda: self._acts.run(steps)


MOUSEPAD: Mapping[str, str | Sequence[Step]] = {
    "many_jumps": (
        *("press ctrl+l", "dialog Go To", "press ctrl+a", "text {1-6}\n", "gone Go To"),
        *("press End", "type  {item}", "read 1.0-2.5"),
    ),
    "undo_once_each": ("type {item}", "press ctrl+z 1", "type  {sentence}\n", "read 0.8-2.0"),
    "fluent_text": ("type {sentence}\n",),
    "many_replaced": "replace a word",
    "many_duplicated": "menu",
}
SHOP = {"many_orders": "order", "many_articles": "find an article", "many_fields_corrected": "correct a field"}
WRITER: Mapping[str, Sequence[Step]] = {
    "many_bold_words": (
        *("type {sentence}", "press Home", "press ctrl+shift+Right", "press ctrl+b", "press End", "press Return"),
        "read 0.8-2.0",
    ),
    "reading_and_writing": ("read 4.0-9.0", "type {sentence}\n"),
}
WRITER_IN_VAIN: Mapping[str, Sequence[Step]] = {
    "indent_in_vain": (
        "press Home",
        {"any": [[f"press {key} 3", "read 1.5-3.5", "press BackSpace 3"] for key in ("Tab", "space")]},
        "read 1.0-2.0",
    )
}
"""Tries to bring a line to a place with tabs and blanks, looks, and takes it back: calmly, without undo."""

CALC = {"many_formats": "dialog", "many_corrections": "correct a value", "fluent_rows": "rows"}
CALC_IN_VAIN: Mapping[str, Sequence[Step]] = {
    "formula_error": (
        *("press ctrl+Home", "press Right 5 every 0.15", "press Down", "text {next formulas}\n", "read 2.0-4.5"),
        {"chance": 0.3, "steps": ["press Up", "press Delete", "text {figure}\n"]},
    )
}
"""Types a formula that is none, sees the error, tries the next one, and the first again."""
