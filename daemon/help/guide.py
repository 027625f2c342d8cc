"""Follows a person through the steps of a page: which control comes next, and when a step is done. Pure.

What a step that toggles is to bring about is read from what somebody asked, then from the words of the page: "turn off"
or "hide" means unset, "show" or "freeze" means set. The name of the control itself says nothing: "Show Ruler" hides it
too. Without such words it is the other state than at the beginning, once.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from daemon.help.grounding import LEAST, likeness, plain_name
from storage.ports import HelpPage, HelpStep
from storage.records import ControlRole, ControlState, Element, KeyClass

AHEAD = 2
"""How many steps with controls an act still counts for: somebody may know a step, or a shorter way."""

_UNSET = re.compile(
    r"\b(?:(?:turn|switch)(?:ing)? off|disabl(?:e|ing)|deactivat(?:e|ing)|hid(?:e|ing)|unfreez(?:e|ing))\b"
    r"|\b(?:unlock|untick|uncheck|unmark|clear|deselect)\b"
    r"|\b(?:ausschalten|deaktivieren|ausblenden|abwählen)\b",
    re.IGNORECASE,
)
_SET = re.compile(
    r"\b(?:(?:turn|switch)(?:ing)? on|enabl(?:e|ing)|activat(?:e|ing)|show(?:ing)?|freez(?:e|ing)|lock(?:ing)?)\b"
    r"|\b(?:tick|check|mark)\b"
    r"|\b(?:einschalten|aktivieren|einblenden|anzeigen|fixieren)\b",
    re.IGNORECASE,
)
_SWITCHES = frozenset({ControlRole.MENU_ITEM, ControlRole.TOGGLE, ControlRole.CHECK_BOX, ControlRole.RADIO_BUTTON})
_KEYS = {
    KeyClass.UNDO: ("undo", "rückgängig"),
    KeyClass.REDO: ("redo", "wiederholen", "wiederherstellen"),
    KeyClass.COPY: ("copy", "kopieren"),
    KeyClass.CUT: ("cut", "ausschneiden"),
    KeyClass.PASTE: ("paste", "einfügen"),
    KeyClass.SAVE: ("save", "speichern"),
    KeyClass.SELECT_ALL: ("select all", "alles auswählen", "alle auswählen"),
}
"""What the commands are called that a class of keys stands for, in the languages of the interface."""


class Guide:
    """Where somebody is in a page. A step without controls is theirs: nobody can point at what is done there."""

    def __init__(self, page: HelpPage, missing: Collection[int] = (), asked: str = "") -> None:
        """Begin at the first step that is not `missing`: theirs are not there. Without controls nothing is followed.

        `asked` is what somebody typed, if the page answers that.
        """
        self._page = page
        self._asked = asked
        self._steps = page.steps
        self._missing = missing
        self._step = -1
        self._control = 0
        self._first_state: ControlState | None = None
        self._next_step()
        self.is_empty = self.is_done or (self.is_yours and not any(self.later()))
        """Whether no step names a control: then there is nothing to follow."""

        if self.is_empty:
            self._step = len(self._steps)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to point at."""
        return self._step >= len(self._steps)

    @property
    def step(self) -> int:
        """The number of the step that is next; behind the last one once all are done."""
        return self._step

    @property
    def is_yours(self) -> bool:
        """Whether that step names no control: only the person can do it, and know how."""
        return not self.is_done and not self._steps[self._step].controls

    @property
    def first(self) -> int:
        """The number of the step that names the next control."""
        return next((number for number, _ in self.later()), self._step) if self.is_yours else self._step

    @property
    def wanted(self) -> HelpStep | None:
        """What is left of that step, as a step of its own."""
        if self.is_done:
            return None
        step = self._steps[self._step]
        return replace(step, controls=step.controls[self._control :])

    @property
    def opened(self) -> str:
        """The control of that step that was used last, such as a menu; empty if none was."""
        return "" if self.is_done or not self._control else self._steps[self._step].controls[self._control - 1]

    @property
    def next_control(self) -> str:
        """The control of that step that comes next; empty if it names none."""
        return next(iter(() if self.is_done else self._steps[self._step].controls[self._control :]), "")

    def later(self) -> Iterator[tuple[int, HelpStep]]:
        """Yield the steps behind the one that is next, with their numbers, as far as they name controls."""
        for number in range(self._step + 1, len(self._steps)):
            if number not in self._missing and self._steps[number].controls:
                yield number, self._steps[number]

    def act(self, name: str) -> bool:
        """Note that a control was used; return whether that was what came next, or a little later."""
        numbers = [self._step] if not self.is_done and self._steps[self._step].controls else []
        numbers += [number for number, _ in self.later()]
        for number in numbers[:AHEAD]:
            first = self._control if number == self._step else 0
            controls = self._steps[number].controls
            for at in range(first, len(controls)):
                if likeness(controls[at], name) >= LEAST:
                    if number != self._step:
                        self._step, self._first_state = number, None
                    self._control = at + 1
                    if self._control >= len(controls):
                        self._next_step()
                    return True
        return False

    def is_last(self, name: str) -> bool:
        """Return whether a control is the one that ends the step, and not one on the way to it."""
        controls = () if self.is_done else self._steps[self._step].controls
        return not controls or likeness(controls[-1], name) >= LEAST

    def press(self, key: KeyClass) -> bool:
        """Note a key; return whether it is the one of the command that the step wants."""
        wanted = self._last_name()
        is_done = bool(wanted) and wanted.partition(":")[0] in _KEYS.get(key, ())
        if is_done:
            self._next_step()
        return is_done

    def see(self, elements: Sequence[Element]) -> bool:
        """Note what is on the screen; return whether the step is done by that: what it toggles is as it is wanted."""
        wanted = self._last_name()
        states = (
            element.state
            for element in elements
            if wanted and element.role in _SWITCHES and plain_name(element.name or "") == wanted
        )
        state = next((state for state in states if state in (ControlState.ON, ControlState.OFF)), None)
        if state is None:
            return False
        first = self._first_state = self._first_state or state
        is_done = state is (self._state_meant() or (ControlState.OFF if first is ControlState.ON else ControlState.ON))
        if is_done:
            self._next_step()
        return is_done

    @property
    def may_toggle(self) -> bool:
        """Whether the step is known to toggle something."""
        return self._first_state is not None

    def restart(self) -> None:
        """Note that the menu which was opened for this step is closed again."""
        self._control = 0

    def finish(self, number: int) -> None:
        """Note that a step is done without a use of its controls: by the person, or by a click on a tab."""
        self._step = number
        self._next_step()

    def _last_name(self) -> str:
        """Return the plain name of the control that ends the step; empty for none."""
        controls = () if self.is_done else self._steps[self._step].controls
        return plain_name(controls[-1]) if controls else ""

    def _state_meant(self) -> ControlState | None:
        """Return the state that is asked for; None where neither the person nor the page says."""
        step = self._steps[self._step]
        names = "|".join(map(re.escape, sorted(step.controls, key=len, reverse=True)))
        said = (re.sub(names, " ", words, flags=re.IGNORECASE) for words in (step.text, self._page.title))
        for words in (self._asked, *said):
            is_unset, is_set = (search.search(words) is not None for search in (_UNSET, _SET))
            if is_unset is not is_set:
                return ControlState.OFF if is_unset else ControlState.ON
        return None

    def _next_step(self) -> None:
        self._control, self._first_state = 0, None
        self._step += 1
        while self._step in self._missing:
            self._step += 1
