"""What outlives sessions: a consent is believed only if it is exactly one."""

import os
import resource
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from storage.consent_text import CONSENT_VERSION
from storage.errors import BadFile, EnvironmentFault
from storage.state import store as store_module
from storage.state.markers import REVOKED, Marker
from storage.state.pictures import PicturePermission
from storage.state.store import (
    Consent,
    Helped,
    StateStore,
    consent_in_force,
    read_consent,
    revoke_consent,
    write_consent,
)
from tests.fakes.detectors.questions import enrolment
from tests.fakes.narrowing import present

CONSENT = Consent(journal=True, recording=False, given_at_wall_ns=1_795_000_000_000_000_000)
LATER_NS = CONSENT.given_at_wall_ns + 1_000_000_000
REFUSAL = Consent(journal=False, recording=False, given_at_wall_ns=LATER_NS)
STUDY = enrolment()
HELPED = Helped(key="0f", answers=(("calc", "a1", 5), ("draw", "b2", 6), ("calc", "c3", 7)))


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateStore]:
    with StateStore(tmp_path / "state.db") as store:
        yield store


def test_everything_is_remembered_over_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "data" / "state.db"
    with StateStore(path) as state:
        assert state.consent() is None
        assert state.policy_state("default") == ({}, 0)
        assert state.announced_deletions() == {}
        state.save_consent(CONSENT)
        state.save_policy_state("default", {"offers": [1.5, 2], "muted": {"calc": True}}, 77)
        state.save_announced_deletions({"20261121-120000-abcd": 5})
        assert state.helped() == Helped()
        state.save_helped(HELPED)
    with StateStore(path) as state:
        assert state.consent() == CONSENT
        assert state.policy_state("default") == ({"offers": [1.5, 2], "muted": {"calc": True}}, 77)
        assert state.policy_state("another") == ({}, 0)
        assert state.announced_deletions() == {"20261121-120000-abcd": 5}
        assert (state.helped(), state.helped().by_program()) == (HELPED, {"calc": 2, "draw": 1})
    assert [entry.name for entry in path.parent.iterdir()] == ["state.db"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("obstacle", ["none", "locked", "no space", "damaged"])
def test_taking_consent_back_is_stored_whatever_the_database_does(
    tmp_path: Path, obstacle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "REVOKE_BUSY_S", 0.01)
    path = tmp_path / "state.db"
    with StateStore(path) as state:
        state.save_consent(CONSENT)
        state.save_enrolment(STUDY)
        state.save_sampling_state("s1", {"unanswered": 2}, 5)
    whole = path.read_bytes()
    other = sqlite3.connect(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    match obstacle:
        case "locked":
            other.execute("BEGIN EXCLUSIVE")
        case "no space":
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        case "damaged":
            path.write_bytes(b"no database at all" * 100)
    try:
        revoke_consent(path, LATER_NS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        other.close()
    if obstacle == "damaged":
        path.write_bytes(whole)  # restored from a copy
    with StateStore(path) as state:
        assert state.consent() == REFUSAL
        assert state.enrolment() is None
        state.save_consent(REFUSAL)
        assert state.consent() == REFUSAL
        state.save_consent(CONSENT)
        assert state.consent() == CONSENT
        assert state.enrolment() is None
        assert state.sampling_state("s1") == ({}, 0)


def test_a_study_ends_with_the_consent_although_that_was_only_noted_beside_the_database(
    tmp_path: Path, state: StateStore
) -> None:
    """The next consent must not bring it back; a consent to something else leaves it."""
    state.save_consent(CONSENT)
    state.save_enrolment(STUDY)
    state.save_consent(replace(CONSENT, recording=True))
    assert state.enrolment() == STUDY
    (tmp_path / REVOKED).touch()
    assert state.enrolment() is None
    state.save_consent(CONSENT)
    assert state.enrolment() is None


@pytest.mark.parametrize("answer", ["token", ""])
def test_what_a_desktop_was_answered_goes_with_the_consent(tmp_path: Path, state: StateStore, answer: str) -> None:
    """A new yes to Kairos keeps the yes to the desktop, and has it ask again after a no."""
    permission = PicturePermission(tmp_path)
    permission.save(answer)
    state.save_consent(CONSENT)
    assert permission.token == (answer or None)
    permission.save(answer)
    state.save_consent(replace(CONSENT, journal=False, recording=False))
    assert permission.token is None
    permission.save(answer)
    revoke_consent(tmp_path / "state.db", 1)
    assert permission.token is None


def test_what_a_desktop_answers_while_consent_is_taken_back_is_not_kept(
    tmp_path: Path, state: StateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither before that stands anywhere nor after, also while the database cannot be written."""
    state.save_consent(CONSENT)
    permission = PicturePermission(tmp_path)
    note = Marker.set

    def answer_first(marker: Marker, wall_ns: int) -> None:
        permission.save("late")
        note(marker, wall_ns)

    def refuse(*_: object) -> None:
        raise EnvironmentFault("locked")

    with monkeypatch.context() as patch:
        patch.setattr(Marker, "set", answer_first)
        patch.setattr(StateStore, "save_consent", refuse)
        revoke_consent(tmp_path / "state.db", 1)
    assert permission.token is None
    permission.save("later")
    assert permission.token is None
    state.save_consent(CONSENT)
    permission.save("yes")
    assert permission.token == "yes"  # noqa: S105  # no password


def test_a_refusal_that_can_be_stored_nowhere_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="cannot be stored"):
        revoke_consent(tmp_path / "file" / "state.db", 1)


def test_a_marker_of_an_earlier_time_counts_all_the_same(tmp_path: Path, state: StateStore) -> None:
    """Consent was given while the wall clock was ahead: what came after it is later, whatever the clock says."""
    state.save_consent(CONSENT)
    (tmp_path / REVOKED).touch()
    found = present(state.consent())
    assert not found.journal
    assert found.given_at_wall_ns >= CONSENT.given_at_wall_ns


RECORD = Consent(journal=True, recording=True, given_at_wall_ns=LATER_NS)


@pytest.mark.parametrize(
    ("stored", "record", "now_ns", "journal", "recording"),
    [
        (None, RECORD, LATER_NS, True, True),
        (CONSENT, RECORD, LATER_NS, True, True),  # the record is newer
        (REFUSAL, RECORD, LATER_NS, False, False),  # of the same moment
        (replace(REFUSAL, given_at_wall_ns=LATER_NS + 1), RECORD, LATER_NS + 2, False, False),
        (replace(REFUSAL, given_at_wall_ns=LATER_NS + 1, version=99), RECORD, LATER_NS + 2, False, False),
        (replace(REFUSAL, given_at_wall_ns=1), RECORD, LATER_NS, True, True),  # agreed to again since
        (replace(REFUSAL, given_at_wall_ns=1), RECORD, LATER_NS - 1, False, False),  # from the future
        (replace(CONSENT, given_at_wall_ns=LATER_NS + 1), RECORD, LATER_NS + 2, True, False),
        (replace(RECORD, given_at_wall_ns=LATER_NS + 1), CONSENT, LATER_NS + 2, True, False),
    ],
)
def test_a_record_counts_alone_only_if_it_is_newer_than_the_last_answer(
    stored: Consent | None, record: Consent, now_ns: int, state: StateStore, *, journal: bool, recording: bool
) -> None:
    """Otherwise both must agree to a thing, so that a refusal outlives every older record."""
    if stored is not None:
        state.save_consent(stored)
    found = consent_in_force(state, record, now_ns)
    assert consent_in_force(state, None, now_ns) == state.consent()
    assert found is not None
    assert (found.journal, found.recording) == (journal, recording)


def test_what_another_policy_saves_erases_nothing(state: StateStore) -> None:
    state.save_policy_state("default", {"muted": ["undo_bursts"], "shown": [1]}, 5)
    state.save_policy_state("another", {"muted": []}, 6)
    assert state.policy_state("default") == ({"muted": ["undo_bursts"], "shown": [1]}, 5)
    assert state.policy_states() == {
        "another": ({"muted": []}, 6),
        "default": ({"muted": ["undo_bursts"], "shown": [1]}, 5),
    }


def test_a_consent_to_something_else_is_asked_again(state: StateStore) -> None:
    """Who agreed to what an earlier version asked has not agreed to this one."""
    state.save_consent(Consent(journal=True, recording=True, given_at_wall_ns=1, version=CONSENT_VERSION + 1))
    assert state.consent() is None


def test_a_consent_counts_in_whichever_language_it_was_given(state: StateStore) -> None:
    """The version says what was agreed to, the digest which words were shown; an older record was English."""
    german = replace(CONSENT, language="de", text_sha256="4" * 64)
    state.save_consent(german)
    assert state.consent() == german
    state._put("consent", {"journal": True, "recording": False, "given_at_wall_ns": 5, "version": CONSENT_VERSION})
    found = present(state.consent())
    assert (found.journal, found.language, found.text_sha256) == (True, "en", "")


def test_a_damaged_entry_is_reported_and_not_guessed(state: StateStore) -> None:
    state._put("consent", {"journal": "yes"})
    with pytest.raises(BadFile, match="damaged"):
        state.consent()


def test_a_consent_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_consent(CONSENT, tmp_path / "consent.json")
    assert read_consent(tmp_path / "consent.json") == CONSENT
    assert (tmp_path / "consent.json").stat().st_mode & 0o777 == 0o600
    assert '"journal": true' in (tmp_path / "consent.json").read_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yes",
        "{}",
        '{"journal":1,"recording":false,"given_at_wall_ns":1}',
        '{"journal":true,"recording":false}',
        '{"journal":true,"recording":false,"given_at_wall_ns":1,"version":99}',
        '{"journal":false,"recording":true,"given_at_wall_ns":1}',
        '{"journal":true,"recording":false,"given_at_wall_ns":1,"x":"' + "x" * 5000 + '"}',
    ],
)
def test_an_invalid_consent_record_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "consent.json").write_text(text)
    with pytest.raises(BadFile, match="kairos consent") as caught:
        read_consent(tmp_path / "consent.json")
    assert caught.value.exit_code == 4


def test_missing_files_and_folders_are_reported(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        read_consent(tmp_path / "none.json")
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        write_consent(CONSENT, tmp_path / "nowhere" / "consent.json")


def test_a_damaged_database_is_reported_as_such(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(BadFile, match="remove"):
        StateStore(path)
    path.unlink()
    with StateStore(path) as state:
        state.save_announced_deletions({f"session-{number}": number for number in range(2000)})
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(raw)
    with pytest.raises(BadFile, match="remove"), StateStore(path) as state:
        state.announced_deletions()


def test_a_state_that_cannot_be_written_is_an_environment_fault(state: StateStore) -> None:
    state._database.execute("PRAGMA max_page_count = 1")
    with pytest.raises(EnvironmentFault, match="free some disk space") as caught:
        state.save_announced_deletions({f"session-{number}": number for number in range(20_000)})
    assert caught.value.code == "disk_full"


def test_what_is_no_plain_file_is_no_consent(tmp_path: Path) -> None:
    """A pipe would be waited for, thousands of brackets are none, and a path with a NUL character names no file."""
    pipe, deep, late = tmp_path / "pipe", tmp_path / "deep", tmp_path / "late"
    os.mkfifo(pipe)
    deep.write_text('{"x": ' + "[" * 4_000)
    late.write_text('{"format": 1, "journal": true, "recording": false, "given_at_wall_ns": 9000000000000000000}')
    for path, why in (
        (pipe, "not a plain file"),
        (tmp_path, "not a plain file"),
        (deep, "not a consent record"),
        (late, "at an impossible time"),
        (Path("a\0b"), "no path"),
    ):
        with pytest.raises(BadFile, match=why) as refused:
            read_consent(path)
        assert "kairos consent" in refused.value.remedy


def test_a_consent_record_is_not_written_into_a_pipe(tmp_path: Path) -> None:
    """Opening one for writing would wait for a reader for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        write_consent(Consent(journal=True, recording=False, given_at_wall_ns=1), pipe)


@pytest.mark.parametrize("body", ["", "{}", "no JSON"])
def test_lots_of_a_study_end_with_it(body: str, state: StateStore) -> None:
    state.save_enrolment(STUDY)
    state.save_policy_state("one", {"seed": STUDY.seed, "drawn": 3, "muted": ["undo_bursts"]}, 1)
    state.save_policy_state("two", {"seed": 8, "drawn": 3}, 1)
    if body:
        state._database.execute("UPDATE facts SET body = ? WHERE name = 'enrolment'", [body])
    state.save_enrolment(None)
    assert state.enrolment() is None
    one = {"muted": ["undo_bursts"]} if not body else {"seed": STUDY.seed, "drawn": 3, "muted": ["undo_bursts"]}
    assert state.policy_states() == {"one": (one, 1), "two": ({"seed": 8, "drawn": 3}, 1)}


def test_the_day_of_a_closing_is_stored_once_and_for_the_study_in_force_alone(state: StateStore) -> None:
    assert not state.close_enrolment("s1", STUDY.first_day)
    state.save_enrolment(STUDY)
    assert not state.close_enrolment("s2", STUDY.first_day)
    assert state.enrolment() == STUDY
    assert state.close_enrolment("s1", STUDY.first_day)
    assert not state.close_enrolment("s1", STUDY.last_day)
    found = state.enrolment()
    assert found == replace(STUDY, closed_on=STUDY.first_day)
    assert found.last_day == STUDY.first_day
