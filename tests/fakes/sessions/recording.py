"""A session recorder with its folder and what it reported."""

from collections.abc import Callable
from pathlib import Path

from storage.clock import NS_PER_S, SystemClock
from storage.records import Box, Dropped, Element, Elements, Problem, Record
from storage.session.heartbeat import Heartbeat
from storage.session.log import SessionReader, create_session
from storage.session.recorder import SessionRecorder
from storage.settings import StorageSettings
from tests.fakes.sessions.rows import WALL_NS

CLOCK = SystemClock()
DEADLINE_S = 20.0
QUICK = StorageSettings(flush_s=0.02, min_free_mb=0)


class Recording:
    """A recorder, its folder, and what it reported."""

    def __init__(self, base: Path, settings: StorageSettings = QUICK) -> None:
        self.folder = create_session(base, WALL_NS)
        self.heartbeat = Heartbeat(self.folder)
        self.reported: list[Problem | Dropped] = []
        self.recorder = SessionRecorder(
            self.folder, settings, CLOCK, on_problem=self.reported.append, heartbeat=self.heartbeat
        )

    def seqs(self) -> list[int]:
        with SessionReader(self.folder) as reader:
            return [row.seq for row in reader]

    def close(self) -> list[int]:
        assert self.recorder.close(DEADLINE_S)
        return self.seqs()

    def count(self) -> int:
        with SessionReader(self.folder) as reader:
            return sum(reader.counts().values())

    def problems(self) -> list[tuple[str, bool]]:
        return [(record.code, record.over) for record in self.reported if isinstance(record, Problem)]


def until(met: Callable[[], bool]) -> None:
    end_ns = CLOCK.now_ns() + int(DEADLINE_S * NS_PER_S)
    while not met():
        assert CLOCK.now_ns() < end_ns, "waited in vain"
        CLOCK.sleep_s(0.005)


def heavy(seq: int) -> list[Record]:
    elements = tuple(Element(role="push button " * 20, box=Box(n, n, n, n)) for n in range(350))
    return [Elements(seq=seq, at_ns=seq, t_ns=seq, app="calc", elements=elements)]
