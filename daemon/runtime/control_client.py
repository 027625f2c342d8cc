"""The client of the control socket: sends one request to the running daemon. Light: commands import it.

A request and its answer are one line of versioned JSON each; the server is `daemon.runtime.control`.
"""

import json
import socket
import sys
from typing import Any

from storage.errors import EnvironmentFault, UsageError
from storage.files import socket_file

VERSION = 1
MAX_LINE = 64 * 1024
"""Bytes of a line, either way."""

TIMEOUT_S = 5.0
NOT_RUNNING = "not_running"
"""Code of the fault that nobody listens."""


def send(command: str, **details: object) -> dict[str, Any]:
    """Send a request to the running daemon and return its answer.

    Raises:
        EnvironmentFault: no daemon is running, or it does not answer.
        UsageError: the daemon refused the request.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    path = socket_file()
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT_S)
            connection.connect(str(path))
            connection.sendall(json.dumps({"v": VERSION, "command": command, **details}).encode() + b"\n")
            with connection.makefile("rb") as stream:
                line = stream.readline(MAX_LINE)
    except (FileNotFoundError, ConnectionRefusedError):
        raise EnvironmentFault("Kairos is not running", remedy="start it with: kairos run", code=NOT_RUNNING) from None
    except OSError as error:
        raise EnvironmentFault(f"Kairos does not answer at {path}: {error}", remedy="see: kairos doctor") from error
    if not line:
        raise EnvironmentFault("Kairos closed the connection without an answer", remedy="see: kairos doctor")
    try:
        answer: Any = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict) or answer.get("v") != VERSION:
        raise EnvironmentFault("Kairos gave an answer that is none", remedy="see: kairos doctor")
    if "error" in answer:
        raise UsageError(f"Kairos refused: {answer['error']}")
    return answer
