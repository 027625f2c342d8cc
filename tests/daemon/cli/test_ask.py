"""`kairos ask`: what is sent to the running Kairos, and what is printed."""

from typing import Any

import pytest

from daemon.cli import control
from tests.fakes.commands.command_line import run_command

FOUND: dict[str, Any] = {
    "app": "mousepad",
    "candidates": [
        {"title": "Undo\x1b[2J", "path": ["Edit", "Undo"], "keys": "Ctrl+Z", "source": "Mousepad", "score": 0.95}
        | {"greyed": True},
        {"title": "Steps", "path": [], "keys": "", "source": "Manual", "score": 0.4, "greyed": False},
    ],
    "unmatched": ["quickly"],
    "notes": ["no_controls", "newer"],
    "language": "en",
}


class Daemon:
    """Notes what is sent; it finds answers after so many looks, and sees a first window after so many questions."""

    def __init__(self, found: dict[str, Any] | None, *, early: int = 0, looks: int = 1) -> None:
        self.looks = looks
        self.found = found
        self.early = early
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, command: str, **details: Any) -> dict[str, Any]:
        self.sent.append((command, details))
        looks = [command for command, _ in self.sent].count("asked")
        if command == "ask" and details["patient"] and looks == 0 and len(self.sent) <= self.early:
            return {"v": 1, "state": "starting", "waits": True}
        if command != "asked":
            return {"state": "watching"}
        return {"v": 1, "answers": self.found if looks > self.looks else None, "looks": self.looks > 1}


def ask(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    daemon: Daemon,
    *arguments: str,
    limit_s: float = 30.0,
) -> Any:
    monkeypatch.setattr(control, "send", daemon)
    monkeypatch.setattr(control, "ANSWERS_S", limit_s if daemon.found is not None else 0.2)
    return run_command(control.register, capsys, "ask", *arguments)


def test_words_are_sent_together_and_nothing_of_them_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They reach the daemon as one text; the answer says that they are not kept, or is the state as JSON."""
    daemon = Daemon(None)
    said = ask(capsys, monkeypatch, daemon, "freeze", "the first row")
    assert "freeze" not in said.out
    assert "your words are not" in said.out
    assert ask(capsys, monkeypatch, daemon, "--json").json == {"state": "watching"}
    asks = [sent for sent in daemon.sent if sent[0] == "ask"]
    assert asks == [
        ("ask", {"words": "freeze the first row", "patient": True}),
        ("ask", {"words": "", "patient": True}),
    ]


def test_what_answers_is_printed_and_cannot_control_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = Daemon(FOUND)
    said = ask(capsys, monkeypatch, daemon, "undo", "quickly", "--app", "mousepad")
    lines = said.out.splitlines()
    assert "\x1b" not in said.out
    assert lines[0].endswith(": Edit > Undo, Ctrl+Z, greyed out now (95 %)")
    assert lines[1:3] == ["2. Steps: Manual (40 %)", "No match for: quickly"]
    assert "understand_controls" in lines[3]
    assert len(lines) == 5  # a note that is not known here says nothing
    assert daemon.sent == [
        ("ask", {"words": "undo quickly", "app": "mousepad", "patient": True}),
        ("asked", {}),
        ("asked", {}),
    ]


def test_who_asks_at_the_start_waits_for_the_first_window_and_asks_in_any_case_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = Daemon(FOUND, early=2)
    assert "1. Undo" in ask(capsys, monkeypatch, daemon, "undo").out
    assert [details.get("patient") for command, details in daemon.sent if command == "ask"] == [True] * 3
    monkeypatch.setattr(control, "WINDOW_S", 0.0)
    impatient = Daemon(
        FOUND | {"app": "", "candidates": [], "notes": ["no_window"], "unsearched": "no_window"}, early=9
    )
    lines = ask(capsys, monkeypatch, impatient, "undo").out.splitlines()
    assert impatient.sent[0] == ("ask", {"words": "undo", "patient": False})
    assert lines[0] == "Nothing could be searched in this program."
    assert any("No window was in use" in line for line in lines)


def test_while_kairos_looks_it_is_waited_for_longer_which_is_said_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine at load 15 the first answer after a start took longer than six seconds."""
    monkeypatch.setattr(control, "SOON_S", 0.0)
    said = ask(capsys, monkeypatch, Daemon(FOUND, looks=8), "undo", limit_s=0.2)  # .4 s, of .2 s for who does not look
    assert "1. Undo" in said.out
    assert said.err.count("still looking") == 1
    said = ask(capsys, monkeypatch, Daemon(None), "undo")
    assert "the card shows what it finds" in said.out
    assert "still looking" not in said.err


def test_commands_that_are_still_being_read_are_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reading(Daemon):
        def __call__(self, command: str, **details: Any) -> dict[str, Any]:
            said = super().__call__(command, **details)
            if said.get("answers") and [command for command, _ in self.sent].count("asked") < self.reads:
                said["answers"] = FOUND | {"candidates": [], "notes": ["reading"]}
            return said

        reads = 4

    assert "1. Undo" in ask(capsys, monkeypatch, Reading(FOUND, looks=0), "undo").out
    Reading.reads = 99
    assert "ask again in a moment" in ask(capsys, monkeypatch, Reading(FOUND, looks=0), "undo", limit_s=0.2).out


def test_nothing_found_is_said_and_json_has_the_scores(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = FOUND | {"candidates": [], "notes": []}
    assert "Nothing found in mousepad." in ask(capsys, monkeypatch, Daemon(nothing), "tea").out
    facts = ask(capsys, monkeypatch, Daemon(FOUND), "undo", "--json").json
    assert [candidate["score"] for candidate in facts["candidates"]] == [0.95, 0.4]
    assert facts["state"] == "watching"


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ({"state": "watching"}, "Kairos is watching\n"),
        (
            {"state": "paused", "problem": "no_input"},
            "Kairos is paused (no_input: Keys and pointer can no longer be read)\n",
        ),
        (
            {"state": "problem", "problem": "storage_failed"},
            "Kairos has a problem (storage_failed: Kairos cannot write the session)\nIt tries again by itself. To see",
        ),
        ({"state": "problem", "problem": "newer"}, "Kairos has a problem (newer: not known here)\n"),
    ],
)
def test_the_status_says_what_is_wrong(
    answer: dict[str, str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "send", lambda *_, **__: answer)
    assert run_command(control.register, capsys, "status").out.startswith(line)
