"""A session of a study written by hand, record by record, and the folder of a person who joined that study."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from participant.delivery.outbox import AGREED, BUNDLE, NewParcel, Outbox, ParcelState
from participant.documents.keys import SIGNING_KIND, format_public, write_key
from participant.documents.parcel import write_parcel
from participant.documents.plan import Sent
from participant.documents.private_files import write_private
from participant.documents.rows import encode_rows
from participant.membership.consent import agreement, consent_file, consent_row, encode_consent
from participant.membership.folder import ParticipantFolder
from participant.pack import Participation
from storage import testing
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S
from storage.enrolment import EPOCH, QuestionItem, QuestionPlan
from storage.records import Evidence, InputEvent, KeyClass, Offer, Record, State, StudyStart
from storage.session.heartbeat import Heartbeat
from storage.session.log import SessionWriter
from storage.testing import SessionBuilder
from tests.fakes.studies import documents as studies

S = NS_PER_S
DATE = 20_780
"""Day 1, in days since 1970-01-01."""

OFFSET_S = 3600
SEED = 7
BOOT_NS = 5_000 * S
"""Session time at which a session begins."""

ALL = frozenset(Sent)
WHO = Participation(study="sheets", participant=studies.PARTICIPANT, arm="help", sends=ALL)
QUESTIONS = QuestionPlan(
    event_probability=0.25,
    items=(
        QuestionItem(code="stuck", text="How stuck?", choices=("No", "Yes")),
        QuestionItem(code="bad_moment", text="Bad moment?", choices=("No", "Yes")),
    ),
)


def local_wall_ns(day: int, minute: float) -> int:
    return (DATE + day - 1) * DAY_NS + round(minute * MINUTE_NS) - OFFSET_S * S


class StudySession:
    """A session of the study; `at_s` is seconds since it began, and never less than before."""

    def __init__(
        self,
        day: int = 1,
        minute: float = 600.0,
        *,
        policy: dict[str, object] | None = None,
        drawn: int = 0,
        boot_ns: int = BOOT_NS,
        start: dict[str, Any] | None = None,
        study: dict[str, Any] | None = None,
    ) -> None:
        self.boot_ns = boot_ns
        first: dict[str, Any] = {
            "wall_ns": local_wall_ns(day, minute),
            "session_id": "20261123-100000-abcd",
            "kairos_version": "0.1.0",
            "settings": {"policy": policy or {"name": "utility", "exploration": 0.5}},
            "policy_version": "3",
            "policy_state": {"saved": {"seed": SEED, "drawn": drawn}, "elapsed_ns": 0},
            "platform": "Linux",
        }
        self.builder = SessionBuilder(app="libreoffice-calc", begin_ns=boot_ns, **(first | (start or {})))
        self.rows = self.builder.rows
        joined: dict[str, Any] = {
            "study": "sheets",
            "participant": studies.PARTICIPANT,
            "day": day,
            "phase": "trial",
            "first_date": DATE,
            "days": 28,
            "utc_offset_s": OFFSET_S,
            "seed": SEED,
            "questions": QUESTIONS,
        }
        self.add(0, StudyStart(**(joined | (study or {}))))

    def add(self, at_s: float, record: Record) -> int:
        return self.builder.at(at_s).add(record).seq

    def estimate(self, at_s: float, need: float, *, prefix: str = "", app: str = "libreoffice-calc") -> str:
        states = {state.value: 0.2 if state is State.FRUSTRATION else 0.1 for state in State}
        evidence = (Evidence("undo_bursts", {"count": 4.0}), Evidence("mail from Ada", {}))
        which = {"prefix_id": prefix or f"w{len(self.rows)}/25", "window_id": len(self.rows), "fraction": 0.25}
        session = self.builder.at(at_s)
        return session.estimate(need, state_probs=states, evidence=evidence, app=app, **which).prefix_id

    def decide(self, at_s: float, gate: str, reason: str, **fields: Any) -> int:
        """Add an estimate of high need, and a decision on it; return the number of the decision."""
        prefix = self.estimate(at_s, 0.9)
        numbers = {"help_need": 0.9, "sum": 5.0, "upper": 3.0, "lower": -3.0, "waited_s": 2.25}
        return self.builder.decide(reason, gate, **({"numbers": numbers, "prefix_ids": (prefix,)} | fields)).seq

    def offer(self, at_s: float, **fields: Any) -> int:
        """Add a decision to make an offer by lot, and the offer; return the number of the decision."""
        seq = self.decide(at_s, "all", "at_break", **({"propensity": 0.5} | fields))
        self.builder.put(Offer, offer_id=f"o{seq}", decision_seq=seq, prefix_id="w1/25", help_need=0.9)
        return seq

    def key(self, at_s: float, key_class: KeyClass = KeyClass.CHARACTER, **fields: Any) -> None:
        self.builder.at(at_s).put(InputEvent, key_class=key_class, **fields)

    def end(self, at_s: float) -> "StudySession":
        self.builder.at(at_s).end("quit")
        return self


def session_name(day: int, number: int = 0) -> str:
    return f"{EPOCH + dt.timedelta(days=DATE + day - 1):%Y%m%d}-0900{number:02d}-abcd"


def write_session(folder: Path, rows: Sequence[Record]) -> Path:
    return testing.write_session(folder, rows)


class RunningSession:
    """A session of a day that is being recorded, in its folder."""

    def __init__(self, base: Path, rows: Sequence[Record], day: int = 1) -> None:
        self.place = base / session_name(day)
        self.place.mkdir(parents=True)
        self.pulse, self.writer = Heartbeat(self.place), SessionWriter(self.place)
        self.writer.append(rows)

    def close(self, *, in_order: bool = True) -> None:
        self.writer.close()
        self.pulse.close(in_order=in_order)


def join(path: Path, *, sends: tuple[Sent, ...] = tuple(Sent), at_wall_ns: int | None = None) -> ParticipantFolder:
    at_ns = local_wall_ns(0, 600.0) if at_wall_ns is None else at_wall_ns
    folder = ParticipantFolder(path)
    path.mkdir(parents=True, mode=0o700)
    bundle = studies.bundle()
    answer = agreement(bundle, sends, "en", at_ns)
    write_key(folder.key, studies.PERSON)
    write_private(folder.invitation, studies.invitation_bytes())
    write_private(folder.bundle, studies.bundle_bytes())
    key = format_public(SIGNING_KIND, studies.PERSON.public)
    write_private(folder.consent, encode_consent(consent_file(bundle, studies.PARTICIPANT, key, (answer,))))
    row = consent_row(answer, day=0, seed=SEED, key=studies.PERSON.public, version="0.1.0")
    raw = write_parcel([row], studies.header(), studies.PERSON, [studies.PERSON_READER.public])
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact(BUNDLE, studies.bundle_bytes())
        outbox.save_fact(AGREED, studies.bundle_bytes())
        new = NewParcel(raw=raw, rows=encode_rows([row]))
        outbox.add([new], first=0, state=ParcelState.READY, now_wall_ns=at_ns, packed=b"")
    return folder
