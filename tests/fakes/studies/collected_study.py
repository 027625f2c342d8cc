"""A study whose invited people sent rows: its folder with keys, and the collector's file. Nobody is involved."""

import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import duckdb
from msgspec.structs import replace

from participant.documents.invitation import Invitation, read_invitation
from participant.documents.keys import SigningKey
from participant.documents.names import FIRST, digest_of
from participant.documents.parcel import Header, write_parcel
from participant.documents.private_files import write_private
from participant.documents.rows import DayRow, Outcomes, Row
from participant.documents.statements import StudyWithdrawal, write_statement
from policies.arms import assign
from policies.state import Randomizer
from storage.db.connection import open_writable
from study.collector.store import create_tables
from study.opening.tables import Opened, open_study, read_tables, tables_file
from study.researcher.allocation import Allocation, seal_allocation
from study.researcher.folder import StudyFolder
from tests.fakes.studies.documents import answer, consent, point

ROWS_EACH = 40
WALL_NS = 1_790_000_000_000_000_000


def fill_in(folder: Path, *, arms: bool = True, outcome: str = "recovered") -> None:
    for path in (folder / "study.toml", folder / "consent.en.md"):
        text = path.read_text().replace("FILL-IN: ", "").replace("fill-in.example.org", "broker.example.org")
        text = text.replace('outcome = "recovered"', f'outcome = "{outcome}"')
        if arms:
            text = text.replace('arms = ["all"]', 'arms = ["help", "control"]').replace(
                "exploration = 0.5 }", 'exploration = 0.5 }\narms.control = { name = "silent" }'
            )
        path.write_text(text)


@dataclass(slots=True)
class Sender:
    """One invited person's Kairos: makes parcels in their chain."""

    invitation: Invitation
    arm: str
    key: SigningKey
    seed: int
    parcels: list[bytes]

    @property
    def participant(self) -> str:
        return self.invitation.participant

    def pack(self, rows: Sequence[Row]) -> bytes:
        n = len(self.parcels)
        header = Header(
            study=self.invitation.study,
            participant=self.participant,
            n=n,
            previous=digest_of(self.parcels[-1]) if n else FIRST,
            joining=None if n else self.invitation.join(self.key),
        )
        self.parcels.append(write_parcel(rows, header, self.key, self.invitation.readers))
        return self.parcels[-1]

    def withdraw(self, *, keep: bool) -> bytes:
        last = digest_of(self.parcels[-1]) if self.parcels else FIRST
        statement = StudyWithdrawal(
            study=self.invitation.study,
            participant=self.participant,
            keep=keep,
            parcels=len(self.parcels),
            last=last,
            joining=self.invitation.join(self.key),
        )
        return write_statement(statement, self.key)


