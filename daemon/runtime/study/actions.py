"""Carries out what a person asks of their study in the tray, by `kairos study ...` as a child, one after the other.

The daemon knows nothing of parcels: it passes on what the command says with `--json`. Asked for by a person, so a
short-lived thread may wait for the child.
"""

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from daemon.runtime.background_command import child_environment
from storage.ports import StudyParcel, StudyReply, StudyRequest
from storage.translation import read_sentence, said_of, translatable

logger = logging.getLogger(__name__)

KAIROS = (sys.executable, "-P", "-m", "daemon.cli.main")
LIMIT_S = 60.0
MAX_BYTES = 16 << 20
"""A longer answer is none that the command gives."""

HOLD_MODE = "hold"

ARGUMENTS: Mapping[StudyRequest, tuple[str, ...]] = {
    StudyRequest.REVIEW: ("study", "review", "--json"),
    StudyRequest.SEND: ("study", "review", "--send", "--json"),
    StudyRequest.HOLD: ("study", "review", "--mode", HOLD_MODE, "--json"),
    StudyRequest.RESUME: ("study", "review", "--mode", "ask", "--json"),
    StudyRequest.LEAVE: ("study", "leave", "--json"),
    StudyRequest.LEAVE_KEEP: ("study", "leave", "--keep", "--json"),
}

_NO_ANSWER = translatable("The command did not answer. See: kairos study status")


class StudyActions:
    """Runs requests in their order. Used in the core's thread."""

    def __init__(self, on_reply: Callable[[StudyReply], None], *, command: Sequence[str] = KAIROS) -> None:
        """Take who gets the replies, in the core's thread."""
        self._on_reply = on_reply
        self._command = tuple(command)
        self._waiting: deque[tuple[StudyRequest, str]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def start(self, request: StudyRequest, through: str = "") -> None:
        """Carry out a request once those before it are done; the same one twice in a row counts once."""
        if self._stopped or (self._waiting and self._waiting[-1] == (request, through)):
            return
        self._waiting.append((request, through))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> None:
        """End: what runs is killed, which loses nothing, and what waits is dropped."""
        self._stopped = True
        self._waiting.clear()
        if self._child is not None:
            with suppress(ProcessLookupError):
                self._child.kill()

    async def _run(self) -> None:
        try:
            while self._waiting:
                request, through = self._waiting[0]
                arguments = ARGUMENTS[request]
                if request is StudyRequest.SEND:
                    arguments = (*arguments, "--through", through)
                code, output = await asyncio.to_thread(self._answer, arguments)
                if self._stopped:
                    return
                self._waiting.popleft()
                logger.info("the study's %s ended: %d", request, code)
                self._on_reply(reply_of(request, code, output))
        finally:
            self._task = None

    def _answer(self, arguments: Sequence[str]) -> tuple[int, bytes]:
        """Run the command; return its exit code and what it printed. Runs in a thread of its own."""
        try:
            self._child = child = subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=child_environment(os.environ),
            )
        except OSError:
            return -1, b""
        if self._stopped:  # since: it was not there to be killed
            child.kill()
        try:
            output, _ = child.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return -1, b""
        finally:
            self._child = None
        return child.returncode, output


def reply_of(request: StudyRequest, code: int, output: bytes) -> StudyReply:
    """Return the reply that a command's exit code and JSON object stand for; anything else is no answer."""
    facts = _facts_of(output)
    if "error" in facts:
        of_what, of_remedy = said_of(facts)
        what = read_sentence(str(facts["error"]), of_what)
        return StudyReply(
            request=request,
            done=False,
            text=what,
            remedy=read_sentence(str(facts.get("remedy") or ""), of_remedy),
        )
    try:
        if request in (StudyRequest.LEAVE, StudyRequest.LEAVE_KEEP):
            return StudyReply(request=request, done=True, told=facts["told"] is True)
        parcels = tuple(map(_parcel, facts["parcels"]))
        mode, released = str(facts["mode"]), int(facts["released"])
    except (ValueError, TypeError, KeyError):
        return StudyReply(request=request, done=False, text=_NO_ANSWER)
    return StudyReply(request=request, done=code == 0, mode=mode, parcels=parcels, released=released)


def _facts_of(output: bytes) -> Mapping[str, Any]:
    try:
        facts = json.loads(output) if len(output) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _parcel(facts: Mapping[str, Any]) -> StudyParcel:
    return StudyParcel(
        n=int(facts["n"]),
        size=int(facts["size"]),
        sha256=str(facts["sha256"]),
        rows=tuple(str(row) for row in facts["rows"]),
    )
