"""The commands that pages show: found in their fenced blocks and in code between words, and held against the parser.

A block is run by tests unless the line above it says why not: `<!-- not run: REASON -->`. Blocks without a language are
read, but not run: they show a program's output, or what takes hours.
"""

import argparse
import contextlib
import io
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from storage.errors import KairosError

PROGRAMS = ("kairos", "./run", ".venv/bin/kairos", ".venv/bin/python -m daemon.cli.main")

_FENCE = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]*?) ?-->\n)?^```(?P<language>[^\n]*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_INLINE = re.compile(r"`((?:kairos|\./run) [^`\n]+)`")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBlock:
    """A fenced block of a page: what it holds, and why it is not run; empty if it is."""

    page: str
    line: int
    language: str
    lines: tuple[str, ...]
    not_run: str

    @property
    def commands(self) -> list[list[str]]:
        parts = [part.strip() for line in self.lines for part in line.split(" && ")]
        return [words for part in parts if (words := words_of(part)) is not None]


def words_of(line: str) -> list[str] | None:
    for program in PROGRAMS:
        if line == program or line.startswith(f"{program} "):
            return shlex.split(line, comments=True)[len(program.split()) :]
    return None


def blocks_of(page: Path) -> Iterator[ShownBlock]:
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        if found["language"] in {"", "sh"}:
            yield ShownBlock(
                page=page.name,
                line=text.count("\n", 0, found.start("body")) + 1,
                language=found["language"],
                lines=tuple(line.strip() for line in found["body"].splitlines() if line.strip()),
                not_run=(found["reason"] or "").strip(),
            )


def wrong_blocks(page: Path, parser: argparse.ArgumentParser) -> list[str]:
    """Return the commands of blocks that the parser does not take, each with what it says."""
    return [
        f"{block.page}:{block.line}: kairos {shlex.join(words)}: {said}"
        for block in blocks_of(page)
        for words in block.commands
        if (said := _refusal(words or ["run"], parser))  # `./run` alone chooses by itself
    ]


def _refusal(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            parser.parse_args(words)
        except SystemExit as end:
            if end.code:
                return said.getvalue().strip()
        except KairosError as error:
            return str(error)
    known = _options(parser, words)
    return ", ".join(f"no option {word}" for word in words if _OPTION.fullmatch(word) and word not in known)


def wrong_options(page: Path, parser: argparse.ArgumentParser) -> list[str]:
    """Return the options between words that their command does not have; what stands for a value is not judged."""
    return [
        f"{page.name}: {shown}: {option}"
        for shown in _INLINE.findall(page.read_text(encoding="utf-8"))
        for option in _OPTION.findall(shown)
        if option not in _options(parser, shown.split()[1:])
    ]


def _options(parser: argparse.ArgumentParser, words: Sequence[str]) -> set[str]:
    nested = next((action for action in parser._actions if isinstance(action, argparse._SubParsersAction)), None)
    if nested is not None and words and words[0] in nested.choices:
        return _options(nested.choices[words[0]], words[1:])
    return {option for action in parser._actions for option in action.option_strings}
