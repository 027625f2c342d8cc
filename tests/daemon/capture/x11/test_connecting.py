"""Connecting to an X server ends, whoever listens there."""

import socket

import pytest

from daemon.capture.x11 import connecting
from storage.errors import EnvironmentFault

FIRST_PORT = 6000
"""Of display 0, over TCP."""


def test_a_server_that_never_answers_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the connection, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("DISPLAY", f"127.0.0.1:{server.getsockname()[1] - FIRST_PORT}")
        monkeypatch.setattr(connecting, "ANSWER_S", 0.2)
        with pytest.raises(EnvironmentFault, match="does not answer") as fault:
            connecting.open_display()
    assert "DISPLAY" in str(fault.value.remedy)


def test_nobody_there_is_another_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":none")
    with pytest.raises(EnvironmentFault, match="cannot be reached"):
        connecting.open_display()
