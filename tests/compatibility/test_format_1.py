"""Format 1 stays readable: a kept session replays to its rows, and what was learned is read as it was.

The session is ten minutes of a scripted person (simulated) in a browser: source rows as they were recorded, the rest
derived by the build that began format 1, with the evidence detector, made answers of a model and a pause.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.purge import purge
from daemon.purge.span import everything
from daemon.replay.replay import replay
from storage.db.connection import databases_aside
from storage.errors import BadFile
from storage.files import sent_file, state_file
from storage.records import Decision, Feedback, ModelAnswer, Offer, Record, SessionEnd, Switch
from storage.sent.log import SentLog
from storage.session.log import DATABASE, SessionReader
from storage.session.transfer.import_session import import_session
from storage.session.verify import verify
from storage.state.store import Consent, StateStore, consent_in_force, read_consent, write_consent

KEPT = Path(__file__).parents[1] / "data" / "format_1"
NAME = "20261128-120000-0001"
EARLIER, NEWER = 0, 2
GIVEN = Consent(journal=True, recording=True, given_at_wall_ns=5)


@pytest.fixture(name="session")
def _session(tmp_path: Path) -> Path:
    return Path(shutil.copytree(KEPT / "sessions", tmp_path / "sessions")) / NAME


def set_format(path: Path, number: int) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {number}")


def save_consent() -> None:
    with StateStore(state_file()) as state:
        state.save_consent(GIVEN)


def test_the_session_replays_to_equal_rows(session: Path) -> None:
    """Offers, an answer to one, answers of a model and a pause are among them."""
    with SessionReader(session) as reader:
        rows: list[Record] = list(reader)
    assert {Decision, Feedback, ModelAnswer, Offer, SessionEnd, Switch} <= {type(row) for row in rows}
    assert verify(session).ok
    assert main(["sessions", "show", NAME, "--sessions", str(session.parent)]) == 0
    replayed = replay(session, check=True)
    assert (replayed.reason, replayed.identical) == (None, True)
    assert replayed.decisions == sum(isinstance(row, Decision) for row in rows) > 0


def test_a_changed_row_is_seen(session: Path) -> None:
    """The comparison fails where a recorded number is another."""
    with closing(sqlite3.connect(session / DATABASE)) as database, database:
        database.execute(
            "UPDATE records SET body = json_set(body, '$.help_need', 0.123) WHERE seq ="
            " (SELECT max(seq) FROM records WHERE kind = 'estimate')"
        )
    assert not replay(session, check=True).identical


def test_a_data_folder_keeps_what_was_learned_and_who_agreed_to_other_words_is_asked_again(tmp_path: Path) -> None:
    path = Path(shutil.copytree(KEPT / "state", tmp_path / "state")) / "state.db"
    with StateStore(path) as state:
        consent = state.consent()
        saved, _ = state.policy_state("default")
    assert consent is None
    assert saved["learned"]


@pytest.mark.parametrize(
    ("number", "says", "remedy"),
    [(EARLIER, "an earlier Kairos", "delete it"), (-1, "an earlier Kairos", "delete it"), (NEWER, "newer", "update")],
)
def test_a_session_of_another_format_is_named(session: Path, number: int, says: str, remedy: str) -> None:
    """Neither read nor imported, in one sentence; deleting it works."""
    set_format(session / DATABASE, number)
    for read in (SessionReader, lambda path: import_session(path, session.parent)):
        with pytest.raises(BadFile, match=says) as found:
            read(session)
        assert remedy in found.value.remedy
    assert main(["sessions", "delete", NAME, "--sessions", str(session.parent), "--yes"]) == 0
    assert not session.exists()


@pytest.mark.parametrize("number", [EARLIER, NEWER])
def test_a_state_of_another_format_is_set_aside_and_consent_asked_again(number: int) -> None:
    """Nobody has agreed then; the old file is kept as it was, until everything is purged."""
    save_consent()
    before = state_file().read_bytes()
    set_format(state_file(), number)
    with StateStore(state_file()) as state:
        assert consent_in_force(state, None, 10) is None
        assert state.policy_states() == {}
    (aside,) = databases_aside(state_file().parent)
    assert len(aside.read_bytes()) == len(before)
    save_consent()
    with StateStore(state_file()) as state:
        assert state.consent() == GIVEN
    assert databases_aside(state_file().parent) == [aside]


def test_without_an_answer_of_this_format_nothing_is_captured(capsys: pytest.CaptureFixture[str]) -> None:
    """A headless start, which cannot ask, refuses."""
    save_consent()
    set_format(state_file(), EARLIER)
    assert main(["run", "--headless"]) == 3
    assert "nobody has agreed" in capsys.readouterr().err
    with StateStore(state_file()) as state:
        assert consent_in_force(state, None, 10) is None


@pytest.mark.parametrize(("number", "says"), [(None, "earlier"), (EARLIER, "earlier"), (NEWER, "newer")])
def test_a_consent_record_of_another_format_is_no_yes(tmp_path: Path, number: int | None, says: str) -> None:
    """It names the remedy, and stays as it is."""
    path = tmp_path / "consent.json"
    write_consent(GIVEN, path)
    assert read_consent(path) == GIVEN
    mark = "" if number is None else f'"format": {number},'
    path.write_text(path.read_text().replace('"format": 1,', mark))
    with pytest.raises(BadFile, match=says):
        read_consent(path)


def test_a_purge_deletes_what_other_formats_left(session: Path) -> None:
    """Sessions, and the state and the sent log that were set aside."""
    save_consent()
    SentLog(sent_file()).close()
    for path in (session / DATABASE, state_file(), sent_file()):
        set_format(path, EARLIER)
    SentLog(sent_file()).close()
    with StateStore(state_file()) as state:
        state.save_consent(GIVEN)
    assert len(databases_aside(state_file().parent)) == 2
    purge.begin(everything(), session.parent, state_file())
    report = purge.finish(state_file())
    assert report is not None
    assert (report.deleted, report.problems) == ((NAME,), ())
    assert databases_aside(state_file().parent) == []
    assert not session.exists()
