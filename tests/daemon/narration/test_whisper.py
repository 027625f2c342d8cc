"""Speech written down: without the extra, and with a real model where there is one."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from daemon.narration.stretches import SPEECH_RATE, stretches
from daemon.narration.whisper import NEEDED, check_model, transcribe
from storage.clock import NS_PER_S
from storage.errors import BadFile, UsageError
from storage.records import Sound
from storage.session.sound import RATE, SoundPlan
from storage.session.transcript import SpokenWord
from storage.testing import SessionBuilder
from tests.fakes.sound.speech import MODEL, SENTENCES, VOICES, Speaker, matched_share, needs_model
from tests.fakes.sound.tones import placed, tone, write_sound


def session_with(folder: Path, said: list[tuple[float, bytes]], seconds: float) -> Path:
    made = SessionBuilder()
    begin_ns = made.clock.now_ns()
    plan = SoundPlan(300)
    blocks = [block for at_s, samples in said for block in placed(plan, begin_ns + round(at_s * NS_PER_S), samples)]
    made.wait(seconds).put(Sound, t_ns=begin_ns, on=True, sound_ref="sound-000.mp4@0")
    session = made.end().write(folder)
    write_sound(session, blocks)
    return session


def test_sound_comes_in_stretches_where_it_was_heard(tmp_path: Path) -> None:
    session = session_with(tmp_path, [(0, tone(600, 2)), (5, tone(600, 1)), (20, tone(600, 1))], 30)
    begin_ns = SessionBuilder().clock.now_ns()
    found = list(stretches(session))
    assert [round((stretch.start_ns - begin_ns) / NS_PER_S, 2) for stretch in found] == [0, 20]
    assert [round(len(stretch.samples) / SPEECH_RATE, 1) for stretch in found] == [6.0, 1.0]
    (session / "sound-000.mp4").unlink()
    assert list(stretches(session)) == []


def test_what_follows_sound_that_was_placed_too_late_is_as_late_no_more(tmp_path: Path) -> None:
    """Two seconds of it stand half a second late; the next ones stand where they were heard."""
    session = session_with(tmp_path, [(0, tone(600, 1)), (1.5, tone(600, 2)), (3.0, tone(2000, 3))], 30)
    begin_ns = SessionBuilder().clock.now_ns()
    last = list(stretches(session))[-1]
    ends_s = (last.start_ns - begin_ns) / NS_PER_S + len(last.samples) / SPEECH_RATE
    assert ends_s == pytest.approx(6.0, abs=0.05)


def test_a_folder_that_is_no_model_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    """Without its tokenizer the library would fetch one from elsewhere."""
    for name in ("model.bin", "config.json"):
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=r"no tokenizer\.json"):
        check_model(str(tmp_path))
    with pytest.raises(UsageError, match="no model is named"):
        check_model("")


def test_a_model_that_is_damaged_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer that is no JSON raises a plain `Exception`."""

    def damaged(*_: object, **__: object) -> None:
        raise Exception("expected value at line 1")  # noqa: TRY002  # as the library does

    for name in NEEDED:
        (tmp_path / name).touch()
    session = session_with(tmp_path, [(0, tone(600, 1))], 3)
    monkeypatch.setattr("daemon.narration.whisper.is_installed", lambda: True)
    monkeypatch.setitem(sys.modules, "faster_whisper", SimpleNamespace(WhisperModel=damaged))
    with pytest.raises(BadFile, match="cannot be loaded"):
        transcribe(session, str(tmp_path), "en")


@needs_model
@pytest.mark.slow
def test_words_that_were_said_stand_where_they_began(tmp_path: Path) -> None:
    """Five voices; of the words that were understood 90 % begin within .3 s, in at most .3 of real time on a core."""
    speaker, said, truth, at_s = Speaker(), list[tuple[float, bytes]](), list[tuple[str, float]](), 0.0
    for voice, sentence in zip(VOICES, SENTENCES, strict=True):
        speech = speaker.say(sentence, voice)
        said.append((at_s, speech.samples))
        truth += [(word, at_s + begins_s) for word, begins_s in speech.words]
        at_s += round(len(speech.samples) / 2 / RATE + 2.0, 2)
    session = session_with(tmp_path, said, at_s)
    began = os.times()
    found = transcribe(session, MODEL, "en")
    took_s = sum(os.times()[:2]) - sum(began[:2])
    assert matched_share(truth, found.words, SessionBuilder().clock.now_ns()) >= 0.9
    print(f"{took_s:.1f} s of CPU for {at_s:.0f} s: {took_s / at_s:.3f} of real time, loading the model included")
    assert all(word.score is not None for word in found.words)


@needs_model
@pytest.mark.slow
def test_a_language_that_the_model_lacks_and_a_session_that_changes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_with(tmp_path, [(0, tone(600, 1))], 3)
    with pytest.raises(UsageError, match="does not know the language 'de'"):
        transcribe(session, MODEL, "de")

    def forgotten(*_: object) -> tuple[SpokenWord, ...]:
        (session / "sound-000.mp4").unlink()
        return ()

    monkeypatch.setattr("daemon.narration.whisper._words", forgotten)
    with pytest.raises(BadFile, match="was changed while it was read"):
        transcribe(session, MODEL, "en")
