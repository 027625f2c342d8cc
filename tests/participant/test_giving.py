"""`kairos study give`: one recording, looked at and agreed to each time, that only the researchers can open."""

import io
from pathlib import Path
from typing import Any

import pytest

from daemon.runtime import run as run_module
from participant.documents.keys import ReaderKey, SigningKey
from participant.documents.recording import claim_recording, open_recording
from participant.membership.leaving import leave
from storage.clock import SystemClock
from storage.errors import BadFile
from storage.records import SegmentLabel, State
from storage.session.labels import put_label, read_labels
from storage.session.log import SessionReader
from storage.session.transcript import SpokenWord, Transcript, read_transcript, write_transcript
from storage.session.transfer.import_session import import_session
from storage.testing import SessionBuilder
from tests.fakes.studies.documents import PERSON_READER, invitation
from tests.fakes.studies.participants import STUDY, join_study

LABEL = SegmentLabel(label_id="a", rater="me", start_ns=0, end_ns=9, states=(State.WAITING,))


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def session(tmp_path: Path) -> Path:
    session = SessionBuilder(recording=True, app="marker-app").wait(1)
    session.focus("marker-app")
    session.picture(90)
    folder = session.wait(20).end().write(tmp_path / "sessions")
    put_label(folder, LABEL)
    words = (SpokenWord(start_ns=0, end_ns=9, text="spoken"),)
    write_transcript(folder, Transcript(source="x", language="en", words=words))
    return folder


class Giving:
    """Somebody at the terminal; `seen` are the sessions whose window was opened."""

    def __init__(self, run: Any, session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.run, self.session, self.patch = run, session, monkeypatch
        self.seen: list[str] = []
        self.out = session.parent.parent / "given"
        monkeypatch.setattr(run_module, "label_session", lambda folder, *_: self.seen.append(folder.name))

    def give(self, typed: str | None, *words: str) -> Any:
        self.patch.setattr("sys.stdin", Terminal(typed) if typed is not None else io.StringIO())
        base = ("--sessions", self.session.parent)
        return self.run("give", self.session.name, "--out", self.out, *base, *words)

    def opened(self, reader: ReaderKey = PERSON_READER) -> bytes:
        join_key = SigningKey(invitation().join_key).public
        claim = claim_recording(self.out.read_bytes())
        return open_recording(claim, study=STUDY, join_key=join_key, reader=reader)


@pytest.fixture
def giving(run: Any, session: Path, monkeypatch: pytest.MonkeyPatch) -> Giving:
    return Giving(run, session, monkeypatch)


def test_a_recording_is_given_once_it_was_looked_at_and_agreed_to(giving: Giving, tmp_path: Path) -> None:
    """Each time anew, by its name; labels go along, what was said only where that is asked for."""
    join_study(now_wall_ns=SystemClock().wall_ns())
    for refused in ("y\n", "", "another\n"):
        assert giving.give(refused).code == 1
    assert not giving.out.exists()
    assert giving.give(f"{giving.session.name}\n").code == 0
    assert giving.seen == [giving.session.name] * 4
    raw = giving.out.read_bytes()
    assert b"marker-app" not in raw
    assert giving.session.name.encode() not in raw
    assert giving.out.stat().st_mode & 0o077 == 0
    (tmp_path / "back.kairos").write_bytes(giving.opened())
    again = import_session(tmp_path / "back.kairos", tmp_path / "others")
    with SessionReader(again) as reader:
        assert "marker-app" in str(list(reader))
    assert read_labels(again) == (LABEL,)
    assert list(again.glob("screen-*.mp4"))
    assert read_transcript(again) is None
    giving.out.unlink()
    assert giving.give(f"{giving.session.name}\n", "--speech", "--no-video").code == 0
    (tmp_path / "more.kairos").write_bytes(giving.opened())
    again = import_session(tmp_path / "more.kairos", tmp_path / "others2")
    assert read_transcript(again) is not None
    assert not list(again.glob("screen-*.mp4"))


def test_nothing_is_given_without_a_study_or_a_terminal_or_after_leaving(giving: Giving, tmp_path: Path) -> None:
    """No window is opened for it either; nor is a recording of somebody else given."""
    named = f"{giving.session.name}\n"
    assert "no study" in giving.give(named).err
    join_study(now_wall_ns=SystemClock().wall_ns())
    assert "no terminal" in giving.give(None).err
    other = SessionBuilder(imported_from="elsewhere").wait(5).end().write(tmp_path / "sessions")
    giving.session = other
    assert "somebody else" in giving.give(f"{other.name}\n").err
    leave(STUDY, keep=False)
    giving.session = next(path for path in other.parent.iterdir() if path != other)
    assert giving.give(named).code == 2
    assert giving.seen == []
    assert not giving.out.exists()


def test_what_was_changed_or_sealed_for_others_opens_nowhere(giving: Giving) -> None:
    """Each byte of the header and the last ones; control: as it was it opens."""
    join_study(now_wall_ns=SystemClock().wall_ns())
    assert giving.give(f"{giving.session.name}\n").code == 0
    raw = giving.out.read_bytes()
    assert giving.opened().startswith(b"PK")
    with pytest.raises(BadFile):
        giving.opened(ReaderKey.generate())
    for place in (*range(0, 400, 7), len(raw) - 1):
        giving.out.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        with pytest.raises(BadFile):
            giving.opened()
