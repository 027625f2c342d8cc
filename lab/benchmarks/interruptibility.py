"""What an interruption costs people: how long until they answer, when they could be interrupted and when not.

`python -m lab.benchmarks.interruptibility PATH` reads the aggregated table of a published study (ten
programmers, 82 staged interruptions; the data set is not part of Kairos) and prints two medians. There are no input
events in it, so nothing can be detected from it; it only says how much a badly placed offer costs.
"""

import csv
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

from storage.errors import BadFile

FILE = "Aggregated_Interruption_Data.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """Interruptions that people did, or did not, say they could be interrupted at, and the median time to answer."""

    interruptible: bool
    cases: int
    median_s: float


def lags(path: Path) -> tuple[Lag, Lag]:
    """Return the lags of both kinds, interruptible first.

    Raises:
        BadFile: the table is missing or foreign, or lacks one kind.
    """
    path = path / FILE if path.is_dir() else path
    by_kind: dict[str, list[float]] = {"True": [], "False": []}
    try:
        with path.open(encoding="utf-8", newline="") as table:
            for row in csv.DictReader(table, skipinitialspace=True):
                by_kind[row["interruptible"].strip()].append(int(row["interruption_lag"]) / 1000)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        raise BadFile(f"{path} is no table of interruptions", remedy=f"give the folder that holds {FILE}") from error
    if not all(by_kind.values()):
        raise BadFile(f"{path} lacks interruptions of one kind", remedy=f"give the folder that holds {FILE}")
    yes, no = (
        Lag(interruptible=kind == "True", cases=len(found), median_s=statistics.median(found))
        for kind, found in by_kind.items()
    )
    return yes, no


if __name__ == "__main__":
    for lag in lags(Path(sys.argv[1])):
        word = "interruptible" if lag.interruptible else "not interruptible"
        print(f"{word}: {lag.cases} cases, median {lag.median_s:.1f} s until the answer")