def make_study(folder: Path, *, people: int, outcome: str = "recovered") -> list[Sender]:
    """Make a signed study with invitations; return those invited, who have sent nothing yet."""
    study = StudyFolder.create(folder)
    fill_in(folder, outcome=outcome)
    _, bundle, _ = study.sign()
    drawn = Allocation(study=bundle.plan.name, seed=b"the same for all", arms=bundle.plan.arms)
    write_private(folder / "allocation.sealed", seal_allocation(drawn, bundle.plan.reader_keys))
    senders = []
    for number, path in enumerate(study.invite(people)):
        invited = read_invitation(path.read_bytes())
        senders.append(
            Sender(
                invitation=invited.invitation,
                arm=invited.arm,
                key=SigningKey(bytes([number % 256, number // 256]) * 16),
                seed=1000 + number,
                parcels=[],
            ),
        )
    return senders


def lived(sender: Sender, *, points: int = ROWS_EACH) -> list[Row]:
    """Return rows of a person in the phase of trial: lots from their seed, and an effect of offers on recovering."""
    rng = random.Random(sender.seed)
    randomizer = Randomizer(seed=sender.seed)
    rows: list[Row] = []
    for number in range(points):
        gate = "budget" if rng.random() < 0.2 else None
        action: Any = "none"
        lot = randomizer.drawn
        if gate is None and sender.arm == "help":
            randomizer, offered = assign(randomizer, 0.5, "")
            action = "offer" if offered else "withheld"
        watched = 300 if rng.random() < 0.9 else rng.randrange(200)
        recovered = rng.random() < 0.35 + (0.3 if action == "offer" else 0.0)
        rows.append(
            replace(
                point(540 + 45 * (number % 8)),
                day=8 + number // 8,
                arm=sender.arm,
                gate=gate,
                propensity=0.5 if action in {"offer", "withheld"} else 1.0,
                assignment_number=lot if action != "none" else None,
                action=action,
                response=rng.choice(("accepted", "dismissed", "ignored")) if action == "offer" else None,
                need=round(rng.random(), 3),
                evidence=("undo_bursts",),
                outcomes=Outcomes(
                    watched_s=watched,
                    need=None if watched < 60 else round(rng.random(), 3),
                    recovered=None if watched < 60 else recovered,
                    active_s=min(watched, 120),
                    undos=rng.randrange(4),
                ),
            ),
        )
        if action in {"offer", "withheld"}:
            drawn = rng.random() < 0.25
            answered = drawn and rng.random() < 0.8
            rows.append(
                replace(
                    answer(),
                    day=8 + number // 8,
                    minute=540 + 45 * (number % 8) + 3,
                    arm=sender.arm,
                    moment="offer" if action == "offer" else "no_offer",
                    step="answered" if answered else "expired" if drawn else "not_drawn",
                    delay_s=1.5 if drawn else None,
                    choices={"stuck": rng.randrange(5), "bad_moment": rng.randrange(3)} if answered else {},
                ),
            )
    rows.append(DayRow(day=8, minutes=480, gates={"budget": 3}, problems={}, left_out=0, version="0.1.0"))
    return rows


def send(sender: Sender, rows: Sequence[Row], *, each: int = 15) -> None:
    everything = [consent(sender.seed, sender.key), *rows]
    for start in range(0, len(everything), each):
        sender.pack(everything[start : start + each])


def collect(path: Path, senders: Sequence[Sender]) -> Path:
    database = open_writable(path, create_tables, wal=True)
    database.execute("BEGIN")
    for sender in senders:
        database.execute(
            "INSERT INTO participants (participant, key, first_wall_ns, last_wall_ns) VALUES (?, ?, ?, ?)",
            (sender.participant, sender.key.public, WALL_NS, WALL_NS),
        )
        for n, raw in enumerate(sender.parcels):
            database.execute(
                "INSERT INTO parcels VALUES (?, ?, ?, ?, ?)", (sender.participant, n, digest_of(raw), raw, WALL_NS)
            )
    database.execute("COMMIT")
    database.close()
    return path


@cache
def _database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(":memory:")


@dataclass(frozen=True, slots=True)
class CollectedStudy:
    """A study's folder, its collector's file, and those who were invited; the last of them sent nothing."""

    place: Path
    senders: list[Sender]

    @property
    def folder(self) -> Path:
        return self.place / "study"

    @property
    def data(self) -> Path:
        return self.place / "collector" / "collector.db"

    @classmethod
    def make(cls, place: Path, *, people: int = 6, points: int = ROWS_EACH, outcome: str = "recovered") -> Self:
        study = cls(place, make_study(place / "study", people=people, outcome=outcome))
        for sender in study.senders[:-1]:
            send(sender, lived(sender, points=points))
        study.data.parent.mkdir()
        collect(study.data, study.senders[:-1])
        return study

    def copy(self, place: Path) -> Self:
        for name in ("study", "collector"):
            shutil.copytree(self.place / name, place / name)
        return type(self)(place, self.senders)

    def open(self) -> Opened:
        return open_study(self.folder, [self.data], wall_ns=7)

    def read(self, sql: str) -> list[tuple[Any, ...]]:
        with read_tables(self.folder) as tables:
            return tables.execute(sql).fetchall()

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._tables("(READ_ONLY)") as tables:
            return tables.execute(sql, values).fetchall()

    def alter(self, sql: str) -> None:
        with self._tables() as tables:
            tables.execute(sql)

    @contextmanager
    def _tables(self, options: str = "") -> Iterator[duckdb.DuckDBPyConnection]:
        """Attach the tables to a database that is there; another one of its own begins with 40 ms of CPU."""
        with _database().cursor() as database:
            database.execute(f"ATTACH '{tables_file(self.folder)}' AS study {options}")
            try:
                database.execute("USE study")
                yield database
            finally:
                database.execute("USE memory; DETACH study")

    def points_of(self, participant: str) -> int:
        ((count,),) = self.query("SELECT count(*) FROM points WHERE participant = ?", participant)
        return int(count)


def change_data(path: Path, sql: str, *values: object) -> None:
    database = open_writable(path, create_tables, wal=True)
    database.execute(sql, values)
    database.close()
