"""Which invitation gets which arm: permuted blocks, drawn from a seed that only the readers of the study can see.

In every block each arm comes equally often, and blocks are two or three times as long as there are arms, at random, so
that nobody can count out the last of a block. The list is a pure function of the seed: an audit draws it again.
"""

import hashlib
import os
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from participant.documents.keys import ReaderKey, Sealed, open_sealed, seal
from participant.documents.names import Name, ParticipantId
from participant.documents.plan import MAX_ARMS, Plan
from participant.documents.signed import decode, encode
from storage.errors import BadFile

SEED_BYTES = 16
MAX_INVITATIONS = 100_000
REPEATS = (2, 3)
"""How often each arm may come in a block."""

_WORD = 2**64


class Allocation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The list that is kept sealed: seed, arms, and participants in the order of their invitations."""

    version: Literal[1] = 1
    study: Name
    seed: Annotated[bytes, Meta(min_length=SEED_BYTES, max_length=SEED_BYTES)]
    arms: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=MAX_ARMS)]
    participants: Annotated[tuple[ParticipantId, ...], Meta(max_length=MAX_INVITATIONS)] = ()

    def __repr__(self) -> str:
        """Name the study and nothing that is secret."""
        return f"<allocation of {self.study}>"

    def arms_by_participant(self) -> dict[str, str]:
        """Return the arm of everybody invited."""
        drawn = draw_arms(self.seed, len(self.arms), len(self.participants))
        return {who: self.arms[arm] for who, arm in zip(self.participants, drawn, strict=True)}


def start_allocation(plan: Plan) -> Allocation:
    """Return the empty list of a study, with a new seed."""
    return Allocation(study=plan.name, seed=os.urandom(SEED_BYTES), arms=plan.arms)


def draw_arms(seed: bytes, arms: int, count: int) -> tuple[int, ...]:
    """Return the numbers of the arms of the first `count` invitations."""
    drawn: list[int] = []
    block = 0
    while len(drawn) < count:
        repeats = REPEATS[_integer(seed, block, 0, len(REPEATS))]
        members = [arm for arm in range(arms) for _ in range(repeats)]
        for place in range(len(members) - 1, 0, -1):  # Fisher and Yates
            other = _integer(seed, block, place, place + 1)
            members[place], members[other] = members[other], members[place]
        drawn += members
        block += 1
    return tuple(drawn[:count])


def seal_allocation(allocation: Allocation, readers: tuple[bytes, ...]) -> bytes:
    """Return the list sealed for the readers of the study."""
    return encode(seal(encode(allocation), readers, bound_to=allocation.study.encode()))


def open_allocation(raw: bytes, key: ReaderKey, *, study: str) -> Allocation:
    """Return the list.

    Raises:
        BadFile: it is damaged, of another study, or not sealed for this key.
    """
    sealed: Sealed = decode(raw, Sealed, what="sealed list of arms")
    allocation: Allocation = decode(open_sealed(sealed, key, bound_to=study.encode()), Allocation, what="list of arms")
    if allocation.study != study:
        raise BadFile("this list of arms is of another study")
    return allocation


def _integer(seed: bytes, block: int, place: int, below: int) -> int:
    """Return a number from 0 to `below` - 1, each equally likely."""
    attempt = 0
    while True:
        digest = hashlib.blake2b(f"{block} {place} {attempt}".encode(), key=seed, digest_size=8).digest()
        number = int.from_bytes(digest)
        if number < _WORD - _WORD % below:
            return number % below
        attempt += 1
