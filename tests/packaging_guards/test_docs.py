"""The documents name what there is: every command with its options, every setting with its default, no more."""

import argparse
import re
from dataclasses import asdict
from pathlib import Path

import tomlkit

from daemon.cli.main import build_parser
from storage.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


def _commands(parser: argparse.ArgumentParser) -> dict[str, set[str]]:
    """Return every command that does something, with its long options."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if nested:
        return {name: options for child in nested[0].choices.values() for name, options in _commands(child).items()}
    options = {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
    return {parser.prog: options - {"--help"}}


def _sections() -> dict[str, str]:
    """Return the sections of docs/commands.md by the commands their headings name."""
    parts = re.split(r"^### (.*)$", COMMANDS, flags=re.MULTILINE)
    return {
        command: body
        for heading, body in zip(parts[1::2], parts[2::2], strict=True)
        for command in re.findall(r"`(kairos [^`]*)`", heading)
    }


def test_every_command_is_documented_and_no_other() -> None:
    """The headings of docs/commands.md are exactly the commands of the command line."""
    assert set(_sections()) == set(_commands(build_parser()))


def test_every_command_that_a_page_names_is_there() -> None:
    """Also pages beside data and models, which nobody reads while a command is renamed or taken away."""
    known = set(_commands(build_parser()))
    groups = {name.rsplit(" ", 1)[0] for name in known} - {"kairos"}
    pages = [
        *ROOT.glob("*.md"),
        *(page for room in ("docs", "detectors", "lab") for page in (ROOT / room).rglob("*.md")),
    ]
    named = {
        (page.relative_to(ROOT).as_posix(), name)
        for page in pages
        for name in re.findall(r"(?:`|^ *)(kairos [a-z]+(?: [a-z]+)?)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > len(known)
    assert {one for one in named if one[1] not in known | groups and one[1].rsplit(" ", 1)[0] not in known} == set()


def test_every_option_is_documented_at_its_command() -> None:
    """Each option stands in its command's section; `--json`, which all have, is explained once."""
    sections = _sections()
    missing = {
        f"{command} {option}"
        for command, options in _commands(build_parser()).items()
        for option in options - {"--json"}
        if f"`{option}" not in sections.get(command, "")
    }
    assert missing == set()
    assert "`--json`" in COMMANDS


def test_no_option_is_documented_that_a_command_does_not_take() -> None:
    """An option named in a command's section is one of that command's."""
    commands = _commands(build_parser())
    invented = {
        f"{command} {option}"
        for command, body in _sections().items()
        for option in re.findall(r"^\| `(--[a-z-]+)", body, flags=re.MULTILINE)
        if option not in commands.get(command, set())
    }
    assert invented == set()


def test_every_command_takes_json() -> None:
    """All commands answer with one JSON object on request."""
    assert [command for command, options in _commands(build_parser()).items() if "--json" not in options] == []


def test_the_help_of_every_command_shows_an_example() -> None:
    """Whoever asks for help sees a line that works."""
    choices = next(action.choices for action in build_parser()._actions if isinstance(action.choices, dict))
    assert [name for name, parser in choices.items() if "example" not in (parser.epilog or "")] == []


def test_every_setting_is_documented_with_its_default_and_no_other() -> None:
    """The tables of docs/settings.md hold exactly the settings that exist, with the defaults in force."""
    parts = re.split(r"^## `\[(\w+)\]`.*$", SETTINGS, flags=re.MULTILINE)
    documented = {
        f"{table}.{line}"
        for table, body in zip(parts[1::2], parts[2::2], strict=True)
        for line in re.findall(r"^\| `([^`]+)` \|", body, flags=re.MULTILINE)
    }
    real = {
        f"{table}.{name} = {tomlkit.item(list(value) if isinstance(value, tuple) else value).as_string()}"
        for table, values in asdict(Settings()).items()
        for name, value in values.items()
    }
    assert documented == real


def test_the_documents_a_reader_is_sent_to_exist() -> None:
    """Every relative link in the documents leads to a file."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    broken = {
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    }
    assert broken == set()
