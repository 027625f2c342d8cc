"""`kairos run` on a virtual desktop with a model server that pretends: what reaches it, and what of it is logged."""

import base64
import hashlib
import json
from collections.abc import Iterator
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

pytestmark = pytest.mark.display

EDITOR = 0x2080A0
SETTINGS = {
    "detector.name": "tests.fakes.detectors.fake_detectors:doubtful",
    "policy.quiet_start_s": "0",
    "policy.name": "silent",
    "window.planned_s": "8",
    "local_model.preset": "llama-server",
}


@pytest.fixture
def painter(bare_desktop: VirtualDesktop) -> Iterator[Painter]:
    """Yield a painter on the bare desktop of this test."""
    painter = Painter(bare_desktop)
    yield painter
    painter.close()


def pictures_in(bodies: list[bytes]) -> list[bytes]:
    """Return the pictures of chat requests."""
    messages = [message for body in bodies for message in json.loads(body)["messages"]]
    parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [base64.b64decode(url.partition(",")[2]) for url in urls]


def digest(body: bytes) -> str:
    """Return the SHA-256 of a body."""
    return hashlib.sha256(body).hexdigest()


def written_down(path: Path) -> set[str]:
    """Return the digests of what was sent; no picture is there, since nobody agreed to the recording."""
    with SentLog(path) as log:
        entries = SentLogReader(log).newest(1000)
        assert not any(entry.kept for entry in entries)
        assert b"\xff\xd8\xff" not in path.read_bytes()  # what a JPEG begins with
    return {entry.digest for entry in entries}


def shows(picture: bytes, colour: int) -> bool:
    """Tell whether a colour is in a picture, give or take what JPEG does to it."""
    pixels = simplejpeg.decode_jpeg(picture).astype(int)
    wanted = np.array([colour >> 16, colour >> 8 & 255, colour & 255])
    return bool((np.abs(pixels - wanted).max(axis=2) < 40).sum() > 500)


@pytest.mark.parametrize(("app", "hidden"), [("KeePassXC", True), ("Harmless", False)])
def test_a_model_gets_released_pictures_alone(
    bare_desktop: VirtualDesktop, painter: Painter, tmp_path: Path, app: str, *, hidden: bool
) -> None:
    """An excluded window is in no picture that is sent; the same window under another name is in some."""
    # the first is there because of a program that is new nothing is kept for a moment
    _, editor = painter.window(app, Box(1200, 700, 20, 20)), painter.window("Editor", Box(50, 60, 500, 400))
    painter.activate(editor)
    # three: of two, the second could follow the first before a frame was taken, and would change nothing
    shades = [EDITOR, EDITOR + 0x202020, EDITOR + 0x404040]
    pretender = FakeChatServer()
    clock = SystemClock()
    with running(pretender) as url:
        settings = SETTINGS | {"local_model.url": url}
        kairos = DaemonProcess(bare_desktop, tmp_path, settings=settings, headless=True, recording=False)
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
    recorded = rows()
    frames = [row for row in recorded if isinstance(row, Frame)]
    assert any(row.covered for row in frames) is hidden
    asked = {row.prefix_id for row in recorded if isinstance(row, ModelAnswer)}
    sent = {seq for row in recorded if isinstance(row, Prefix) and row.prefix_id in asked for seq in row.slots}
    assert any(row.covered and row.seq in sent for row in frames) is hidden  # what was covered did go out, covered
    answers = [row for row in recorded if isinstance(row, ModelAnswer) and row.trouble is None]
    assert all(row.pictures > 0 and row.sent for row in answers)
    assert any(isinstance(row, Estimate) and row.detector == "cascade" for row in recorded)
    assert written_down(tmp_path / "state" / "kairos" / "sent.db") >= set(map(digest, pretender.bodies))
    result = replay(list_sessions(kairos.sessions)[-1], detector=SETTINGS["detector.name"], check=True)
    assert result.identical, result.reason
