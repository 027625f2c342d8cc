"""Ways from the outboxes to the collector: what a rehearsal needs of one, and the short one, without a broker."""

import contextlib
import random
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from participant.delivery.answers import take_answer
from participant.delivery.outbox import Outbox, ParcelState
from participant.documents.plan import Broker
from participant.work import SENDER, SENDER_S
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from study.broker.check import find_mosquitto, free_port, running_mosquitto
from study.broker.configuration import BrokerFolder, Certificates, own_authority, write_configuration
from study.collector.collector import Collector, Incoming
from study.rehearsal.people import RehearsedPerson
from study.rehearsal.study_copy import LOOPBACK, StudyCopy
from study.researcher.folder import StudyFolder


class Route(Protocol):
    """A way from the outboxes to the collector."""

    def prepare(self, where: Path) -> Broker | None:
        """Return the broker that the copy of the study is to name; None if it makes no difference."""
        ...

    def open(self, study: StudyCopy, data: Path) -> AbstractContextManager[None]:
        """Run what is needed on the way, until the block is left; `data` is the collector's folder."""
        ...

    def deliver(self, people: Sequence[RehearsedPerson], now_wall_ns: int) -> None:
        """Take what people have let go to the collector, and its answers back."""
        ...


class DirectRoute:
    """The collector in this process, and no broker."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._collector: Collector | None = None
        self._rng = random.Random(0)  # noqa: S311  # jitter of repetitions, which are not needed here

    def prepare(self, where: Path) -> None:
        """Need no broker."""

    @contextlib.contextmanager
    def open(self, study: StudyCopy, data: Path) -> Iterator[None]:
        """Open a collector for the copy of a study."""
        with contextlib.closing(Collector(StudyFolder(study.folder.path), data)) as self._collector:
            yield

    def deliver(self, people: Sequence[RehearsedPerson], now_wall_ns: int) -> None:
        """Hand over what is due in one batch, and each answer to whom it is for."""
        if self._collector is None:
            raise ValueError("the collector was not opened")
        items = []
        for person in people:
            with Outbox(person.folder.outbox) as outbox:
                due = outbox.due(now_wall_ns)
                outbox.mark_tried([parcel.n for parcel in due], now_wall_ns, self._rng)
                items += [Incoming(person.id, parcel.raw) for parcel in due]
        by_id = {person.id: person for person in people}
        for answer in self._collector.take(items, now_wall_ns):
            with Outbox(by_id[answer.participant].folder.outbox) as outbox:
                take_answer(answer.raw, outbox, outbox.address())


COLLECTS = "collecting"
"""How the collector's first line begins, once it has subscribed."""

STARTS_S = 30.0
ENDS_S = 30.0
SENDERS = 2
"""How many people send at once."""

TRIES = 3
"""How often a sender is started again for what was not signed for."""


class WholePath:
    """Sender, broker and collector, as processes of their own."""

    def __init__(self) -> None:
        """Prepare nothing yet."""
        self._certificates: Certificates | None = None

    def prepare(self, where: Path) -> Broker:
        """Make certificates, and choose a free port; return what stands in the study file."""
        find_mosquitto()
        self._certificates, authority = own_authority(where / "tls", LOOPBACK)
        return Broker(host=LOOPBACK, port=free_port(), ca=authority)

    @contextlib.contextmanager
    def open(self, study: StudyCopy, data: Path) -> Iterator[None]:
        """Run broker and collector.

        Raises:
            EnvironmentFault: one does not start.
        """
        if self._certificates is None:
            raise ValueError("the broker was not prepared")
        where = data.parent
        out = BrokerFolder(where / "broker")
        port = study.plan.broker.port
        write_configuration(study.folder.path, out, self._certificates, port=port)
        lines = [f"listener {port} {LOOPBACK}" if line.startswith("listener ") else line for line in out.conf_lines()]
        out.conf.write_text("\n".join(lines) + "\n", encoding="utf-8")
        collect = [sys.executable, "-P", "-m", "daemon.cli.main", "study", "collect", str(study.folder.path)]
        with (
            running_mosquitto(out.conf, port, where / "broker.log"),
            _collecting([*collect, "--data", str(data)], where / "collector.log"),
        ):
            yield

    def deliver(self, people: Sequence[RehearsedPerson], now_wall_ns: int) -> None:  # noqa: ARG002  # senders have a clock
        """Start the sender of everybody who has something to send, until all is signed for or tried often enough."""
        for _ in range(TRIES):
            waiting = deque(person for person in people if _waits(person))
            if not waiting:
                return
            running: list[subprocess.Popen[bytes]] = []
            try:
                while waiting or running:
                    while waiting and len(running) < SENDERS:
                        running.append(_send(waiting.popleft()))
                    running.pop(0).wait(SENDER_S)
            except subprocess.TimeoutExpired as error:
                raise EnvironmentFault(
                    "a sender does not end", remedy="see whether this machine is very busy"
                ) from error
            finally:
                for process in running:
                    process.kill()
                    process.wait()


def _waits(person: RehearsedPerson) -> bool:
    with Outbox(person.folder.outbox) as outbox:
        return bool(outbox.parcels(ParcelState.READY))


def _send(person: RehearsedPerson) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*SENDER, str(person.folder.outbox), "--all"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextlib.contextmanager
def _collecting(command: Sequence[str], log: Path) -> Iterator[None]:
    """Run a collector until the block is left; its messages go to a file."""
    with log.open("wb") as messages:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages, start_new_session=True
        )
    clock = SystemClock()
    deadline_ns = clock.now_ns() + round(STARTS_S * NS_PER_S)
    try:
        while not log.read_text(errors="replace").startswith(COLLECTS):
            if process.poll() is not None or clock.now_ns() > deadline_ns:
                raise EnvironmentFault("the collector does not start", remedy="try it without --whole-path")
            clock.sleep_s(0.02)
        yield
    finally:
        process.terminate()
        try:
            process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
