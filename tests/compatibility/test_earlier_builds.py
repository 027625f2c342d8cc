"""Sessions and data folders of an earlier build: they open, verify and show, and replay to the same decisions.

Recorded by the build of 2026-11-22 on a virtual desktop by scripted people (simulated): both programs of the demo, the
evidence and the embedded detector, four policies, pauses, a recording with pictures, a model that answered, a session
cut off by a kill, and an import. `embedded.onnx` is that build's model.
"""

import shutil
from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.replay.replay import replay
from storage.records import Decision, Estimate, ModelAnswer, Offer, Record, SessionEnd, Switch
from storage.session.log import SessionReader
from storage.session.verify import verify
from storage.state.store import StateStore

BUILD = Path(__file__).parents[1] / "data" / "build_2026_11_22"
MODEL = BUILD / "embedded.onnx"
SESSIONS = tuple(sorted(folder.name for folder in (BUILD / "sessions").iterdir()))


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """Return a folder with copies of the sessions."""
    return Path(shutil.copytree(BUILD / "sessions", tmp_path / "sessions"))


def rows_of(folder: Path) -> list[Record]:
    """Return all rows of a session."""
    with SessionReader(folder) as reader:
        return list(reader)


def test_the_sessions_hold_what_they_stand_for(sessions: Path) -> None:
    """Offers, held decisions, answers of a model, pauses and a cut-off end are among them."""
    rows = {name: rows_of(sessions / name) for name in SESSIONS}
    assert len(rows) == 10
    for kind, least in ((Offer, 8), (ModelAnswer, 1), (Switch, 1)):
        assert sum(any(isinstance(row, kind) for row in one) for one in rows.values()) >= least
    assert sum(not any(isinstance(row, SessionEnd) for row in one) for one in rows.values()) == 1


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_verifies_and_shows(sessions: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Checking it finds no fault, and the command that shows it reads it."""
    assert verify(sessions / name).ok
    assert main(["sessions", "show", name, "--sessions", str(sessions)]) == 0
    assert name in capsys.readouterr().out


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_replays_to_equal_decisions(sessions: Path, name: str) -> None:
    """With the model of its day every derived row is equal, estimates to 1e-6."""
    recorded = rows_of(sessions / name)
    embedded = any(isinstance(row, Estimate) and row.detector == "embedded" for row in recorded)
    replayed = replay(sessions / name, detector=str(MODEL) if embedded else None, check=True)
    assert replayed.reason is None
    assert replayed.identical
    assert replayed.decisions == sum(isinstance(row, Decision) for row in recorded) > 0


def test_a_changed_row_is_seen(sessions: Path) -> None:
    """The comparison fails where a recorded number is another."""
    import sqlite3

    folder = sessions / SESSIONS[1]
    with sqlite3.connect(folder / "session.db") as database:
        database.execute(
            "UPDATE records SET body = json_set(body, '$.help_need', 0.123) WHERE seq ="
            " (SELECT max(seq) FROM records WHERE kind = 'estimate')"
        )
    database.close()
    assert not replay(folder, check=True).identical


def test_a_data_folder_keeps_consent_mutes_and_what_was_learned(tmp_path: Path) -> None:
    """What outlives sessions is read as it was written."""
    path = Path(shutil.copytree(BUILD / "state", tmp_path / "state")) / "state.db"
    with StateStore(path) as state:
        consent = state.consent()
        saved, wall_ns = state.policy_state("default")
    assert consent is not None
    assert (consent.journal, consent.recording, consent.given_at_wall_ns) == (True, False, wall_ns)
    assert saved["muted"] == ["undo_bursts"]
    learned = saved["learned"]
    assert isinstance(learned, dict)
    assert [tally["topic"] for tally in learned["tallies"]] == ["dead_clicks", "undo_bursts"]
