"""A session of a study written by hand, record by record, and the folder of a person who joined that study."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
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
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S
from storage.enrolment import EPOCH, QuestionItem, QuestionPlan
from storage.records import (
    Decision,
    Estimate,
    EventKind,
    Evidence,
    InputEvent,
    KeyClass,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    State,
    StudyStart,
    Verdict,
)
from storage.session.log import SessionWriter
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
    """Return the wall-clock time of a minute of a day of the study."""
    return (DATE + day - 1) * DAY_NS + round(minute * MINUTE_NS) - OFFSET_S * S


class StudySession:
    """Records of one session; `at_s` is seconds since it began, and never less than before."""

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
        self.wall_ns = local_wall_ns(day, minute)
        first: dict[str, Any] = {
            "session_id": "20261123-100000-abcd",
            "kairos_version": "0.1.0",
            "wall_ns": self.wall_ns,
            "settings": {"policy": policy or {"name": "utility", "exploration": 0.5}},
            "settings_hash": "",
            "detector": "evidence",
            "detector_version": "1",
            "detector_hash": "",
            "policy": "utility",
            "policy_version": "3",
            "policy_hash": "",
            "policy_state": {"saved": {"seed": SEED, "drawn": drawn}, "elapsed_ns": 0},
            "journal": True,
            "recording": False,
            "platform": "Linux",
        }
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
        self.rows: list[Record] = []
        self.add(0, SessionStart(**(first | (start or {}))))
        self.add(0, StudyStart(**(joined | (study or {}))))

    def add(self, at_s: float, record: Record) -> int:
        """Add a record; return its number."""
        numbered = replace(record, seq=len(self.rows) + 1, at_ns=self.boot_ns + round(at_s * S))
        self.rows.append(numbered)
        return numbered.seq

    def estimate(self, at_s: float, need: float, *, prefix: str = "", app: str = "libreoffice-calc") -> str:
        """Add an estimate; return the id of its prefix."""
        prefix = prefix or f"w{len(self.rows)}/25"
        states = {state.value: 0.2 if state is State.FRUSTRATION else 0.1 for state in State}
        at_ns = self.boot_ns + round(at_s * S)
        self.add(
            at_s,
            Estimate(
                prefix_id=prefix,
                window_id=len(self.rows),
                fraction=0.25,
                detector="evidence",
                detector_version="1",
                state_probs=states,
                help_need=need,
                evidence=(Evidence("undo_bursts", {"count": 4.0}), Evidence("mail from Ada", {})),
                made_at_ns=at_ns,
                ready_at_ns=at_ns,
                confidence_source="evidence",
                app=app,
            ),
        )
        return prefix

    def decide(self, at_s: float, gate: str, reason: str, **fields: Any) -> int:
        """Add an estimate of high need, and a decision on it; return the number of the decision."""
        prefix = self.estimate(at_s, 0.9)
        numbers = {"help_need": 0.9, "sum": 5.0, "upper": 3.0, "lower": -3.0, "waited_s": 2.25}
        verdict = Verdict.OFFER if gate == "all" else Verdict.HOLD
        defaults: dict[str, Any] = {"numbers": numbers, "prefix_ids": (prefix,), "verdict": verdict}
        return self.add(at_s, Decision(gate=gate, reason=reason, **(defaults | fields)))

    def offer(self, at_s: float, **fields: Any) -> int:
        """Add a decision to make an offer by lot, and the offer; return the number of the decision."""
        seq = self.decide(at_s, "all", "at_break", **({"propensity": 0.5} | fields))
        at_ns = self.boot_ns + round(at_s * S)
        self.add(
            at_s,
            Offer(
                offer_id=f"o{seq}",
                decision_seq=seq,
                prefix_id="w1/25",
                app="libreoffice-calc",
                topic="undo_bursts",
                state=State.FRUSTRATION,
                help_need=0.9,
                evidence=(),
                help=None,
                shown_at_ns=at_ns,
                expires_at_ns=at_ns + 45 * S,
            ),
        )
        return seq

    def key(self, at_s: float, key_class: KeyClass = KeyClass.CHARACTER, **fields: Any) -> None:
        """Add a key."""
        at_ns = self.boot_ns + round(at_s * S)
        self.add(at_s, InputEvent(t_ns=at_ns, kind=EventKind.KEY, key_class=key_class, **fields))

    def end(self, at_s: float) -> "StudySession":
        """End the session."""
        self.add(at_s, SessionEnd(reason="quit"))
        return self


def session_name(day: int, number: int = 0) -> str:
    """Return the name of a session of a day; several of a day are numbered."""
    return f"{EPOCH + dt.timedelta(days=DATE + day - 1):%Y%m%d}-0900{number:02d}-abcd"


def write_session(folder: Path, rows: Sequence[Record]) -> Path:
    """Write rows as a session in a folder of its own; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = SessionWriter(folder)
    writer.append(rows)
    writer.close()
    return folder


def join(path: Path, *, sends: tuple[Sent, ...] = tuple(Sent), at_wall_ns: int | None = None) -> ParticipantFolder:
    """Make the folder of a person who joined, with parcel 0; by default a day before day 1."""
    at_ns = local_wall_ns(0, 600.0) if at_wall_ns is None else at_wall_ns
    folder = ParticipantFolder(path)
    path.mkdir(parents=True, mode=0o700)
    bundle = studies.bundle()
    answer = agreement(bundle, sends, "en", at_ns)
    write_key(folder.key, studies.PERSON)
    write_private(folder.invitation, studies.invitation_bytes())
    write_private(folder.bundle, studies.bundle_bytes())
    write_private(
        folder.consent,
        encode_consent(
            consent_file(bundle, studies.PARTICIPANT, format_public(SIGNING_KIND, studies.PERSON.public), (answer,))
        ),
    )
    row = consent_row(answer, day=0, seed=SEED, key=studies.PERSON.public, version="0.1.0")
    raw = write_parcel([row], studies.header(), studies.PERSON, [studies.PERSON_READER.public])
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact(BUNDLE, studies.bundle_bytes())
        outbox.save_fact(AGREED, studies.bundle_bytes())
        outbox.add(
            [NewParcel(raw=raw, rows=encode_rows([row]))],
            first=0,
            state=ParcelState.READY,
            now_wall_ns=at_ns,
            packed=b"",
        )
    return folder
