"""The committed sessions are whole, small, simulated, and of two kinds that do not mix."""

from collections import Counter
from pathlib import Path

import pytest

from lab.benchmarks.scenes.catalogue import HALF_OF
from lab.simulation.behaviors import GESTURE_PROGRAMS, GESTURE_SCRIPTS, HELD_OUT_SCRIPTS, script_of
from lab.simulation.persona import Split, is_held_out
from lab.simulation.recording.demos import FIRST_PERSON, KINDS
from lab.simulation.recording.pack import Manifest, read_head, read_manifest, read_packed
from lab.simulation.tasks.plan import HELD_OUT
from lab.simulation.tasks.registry import TASK_PROGRAMS
from storage.records import State

LOGS = Path(__file__).resolve().parents[3] / "lab" / "logs"
TASKS = LOGS / "tasks"
LIVE = LOGS / "live" / "train"
FRESH, CALM = LOGS / "fresh", LOGS / "calm"
PARTS = [*((folder, split) for folder in (LOGS, TASKS) for split in Split), (FRESH, Split.TEST), (CALM, Split.TEST)]
MAX_BYTES = 33_000_000
LATE_MS = 20.0
LEAST = 3
CONTROLS = ("control_act", "dialog", "message", "document_loaded", "undo_label")
WORDS = ("name", "title", "text", "label")

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="no sessions were recorded yet")


def manifest(folder: Path, split: Split) -> Manifest:
    """Return a split's manifest; every file was compared with its hash."""
    return read_manifest(folder / split)


def test_the_logs_are_small_and_nothing_else_lies_beside_them() -> None:
    """All of it takes less than 33 MB, and every file is listed."""
    entries = [entry for part in PARTS for entry in manifest(*part).sessions]
    assert sum(entry.bytes for entry in entries) <= MAX_BYTES
    for folder, split in PARTS:
        listed = {entry.path(folder / split).name for entry in manifest(folder, split).sessions}
        assert {path.name for path in (folder / split).iterdir() if not path.name.startswith(".")} == {
            "manifest.json",
            *listed,
        }


def test_demos_and_scenes_are_named_as_their_commands() -> None:
    """By program and seed; nobody there is a persona, the hands were in time, and scenes are to choose on."""
    entries = read_manifest(LIVE).sessions
    assert {path.name for path in LIVE.iterdir()} == {"manifest.json", *(entry.path(LIVE).name for entry in entries)}
    for entry in entries:
        _, kind, program, *_, seed = entry.name.split("-")
        assert entry.program == f"{program}-{kind}"
        assert entry.person == FIRST_PERSON + int(seed)
        assert entry.late_p95_ms <= LATE_MS
        assert kind == "demo" or HALF_OF[program] == "choose"
    rows = [
        line.strip("|").split("|") for line in (LOGS / "README.md").read_text().splitlines() if "| sessions |" in line
    ]
    counted = [sum(entry.program.endswith(kind) for entry in entries) for kind in KINDS]
    assert [int(cell) for cell in rows[-1][1:]] == counted


@pytest.mark.parametrize(("folder", "split"), PARTS)
def test_a_split_holds_only_what_belongs_to_it(folder: Path, split: Split) -> None:
    states: set[State | None] = set()
    for entry in manifest(folder, split).sessions:
        assert entry.split is split
        assert entry.program in (GESTURE_PROGRAMS if folder is LOGS else TASK_PROGRAMS)[split]
        assert is_held_out(entry.person) is (split is Split.TEST)
        head = read_head(entry.path(folder / split))
        assert (head.split, head.program, head.person) == (split, entry.program, entry.person)
        assert split is Split.TEST or not any(label.held_out for label in head.labels)
        states |= {label.state for label in head.labels}
    assert states >= set(State)


def test_the_table_of_gesture_scripts_is_that_of_the_older_logs() -> None:
    """Their players are gone: names, states and what is held out stand in a table, and nothing else is in the logs."""
    folders = [(LOGS / split, entry) for split in Split for entry in manifest(LOGS, split).sessions]
    labels = [label for folder, entry in folders for label in read_head(entry.path(folder)).labels]
    assert {label.behavior: label.state for label in labels} == GESTURE_SCRIPTS
    assert {label.behavior for label in labels if label.held_out} == HELD_OUT_SCRIPTS


def test_hidden_courses_are_acted_out_in_the_fresh_part() -> None:
    """All of them, several times each: what ranks need there rests on no single script."""
    heads = [read_head(entry.path(FRESH / "test")) for entry in manifest(FRESH, Split.TEST).sessions]
    hidden = Counter(script_of(label.behavior) for head in heads for label in head.labels if label.held_out)
    assert set(hidden) == HELD_OUT
    assert min(hidden.values()) >= LEAST


def test_sessions_with_tasks_hold_both_senses_and_no_words() -> None:
    """Digests of tiles and records of controls, without a name, title or text; older ones have neither."""
    for split in Split:
        packed = read_packed(manifest(TASKS, split).sessions[0].path(TASKS / split))
        kinds = {row.KIND for row in packed.rows}
        assert {"tiles", "sense", "control_act"} <= kinds
        touched = [row for row in packed.rows if row.KIND in CONTROLS]
        assert [row.KIND for row in touched for word in WORDS if getattr(row, word, None) is not None] == []
    older = read_packed(manifest(LOGS, Split.TEST).sessions[0].path(LOGS / Split.TEST))
    assert not {"tiles", "sense"} & {row.KIND for row in older.rows}


def test_sessions_with_late_hands_or_without_an_end_were_left_out() -> None:
    entries = [entry for part in PARTS for entry in manifest(*part).sessions]
    assert max(entry.late_p95_ms for entry in entries) <= LATE_MS
    assert {entry.ended for entry in entries} == {None}
