"""What outlives sessions: a consent is believed only if it is exactly one."""

import os
from pathlib import Path

import pytest

from storage.consent_text import CONSENT_VERSION
from storage.errors import BadFile, EnvironmentFault
from storage.state.store import Consent, StateStore, read_consent, write_consent

CONSENT = Consent(journal=True, recording=False, given_at_wall_ns=1_795_000_000_000_000_000)


def test_everything_is_remembered_over_a_restart(tmp_path: Path) -> None:
    """Consent, the policy's state and what was told are there when the database is opened again."""
    path = tmp_path / "data" / "state.db"
    with StateStore(path) as state:
        assert state.consent() is None
        assert state.policy_state("default") == ({}, 0)
        assert state.announced_deletions() == {}
        state.save_consent(CONSENT)
        state.save_policy_state("default", {"offers": [1.5, 2], "muted": {"calc": True}}, 77)
        state.save_announced_deletions({"20261121-120000-abcd": 5})
    with StateStore(path) as state:
        assert state.consent() == CONSENT
        assert state.policy_state("default") == ({"offers": [1.5, 2], "muted": {"calc": True}}, 77)
        assert state.policy_state("another") == ({}, 0)
        assert state.announced_deletions() == {"20261121-120000-abcd": 5}
    assert [entry.name for entry in path.parent.iterdir()] == ["state.db"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_the_last_consent_counts(tmp_path: Path) -> None:
    """Taking a consent back is remembered like giving it."""
    with StateStore(tmp_path / "state.db") as state:
        state.save_consent(CONSENT)
        state.save_consent(Consent(journal=False, recording=False, given_at_wall_ns=2))
        found = state.consent()
    assert found is not None
    assert not found.journal


def test_a_consent_to_something_else_is_asked_again(tmp_path: Path) -> None:
    """Who agreed to what an earlier version asked has not agreed to this one."""
    with StateStore(tmp_path / "state.db") as state:
        state.save_consent(Consent(journal=True, recording=True, given_at_wall_ns=1, version=CONSENT_VERSION + 1))
        assert state.consent() is None


def test_a_damaged_entry_is_reported_and_not_guessed(tmp_path: Path) -> None:
    """Nonsense in the database is not taken for a consent."""
    with StateStore(tmp_path / "state.db") as state:
        state._put("consent", {"journal": "yes"})
        with pytest.raises(BadFile, match="damaged"):
            state.consent()


def test_a_consent_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    """The file form is private, readable text."""
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
    """A file that is not exactly a consent is refused, with what to do."""
    (tmp_path / "consent.json").write_text(text)
    with pytest.raises(BadFile, match="kairos consent") as caught:
        read_consent(tmp_path / "consent.json")
    assert caught.value.exit_code == 4


def test_missing_files_and_folders_are_reported(tmp_path: Path) -> None:
    """No record to read and no place to write it are faults with a remedy."""
    with pytest.raises(BadFile, match="cannot be read"):
        read_consent(tmp_path / "none.json")
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        write_consent(CONSENT, tmp_path / "nowhere" / "consent.json")


def test_a_damaged_database_is_reported_as_such(tmp_path: Path) -> None:
    """A file that is no database, and one that is damaged within, are bad files with a way out, not a lack of space."""
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


def test_a_state_that_cannot_be_written_is_an_environment_fault(tmp_path: Path) -> None:
    """A lock that somebody else holds, or a full disk, is no bug."""
    with StateStore(tmp_path / "state.db") as state:
        state._database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(EnvironmentFault, match="free some disk space") as caught:
            state.save_announced_deletions({f"session-{number}": number for number in range(20_000)})
    assert caught.value.code == "disk_full"


def test_what_is_no_plain_file_is_no_consent(tmp_path: Path) -> None:
    """A pipe would be waited for, thousands of brackets are none, and a path with a NUL character names no file."""
    pipe, deep, late = tmp_path / "pipe", tmp_path / "deep", tmp_path / "late"
    os.mkfifo(pipe)
    deep.write_text('{"x": ' + "[" * 4_000)
    late.write_text('{"journal": true, "recording": false, "given_at_wall_ns": 9000000000000000000}')
    for path, why in (
        (pipe, "not a plain file"),
        (tmp_path, "not a plain file"),
        (deep, "not a consent record"),
        (late, "at a time that cannot be"),
        (Path("a\0b"), "no path"),
    ):
        with pytest.raises(BadFile, match=why) as refused:
            read_consent(path)
        assert "kairos consent" in refused.value.remedy
