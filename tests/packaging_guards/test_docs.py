"""The documents name what there is: every command with its options, every setting with its default, no more."""

import argparse
import re
from pathlib import Path

import pytest

from daemon.cli.main import build_parser
from tests.docs import reference

ROOT = Path(__file__).resolve().parents[2]
LOGS = ("HELD_OUT.md", "test_set_access_log.md")
"""What was run on a day, with commands that may be retired since."""


def _commands(parser: argparse.ArgumentParser) -> dict[str, set[str]]:
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if nested:
        return {name: options for child in nested[0].choices.values() for name, options in _commands(child).items()}
    options = {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
    return {parser.prog: options - {"--help"}}


def test_every_command_that_a_page_names_is_there() -> None:
    """Also pages beside data and models, which nobody reads while a command is renamed or taken away."""
    known = set(_commands(build_parser()))
    groups = {name.rsplit(" ", 1)[0] for name in known} - {"kairos"}
    pages = [
        *ROOT.glob("*.md"),
        *(
            page
            for room in ("docs", "detectors", "lab")
            for page in (ROOT / room).rglob("*.md")
            if page.name not in LOGS
        ),
    ]
    named = {
        (page.relative_to(ROOT).as_posix(), name)
        for page in pages
        if page.name not in LOGS
        for name in re.findall(r"(?:`|^ *)(kairos [a-z]+(?: [a-z]+)?)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > len(known)
    assert {name for name in named if name[1] not in known | groups and name[1].rsplit(" ", 1)[0] not in known} == set()


def test_every_command_takes_json() -> None:
    """All commands answer with one JSON object on request."""
    assert [command for command, options in _commands(build_parser()).items() if "--json" not in options] == []


def test_the_help_of_every_command_shows_an_example() -> None:
    """Whoever asks for help sees a line that works."""
    choices = next(action.choices for action in build_parser()._actions if isinstance(action.choices, dict))
    assert [name for name, parser in choices.items() if "example" not in (parser.epilog or "")] == []


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_is_made_from_the_code(name: str) -> None:
    """Every command with its arguments, every setting with its default, no more."""
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert reference.PAGES[name](written) == written, "write the pages anew: python -m tests.docs.reference"


def test_the_documents_a_reader_is_sent_to_exist() -> None:
    """Every relative link in the documents leads to a file."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "lab" / "docs").glob("*.md")]
    broken = {
        f"{page.name}: {target}"
        for page in pages
        if page.name not in LOGS
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    }
    assert broken == set()
