"""A chat server on this machine that gives the first answer allowed and keeps nothing; pictures are sent to it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer in the shape that was asked for."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        shape = asked.get("response_format") or {}
        schema = shape.get("json_schema", shape).get("schema")
        text = json.dumps(_instance(schema)) if schema is not None else "no"
        self._reply(
            200,
            {
                "model": "campaign",
                "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 500, "completion_tokens": 5},
            },
        )

    def do_GET(self) -> None:
        """Know no page."""
        self._reply(404, {"error": {"message": "no such page"}})

    def handle(self) -> None:
        """Serve a connection; one that is given up ends quietly, since late answers are not waited for."""
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        """Print nothing."""

    def _reply(self, status: int, tree: Any) -> None:
        body = json.dumps(tree).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _instance(schema: dict[str, Any]) -> Any:
    """Return the first thing that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _instance(inner) for name, inner in schema["properties"].items()}
    return "words"


@contextmanager
def model_server() -> Iterator[str]:
    """Serve from threads of its own; give the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, name="model server")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
