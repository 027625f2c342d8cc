"""`kairos run` on a virtual desktop with a model server that pretends: what reaches it, and what of it is logged."""

import base64
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import simplejpeg

from daemon.replay.replay import replay
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.records import Box, Estimate, Frame, ModelAnswer, Prefix, Record
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.session.log import SessionReader, list_sessions
from tests.fakes.desktop.painter import MAGENTA, Painter
from tests.fakes.mllm.chat_server import FakeChatServer, running
from tests.fakes.narrowing import present

pytestmark = pytest.mark.display

EDITOR = 0x2080A0
SETTINGS = {
    "detector.name": "tests.fakes.detectors.fake_detectors:doubtful",
    "policy.quiet_start_s": "0",
    "policy.name": "silent",
    "window.planned_s": "8",
    "local_model.preset": "llama-server",
}


def pictures_in(bodies: list[bytes]) -> list[bytes]:
    messages = [message for body in bodies for message in json.loads(body)["messages"]]
    parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [base64.b64decode(url.partition(",")[2]) for url in urls]


def shows(picture: bytes, colour: int) -> bool:
    pixels = simplejpeg.decode_jpeg(picture).astype(int)
    wanted = np.array([colour >> 16, colour >> 8 & 255, colour & 255])
    return bool((np.abs(pixels - wanted).max(axis=2) < 40).sum() > 500)


def check_record(recorded: list[Record], *, hidden: bool) -> None:
    """Check that what was covered did go out, covered, and that answers count."""
    frames = [row for row in recorded if isinstance(row, Frame)]
    assert any(row.covered for row in frames) is hidden
    asked = {row.prefix_id for row in recorded if isinstance(row, ModelAnswer)}
    sent = {seq for row in recorded if isinstance(row, Prefix) and row.prefix_id in asked for seq in row.slots}
    assert any(row.covered and row.seq in sent for row in frames) is hidden
    answers = [row for row in recorded if isinstance(row, ModelAnswer) and row.trouble is None]
    assert all(row.pictures > 0 and row.sent for row in answers)
    assert any(isinstance(row, Estimate) and row.detector == "cascade" for row in recorded)


def noted_session(path: Path, bodies: list[bytes], *, is_whole: bool) -> str:
    """Return whose requests were noted: to the byte where the recording was agreed to, else by their digests alone."""
    assert (b"\xff\xd8\xff" in path.read_bytes()) is is_whole  # what a JPEG begins with
    with SentLog(path) as log:
        reader = SentLogReader(log)
        entries = reader.newest(1000)
        if is_whole:
            assert [b"".join(reader.body(number)) for number in reader.numbers()][: len(bodies)] == bodies
    assert {entry.digest for entry in entries} >= {hashlib.sha256(body).hexdigest() for body in bodies}
    assert {entry.kept for entry in entries} == {is_whole}
    (session,) = {entry.session for entry in entries}
    return present(session)


@pytest.mark.parametrize(("app", "hidden"), [("KeePassXC", True), ("Harmless", False)])
def test_an_excluded_window_never_reaches_a_model_nor_the_log(
    bare_desktop: VirtualDesktop, painter: Painter, tmp_path: Path, app: str, *, hidden: bool
) -> None:
    """It is in no picture that is sent; the same window under another name is in some.

    What was sent is what arrived, noted by digest where the recording was not agreed to, and goes with its session.
    """
    # the first is there because of a program that is new nothing is kept for a moment
    _, editor = painter.window(app, Box(1200, 700, 20, 20)), painter.window("Editor", Box(50, 60, 500, 400))
    painter.activate(editor)
    # three: of two, the second could follow the first before a frame was taken, and would change nothing
    shades = [EDITOR, EDITOR + 0x202020, EDITOR + 0x404040]
    pretender = FakeChatServer()
    clock = SystemClock()
    with running(pretender) as url:
        settings = SETTINGS | {"local_model.url": url}
        kairos = DaemonProcess(bare_desktop, tmp_path, settings=settings, headless=True, recording=hidden)
        kairos.env["PYTHONPATH"] = str(Path(__file__).parents[3])  # where the detector is
        kairos.start()
        try:

            def rows() -> list[Record]:
                with SessionReader(list_sessions(kairos.sessions)[-1]) as reader:
                    return list(reader)

            def work(until_ns: int) -> None:
                while clock.now_ns() < until_ns:
                    frames = sum(isinstance(row, Frame) for row in rows())  # first: its frame may come at once
                    painter.key("a")
                    shades.append(shades.pop(0))
                    painter.fill(editor, shades[0])
                    poll(lambda seen=frames: sum(isinstance(r, Frame) for r in rows()) > seen or None, what="a frame")  # type: ignore[misc]  # mypy has no type for a default

            poll(lambda: any(isinstance(row, Frame) for row in rows()) or None, what="the first frame")
            painter.key("a")
            secret = painter.window(app, Box(600, 200, 300, 300), colour=MAGENTA)
            painter.activate(editor)
            work(clock.now_ns() + 2 * NS_PER_S)
            painter.destroy(secret)
            work(clock.now_ns() + 4 * NS_PER_S)
            poll(
                lambda: any(isinstance(row, ModelAnswer) and row.trouble is None for row in rows()) or None,
                what="an answer",
                timeout_s=20,
            )
            (price,) = kairos.command("status")["models"]
        finally:
            assert kairos.quit() == 0
    assert (price["tier"], price["dollars"]) == ("local", 0.0)
    assert price["asked"] >= price["answered"] >= 1
    pictures = pictures_in(pretender.bodies)
    assert any(shows(picture, EDITOR) for picture in pictures)  # a search that finds what is there
    assert any(shows(picture, MAGENTA) for picture in pictures) is not hidden
    check_record(rows(), hidden=hidden)
    result = replay(list_sessions(kairos.sessions)[-1], detector=SETTINGS["detector.name"], check=True)
    assert result.identical, result.reason
    session = noted_session(tmp_path / "state" / "kairos" / "sent.db", pretender.bodies, is_whole=hidden)
    assert Path(session).parent == kairos.sessions.resolve()
    assert kairos.command("models", "sent", "--verify")["ok"]
    kairos.command("sessions", "delete", session, "--yes", "--sessions", str(kairos.sessions))
    assert kairos.command("models", "sent")["entries"] == []
