"""Checks withdrawals that a collector passed on, without taking the collector's word for anybody's key."""

from participant.documents.keys import SIGNING_KIND, parse_public
from participant.documents.signed import Kind, read_claim
from participant.documents.statements import MAX_STATEMENT_BYTES, Withdrawal, read_joining, read_withdrawal
from storage.errors import BadFile
from study.researcher.folder import Participant


def check_withdrawal(raw: bytes, *, study: str, listed: Participant, key: bytes | None) -> Withdrawal:
    """Return a withdrawal, once its signature was checked.

    Args:
        raw: the statement.
        study: the name of the study.
        listed: the line of `participants.jsonl` of whom it is about.
        key: the public key that signs their parcels; None if none of these is here, so that the joining in the
            statement, checked with the key of the invitation, must say it.

    Raises:
        BadFile: it is damaged, about somebody else, not signed by that key, or nothing says the key.
    """
    who = listed.participant
    if key is None:
        joining = read_claim(raw, Kind.WITHDRAWAL, Withdrawal, limit=MAX_STATEMENT_BYTES).body.joining
        if joining is None:
            raise BadFile("no parcel of theirs is here, and the withdrawal does not say who joined")
        join_key = parse_public(SIGNING_KIND, listed.join_key)
        key = read_joining(joining, study=study, participant=who, key=join_key).key
    return read_withdrawal(raw, study=study, participant=who, key=key)
