"""A study on a broker of ours, and people who joined it: their outboxes, and rows to pack."""

from dataclasses import dataclass
from pathlib import Path

from participant.delivery.outbox import BUNDLE, BrokerAddress, NewParcel, Outbox, ParcelState
from participant.documents.invitation import Invited, read_invitation
from participant.documents.keys import SigningKey
from participant.documents.parcel import Header, write_parcel
from participant.documents.rows import Row, encode_rows
from study.researcher.folder import StudyFolder
from tests.fakes.studies.documents import CONSENT, PLAN, point

_KEYS = ("signing = ", "receipts = ", "readers = ")


TASKS = """
[[tasks]]
code = "sort"
title = "Sort a table"
text = "Sort it by date."
end = "The first row holds the newest date."
program = "Calc"
"""


def make_study(
    folder: Path, *, port: int, ca: str | None, people: int, version: int = 1, tasks: bool = False
) -> StudyFolder:
    """Make, sign and invite to a study whose broker is at 127.0.0.1; with a task and labels if it has `tasks`."""
    study = StudyFolder.create(folder)
    write_plan(study, port=port, ca=ca, version=version)
    if tasks:
        path = study.path / "study.toml"
        path.write_text(
            path.read_text().replace('"questions"]', '"questions", "tasks", "labels", "narration"]') + TASKS
        )
    (study.path / "consent.en.md").write_text(CONSENT)
    study.sign()
    study.invite(people)
    return study


def write_plan(study: StudyFolder, *, port: int, ca: str | None, version: int) -> None:
    keys = [line for line in study.plan_text().splitlines() if line.startswith(_KEYS)]
    text = "\n".join(line for line in PLAN.splitlines() if not line.startswith(_KEYS))
    authority = "" if ca is None else f'\nca = """\n{ca}"""'
    text = text.replace('name = "sheets"', f'name = "{study.path.name}"').replace("version = 1", f"version = {version}")
    text = text.replace('host = "broker.example.org"\nport = 8883', f'host = "127.0.0.1"\nport = {port}{authority}')
    text = text.replace("[keys]", "\n".join(["[keys]", *keys]))
    (study.path / "study.toml").write_text(text + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who joined: what they were given, the key they made, and their outbox."""

    invited: Invited
    key: SigningKey
    path: Path

    @property
    def id(self) -> str:
        return self.invited.invitation.participant

    def address(self) -> BrokerAddress:
        broker = self.invited.bundle.plan.broker
        return BrokerAddress(
            study=self.invited.bundle.plan.name,
            participant=self.id,
            host=broker.host,
            port=broker.port,
            ca=broker.ca,
            password=self.invited.password,
            receipts_key=self.invited.bundle.plan.receipts_key,
        )

    def pack(self, count: int, *, rows: tuple[Row, ...] | None = None, state: ParcelState = ParcelState.READY) -> None:
        with Outbox(self.path) as outbox:
            for _ in range(count):
                n, previous = outbox.chain()
                content = (point(n % 1440),) if rows is None else rows
                header = Header(
                    study=self.invited.bundle.plan.name,
                    participant=self.id,
                    n=n,
                    previous=previous,
                    joining=self.invited.invitation.join(self.key) if n == 0 else None,
                )
                raw = write_parcel(content, header, self.key, self.invited.invitation.readers)
                new = NewParcel(raw=raw, rows=encode_rows(content))
                outbox.add([new], first=n, state=state, now_wall_ns=0, packed=b"")


def states(person: Person) -> list[str]:
    with Outbox(person.path) as outbox:
        return [parcel.state for parcel in outbox.parcels()]


def join(study: StudyFolder, folder: Path) -> list[Person]:
    people = []
    for path in sorted((study.path / "invitations").iterdir()):
        invited = read_invitation(path.read_bytes())
        outbox_file = folder / path.stem / "studies" / study.path.name / "outbox.db"
        person = Person(invited=invited, key=SigningKey.generate(), path=outbox_file)
        person.path.parent.mkdir(parents=True)
        with Outbox(person.path) as outbox:
            outbox.save_address(person.address())
            outbox.save_fact(BUNDLE, invited.invitation.bundle)
        people.append(person)
    return people
