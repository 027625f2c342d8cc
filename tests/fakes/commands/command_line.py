"""What scripts see of the command line: commands with their arguments, and the shapes of JSON answers."""

import argparse
import contextlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from storage.errors import KairosError


@dataclass(frozen=True)
class Answer:
    """What a command printed, and its status."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run_command(register: Callable[[Any], None], capsys: pytest.CaptureFixture[str], *words: str) -> Answer:
    """Run a command that `register` adds; of an error of ours, its message stands for what is on stderr."""
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    chosen = parser.parse_args(words)
    capsys.readouterr()
    try:
        code = chosen.run(chosen)
    except KairosError as error:
        return Answer(error.exit_code, "", str(error))
    out, err = capsys.readouterr()
    return Answer(code, out, err)


def arguments_of(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return every command with its arguments, each as one line: spelling, placeholder, choices, arity, need."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if nested:
        return {name: lines for child in nested[0].choices.values() for name, lines in arguments_of(child).items()}
    lines = [
        f"{'/'.join(action.option_strings) or action.dest} {action.metavar} {action.choices and list(action.choices)}"
        f" {action.nargs} {'required' if action.required else 'optional'}"
        for action in parser._actions
    ]
    return {parser.prog: sorted(lines)}


def shape_of(value: Any) -> Any:
    """Return a JSON value with names of types in place of values; lists keep the shapes that differ."""
    if isinstance(value, Mapping):
        return {key: shape_of(item) for key, item in sorted(value.items())}
    if isinstance(value, Sequence) and not isinstance(value, str):
        shapes = {json.dumps(shape_of(item), sort_keys=True) for item in value}
        return [json.loads(shape) for shape in sorted(shapes)]
    return type(value).__name__


def run_json(main: Callable[[list[str]], int], *words: str) -> tuple[int, Any]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = main([*words, "--json"])
    return status, shape_of(json.loads(out.getvalue()))
