"""The commands that real programs told, as `lab/benchmarks/data/commands` has them."""

import json
from pathlib import Path

from storage.ports import Command, CommandList
from storage.records import ControlRole, ControlState

LISTS = Path(__file__).parents[3] / "lab" / "benchmarks" / "data" / "commands" / "lists"


def recorded_commands(name: str) -> CommandList:
    """Return the list of a program in a language, such as `mousepad-en`."""
    facts = json.loads((LISTS / f"{name}.json").read_text(encoding="utf-8"))
    commands = [
        Command(
            **row | {"path": tuple(row["path"]), "role": ControlRole(row["role"]), "state": ControlState(row["state"])}
        )
        for row in facts["commands"]
    ]
    return CommandList(app=facts["app"], language=facts["language"], commands=tuple(commands))
