"""Writes a participant's parcels in order, each naming the digest of the one before."""

from collections.abc import Sequence
from dataclasses import dataclass

from participant.documents.invitation import MAX_INVITATION_BYTES, Invited, read_invitation
from participant.documents.keys import SigningKey, read_signing_key
from participant.documents.parcel import Header, digest_of, read_header, write_parcel
from participant.documents.rows import Row, encode_rows
from participant.folder import ParticipantFolder
from participant.outbox import NewParcel, StoredParcel
from storage.plain_file import open_regular


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """What it takes to write parcels: the invitation, for whom they are sealed, and the person's key."""

    invited: Invited
    key: SigningKey

    def write(self, rows: Sequence[Row], *, n: int, previous: bytes, joining: bytes | None = None) -> NewParcel:
        """Return one parcel; `joining` for number 0 alone.

        Raises:
            TooManyRowsError: the rows do not fit into one.
        """
        header = Header(
            study=self.invited.invitation.study,
            participant=self.invited.invitation.participant,
            n=n,
            previous=previous,
            joining=joining,
        )
        raw = write_parcel(rows, header, self.key, self.invited.invitation.readers)
        return NewParcel(raw=raw, rows=encode_rows(rows))

    def rewrite(self, parcels: Sequence[StoredParcel], rows: Sequence[Sequence[Row]]) -> list[NewParcel]:
        """Return stored parcels that follow each other with other rows, chained anew from the first on."""
        header = read_header(parcels[0].raw)
        previous, joining = header.previous, header.joining
        made: list[NewParcel] = []
        for parcel, kept in zip(parcels, rows, strict=True):
            made.append(self.write(kept, n=parcel.n, previous=previous, joining=joining))
            previous, joining = digest_of(made[-1].raw), None
        return made


def open_writer(folder: ParticipantFolder) -> Writer:
    """Return what it takes to write parcels of a joined study.

    Raises:
        BadFile: key or invitation is gone or damaged.
    """
    with open_regular(folder.invitation) as file:
        invited = read_invitation(file.read(MAX_INVITATION_BYTES + 1))
    return Writer(invited=invited, key=read_signing_key(folder.key))
