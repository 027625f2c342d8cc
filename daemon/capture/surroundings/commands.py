"""Runs programs that report on their standard output, once or line by line; none of them outlives us.

`setpriv` has the kernel end them with the thread that started them, even if this process is killed outright. They are
not `asyncio`'s children: on Python 3.11 it needs a thread for each, and complains of those that ended by themselves.
"""

import asyncio
import contextlib
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from daemon.capture.surroundings.source import SourceUnavailable

ANSWER_S = 3.0
"""Time limit for the output of a program; a guess."""

_MAX_LINE = 1 << 20
_END_S = 1.0


@asynccontextmanager
async def run_command(argv: Sequence[str], env: Mapping[str, str]) -> AsyncIterator[asyncio.StreamReader]:
    """Run a program and yield its output; end it on leaving.

    Raises:
        SourceUnavailable: it cannot be started.
    """
    prefix = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: ASYNC220  # returns once the program was started, as asyncio's own does
            [*prefix, *argv], env=env, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing
        )
    except OSError as fault:
        raise SourceUnavailable from fault
    with contextlib.ExitStack() as stack:
        stack.callback(_end, process)
        reader = asyncio.StreamReader(limit=_MAX_LINE)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, process.stdout)
        stack.callback(transport.close)
        yield reader


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_S)


async def read_lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    """Yield the output of a program line by line until it ends.

    Raises:
        SourceUnavailable: a line is too long to be text.
    """
    try:
        async for line in reader:
            yield line.decode("utf-8", "replace")
    except ValueError as fault:  # a line without end
        raise SourceUnavailable from fault


async def command_output(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """Return what a program prints; empty where it is missing or takes too long."""
    try:
        async with asyncio.timeout(ANSWER_S), run_command(argv, env) as reader:
            return (await reader.read()).decode("utf-8", "replace")
    except (SourceUnavailable, TimeoutError):
        return ""
