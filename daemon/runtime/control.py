"""The server of the control socket, over which `kairos status`, `pause`, `seen` and the like reach the running daemon.

Only the user's own processes may connect (0600 in a folder of the user's, and the peer's user id is checked). Lines
are versioned JSON of at most 64 kB. Of the screen only names of commands ever cross the socket, to whoever asked.
"""

import asyncio
import contextlib
import json
import os
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from daemon.runtime.control_client import MAX_LINE, VERSION
from storage.errors import EnvironmentFault, UsageError
from storage.files import PRIVATE_FILE

REQUEST_S = 2.0
CLOSE_S = 0.3

Handler = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


class ControlServer:
    """Answers one request per connection, in the core's loop."""

    def __init__(self, path: Path, handle: Handler) -> None:
        """Serve at `path`; `handle(command, request)` returns the answer or raises `UsageError`."""
        self._path = path
        self._handle = handle
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Start to listen; a socket left by a crash is replaced, since we hold the instance lock.

        Raises:
            EnvironmentFault: there can be no socket at this path.
        """
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._path.unlink(missing_ok=True)
            listener.bind(str(self._path))
            self._path.chmod(PRIVATE_FILE)  # nobody can connect before it listens; the umask is the whole process's
            self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=MAX_LINE)
        except OSError as error:
            listener.close()
            raise EnvironmentFault(
                f"Kairos cannot listen at {self._path}: {error}",
                remedy="set XDG_RUNTIME_DIR to a folder of yours with a short name",
            ) from error

    async def stop(self) -> None:
        """Stop listening and remove the socket."""
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(TimeoutError):  # since Python 3.12 it waits for whoever is still connected
                async with asyncio.timeout(CLOSE_S):
                    await self._server.wait_closed()
        self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if _is_same_user(writer.get_extra_info("socket")):
                answer = await self._answer(reader)
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, TimeoutError):
            pass  # the client went away
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(REQUEST_S):
                line = await reader.readline()
        except ValueError:  # a line beyond the limit
            line = b""
        try:
            request = parse_request(line)
            return {"v": VERSION, **self._handle(request["command"], request)}
        except UsageError as error:
            return {"v": VERSION, "error": error.what}


def parse_request(line: bytes) -> Mapping[str, Any]:
    """Return the request that a line holds: its command, and details that are single values.

    Raises:
        UsageError: the line holds none.
    """
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, a number of thousands of digits, thousands of brackets
        raise UsageError(f"not one line of JSON of at most {MAX_LINE >> 10} kB") from None
    if not isinstance(request, dict) or request.get("v") != VERSION:
        raise UsageError(f"this Kairos speaks version {VERSION}")
    single = not any(isinstance(value, (dict, list)) for value in request.values())
    if not single or not isinstance(request.get("command"), str):
        raise UsageError("a request is a command with details that are single values")
    return request


def _is_same_user(peer: Any) -> bool:
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the permissions of the socket protect it
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return bool(uid == os.getuid())
