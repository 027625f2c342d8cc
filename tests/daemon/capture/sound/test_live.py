"""Kairos as it runs, with a microphone: what it says, what a kill leaves, what replays, and what is forgotten."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.capture.surroundings.streams import default_microphone
from daemon.replay.replay import replay
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.records import Sound
from storage.session.log import list_sessions
from storage.session.verify import verify
from tests.fakes.sessions.rows import rows_in
from tests.fakes.sound.server import HAVE, SoundServer, Tone
from tests.fakes.sound.tones import seconds_with

pytestmark = [pytest.mark.display, pytest.mark.skipif(not HAVE, reason="PulseAudio and its tools are not installed")]

HZ = 600


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SoundServer]:
    made = SoundServer(tmp_path / "sound")
    player = Tone(made, HZ)
    yield made
    player.close()
    made.close()


def test_the_doctor_names_the_microphone_and_says_where_there_is_none(server: SoundServer) -> None:
    """What the machine plays is none."""
    assert default_microphone(server.env) == "mic"
    server.control("unload-module", "module-remap-source")
    assert default_microphone(server.env) == ""
    server.close()
    assert default_microphone(server.env) == ""


def start(desktop: VirtualDesktop, folder: Path, server: SoundServer) -> DaemonProcess:
    """Start Kairos, and wait until sound is on the disk."""
    settings = {"policy.quiet_start_s": "0", "capture.record_speech": "on"}
    kairos = DaemonProcess(desktop, folder, settings=settings, headless=True, env=server.env)
    kairos.start()
    poll(lambda: kairos.request("status")["microphone"], what="the sign", timeout_s=40)
    sound = kairos.sessions / "*" / "sound-000.mp4"
    poll(
        lambda: any(
            path.stat().st_size > 20_000 for path in kairos.sessions.glob(str(sound.relative_to(kairos.sessions)))
        ),
        what="sound on the disk",
        timeout_s=60,
    )
    return kairos


def kept_until_ns(session: Path) -> int:
    """Return up to when sound is kept, by the session's clock."""
    first = next(row for row in rows_in(session) if isinstance(row, Sound) and row.sound_ref is not None)
    return first.t_ns + round((max(seconds_with(session / "sound-000.mp4", HZ)) + 0.02) * NS_PER_S)


def test_a_kill_loses_the_last_seconds_of_sound_alone(
    bare_desktop: VirtualDesktop, tmp_path: Path, server: SoundServer
) -> None:
    kairos = start(bare_desktop, tmp_path, server)
    assert kairos.process is not None
    killed_ns = SystemClock().now_ns()
    kairos.process.kill()
    kairos.process.wait()
    poll(lambda: server.listeners() == 0, what="the end of its child")
    (session,) = list_sessions(kairos.sessions)
    lost_s = (killed_ns - kept_until_ns(session)) / NS_PER_S
    print(f"lost {lost_s:.2f} s")
    assert lost_s <= 5  # 1.3 to 1.5 where the machine does nothing else; a file is of minutes
    assert verify(session).ok


def test_a_session_with_sound_replays_and_is_forgotten_whole(
    bare_desktop: VirtualDesktop, tmp_path: Path, server: SoundServer
) -> None:
    """A pause closes the microphone, and says so; a purge takes sound along."""
    kairos = start(bare_desktop, tmp_path, server)
    kairos.request("pause", seconds=600)
    poll(lambda: not kairos.request("status")["microphone"], what="the end of the sign")
    poll(lambda: server.listeners() == 0, what="the end of its child")
    kairos.request("resume")
    poll(lambda: kairos.request("status")["microphone"], what="the sign again")
    assert kairos.quit() == 0
    (session,) = list_sessions(kairos.sessions)
    opened = [row.on for row in rows_in(session) if isinstance(row, Sound) and row.sound_ref is None]
    assert opened == [True, False] * 2
    assert (verify(session).ok, verify(session).problems) == (True, ())
    result = replay(session, check=True)
    assert result.identical, result.reason
    kairos.start()
    kairos.command("forget", "--all", "--yes")
    assert list(kairos.sessions.glob(f"{session.name}/*")) == []
    kairos.quit()
