"""Every command that a page shows is one that Kairos takes; those of the guide are carried out by a slow test."""

import argparse
from pathlib import Path

import pytest

from daemon.cli.main import build_parser
from tests.fakes.commands.shown_commands import blocks_of, wrong_blocks, wrong_options

ROOT = Path(__file__).resolve().parents[2]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))


@pytest.fixture(scope="module")
def parser() -> argparse.ArgumentParser:
    return build_parser()


def test_every_command_shown_is_taken(parser: argparse.ArgumentParser) -> None:
    """In blocks with all their words, between words by their options."""
    shown = [words for page in PAGES for block in blocks_of(page) for words in block.commands]
    assert len(shown) > 60
    assert [line for page in PAGES for line in wrong_blocks(page, parser)] == []
    assert [line for page in PAGES for line in wrong_options(page, parser)] == []


@pytest.mark.parametrize(
    "planted",
    [
        "```sh\nkairos purge --last 10m --dry\nkairos why --last 1d\n```",
        "```\nkairos pause --until 15m   # soon\n```",
        "<!-- not run: needs a server -->\n```sh\nkairos models ping llama-server\n```",
        "```sh\nkairos forget\n```",
        "```sh\nkairos bench detector --before\n```",
    ],
)
def test_a_wrong_command_in_a_block_is_found(parser: argparse.ArgumentParser, tmp_path: Path, planted: str) -> None:
    """The control: an option, a command or a value that does not exist, also where the block is not run."""
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{planted}\n")
    assert len(wrong_blocks(page, parser)) == 1


def test_a_wrong_option_between_words_is_found(parser: argparse.ArgumentParser, tmp_path: Path) -> None:
    """Its control; right ones beside it, with a word that stands for a value, are not reported."""
    page = tmp_path / "page.md"
    page.write_text("Use `kairos purge --day DAY`, `kairos why --lately 1d` or `kairos sessions delete NAME --yes`.\n")
    assert wrong_options(page, parser) == ["page.md: kairos why --lately 1d: --lately"]


def test_a_block_says_why_it_is_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: needs root -->\n```sh\napt install x\n```\n\n```sh\nkairos why\n```\n")
    assert [(block.line, block.not_run) for block in blocks_of(page)] == [(3, "needs root"), (7, "")]
