"""What was said, beside a session: kept whole, taken along, and taken out."""

from dataclasses import replace
from pathlib import Path

import pytest

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import SegmentLabel, State
from storage.session.labels import put_label, read_labels
from storage.session.log import DATABASE
from storage.session.transcript import (
    MAX_LENGTH,
    TRANSCRIPT,
    SpokenWord,
    Transcript,
    forget_words,
    read_transcript,
    write_transcript,
)
from storage.session.transfer.export import export_session
from storage.session.transfer.import_session import import_session
from storage.session.transfer.recover import recover_session
from storage.session.verify import verify
from storage.testing import SessionBuilder


def word(second: int, text: str) -> SpokenWord:
    return SpokenWord(start_ns=second * NS_PER_S, end_ns=(second + 1) * NS_PER_S, text=text, score=0.5)


SAID = Transcript(source="imported", language="en", words=(word(1, "where"), word(5, "secret")))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = SessionBuilder().wait(10).end().write(tmp_path / "sessions")
    write_transcript(folder, SAID)
    return folder


def test_words_are_read_as_they_were_written_and_do_not_make_a_session_younger(session: Path) -> None:
    assert read_transcript(session) == SAID
    assert (session / TRANSCRIPT).stat().st_mtime_ns == (session / DATABASE).stat().st_mtime_ns
    assert (session / TRANSCRIPT).stat().st_mode & 0o077 == 0


def test_words_go_with_an_export_of_speech_alone(session: Path, tmp_path: Path) -> None:
    export_session(session, tmp_path / "all.kairos", video=False, speech=True)
    assert read_transcript(import_session(tmp_path / "all.kairos", tmp_path / "others")) == SAID
    export_session(session, tmp_path / "rows.kairos", video=True, labels=True)
    assert read_transcript(import_session(tmp_path / "rows.kairos", tmp_path / "others")) is None
    assert b"secret" not in (tmp_path / "rows.kairos").read_bytes()
    assert read_transcript(recover_session(session, tmp_path / "sessions").folder) == SAID


def test_what_was_proposed_goes_with_speech_alone(session: Path, tmp_path: Path) -> None:
    """It may quote what was said, kept by somebody too; what a person says of the session goes with labels."""
    own = SegmentLabel(label_id="a", rater="me", start_ns=0, end_ns=9, states=(State.WAITING,))
    proposed = replace(own, label_id="b", rater="model", proposed=True, wanted="secret", would_help="its words")
    taken = replace(own, label_id="c", rater="zoe", wanted="own words", would_help="its words")
    for label in (own, proposed, taken):
        put_label(session, label)
    for speech, expected in ((False, (own, replace(taken, would_help=""))), (True, (own, proposed, taken))):
        export_session(session, tmp_path / f"{speech}.kairos", labels=True, speech=speech)
        assert read_labels(import_session(tmp_path / f"{speech}.kairos", tmp_path / "others")) == expected


def test_words_are_taken_out_and_nothing_of_them_stays(session: Path) -> None:
    forget_words(session, lambda said: said.end_ns > 4 * NS_PER_S)
    assert b"secret" not in (session / TRANSCRIPT).read_bytes()
    found = read_transcript(session)
    assert found is not None
    assert [said.text for said in found.words] == ["where"]
    forget_words(session, lambda _: True)
    assert {path.name for path in session.iterdir()} == {DATABASE}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"format":"other","version":1,"source":"x","words":[]}',
        b'{"format":"kairos-transcript","version":2,"source":"x","words":[]}',
        b'{"source":"x","words":[{"start_ns":5,"end_ns":4,"text":"x"}]}',
        b'{"source":"x","words":[{"start_ns":5,"end_ns":1' + b"0" * 400 + b',"text":"x"}]}',
        b'{"source":"x","words":[{"start_ns":1,"end_ns":4,"text":"' + b"x" * (MAX_LENGTH + 1) + b'"}]}',
    ],
)
def test_a_damaged_file_is_named_and_no_words(session: Path, content: bytes) -> None:
    (session / TRANSCRIPT).write_bytes(content)
    with pytest.raises(BadFile, match="holds no words that can be read"):
        read_transcript(session)
    assert not verify(session).ok
