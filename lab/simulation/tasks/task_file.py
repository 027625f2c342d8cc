"""Tasks as data: a program's file says what people want there, and which ways look right and are not.

A file (TOML) has `lists` of values, `defaults` for all tasks, and `tasks`, with what `task.Task` has. An act is a
method of the program and what it is given (`select keys`: `_select("keys")`), or `press KEYS`; `{NAME}` stands for one
of a list, drawn anew each time. A wrong way has an `answer`, an `act`, and one of: `values`, given one after the other
(`systematic` unless it says no); `same`, of which one is drawn and given each time, or `value`; or nothing, and
the act takes the number of the try, after the `value` if `numbered`, and `take_back` undoes it. A task's `trap` is done
before each try unless it stands already: what makes the wrong ways wrong, and no business of who does it right.
"""

import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from demo.virtual_desktop.hands import Hands
from lab.simulation.tasks.task import Answer, Task, Way, repeated, varied

_NAME = re.compile(r"\{(\w+)\}")


class TaskFile:
    """The tasks of one program."""

    def __init__(
        self, file: Path, program: object, hands: Hands, rng: random.Random, lists: Mapping[str, Sequence[str]]
    ) -> None:
        """Read the file; `lists` are more values, which the program has drawn."""
        self._facts: Mapping[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        self._lists: Mapping[str, Sequence[str]] = {**self._facts.get("lists", {}), **lists}
        self._program, self._hands, self._rng = program, hands, rng

    def tasks(self) -> tuple[Task, ...]:
        """Return the tasks, in the file's order.

        Raises:
            AttributeError: an act is no method of the program.
        """
        return tuple(self._task({**self._facts.get("defaults", {}), **task}) for task in self._facts["tasks"])

    def _task(self, facts: Mapping[str, Any]) -> Task:
        return Task(
            name=facts["name"],
            intent=facts["intent"],
            help=facts["help"],
            begin=self._act(facts["begin"]),
            succeed=self._act(facts["succeed"]),
            leave=self._act(facts["leave"]),
            again=self._act(facts.get("again", facts["succeed"])),
            options=tuple(map(self._act, facts.get("options", ()))),
            wrong=tuple(self._trapped(self._way(way), facts.get("trap")) for way in facts["wrong"]),
        )

    def _trapped(self, way: Way, trap: str | None) -> Way:
        if trap is None:
            return way
        set_trap = self._act(trap)

        def act(number: int) -> None:
            set_trap()
            way.act(number)

        return replace(way, act=act)

    def _act(self, step: str) -> Callable[[], None]:
        verb, _, rest = step.partition(" ")
        method = self._method(verb)
        return (lambda: method(self._fill(rest))) if rest else method

    def _method(self, verb: str) -> Callable[..., None]:
        if verb == "press":
            return self._hands.chord
        found: Callable[..., None] = getattr(self._program, f"_{verb}", None) or getattr(self._program, verb)
        return found

    def _fill(self, text: str) -> str:
        return _NAME.sub(lambda match: self._rng.choice(self._values(match[1])), text)

    def _values(self, values: str | Sequence[str]) -> Sequence[str]:
        """Return a list that stands there, or is named."""
        return self._lists[values] if isinstance(values, str) else values

    def _way(self, facts: Mapping[str, Any]) -> Way:
        act, answer, name = self._method(facts["act"]), Answer(facts["answer"]), facts["name"]
        if "values" in facts:
            values, systematic = self._values(facts["values"]), facts.get("systematic", True)
            return varied(act, values, answer, name, systematic=systematic)
        if "same" in facts:
            return repeated(act, self._rng.choice(self._values(facts["same"])), answer, name)
        if "value" in facts and not facts.get("numbered"):
            return repeated(act, facts["value"], answer, name)
        numbered = partial(act, facts["value"]) if "value" in facts else act
        back = self._act(facts["take_back"]) if "take_back" in facts else None
        return Way(name=name, act=numbered, answer=answer, take_back=back, systematic=facts.get("systematic", False))
