"""kill -9 at any moment: the session opens to its last whole step, and its heartbeat bounds what is missing."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from storage.clock import NS_PER_S, SystemClock
from storage.records import Frame, Record
from storage.session.heartbeat import is_recording, read_heartbeat
from storage.session.log import SessionReader
from storage.session.video import SessionImages
from tests.fakes.narrowing import present
from tests.fakes.sessions.rows import number_of, recorded_pictures

CLOCK = SystemClock()
BAR_NS = 2 * NS_PER_S


class Killed:
    """A session whose recording process was killed, and the outside log of what it had handed over."""

    def __init__(self, base: Path, *, lines: int, still_after: int = 1_000_000, wait_s: float = 0.0) -> None:
        """Let a child record until it has said so many lines, wait, and kill it."""
        command = [sys.executable, "-m", "tests.fakes.sessions.rows", str(base), str(still_after)]
        self.said: list[list[str]] = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for line in child.stdout:
                self.said.append(line.split())
                if len(self.said) >= lines or line == "still\n":
                    break
            self.folder = Path(self.said[0][1])
            assert is_recording(self.folder)
            if wait_s:
                CLOCK.sleep_s(wait_s)
            os.kill(child.pid, signal.SIGKILL)
            self.said.extend(line.split() for line in child.stdout if line.endswith("\n"))
        assert child.returncode == -signal.SIGKILL
        self.rows: list[Record] = []
        with SessionReader(self.folder) as reader:
            self.rows.extend(reader)
            self.closed = "session_end" in reader.counts()

    @property
    def handed(self) -> list[tuple[int, int, str]]:
        return [(int(said[1]), int(said[2]), said[3]) for said in self.said if said[0] == "row"]


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_session_is_whole_and_its_heartbeat_bounds_what_is_missing(tmp_path: Path, seed: int) -> None:
    killed = Killed(tmp_path, lines=random.Random(seed).randint(2, 120))
    assert not killed.closed
    assert not is_recording(killed.folder)
    seqs = [row.seq for row in killed.rows]
    assert seqs == list(range(1, len(seqs) + 1))
    assert len(seqs) % 2 == 1 or not seqs
    assert not any(said[0] == "problem" for said in killed.said)
    beat = present(read_heartbeat(killed.folder))
    last_ns = killed.rows[-1].at_ns if killed.rows else killed.handed[0][1]
    truly_last_ns = killed.handed[-1][1] if killed.handed else last_ns
    assert truly_last_ns - last_ns <= BAR_NS
    assert max(beat.seen_ns, beat.taken_ns) >= truly_last_ns
    assert max(beat.seen_ns, beat.taken_ns) - last_ns <= BAR_NS


def test_at_most_the_last_picture_is_lost(tmp_path: Path) -> None:
    killed = Killed(tmp_path, lines=100, wait_s=0.1)
    found = [f"{file}@{ms}" for file, ms in recorded_pictures(killed.folder)]
    handed = [ref for _, _, ref in killed.handed]
    assert found == handed[: len(found)]
    # the newest one waits in the muxer; the child goes on between our last look and the kill
    assert len(found) >= 98
    frames = [row for row in killed.rows if isinstance(row, Frame)]
    images = SessionImages(killed.folder, killed.rows)
    for number in (0, 40, 49, len(found) - 2):
        if number < len(frames) and frames[number].image_ref in found:
            assert number_of(present(images.jpeg(frames[number].seq)), range(max(0, number - 3), number + 4)) == number
    images.close()


def test_the_last_change_before_a_still_time_is_stored(tmp_path: Path) -> None:
    """The picture sent once more pushes the last change out of the muxer, and its row is committed by time alone."""
    killed = Killed(tmp_path, lines=1_000, still_after=7, wait_s=1.5)
    assert [row.seq for row in killed.rows] == list(range(1, 16))
    refs = [row.image_ref for row in killed.rows if isinstance(row, Frame)]
    assert [f"{file}@{ms}" for file, ms in recorded_pictures(killed.folder)][:7] == refs
    images = SessionImages(killed.folder, killed.rows)
    jpeg = images.jpeg(killed.rows[-2].seq)
    images.close()
    assert number_of(present(jpeg), range(7)) == 6
