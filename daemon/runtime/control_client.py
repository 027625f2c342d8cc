"""The client of the control socket: sends one request to the running daemon. Light: commands import it.

A request and its answer are one line of versioned JSON each; the server is `daemon.runtime.control`.
"""

import _socket
import json
import os
import sys
from binascii import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

VERSION = 1
MAX_LINE = 64 * 1024
"""Bytes of a line, either way."""

TIMEOUT_S = 5.0
NOT_RUNNING = "not_running"
"""Code of the fault that nobody listens."""


def send(command: str, **details: object) -> "dict[str, Any]":
    """Send a request to the running daemon and return its answer.

    Raises:
        EnvironmentFault: no daemon is running, or it does not answer.
        UsageError: the daemon refused the request.
    """
    path = find_socket()
    fault, remedy, code = "", "see: kairos doctor", ""
    answer: Any = None
    try:
        line = _exchange(path, json.dumps({"v": VERSION, "command": command, **details}).encode() + b"\n")
        answer = json.loads(line) if line else None
        fault = "Kairos gave an answer that is none" if line else "Kairos closed the connection without an answer"
    except (FileNotFoundError, ConnectionRefusedError):
        fault, remedy, code = "Kairos is not running", "start it with: kairos run", NOT_RUNNING
    except OSError as error:
        fault = f"Kairos does not answer at {path}: {error}"
    except (ValueError, RecursionError):
        fault = "Kairos gave an answer that is none"
    if isinstance(answer, dict) and answer.get("v") == VERSION and "error" not in answer:
        return answer
    from storage.errors import EnvironmentFault, UsageError

    if isinstance(answer, dict) and answer.get("v") == VERSION:
        raise UsageError(f"Kairos refused: {answer['error']}")
    raise EnvironmentFault(fault, remedy=remedy, code=code)


def _exchange(path: str, request: bytes) -> bytes:
    """Send a line and return the line that comes back, or its beginning; empty where the connection was closed.

    Raises:
        OSError: nobody listens, or does not answer.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)  # `socket` is a sixth of `kairos status`
    try:
        connection.settimeout(TIMEOUT_S)
        connection.connect(path)
        connection.sendall(request)
        line = b""
        while not line.endswith(b"\n") and len(line) < MAX_LINE and (more := connection.recv(MAX_LINE - len(line))):
            line += more
        return line
    finally:
        connection.close()


def socket_file() -> "Path":
    """Return the control socket of this data folder for who listens there, in a folder only this user can open."""
    from storage.files import runtime_folder, state_folder

    return runtime_folder() / _socket_name(str(state_folder()))


def _socket_name(state_folder: str) -> str:
    """Return the name of a data folder's socket.

    Several may share one XDG_RUNTIME_DIR (a demo beside the real thing), so it depends on the folder.
    """
    return f"{crc32(os.fsencode(state_folder)):08x}.sock"


def find_socket() -> str:
    """Return the path of the control socket as it is if there is one; nothing is made."""
    base = os.environ.get("XDG_STATE_HOME", "")
    base = base if base.startswith("/") else os.path.expanduser("~/.local/state")  # noqa: PTH111
    base = "/" + "/".join(part for part in base.split("/") if part not in {"", "."})  # as `Path`, which keeps ".."
    state = os.path.join(base, "kairos")  # noqa: PTH118  # `pathlib` is a sixth of `kairos status`
    shared = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), "kairos")  # noqa: PTH118  # as above
    folder = shared if shared.startswith("/") and _is_ours(shared) else os.path.join(state, "run")  # noqa: PTH118
    return os.path.join(folder, _socket_name(state))  # noqa: PTH118  # as above


def _is_ours(folder: str) -> bool:
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    try:
        return os.stat(folder).st_uid == os.getuid()  # noqa: PTH116  # as above
    except OSError:
        return False
