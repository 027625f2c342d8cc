"""`kairos narration` without a model: words are read from a file, shown and deleted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.cli.main import main
from storage.files import partial_name
from storage.records import SegmentLabel, State
from storage.session.labels import LABELS, put_label, read_labels
from storage.session.log import MODEL_ANSWERS
from storage.session.transcript import TRANSCRIPT
from storage.testing import SessionBuilder

WORDS = """WEBVTT

00:01.000 --> 00:02.000
where is it

00:08.000 --> 00:09.000
here

01:00.000 --> 01:01.000
of another day
"""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return SessionBuilder().wait(10).end().write(tmp_path / "sessions")


def narrate(action: str, session: Path, *more: str) -> int:
    return main(["narration", action, session.name, *more, "--sessions", str(session.parent)])


def test_words_of_a_file_are_kept_shown_and_deleted(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is later than the session is left out and counted; of a write that was killed nothing stays either."""
    (session.parent / "said.vtt").write_text(WORDS, encoding="utf-8")
    assert narrate("import", session, str(session.parent / "said.vtt")) == 0
    out, err = capsys.readouterr()
    assert [line.split("  ")[-1] for line in out.splitlines()[1:]] == ["where is it", "here"]
    assert err.endswith("1 word\n")
    assert narrate("show", session, "--json") == 0
    assert [word["text"] for word in json.loads(capsys.readouterr().out)["words"]] == ["where is it", "here"]
    (session / partial_name(TRANSCRIPT)).write_text("where is it", encoding="utf-8")
    own = SegmentLabel(label_id="a", rater="me", start_ns=0, end_ns=9, states=(State.WAITING,))
    put_label(session, own)
    put_label(session, replace(own, label_id="b", rater="m", proposed=True, reason="where is it", wanted="where is it"))
    put_label(session, replace(own, label_id="c", rater="zoe", wanted="where is it"))
    (session / MODEL_ANSWERS).write_text("where is it", encoding="utf-8")
    assert narrate("delete", session) == 0
    (session / partial_name(LABELS)).write_text("where is it", encoding="utf-8")
    assert narrate("delete", session) == 0  # no label changes now
    assert [path.name for path in session.iterdir() if b"where is it" in path.read_bytes()] == []
    assert "Nothing that was said" in capsys.readouterr().out
    assert read_labels(session) == (own, replace(own, label_id="c", rater="zoe"))


def test_a_session_without_sound_keeps_the_words_it_has(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing that could be written down must not take the place of what was read from a file."""
    (session.parent / "said.vtt").write_text(WORDS, encoding="utf-8")
    assert narrate("import", session, str(session.parent / "said.vtt")) == 0
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).touch()
    monkeypatch.setattr("daemon.narration.whisper.is_installed", lambda: True)
    monkeypatch.setattr("daemon.narration.whisper._load", lambda *_: pytest.fail("a model for no sound"))
    assert main(["config", "set", "narration.model_folder", str(tmp_path)]) == 0
    assert narrate("transcribe", session) == 4
    assert "there is no sound" in capsys.readouterr().err
    assert (session / TRANSCRIPT).exists()
