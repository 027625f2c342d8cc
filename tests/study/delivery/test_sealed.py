"""Neither the wire nor the broker's disk shows what is in a row: by TLS and by sealing, and by sealing alone."""

import asyncio
import random
import socket
import threading
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from participant.delivery import sender as delivery
from participant.delivery.outbox import NewParcel, Outbox, ParcelState
from participant.delivery.sender import deliver
from participant.documents.rows import DayRow, encode_rows
from storage.clock import SystemClock
from tests.fakes.studies.delivery.authority import Authority
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage


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


MARKERS = tuple(f"marker_{number:02d}_{random.Random(number).randbytes(6).hex()}" for number in range(20))
PARCEL_LINE = b"KAIROS-PARCEL-1"


def keep_for_the_collector(stage: Stage) -> None:
    """Let the broker keep parcels for a collector that is away, as it does on its disk."""

    async def subscribe() -> None:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho has no types here
        properties.SessionExpiryInterval = 3600
        async with stage.collectors_client(identifier="away", clean_start=False, properties=properties) as client:
            await client.subscribe("kairos/v1/first/up/+", qos=1)

    asyncio.run(subscribe())


def pack_markers(person: Person, *, sealed: bool) -> None:
    """Pack one row with all markers; not sealed is the control: the rows themselves go as if they were a parcel."""
    row = DayRow(day=1, minutes=480, gates=dict.fromkeys(MARKERS, 1), problems={}, left_out=0, version="0.1.0")
    if sealed:
        person.pack(1, rows=(row,))
        return
    raw = PARCEL_LINE + b"\n" + encode_rows([row])
    with Outbox(person.path) as outbox:
        outbox.add([NewParcel(raw=raw, rows=b"")], first=0, state=ParcelState.READY, now_wall_ns=0, packed=b"")


def found_in(raw: bytes) -> int:
    return sum(marker.encode() in raw for marker in MARKERS)


@pytest.mark.parametrize(("tls", "sealed"), [(True, True), (False, True), (False, False)])
def test_twenty_markers(
    tls: bool, sealed: bool, tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sealed: found nowhere, with and without TLS. The control, unsealed: all found on the wire and on the disk."""
    monkeypatch.setattr(delivery, "RECEIPT_S", 0.2)
    if not tls:
        no_tls: Any = lambda address: None  # noqa: E731  # stands for a function
        monkeypatch.setattr(delivery, "_tls", no_tls)
    stage = Stage(tmp_path / "stage", people=1, tls=tls, authority=authority if tls else None)
    person = stage.people[0]
    try:
        stage.broker.start()
        keep_for_the_collector(stage)
        pack_markers(person, sealed=sealed)
        with Recorder(stage.broker.port) as recorder, Outbox(person.path, create=False) as outbox:
            address = msgspec.structs.replace(outbox.address(), port=recorder.port)
            result = asyncio.run(deliver(outbox, address, clock=SystemClock(), rng=random.Random(1)))
        assert (result.sent, result.received) == (1, 0)
        stage.broker.stop()
    finally:
        stage.close()
    wire = recorder.heard
    disk = b"".join(path.read_bytes() for path in stage.broker.folder.rglob("*") if path.is_file())
    assert (PARCEL_LINE in wire) != tls
    assert PARCEL_LINE in disk
    assert (found_in(wire), found_in(disk)) == ((0, 0) if sealed else (20, 20))
