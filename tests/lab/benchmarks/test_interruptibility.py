"""Reading what an interruption costs, on a made-up table in the layout of the study."""

from pathlib import Path

import pytest

from lab.benchmarks.interruptibility import FILE, lags
from storage.errors import BadFile

HEAD = ",tsStart, tsEnd, interruption_lag, disturbance, interruptibility, mental_workload,interruptible\n"


def _row(lag_ms: int, *, interruptible: bool) -> str:
    return f"0,2023-03-29 14:06:25+00:00,2023-03-29 14:07:25+00:00,{lag_ms},2,4,3,{interruptible}\n"


def test_medians_are_separate_for_each_kind(tmp_path: Path) -> None:
    """Lags are milliseconds in the table and seconds here; the median of an even number lies between the middle two."""
    rows = [(1000, True), (9000, True), (3000, True), (20000, False), (30000, False)]
    table = HEAD + "".join(_row(lag_ms, interruptible=kind) for lag_ms, kind in rows)
    (tmp_path / FILE).write_text(table, encoding="utf-8")
    yes, no = lags(tmp_path)
    assert (yes.interruptible, yes.cases, yes.median_s) == (True, 3, 3.0)
    assert (no.interruptible, no.cases, no.median_s) == (False, 2, 25.0)


@pytest.mark.parametrize(
    "table", ["", HEAD, HEAD + _row(5, interruptible=True), HEAD + "0,a,b,late,1,1,1,True\n", "a\n1\n"]
)
def test_foreign_tables_are_refused(tmp_path: Path, table: str) -> None:
    """No table, none of its columns, no number, or one kind alone."""
    (tmp_path / FILE).write_text(table, encoding="utf-8")
    with pytest.raises(BadFile, match=FILE):
        lags(tmp_path)


def test_a_wrong_folder_is_refused(tmp_path: Path) -> None:
    """An empty folder holds no table."""
    with pytest.raises(BadFile, match="no table"):
        lags(tmp_path)
