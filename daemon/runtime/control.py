"""The local socket: `kairos status|pause|resume|quit` talk to the running daemon over it.

Only the user's own processes may connect (0600 in a folder of the user's, and the peer's user id is checked). Lines
are versioned JSON of at most 64 kB; nothing from the screen ever crosses it.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import socket
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from storage.errors import EnvironmentFault, UsageError
from storage.paths import socket_file

VERSION = 1
MAX_LINE = 64 * 1024
TIMEOUT_S = 5.0
REQUEST_S = 2.0
CLOSE_S = 0.3

Handler = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


class ControlServer:
    """Answers one request a connection, in the core's loop."""

    def __init__(self, path: Path, handle: Handler) -> None:
        """Serve at `path`; `handle(command, request)` returns the answer or raises `UsageError`."""
        self._path = path
        self._handle = handle
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Begin to listen; a socket left by a crash is replaced (the instance lock is held by us).

        Raises:
            EnvironmentFault: there can be no socket at this place.
        """
        before = os.umask(0o177)
        try:
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, self._path, limit=MAX_LINE)
        except OSError as error:
            raise EnvironmentFault(
                f"Kairos cannot listen at {self._path}: {error}",
                remedy="set XDG_RUNTIME_DIR to a folder of yours with a short name",
            ) from error
        finally:
            os.umask(before)

    async def stop(self) -> None:
        """Stop listening and remove the socket."""
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(TimeoutError):  # from Python 3.12 on it waits for whoever is still connected
                async with asyncio.timeout(CLOSE_S):
                    await self._server.wait_closed()
        self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if not _is_same_user(writer.get_extra_info("socket")):
                return
            answer = await self._answer(reader)
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        except (ConnectionError, TimeoutError):
            pass  # the asking side went away
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(REQUEST_S):
                line = await reader.readline()
            request = json.loads(line)
        except (ValueError, UnicodeDecodeError):
            return {"v": VERSION, "error": "not one line of JSON of at most 64 kB"}
        if not isinstance(request, dict) or request.get("v") != VERSION:
            return {"v": VERSION, "error": f"this Kairos speaks version {VERSION}"}
        try:
            return {"v": VERSION, **self._handle(str(request.get("command")), request)}
        except UsageError as error:
            return {"v": VERSION, "error": error.what}


def _is_same_user(peer: Any) -> bool:
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the socket's own permissions hold
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return bool(uid == os.getuid())


def ask(command: str, **details: object) -> dict[str, Any]:
    """Send one request to the running daemon and return its answer.

    Raises:
        EnvironmentFault: no daemon is running, or it does not answer.
        UsageError: the daemon refused the request.
    """
    path = socket_file()
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT_S)
            connection.connect(str(path))
            connection.sendall(json.dumps({"v": VERSION, "command": command, **details}).encode() + b"\n")
            with connection.makefile("rb") as stream:
                line = stream.readline(MAX_LINE)
    except (FileNotFoundError, ConnectionRefusedError):
        raise EnvironmentFault("Kairos is not running", remedy="start it with: kairos run") from None
    except OSError as error:
        raise EnvironmentFault(f"Kairos does not answer at {path}: {error}", remedy="see: kairos doctor") from error
    if not line:
        raise EnvironmentFault("Kairos closed the connection without an answer", remedy="see: kairos doctor")
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise UsageError(f"Kairos refused: {answer['error']}")
    return answer


def seconds_of(text: str) -> float:
    """Return the seconds in a text such as `90s`, `15m`, `2h` or `1d`.

    Raises:
        UsageError: it is none of these.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a length of time", remedy="example: 15m, 2h, 90s")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}[match[2]]


# ---------------------------------------------------------------- commands


def register(subparsers: Any) -> None:
    """Add `status`, `pause`, `resume` and `quit` to the command line."""
    texts = {
        "status": ("say what the running Kairos is doing", "kairos status --json"),
        "pause": ("stop watching for a while, before the next frame is taken", "kairos pause --for 15m"),
        "resume": ("go on watching", "kairos resume"),
        "quit": ("end the running Kairos in order", "kairos quit"),
    }
    for name, (text, example) in texts.items():
        parser = subparsers.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog=f"example: {example}"
        )
        if name == "pause":
            parser.add_argument(
                "--for", dest="length", metavar="15m", help="how long; without it until `kairos resume`"
            )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=run, command=name)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `status`, `pause`, `resume` or `quit`."""
    details: dict[str, object] = {}
    if getattr(arguments, "length", None):
        details["seconds"] = seconds_of(arguments.length)
    answer = ask(arguments.command, **details)
    if arguments.json:
        print(json.dumps({key: value for key, value in answer.items() if key != "v"}))
        return 0
    line = f"Kairos is {answer['state']}"
    if answer.get("problem"):
        line += f" (problem: {answer['problem']})"
    if answer.get("silent_until"):
        from daemon.text import format_time

        line += f"; offers are only written down until {format_time(answer['silent_until'])}"
    if answer.get("session"):
        line += f"; session {answer['session']}"
    print(line)
    if answer.get("models"):
        from daemon.models.usage import ModelUsage, render_usage

        print(f"Models were asked: {'; '.join(render_usage([ModelUsage(**one) for one in answer['models']]))}.")
    return 0
