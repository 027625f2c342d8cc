"""What people call the commands of programs: recorded lists and questions, as `data/commands/README.md` says."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from daemon.help.commands.command import Command, CommandList
from storage.records import ControlRole

FOLDER = Path(__file__).parents[1] / "data" / "commands"

OFF_TOPIC = {code: (FOLDER / f"off_topic-{code}.txt").read_text(encoding="utf-8").splitlines() for code in ("en", "de")}
"""Questions that no program answers, by language."""

MANY = 2000
"""Commands of the list that keys are timed over: those of all recorded programs, as far as they go."""


class Half(StrEnum):
    """What weights are fitted on, and what is scored; divided by program."""

    TUNE = "tune"
    TEST = "test"


class AskKind(StrEnum):
    """What a question is."""

    EXACT = "exact"
    SAID = "said"
    PARAPHRASE = "paraphrase"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCommand:
    """A question, and the paths that equally answer it: none where nothing does.

    `added` answer it as well, and were found among those of a run.
    """

    program: str
    language: str
    half: Half
    kind: AskKind
    words: str
    gold: tuple[tuple[str, ...], ...]
    shares_stem: bool
    added: tuple[tuple[str, ...], ...] = ()


def read_lists(folder: Path = FOLDER) -> Mapping[tuple[str, str], CommandList]:
    """Return the commands by program and language."""
    found = {}
    for path in sorted((folder / "lists").glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        commands = tuple(
            Command(
                path=tuple(command["path"]),
                keys=command["keys"],
                hint=command["hint"],
                in_menu=command["in_menu"],
            )
            for command in facts["commands"]
        )
        found[facts["app"], facts["language"]] = CommandList(
            app=facts["app"], language=facts["language"], commands=commands, menus=menus_of(commands)
        )
    return found


def menus_of(commands: Iterable[Command]) -> tuple[Command, ...]:
    """Return the menus in menus that hold these commands."""
    paths = (command.path[:end] for command in commands if command.in_menu for end in range(2, len(command.path)))
    return tuple(Command(path=path, role=ControlRole.MENU) for path in dict.fromkeys(paths))


def read_questions(half: Half, folder: Path = FOLDER) -> Sequence[AskedCommand]:
    """Return the questions of one half, in the order in which they were written."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines)
    return [
        AskedCommand(
            program=row["program"],
            language=row["language"],
            half=half,
            kind=AskKind(row["kind"]),
            words=row["words"],
            gold=tuple(map(tuple, row["gold"])),
            shares_stem=bool(row["shares_stem"]),
            added=tuple(map(tuple, row.get("added", ()))),
        )
        for row in rows
        if row["half"] == half
    ]


def many() -> CommandList:
    """Return a long list: the English commands of all programs."""
    lists = [commands for (_, language), commands in read_lists().items() if language == "en"]
    commands = tuple(command for commands in lists for command in commands.commands)
    found = commands[:: max(len(commands) // MANY, 1)][:MANY]
    return CommandList(app="many", language="en", commands=found, menus=menus_of(found))
