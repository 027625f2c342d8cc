"""Somebody who thinks aloud beside a running Kairos: what is written down of it, and what is left after a purge."""

import os
import re
import signal
from pathlib import Path
from threading import Timer

import pytest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.session.log import list_sessions
from storage.session.sound import BLOCK, RATE
from storage.session.transcript import TRANSCRIPT, read_transcript
from storage.session.verify import verify
from tests.fakes.sound.server import HAVE, SoundServer, Tone
from tests.fakes.sound.speech import MODEL, SENTENCES, VOICES, Speaker, matched_share, needs_model

pytestmark = [pytest.mark.display, pytest.mark.slow, needs_model, pytest.mark.skipif(not HAVE, reason="no PulseAudio")]


def starve(server: SoundServer, seconds: int) -> None:
    """Let the recorder have no turn for a while."""
    found = re.findall(r'application\.process\.id = "(\d+)"', server.control("list", "source-outputs"))
    (recorder,) = map(int, found)
    os.kill(recorder, signal.SIGSTOP)
    SystemClock().sleep_s(seconds)
    os.kill(recorder, signal.SIGCONT)


@pytest.mark.parametrize("starved_s", [0, 3])
def test_what_was_said_is_written_down_where_it_was_said_and_forgotten_whole(
    bare_desktop: VirtualDesktop, tmp_path: Path, starved_s: int
) -> None:
    """Of the words that were understood 90 % stand within .3 s of where they were said, by the session's clock.

    Also where the recorder has no turn for three seconds while somebody speaks.
    """
    server = SoundServer(tmp_path / "sound")
    player = Tone(server, 0)
    settings = {"policy.quiet_start_s": "0", "capture.record_speech": "on"}
    kairos = DaemonProcess(bare_desktop, tmp_path, settings=settings, headless=True, env=server.env)
    try:
        kairos.start()
        poll(lambda: kairos.request("status")["microphone"], what="the microphone", timeout_s=40)
        starving = Timer(2.0, starve, (server, starved_s))
        starving.start()
        truth, speaker = list[tuple[str, float]](), Speaker()
        for voice, sentence in zip(VOICES, SENTENCES, strict=True):
            speech = speaker.say(sentence, voice)
            heard_ns = player.say(speech.samples)  # a busy player pauses where it likes
            truth += [(word, heard_ns[round(begins_s * RATE) // BLOCK] / NS_PER_S) for word, begins_s in speech.words]
            player.say(bytes(96_000 * 2))
        starving.join()
        assert kairos.quit() == 0
        (session,) = list_sessions(kairos.sessions)
        kairos.command("config", "set", "narration.model_folder", MODEL)
        where = ("--sessions", str(kairos.sessions))
        said = kairos.command("narration", "transcribe", session.name, *where, timeout_s=120)
        found = read_transcript(session)
        assert found is not None
        assert len(said["words"]) == len(found.words)
        assert matched_share(truth, found.words, 0) >= 0.9
        assert verify(session).problems == ()
        kairos.start()
        kairos.command("forget", "--all", "--yes")
        assert [
            path for path in kairos.sessions.rglob("*") if path.name == TRANSCRIPT or session.name in str(path)
        ] == []
    finally:
        kairos.quit()
        player.close()
        server.close()
