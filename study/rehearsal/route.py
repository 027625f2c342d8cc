"""Ways from the outboxes to the collector: what a rehearsal needs of one, and the short one, without a broker."""

import random
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from participant.answers import take_answer
from participant.documents.plan import Broker
from participant.outbox import Outbox
from study.collector.collector import Collector, Incoming
from study.collector.invited import CollectorFiles
from study.collector.store import FILE
from study.rehearsal.people import Participant
from study.rehearsal.study_copy import StudyCopy


class Delivery(Protocol):
    """Takes what people have let go to the collector."""

    def deliver(self, people: Sequence[Participant], now_wall_ns: int) -> None:
        """Deliver what is due, and take the answers."""
        ...

    @property
    def data(self) -> Path:
        """The collector's file, once nothing more is delivered."""
        ...


class Route(Protocol):
    """A way from the outboxes to the collector."""

    def prepare(self, where: Path) -> Broker | None:
        """Return the broker that the copy of the study is to name; None if it makes no difference."""
        ...

    def open(self, study: StudyCopy, where: Path) -> AbstractContextManager[Delivery]:
        """Run what is needed on the way, until the block is left."""
        ...


class Direct:
    """Delivery without a broker: the collector is called in this process."""

    def __init__(self, collector: Collector, data: Path) -> None:
        """Take an open collector and its file."""
        self._collector = collector
        self._rng = random.Random(0)  # noqa: S311  # jitter of repetitions, which are not needed here
        self.data = data

    def deliver(self, people: Sequence[Participant], now_wall_ns: int) -> None:
        """Hand over what is due in one batch, and each answer to whom it is for."""
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


class DirectRoute:
    """The collector in this process, and no broker."""

    def prepare(self, where: Path) -> None:
        """Need no broker."""

    @contextmanager
    def open(self, study: StudyCopy, where: Path) -> Iterator[Delivery]:
        """Open a collector for the copy of a study."""
        data = where / "collector"
        collector = Collector(CollectorFiles(study.folder.path), data)
        try:
            yield Direct(collector, data / FILE)
        finally:
            collector.close()
