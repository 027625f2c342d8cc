"""Writes a participant's parcels in order, each naming the digest of the one before."""

from collections.abc import Sequence
from dataclasses import dataclass

from participant.delivery.outbox import NewParcel, StoredParcel
from participant.documents.invitation import Invited
from participant.documents.keys import SigningKey
from participant.documents.names import digest_of
from participant.documents.parcel import Header, read_header, write_parcel
from participant.documents.rows import Row, encode_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """What it takes to write parcels: the invitation, for whom they are sealed, and the person's key."""

    invited: Invited
    key: SigningKey

    def write(self, rows: Sequence[Row], *, n: int, previous: bytes, joining: bytes | None = None) -> NewParcel:
        """Return one parcel; `joining` for number 0 alone."""
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
