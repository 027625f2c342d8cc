"""A proxy between sender and broker that keeps every byte of both directions."""

import socket
import threading
from typing import Self


class Recorder:
    """Takes connections on `port` and passes them on to another port of this machine; `heard` is all that passed."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self._heard = bytearray()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._run(self._accept)
        return self

    def __exit__(self, *error: object) -> None:
        """Close everything and wait for its threads."""
        self._server.shutdown(socket.SHUT_RDWR)
        for connection in self._sockets:
            connection.close()
        for thread in self._threads:
            thread.join(10)
        self._server.close()

    @property
    def heard(self) -> bytes:
        with self._lock:
            return bytes(self._heard)

    def _run(self, target: object, *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments)  # type: ignore[arg-type]  # a method of ours
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near = self._server.accept()[0]
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._to_port))
            self._sockets += [near, far]
            self._run(self._pass, near, far)
            self._run(self._pass, far, near)

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                with self._lock:
                    self._heard += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return
