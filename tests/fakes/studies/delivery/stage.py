"""Broker, collector and people of one study, in one folder; and the sender as the process that it is."""

import contextlib
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiomqtt import Client, ProtocolVersion

from participant.documents.names import FIRST, digest_of
from participant.documents.parcel import read_header
from participant.documents.topics import COLLECTOR
from study.broker.check import free_port
from study.collector.store import FILE, CollectorReader
from study.researcher.folder import StudyFolder
from tests.fakes.studies.delivery.authority import Authority, make_authority
from tests.fakes.studies.delivery.broker import Mosquitto
from tests.fakes.studies.delivery.people import Person, join, make_study

ROOT = Path(__file__).resolve().parents[4]


@dataclass(frozen=True, slots=True)
class Sent:
    """What the process of a sender said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def python(*words: str, **options: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *words], env=environment, cwd=ROOT, text=True, **options)


def send(person: Person, *words: str, **options: Any) -> Sent:
    process = python("-m", "participant.delivery.sender", str(person.path), *words, **options)
    out, err = process.communicate(timeout=120)
    return Sent(process.returncode, out, err)


class Stage:
    """Everything between a person's outbox and the collector's file."""

    def __init__(
        self,
        folder: Path,
        *,
        people: int,
        tls: bool = True,
        authority: Authority | None = None,
        autosave_s: int = 1,
        tasks: bool = False,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        made = authority or (make_authority(folder / "authority") if tls else None)
        self.authority = made
        port = free_port()
        ca = made.pem if made is not None else None
        self.study: StudyFolder = make_study(folder / "first", port=port, ca=ca, people=people, tasks=tasks)
        self.broker = Mosquitto(folder / "broker", self.study.path, made, port=port, autosave_s=autosave_s)
        self.password = StudyFolder(self.study.path).password()
        self.people = join(self.study, folder / "people")
        self.data = folder / "collected"
        self._collector: subprocess.Popen[str] | None = None

    def start_collector(self, **options: Any) -> None:
        command = ["-m", "daemon.cli.main", "study", "collect", str(self.study.path), "--data", str(self.data)]
        self._collector = python(*command, **options)
        assert self._collector.stderr is not None
        said = self._collector.stderr.readline()
        assert said.startswith("collecting"), said

    def collectors_client(self, **options: Any) -> Client:
        context = None if self.authority is None else ssl.create_default_context(cadata=self.authority.pem)
        who: dict[str, Any] = {"username": COLLECTOR, "password": self.password}
        return Client("127.0.0.1", self.broker.port, **who, protocol=ProtocolVersion.V5, tls_context=context, **options)

    def kill_collector(self) -> None:
        if self._collector is not None:
            self._collector.kill()
            self._collector.communicate()
            self._collector = None

    def start(self) -> None:
        self.broker.start()
        self.start_collector()

    def close(self) -> None:
        self.kill_collector()
        self.broker.kill()

    def collected(self, person: Person) -> list[tuple[int, bytes]]:
        with contextlib.closing(CollectorReader(self.data / FILE)) as reader:
            return [(parcel.n, parcel.raw) for parcel in reader.parcels(person.id)]


def whole_chain(parcels: list[tuple[int, bytes]]) -> bool:
    previous = FIRST
    for expected, (n, raw) in enumerate(parcels):
        header = read_header(raw)
        if n != expected or header.n != n or header.previous != previous:
            return False
        previous = digest_of(raw)
    return True


@contextlib.contextmanager
def running(stage: Stage) -> Iterator[Stage]:
    try:
        stage.start()
        yield stage
    finally:
        stage.close()
