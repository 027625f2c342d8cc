"""Compares what was opened from the collector with what the journals say, row by row.

Two opinions: every row must be the one that the packer's rules give when all journals are read at once, and every lot
among them must be the one that `lots` finds in the journals without the packer.
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from participant.documents.rows import OUTCOME_S, ConsentRow, PointRow, Row
from storage.records import Record
from study.rehearsal.lots import Lot, lots_of

SHOWN = 20
"""How many differences of one person are told."""


def differing_rows(arrived: Sequence[Row], expected: Sequence[Row]) -> list[str]:
    """Return in words where rows differ, in their order; the consent rows at the beginning are left out."""
    rows = [row for row in arrived if not isinstance(row, ConsentRow)]
    found = []
    for number, (here, there) in enumerate(zip_longest(rows, expected), 1):
        if here == there:
            continue
        if here is None or there is None:
            found.append(f"row {number}: {'missing' if here is None else 'in no journal'} ({_kind(here or there)})")
        else:
            found.append(f"row {number}: {_kind(here)} differs in {', '.join(_fields(here, there)) or 'its kind'}")
    return _shortened(found)


def differing_lots(arrived: Sequence[Row], journals: Iterable[Sequence[Record]]) -> list[str]:
    """Return in words which rows about lots are not what the journals say, by `lots.lots_of`."""
    lots = [lot for rows in journals for lot in lots_of(rows)]
    points = [row for row in arrived if isinstance(row, PointRow) and row.lot_number is not None]
    found = [] if len(points) == len(lots) else [f"{len(points)} rows about lots, and {len(lots)} lots in the journals"]
    for number, (row, lot) in enumerate(zip(points, lots, strict=False)):
        differs = [name for name, same in _same(row, lot).items() if not same]
        if row.lot_number != number:
            differs.append("lot_number")
        if differs:
            found.append(f"lot {number}: {', '.join(differs)}")
    return _shortened(found)


def _same(row: PointRow, lot: Lot) -> dict[str, bool]:
    done = lot.probability if lot.offered else 1.0 - lot.probability
    return {
        "action": (row.action == "offer") is lot.offered,
        "propensity": abs(row.propensity - done) < 1e-9,  # noqa: PLR2004  # rounding
        "recovered": row.outcomes.recovered is lot.recovered,
        "watched_s": 0 <= row.outcomes.watched_s <= OUTCOME_S,
    }


def _kind(row: Row | None) -> str:
    return type(row).__name__.removesuffix("Row").lower()


def _fields(here: Row, there: Row) -> list[str]:
    if type(here) is not type(there):
        return []
    return [name for name in here.__struct_fields__ if getattr(here, name) != getattr(there, name)]


def _shortened(found: list[str]) -> list[str]:
    return found if len(found) <= SHOWN else [*found[:SHOWN], f"and {len(found) - SHOWN} more"]
