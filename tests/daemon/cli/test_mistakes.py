"""Mistakes that people make at the command line: each ends as wrong usage, and names what is right."""

import json
import re

import pytest

from daemon.cli.main import COMMANDS, ENTRIES, main
from daemon.cli.parser import _MEANT, GUIDE
from storage.plain_text import format_time

MISTAKES = {
    "pause --for 15": "write 15m for minutes",
    "pause --for": "for example: kairos pause --for 15m",
    "pause 15m": "did you mean: kairos pause --for 15m",
    "pause --until 14:00": "did you mean: kairos pause --for",
    "forget --last 10": "write 10m for minutes",
    "forget": "one of the arguments --last --day --all is required\n.*for example: kairos forget --last 10m",
    "forget all": "did you mean: kairos forget --all",
    "forget --lats 10m": "did you mean: kairos forget --last",
    "forget --day yesterday": "example: --day 2026-11-21",
    "why --since 1h": "did you mean: kairos why --last",
    "why 1h": "did you mean: kairos why --last 1h",
    "aks how do I freeze a row": "did you mean: kairos ask",
    "stauts": "did you mean: kairos status",
    "stop": "did you mean: kairos pause, or: kairos quit",
    "start": "did you mean: kairos run",
    "help": "did you mean: kairos --help",
    "delete --last 10m": "did you mean: kairos forget",
    "exclude signal": "did you mean: kairos config set fence.excluded_apps NAME",
    "frobnicate": "there is no command 'frobnicate'\n.*see: kairos --help",
    "sessions": "required: .*\n.*for example: kairos sessions list",
    "sessions remove x": "did you mean: kairos sessions delete",
    "config policy.cooldown_s": "did you mean: kairos config get policy.cooldown_s",
    "config get policy.cooldwn_s": "did you mean policy.cooldown_s",
    "config set policy.cooldown_s=600": "for example: kairos config set policy.cooldown_s 600",
    "report": "for example: kairos report",
    "unpause": "did you mean: kairos resume\n",
    "snooze 1h": "did you mean: kairos pause --for 1h",
    "language de": "did you mean: kairos config set interface.language CODE",
}


@pytest.mark.parametrize(("typed", "told"), MISTAKES.items(), ids=MISTAKES)
def test_a_mistake_is_told_the_right_form(typed: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As wrong usage, in at most three lines, with nothing on the standard output."""
    ended: int | str | None = None
    try:
        ended = main(typed.split())
    except SystemExit as end:
        ended = end.code
    output = capsys.readouterr()
    assert (ended, output.out) == (2, "")
    assert re.search(told, output.err.strip()), output.err
    assert len(output.err.splitlines()) <= 3


def test_what_is_named_in_place_of_a_word_is_there() -> None:
    """Every command of the table and of the guide is one; no word of the table is itself a command."""
    known = {word for words in (*COMMANDS.values(), *ENTRIES.values()) for word in words}
    inner = {"list", "show", "remove", "delete", "--help", "--version"}  # actions of some commands, and options
    assert {way.split()[0] for ways in _MEANT.values() for way in ways} <= known | inner
    assert set(re.findall(r"kairos ([a-z]+)", GUIDE)) <= known
    assert not set(_MEANT) & known


def test_kairos_alone_prints_a_short_guide(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    output = capsys.readouterr()
    assert output.out == GUIDE
    assert len(GUIDE.splitlines()) <= 16


def test_one_setting_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Alone, and with `--json` as an object."""
    assert main(["config", "get", "policy.cooldown_s"]) == 0
    assert main(["config", "get", "policy.cooldown_s", "--json"]) == 0
    alone, facts = capsys.readouterr().out.splitlines()
    assert json.loads(facts) == {"key": "policy.cooldown_s", "value": float(alone)}


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ({"state": "paused", "paused_until": 1_795_900_000.0}, f"paused until {format_time(1_795_900_000.0)}"),
        ({"state": "paused", "paused_until": None}, "paused until you say: kairos resume"),
        ({"state": "private", "paused_until": 1_795_900_000.0}, "private until you say: kairos resume"),
        ({"state": "watching", "paused_until": None}, "watching"),
        (
            {"state": "watching", "quiet_until": 1_795_900_000.0},
            f"watching; as you asked, no offers until {format_time(1_795_900_000.0)}",
        ),
    ],
)
@pytest.mark.parametrize("command", [("pause", "--for", "15m"), ("status",)])
def test_a_pause_says_until_when(
    command: tuple[str, ...],
    answer: dict[str, object],
    line: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever pauses and whoever asks what Kairos does are told the end, or how to end it."""
    monkeypatch.setattr("daemon.cli.control.send", lambda *_, **__: answer)
    assert main([*command]) == 0
    assert capsys.readouterr().out == f"Kairos is {line}\n"
