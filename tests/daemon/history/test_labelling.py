"""The reader of the window for labels, over real sessions: lanes, pictures in any order, and labels kept at once."""

import queue
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from daemon.history.labelling import LabelService
from daemon.purge.videos import shorten_videos
from storage.clock import NS_PER_S, SystemClock
from storage.records import Frame, SegmentLabel
from storage.session.labels import LABELS, read_labels
from storage.session.log import SessionReader
from storage.session.video import PictureSeeker, split_ref
from storage.testing import SessionBuilder
from storage.timeline import LabelReply, LabelsKept, MomentKind, SessionPicture, SessionToLabel, TimelineTrouble
from tests.fakes.narrowing import present
from tests.fakes.warm_python import WarmPython

LABEL = SegmentLabel(label_id="a", rater="me", start_ns=0, end_ns=5 * NS_PER_S)
DEADLINE_S = 30.0
R = TypeVar("R")


class Replies:
    """The window, as far as the reader knows it."""

    def __init__(self) -> None:
        self.heard: queue.Queue[LabelReply] = queue.Queue()

    def show_reply(self, reply: LabelReply) -> None:
        self.heard.put(reply)

    def next(self, kind: type[R]) -> R:
        reply = self.heard.get(timeout=DEADLINE_S)
        assert isinstance(reply, kind), reply
        return reply


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a session of 60 seconds with 30 pictures, each of its own grey, a key picture in 120."""
    session = SessionBuilder(recording=True)
    for number in range(30):
        session.wait(1).picture(8 * number)
        session.keys(3, gap_s=0.1).click(10, 10)
        session.wait(0.62)
        if number % 10 == 9:
            session.estimate(0.8, "undo_bursts")
    session.offer()
    return session.wait(2).end().write(tmp_path)


@pytest.fixture
def replies() -> Replies:
    return Replies()


@pytest.fixture
def service(tmp_path: Path, replies: Replies) -> Iterator[LabelService]:
    made = LabelService(tmp_path, tmp_path / "state.db", SystemClock())
    made.attach(replies)
    yield made
    made.close()


def test_a_session_is_shown_as_lanes(service: LabelService, replies: Replies, folder: Path) -> None:
    """Its pictures, its steps and Kairos' own rows, in the order of time."""
    service.open(folder.name)
    found = replies.next(SessionToLabel)
    assert found.session == folder.name
    assert len(found.pictures) == 30
    assert [act.verb for act in found.acts[:4]] == ["type", "click", "type", "click"]
    assert found.acts[0].count == 3
    assert {moment.kind for moment in found.moments} == {MomentKind.WORK, MomentKind.OFFER}
    assert found.begin_ns == 0
    assert found.end_ns > 55 * NS_PER_S


def grey(picture: SessionPicture) -> float:
    return float(np.frombuffer(picture.rgb, np.uint8).mean())


def test_pictures_come_in_any_order_and_scaled_down(service: LabelService, replies: Replies, folder: Path) -> None:
    """Forward, back, and far, where the one before stays until then; before the first one it is that one."""
    service.open(folder.name)
    found = replies.next(SessionToLabel)
    for before, number in pairwise((29, 0, 1, 2, 20, 19, 18, 3, 29, 0)):
        service.request_picture(found.pictures[number] + 1, 160)
        if number - before > 8:
            assert grey(replies.next(SessionPicture)) == pytest.approx(8 * before, abs=4)
        picture = replies.next(SessionPicture)
        assert (picture.width, picture.height) == (160, 90)
        assert grey(picture) == pytest.approx(8 * number, abs=4)
    service.request_picture(0, 160)
    assert grey(replies.next(SessionPicture)) == pytest.approx(0, abs=4)


def test_a_step_decodes_few_pictures(folder: Path) -> None:
    """One forward; back, those since the key picture, and the next twelve steps of that length back none."""
    with SessionReader(folder) as reader:
        refs = [row.image_ref for row in reader if isinstance(row, Frame) and row.image_ref is not None]
    seeker = PictureSeeker(folder)
    for number in range(4):
        assert seeker.read(refs[number], 160) is not None
        assert seeker._next == number + 1
    seeker.read(refs[29], 160)
    decoded = []
    for number in range(28, 4, -1):
        assert seeker.read(refs[number], 160) is not None
        decoded.append(seeker._next)
    assert decoded == [29] * 13 + [16] * 11
    seeker.close()
    seeker.read(refs[29], 160)
    decoded.clear()
    for number in (25, 21, 17, 13, 9, 5):
        found = seeker.read(refs[number], 160)
        assert found is not None
        assert np.frombuffer(found[2], np.uint8).mean() == pytest.approx(8 * number, abs=4)
        decoded.append(seeker._next)
    assert decoded == [26] * 6
    seeker.close()
    seeker.read(present(seeker.ready_before(refs[29])), 160)
    assert seeker._next == 1, "of a jump the key picture alone"
    assert seeker.ready_before(refs[28]) is None, "it was jumped there"
    assert seeker.ready_before(refs[3]) is None
    seeker.close()
    with pytest.raises(Exception, match="no file of its session"):
        seeker.read("../other.mp4@0", 160)


