"""What a file or session from elsewhere is called, and what it holds, controls neither terminal, page nor log."""

import argparse
import contextlib
import json
import logging
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from daemon.cli.main import build_parser, main
from daemon.runtime.run import PlainFormatter
from storage import plain_text
from storage.records import FeedbackKind
from storage.testing import SessionBuilder

NAME = "n\x1b[2J\x1b]0;t\x07\x9b31m\r\u202eevil\u2066\nkairos: forged\udcff"
WORDS = NAME[:-1]  # a record holds no half of a character
RAW = re.compile("[\x1b\x07\x9b\r\u202e\u2066\udcff]|^kairos: forged", re.MULTILINE)
APART = {"run", "demo", "bench", "simulate", "train", "rehearse", "collect", "broker", "monitor"}
"""Commands that start servers or desktops; what they print goes the same way."""


def leaves(parser: argparse.ArgumentParser) -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for name, child in ((name, child) for action in nested for name, child in action.choices.items()):
        if name not in APART:
            yield from (([name, *rest], leaf) for rest, leaf in leaves(child))
    if not nested:
        yield [], parser


LEAVES = tuple(leaves(build_parser()))


def ways(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Yield the words of a command with the name in each place that takes a word: options one at a time."""
    takes = [action for action in parser._actions if action.nargs != 0]
    words = [NAME for action in takes if not action.option_strings and not action.choices]
    lists = "--list" in parser._option_string_actions  # else a window waits for somebody
    words += ["--list"] if lists else []
    options = {action.option_strings[0]: action.required for action in takes if action.option_strings}
    words += [word for option, required in options.items() if required for word in (option, NAME)]
    yield words
    yield [*words, NAME]
    yield from ([*words, option, NAME] for option, required in options.items() if not required)


def foreign_session(base: Path) -> Path:
    session = SessionBuilder(app=WORDS, detector=WORDS, policy=WORDS, imported_from=WORDS)
    session.focus(WORDS)
    session.keys(20)
    session.estimate(0.9, WORDS)
    offer = session.at(60).offer(topic=WORDS)
    session.at(70).answer(FeedbackKind.ACCEPTED, offer)
    session.decide(WORDS)
    folder = session.end(WORDS).write(base)
    return folder.rename(base / NAME)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    base = tmp_path / NAME
    base.mkdir()
    foreign_session(base)
    return base


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with contextlib.suppress(SystemExit):
        main([*words])
    return "".join(capsys.readouterr())


@pytest.mark.parametrize(("command", "parser"), [pytest.param(*leaf, id=" ".join(leaf[0])) for leaf in LEAVES])
def test_a_foreign_name_reaches_no_terminal_raw(
    command: list[str],
    parser: argparse.ArgumentParser,
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor do the words of a session, with the session of that name there; each option is tried too."""
    monkeypatch.chdir(place)
    for words in ways(parser):
        assert not RAW.search(said(capsys, *command, *words)), words
        pages = "".join(page.read_text() for page in place.glob("**/*.html"))
        assert not RAW.search(pages.replace("\n", " ")), words


def test_what_is_said_raw_is_found(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: without the one place that writes such characters out, they are found."""
    monkeypatch.setattr(plain_text, "_ACTED_ON", re.compile("(?!)"))
    assert RAW.search(said(capsys, "sessions", "verify", str(place / NAME)))


def test_what_is_written_out_in_json_is_the_same(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "sessions", "export", "--jsonl", str(place / NAME)).splitlines()
    assert not RAW.search("\n".join(lines))
    assert {json.loads(line).get("app") for line in lines} == {None, WORDS}


def test_a_name_is_one_line_of_the_log() -> None:
    log = StringIO()
    handler = logging.StreamHandler(log)
    handler.setFormatter(PlainFormatter("kairos: %(message)s"))
    fault = OSError(NAME.replace("\n", " "))
    handler.emit(logging.makeLogRecord({"msg": "about %s", "args": (NAME,), "exc_info": (OSError, fault, None)}))
    assert log.getvalue().startswith("kairos: about n\\u001b[2J")
    assert not RAW.search(log.getvalue())


def test_a_folder_that_is_missing_is_to_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The control: where something else is wrong, another remedy is named."""
    (tmp_path / "file").touch()
    told = [said(capsys, "study", "create", str(tmp_path / where / "study")) for where in ("missing", "file")]
    assert ["make the folder first" in text for text in told] == [True, False]
    assert "see who may write there" in told[1]


def test_two_dashes_are_no_value_of_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    """What argparse makes of them is a list where each command expects a text."""
    for command, parser in LEAVES:
        for action in parser._actions:
            if action.option_strings and action.nargs is None:
                with pytest.raises(SystemExit) as ended:
                    main([*command, f"{action.option_strings[-1]}=--"])
                assert (ended.value.code, "-- is no value" in capsys.readouterr().err) == (2, True), (command, action)


@pytest.mark.parametrize("name", ["/dev/zero", "missing"])
def test_a_device_or_a_missing_file_is_one_clear_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read neither to its end nor with a traceback, and what to do about it is said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.daemon.cli.test_foreign_names.NAME", name)
    for command, parser in LEAVES:
        words = next(ways(parser))
        if name in words and command[-1] not in ("search", "remove"):
            assert re.search("kairos[^:]*: .{20}|written: ", said(capsys, *command, *words)), command
