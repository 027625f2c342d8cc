"""`kairos ask`: what is sent to the running Kairos, and what is printed."""

from typing import Any

import pytest

from daemon.cli import control
from tests.fakes.commands.command_line import run_command


def test_words_are_sent_together_and_nothing_of_them_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They reach the daemon as one text; the answer says that they are not kept, or is the state as JSON."""
    sent: list[tuple[str, dict[str, Any]]] = []

    def send(command: str, **details: Any) -> dict[str, Any]:
        sent.append((command, details))
        return {"v": 1, "state": "watching"}

    monkeypatch.setattr(control, "send", send)
    said = run_command(control.register, capsys, "ask", "freeze", "the first row")
    assert "freeze" not in said.out
    assert "your words are not" in said.out
    assert run_command(control.register, capsys, "ask", "--json").json == {"state": "watching"}
    assert sent == [("ask", {"words": "freeze the first row"}), ("ask", {"words": ""})]


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
            "Kairos has a problem (storage_failed: Kairos cannot write",
        ),
        ({"state": "problem", "problem": "newer"}, "Kairos has a problem (newer: not known here)\n"),
    ],
)
def test_the_status_says_what_is_wrong(
    answer: dict[str, str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "send", lambda *_, **__: answer)
    assert run_command(control.register, capsys, "status").out.startswith(line)
