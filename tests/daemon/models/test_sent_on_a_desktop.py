"""What a real Kairos sends to a model from a real desktop: released pictures alone, kept with their session."""

from itertools import cycle
from pathlib import Path

import pytest
import simplejpeg

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.records import Box
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from tests.fakes.desktop.painter import MAGENTA, Painter
from tests.fakes.mllm.chat_server import FakeChatServer, running

pytestmark = [pytest.mark.display, pytest.mark.slow]

WATCHED = {
    "detector.name": "tests.fakes.detectors.fake_detectors:doubtful",
    "policy.quiet_start_s": "0",
    "policy.name": "silent",
    "window.planned_s": "4",
    "local_model.preset": "llama-server",
    "local_model.model": "pretender",
    "local_model.on_battery": "true",
}


def magenta(jpeg: bytes) -> int:
    """Return how many pixels of a picture have the colour of the window in question."""
    pixels = simplejpeg.decode_jpeg(jpeg, colorspace="RGB")
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    return int(((red > 180) & (green < 80) & (blue > 180)).sum())


@pytest.mark.parametrize(("app", "hidden"), [("KeePassXC", True), ("Harmless", False)])
def test_an_excluded_window_never_reaches_a_model_nor_the_log(
    bare_desktop: VirtualDesktop, tmp_path: Path, app: str, *, hidden: bool
) -> None:
    """A password manager beside the editor is in no picture that was sent; of another program the same search finds it.

    What was sent is what arrived, and it goes with its session.
    """
    pretender = FakeChatServer()
    painter = Painter(bare_desktop)
    with running(pretender) as url:
        kairos = DaemonProcess(
            bare_desktop, tmp_path, settings={**WATCHED, "local_model.url": url}, headless=True, recording=True
        )
        kairos.env["PYTHONPATH"] = str(Path(__file__).parents[3])  # where the detector is
        painter.window(app, Box(700, 100, 400, 400), colour=MAGENTA)
        editor = painter.window("Editor", Box(50, 60, 500, 400))
        painter.activate(editor)
        kairos.start()
        shades = cycle(range(0x206020, 0x20FF20, 0x101))

        def asked() -> bool:
            painter.key("a")
            painter.fill(editor, next(shades))
            return len(pretender.bodies) >= 2

        poll(asked, what="asking a model twice", timeout_s=30)
        assert kairos.quit() == 0
    painter.close()
    with SentLog(tmp_path / "state" / "kairos" / "sent.db") as log:
        entries = SentLogReader(log)
        bodies = [b"".join(entries.body(number)) for number in entries.numbers()]
        assert bodies[: len(pretender.bodies)] == pretender.bodies
        pictures = [jpeg for number in entries.numbers() for _, jpeg in entries.pictures(number)]
        sessions = {entry.session for entry in entries.newest(100)}
    assert pictures
    assert (sum(map(magenta, pictures)) == 0) is hidden
    (session,) = sessions
    assert Path(session).parent == kairos.sessions.resolve()
    assert kairos.command("models", "sent", "--verify")["ok"]
    kairos.command("sessions", "delete", session, "--yes", "--sessions", str(kairos.sessions))
    assert kairos.command("models", "sent")["entries"] == []
