"""What `kairos bench models` measures, each as a program of its own, so that nothing is loaded before.

Run as `python -m lab.benchmarks.models.subjects SUBJECT`; each prints JSON lines. `import` loads the model layer
and makes an endpoint; `build` makes request bodies; `server` never answers and prints when a connection was closed;
`writer` streams answers about help and prints when it wrote the first words of each.
Nothing heavy is imported above `main`.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from storage.clock import SystemClock

DIALECTS = ("openai_chat", "ollama", "anthropic", "gemini")
TIMES = 15
GAP_S = 0.02
"""From one piece of an answer to the next, as from a model that writes fifty tokens a second."""


def main(arguments: list[str]) -> int:
    """Run one subject."""
    {"import": load, "build": build, "server": serve, "writer": write}[arguments[0]]()
    return 0


def load() -> None:
    """Print what the model layer takes: loaded alone, and with an endpoint that has tried to reach a server.

    `common` is what every running Kairos has loaded without any model: it comes first and is not part of the others.
    """
    clock = SystemClock()
    start = (clock.cpu_ns(), _rss_mb())

    import msgspec  # noqa: F401  # part of what is common

    import storage.records  # noqa: F401  # same

    common, start = _since(clock, start), (clock.cpu_ns(), _rss_mb())

    import detectors.mllm.client.endpoint  # noqa: F401  # what it takes is the question

    loaded = _since(clock, start)
    from lab.benchmarks.models.queries import closed_port, endpoint_at, live_query

    async def try_once() -> None:
        model = endpoint_at(closed_port())
        await model.ask(live_query(1, 1000), deadline_s=2.0)
        await model.close()

    asyncio.run(try_once())
    print(json.dumps({"common": common, "loaded": loaded, "used": _since(clock, start)}))


def build() -> None:
    """Print the CPU time that a body takes in each dialect, what base64 alone takes, and what a plain build takes."""
    import base64

    from detectors.mllm import dialects
    from detectors.mllm.protocol import RequestOptions
    from lab.benchmarks.models.queries import PICTURE_BYTES, PICTURES, live_query

    query = live_query(PICTURES, PICTURE_BYTES)
    jpegs = [picture.jpeg for picture in query.pictures]
    options = RequestOptions(model="bench")

    def body(name: str) -> Callable[[], bytes]:
        dialect = dialects.by_name(name)
        return lambda: bytes(dialect.request(query, options).body)

    found = {name: _median_ms(body(name)) for name in DIALECTS}
    found["base64"] = _median_ms(lambda: [base64.b64encode(jpeg) for jpeg in jpegs])
    found["naive"] = _median_ms(lambda: plain_build(jpegs))
    print(json.dumps({name: round(value, 3) for name, value in found.items()}))


def plain_build(jpegs: list[bytes]) -> bytes:
    """Build a chat request as it is usually done: base64 into strings, and everything through a JSON encoder."""
    import base64

    urls = [f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}" for jpeg in jpegs]
    pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    content = [*pictures, {"type": "text", "text": "Does the person need help?"}]
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": content}]}).encode()


def serve() -> None:
    """Take requests and never answer; print the port, each request, and when its connection was closed."""
    clock = SystemClock()

    class Silent(asyncio.Protocol):
        def __init__(self) -> None:
            self._taken = 0
            self._length = 0

        def data_received(self, data: bytes) -> None:
            if not self._length:
                head, _, rest = data.partition(b"\r\n\r\n")
                headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
                self._length = len(data) - len(rest) + int(headers[b"content-length"])
            self._taken += len(data)
            if self._taken == self._length:
                _print_json(asked=True)

        def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002  # a Protocol
            _print_json(closed_ns=clock.now_ns())

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Silent, "127.0.0.1", 0)
        _print_json(port=server.sockets[0].getsockname()[1])
        await loop.run_in_executor(None, sys.stdin.read)

    asyncio.run(run())


def write() -> None:
    """Stream an answer to each request, piece by piece; print the port, and when the first words of each left."""
    clock = SystemClock()
    answer = {"text": "The first row can stay in sight.", "steps": [{"text": "Open it.", "element": 1}]}
    text = json.dumps({**answer, "pages": [], "goal": ""})
    pieces = [text[at : at + 10] for at in range(0, len(text), 10)]

    def chunk(data: bytes) -> bytes:
        return f"{len(data):x}\r\n".encode() + data + b"\r\n"

    def event(piece: str) -> bytes:
        return chunk(b"data: " + json.dumps({"choices": [{"delta": {"content": piece}}]}).encode() + b"\n\n")

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _read_head(reader):
            headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
            await reader.readexactly(int(headers[b"content-length"]))
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for number, piece in enumerate(pieces):
                if number == 1:  # the one before holds the name of the field alone
                    _print_json(first_ns=clock.now_ns())
                writer.write(event(piece))
                await writer.drain()
                await asyncio.sleep(GAP_S)
            writer.write(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
            await writer.drain()
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
        _print_json(port=server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

    asyncio.run(run())


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    """Return the head of the next request; empty once the client has left."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def _median_ms(work: Callable[[], Any]) -> float:
    clock = SystemClock()
    work()
    taken = []
    for _ in range(TIMES):
        before_ns = clock.cpu_ns()
        work()
        taken.append((clock.cpu_ns() - before_ns) / 1e6)
    return sorted(taken)[TIMES // 2]


def _since(clock: SystemClock, start: tuple[int, float]) -> dict[str, float]:
    return {"cpu_s": round((clock.cpu_ns() - start[0]) / 1e9, 4), "rss_mb": round(_rss_mb() - start[1], 2)}


def _rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _print_json(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
