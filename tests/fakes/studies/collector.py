"""A collector, and the part of a study's folder that it needs, for the person of `documents`."""

from pathlib import Path
from typing import Any

import msgspec

from participant.documents.keys import READING_KIND, SIGNING_KIND, SigningKey, format_public, seal, write_key
from participant.documents.names import FIRST
from participant.documents.signed import encode
from participant.documents.statements import StudyWithdrawal, write_statement
from study.collector.collector import Collector, Incoming, Outgoing
from study.researcher.allocation import Allocation, seal_allocation
from study.researcher.folder import StudyFolder, reader_context
from study.researcher.participants import Participant
from tests.fakes.studies.documents import (
    JOIN,
    PARTICIPANT,
    PERSON,
    PERSON_READER,
    RECEIPTS,
    RESEARCHER,
    bundle,
    bundle_bytes,
)

NOW_NS = 1_800_000_000_000_000_000
HOUR_NS = 3600 * 10**9


def write_collector_folder(folder: Path, *, reader_keys: bool = True) -> StudyFolder:
    """Write what a collector reads; with `reader_keys` also the researcher's, which it must not read."""
    for part in ("keys", "signed"):
        (folder / part).mkdir(parents=True)
    (folder / "signed" / "sheets-1.kairos-study").write_bytes(bundle_bytes())
    write_key(folder / "keys" / "receipts.key", RECEIPTS)
    listed = Participant(
        number=1,
        participant=PARTICIPANT,
        login="$7$101$c2FsdA==$aGFzaA==",
        join_key=format_public(SIGNING_KIND, JOIN.public),
        reader=format_public(READING_KIND, PERSON_READER.public),
        study_version=1,
    )
    (folder / "participants.jsonl").write_bytes(msgspec.json.encode(listed) + b"\n")
    files = StudyFolder(folder)
    if reader_keys:
        write_key(folder / "keys" / "reader.key", RESEARCHER)
        sealed = seal(PERSON_READER.expose(), [RESEARCHER.public], bound_to=reader_context("sheets", PARTICIPANT))
        files.sealed_key(PARTICIPANT).parent.mkdir()
        files.sealed_key(PARTICIPANT).write_bytes(encode(sealed))
        plan = bundle().plan
        allocation = Allocation(study=plan.name, seed=bytes(16), arms=plan.arms, participants=(PARTICIPANT,))
        (folder / "allocation.sealed").write_bytes(seal_allocation(allocation, plan.reader_keys))
    return files


def withdrawal(*, keep: bool = False, joining: bytes | None = None, key: SigningKey = PERSON, sent: int = 3) -> bytes:
    about: dict[str, Any] = {"study": "sheets", "participant": PARTICIPANT, "last": FIRST}
    return write_statement(StudyWithdrawal(**about, keep=keep, parcels=sent, joining=joining), key)


def take(collector: Collector, *raws: bytes, now_ns: int = NOW_NS, who: str = PARTICIPANT) -> list[Outgoing]:
    return collector.take([Incoming(who, raw) for raw in raws], now_ns)