def test_a_picture_that_a_purge_has_taken_away_is_not_shown_from_what_was_read(folder: Path) -> None:
    """Neither packets of the old file nor pictures that were kept; control: what is left of it is shown."""
    with SessionReader(folder) as reader:
        refs = [row.image_ref for row in reader if isinstance(row, Frame) and row.image_ref is not None]
    seeker = PictureSeeker(folder)
    assert all(seeker.read(refs[number], 160) is not None for number in (20, 5))
    file, ms = split_ref(refs[10])
    assert shorten_videos(folder, {file: ms}) == []
    assert seeker.read(refs[20], 160) is None
    assert seeker.read(refs[25], 160) is None
    assert seeker.read(refs[5], 160) is not None
    seeker.close()


def test_a_lost_picture_is_told_and_the_rest_goes_on(service: LabelService, replies: Replies, folder: Path) -> None:
    """The video was cut off, or is gone."""
    service.open(folder.name)
    found = replies.next(SessionToLabel)
    (folder / "screen-000.mp4").unlink()
    service.request_picture(found.pictures[3], 160)
    assert replies.next(SessionPicture).rgb == b""
    service.put(LABEL)
    assert len(replies.next(LabelsKept).labels) == 1


def test_labels_are_on_the_disk_when_it_is_said_so(service: LabelService, replies: Replies, folder: Path) -> None:
    """Changed and removed at once, too; the time is when it was kept."""
    service.open(folder.name)
    replies.next(SessionToLabel)
    service.put(LABEL)
    (kept,) = replies.next(LabelsKept).labels
    assert kept == replace(LABEL, at_wall_ns=kept.at_wall_ns) == read_labels(folder)[0]
    assert kept.at_wall_ns > 0
    service.put(replace(LABEL, wanted="more"))
    assert replies.next(LabelsKept).labels[0].wanted == "more"
    service.remove("a")
    assert replies.next(LabelsKept).labels == ()
    service.put(LABEL)
    service.close()
    assert len(read_labels(folder)) == 1


def test_what_cannot_be_read_or_kept_is_told(service: LabelService, replies: Replies, folder: Path) -> None:
    """No such session, none with a moment in it, a damaged file of labels; the reader goes on."""
    service.open("20990101-000000-0000")
    assert "there is no session" in replies.next(TimelineTrouble).what
    empty = SessionBuilder().write(folder.parent)
    service.open(empty.name)
    assert "nothing was recorded" in replies.next(TimelineTrouble).what
    service.open(folder.name)
    replies.next(SessionToLabel)
    (folder / LABELS).write_bytes(b"damaged")
    service.put(LABEL)
    assert "holds no labels" in replies.next(TimelineTrouble).what
    (folder / LABELS).unlink()
    service.put(LABEL)
    replies.next(LabelsKept)


_KILLED = """
import sys, threading
from pathlib import Path
from daemon.history.labelling import LabelService
from daemon.purge.videos import shorten_videos
from storage.clock import SystemClock
from storage.records import SegmentLabel
from storage.timeline import LabelsKept

class View:
    def show_reply(self, reply):
        if isinstance(reply, LabelsKept):
            print(len(reply.labels), flush=True)

folder = Path(sys.argv[1])
service = LabelService(folder.parent, folder / "none", SystemClock())
service.attach(View())
service.open(folder.name)
for number in range(5000):
    service.put(SegmentLabel(label_id=str(number), rater="me", start_ns=number, end_ns=number + 10))
threading.Event().wait()
"""


class _WarmRater(WarmPython):
    imported = ("daemon.history.labelling", "daemon.purge.videos")


def test_a_kill_loses_no_label_that_was_said_to_be_kept(folder: Path, tmp_path: Path) -> None:
    """Killed at any moment, ten times; the file can be read and holds at least what was told."""
    rater = tmp_path / "rater.py"
    rater.write_text(_KILLED)
    for told_before in range(3, 33, 3):
        (folder / LABELS).unlink(missing_ok=True)
        process = _WarmRater([sys.executable, str(rater), str(folder)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        told = 0
        while told < told_before:
            told = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait(DEADLINE_S)
        for line in process.stdout.read().split():
            told = int(line)
        process.stdout.close()
        assert told <= len(read_labels(folder)) <= told + 1
