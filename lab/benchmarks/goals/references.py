"""The published figures, of other data than any row of ours: shown in a block of their own, never compared."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

FILE = Path(__file__).parent / "data" / "published.json"


class Shares(msgspec.Struct, frozen=True):
    """Shares of labels, which sum to 1."""

    non_match: float
    partial: float
    match: float


class WrittenShares(Shares, frozen=True):
    """Goals that people wrote (Table 1)."""

    data: str
    who: str


class PredictedShares(msgspec.Struct, frozen=True):
    """Goals that models predicted (Table 2)."""

    data: str
    model: str
    fulfilment: float
    by_hand: Shares
    automatic: Shares


class PublishedItems(msgspec.Struct, frozen=True):
    """How many items the tables are of."""

    by_hand: int
    by_people: int
    automatic: Mapping[str, int]


class Published(msgspec.Struct, frozen=True):
    """Figures of the paper."""

    source: str
    written_by_people: tuple[WrittenShares, ...]
    predicted_by_models: tuple[PredictedShares, ...]
    items: PublishedItems
    kappa_of_people: Mapping[str, Mapping[str, float]]
    kappa_of_judge: float
    rejected: Mapping[str, float]
    ambiguity: Mapping[str, float]
    navigate: Mapping[str, float]
    notes: tuple[str, ...]


def load_published() -> Published:
    """Return the published figures."""
    return msgspec.json.decode(FILE.read_bytes(), type=Published)
