"""Connects an application with its view: events in, effects out, and where the controls are on the screen.

A server on loopback, for the time of one session. The view posts what was done and gets effects back; after each change
of its layout it posts where the controls are. Nobody else knows the port, and every path begins with a random token.
"""

import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lab.simulation.apps.model import AppLogic, Event, Op
from storage.records import Box

_MAX_BODY = 1 << 20


class AppServer:
    """Serves one application to one view."""

    def __init__(self, logic: AppLogic, page: bytes = b"") -> None:
        """Start on a free port; `page` is what a browser is shown."""
        self._logic = logic
        self._lock = threading.Lock()
        self._layout: dict[str, Box] = {}
        self._layouts = 0
        self._events = self._dialogs = 0
        token = secrets.token_urlsafe(12)
        handler = self._handler(f"/{token}/", page)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/{token}/"
        self._thread = threading.Thread(target=self._server.serve_forever, name="app-server", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5.0)

    @property
    def layouts(self) -> int:
        """How often the view has posted where its controls are."""
        with self._lock:
            return self._layouts

    @property
    def events(self) -> int:
        """How many acts were handled."""
        with self._lock:
            return self._events

    @property
    def dialogs(self) -> int:
        """How many acts were answered with a message over the window."""
        with self._lock:
            return self._dialogs

    def box(self, control: str) -> Box | None:
        """Return where a control is, in the view's own pixels; None while it is not shown."""
        with self._lock:
            return self._layout.get(control)

    def _take_layout(self, facts: Mapping[str, Any]) -> None:
        with self._lock:
            self._layout = {name: Box(*map(int, box)) for name, box in facts.items()}
            self._layouts += 1

    def _take_event(self, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
        event = Event(control=str(facts["control"]), values={str(k): str(v) for k, v in facts["values"].items()})
        with self._lock:
            effects = [asdict(effect) for effect in self._logic.handle(event)]
            self._events += 1
            self._dialogs += any(effect["op"] == Op.DIALOG for effect in effects)
        return effects

    def _handler(self, prefix: str, page: bytes) -> type[BaseHTTPRequestHandler]:
        app = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the library's name
                if self.path == prefix:
                    self._answer(page, "text/html; charset=utf-8")
                elif self.path == f"{prefix}app":
                    self._answer(json.dumps(asdict(app._logic.description)).encode(), "application/json")
                else:
                    self.send_error(404)

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                if length > _MAX_BODY or not self.path.startswith(prefix):
                    self.send_error(404)
                    return
                facts = json.loads(self.rfile.read(length))
                if self.path == f"{prefix}layout":
                    app._take_layout(facts)
                    self._answer(b"[]", "application/json")
                else:
                    self._answer(json.dumps(app._take_event(facts)).encode(), "application/json")

            def _answer(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Write nothing: requests are no news."""

        return Handler
