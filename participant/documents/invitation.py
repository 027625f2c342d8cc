"""An invitation: the file with which one person joins a study.

It holds the study's bundle, the participant's id and login at the broker, a key with which to join, the public half of
the participant's own reader key, and the arm as a number. It is signed by the study and not sealed: whoever has the
file can join with it, and whoever decodes it can see the arm, though nothing shows it at a glance.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from participant.documents.bundle import MAX_BUNDLE_BYTES, Bundle, read_bundle
from participant.documents.keys import KEY_BYTES, MAX_READERS, PublicBytes, SigningKey
from participant.documents.names import Name, ParticipantId
from participant.documents.plan import MAX_ARMS
from participant.documents.signed import DocumentKind, read_claim
from participant.documents.statements import Joining, write_statement
from storage.errors import BadFile

PASSWORD_BYTES = 16
SUFFIX = ".kairos-invitation"
MAX_INVITATION_BYTES = MAX_BUNDLE_BYTES + 4096


class Invitation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed. `join_key` is a private key; `readers` are whom parcels are sealed for."""

    version: Literal[1] = 1
    study: Name
    participant: ParticipantId
    password: Annotated[bytes, Meta(min_length=PASSWORD_BYTES, max_length=PASSWORD_BYTES)]
    join_key: Annotated[bytes, Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
    readers: Annotated[tuple[PublicBytes, ...], Meta(min_length=1, max_length=MAX_READERS)]
    arm: Annotated[int, Meta(ge=0, lt=MAX_ARMS)]
    bundle: bytes

    def __repr__(self) -> str:
        """Name the participant and nothing that is secret."""
        return f"<invitation of {self.participant}>"

    def join(self, key: SigningKey) -> bytes:
        """Return the signed `Joining` of a participant who made this key."""
        joining = Joining(study=self.study, participant=self.participant, key=key.public)
        return write_statement(joining, SigningKey(self.join_key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """An invitation and the bundle in it, both checked; `raw` is the invitation as it came."""

    invitation: Invitation
    bundle: Bundle
    raw: bytes = field(repr=False)

    @property
    def arm(self) -> str:
        """The name of the arm."""
        return self.bundle.plan.arms[self.invitation.arm]

    @property
    def password(self) -> str:
        """The password at the broker; the login is the participant's id."""
        return self.invitation.password.hex()


def read_invitation(raw: bytes) -> Invited:
    """Return an invitation with its bundle, once all of it was checked.

    Raises:
        BadFile: it is damaged, changed, not signed by the study that it is for, or asks for what no study may.
    """
    claim = read_claim(raw, DocumentKind.INVITATION, Invitation, limit=MAX_INVITATION_BYTES)
    bundle = read_bundle(claim.body.bundle)
    invitation = claim.verified_by(bundle.plan.signing_key)
    if invitation.study != bundle.plan.name or invitation.arm >= len(bundle.plan.arms):
        raise BadFile("this invitation and the study in it do not belong together")
    return Invited(invitation=invitation, bundle=bundle, raw=raw)
