"""The committed sessions are whole, small, simulated, and of two kinds that do not mix."""

from pathlib import Path

import pytest

from evaluation.simulation.persona import is_held_out
from evaluation.simulation.recording.pack import Manifest, read_manifest, read_packed
from evaluation.simulation.session_plan import PROGRAMS, Split
from evaluation.simulation.tasks.registry import TASK_PROGRAMS
from storage.records import State

LOGS = Path(__file__).resolve().parents[3] / "evaluation" / "logs"
MAX_BYTES = 20_000_000
LATE_MS = 20.0

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="no sessions were recorded yet")


def manifest(split: Split) -> Manifest:
    """Return a split's manifest; every file was compared with its hash."""
    return read_manifest(LOGS / split)


def test_the_logs_are_small_and_nothing_else_lies_beside_them() -> None:
    """All of it takes less than 20 MB, and every file is listed."""
    entries = [entry for split in Split for entry in manifest(split).sessions]
    assert sum(entry.bytes for entry in entries) <= MAX_BYTES
    for split in Split:
        listed = {entry.path(LOGS / split).name for entry in manifest(split).sessions}
        assert {path.name for path in (LOGS / split).iterdir() if not path.name.startswith(".")} == {
            "manifest.json",
            *listed,
        }


def test_the_page_tells_how_each_session_was_made() -> None:
    """The row of a session's seed names its program at its place in the order."""
    rows = [line.strip("|").split("|") for line in (LOGS / "README.md").read_text().splitlines() if line[:1] == "|"]
    orders = {(row[0].strip(), row[1].strip()): row[2].strip().split(",") for row in rows}
    for entry in (entry for split in Split for entry in manifest(split).sessions):
        _, seed, number, program = entry.name.split("-", 3)
        row = (seed, "train") if entry.split is Split.TRAIN else ("104, 109", "test")
        assert orders[row][int(number) % len(orders[row])] == program == entry.program, entry.name


@pytest.mark.parametrize("split", list(Split))
def test_a_split_holds_only_what_belongs_to_it(split: Split) -> None:
    """Programs, people and behaviors of the two kinds of sessions do not mix, and all states occur."""
    states: set[State | None] = set()
    for entry in manifest(split).sessions:
        packed = read_packed(entry.path(LOGS / split))
        assert packed.split is entry.split is split
        assert packed.program in (*PROGRAMS[split], *TASK_PROGRAMS[split])
        assert is_held_out(packed.person) is (split is Split.TEST)
        assert split is Split.TEST or not any(label.held_out for label in packed.labels)
        states |= {label.state for label in packed.labels}
    assert states >= set(State)


def test_sessions_with_late_hands_or_without_an_end_were_left_out() -> None:
    """The 95th percentile of lateness is at most 20 ms in each, and each came to the end of its story."""
    entries = [entry for split in Split for entry in manifest(split).sessions]
    assert max(entry.late_p95_ms for entry in entries) <= LATE_MS
    assert {entry.ended for entry in entries} == {None}
