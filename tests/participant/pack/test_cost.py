"""What packing costs: a made-up journal of a long day, in time of the processor and in memory."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from storage.records import Box, EventKind, Frame, InputEvent, KeyClass
from storage.session.log import SessionWriter
from tests.fakes.studies.session import S, StudySession, join, local_wall_ns, session_name

_PACK = """
import re, sys, time
from pathlib import Path
from participant.membership.folder import ParticipantFolder
from participant.pack import pack
def most_mb():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024
mb, cpu_s = most_mb(), time.process_time()
rows = pack(ParticipantFolder(Path(sys.argv[1])), int(sys.argv[2]), Path(sys.argv[3]))
print(rows, time.process_time() - cpu_s, most_mb() - mb)
"""


def long_day(base: Path, hours: int) -> int:
    """Write a session with two looks at the screen and some input each second, and four estimates a minute."""
    chance = random.Random(1)
    session = StudySession(day=1, minute=0)
    for half_s in range(1, hours * 7200):
        at_s = half_s / 2
        at_ns = session.boot_ns + round(at_s * S)
        if chance.random() < 0.6:
            session.key(at_s, KeyClass.UNDO if chance.random() < 0.02 else KeyClass.CHARACTER)
        if chance.random() < 0.6:
            session.add(at_s, InputEvent(t_ns=at_ns, kind=EventKind.MOTION, x=100, y=200, path=50))
        changed = tuple(Box(n, n, 10, 10) for n in range(10))
        session.add(at_s, Frame(t_ns=at_ns, monitor="m", size=(1920, 1080), digest="0" * 32, changed=changed))
        if half_s % 30 == 0:
            kind = chance.random()
            if kind < 0.02:
                session.decide(at_s, "arm", "withheld", propensity=0.5)
            elif kind < 0.3:
                session.decide(at_s, "budget", "cooldown")
            else:
                session.decide(at_s, "evidence", "not_enough")
    place = base / session_name(1)
    place.mkdir(parents=True)
    writer = SessionWriter(place)
    rows = session.end(hours * 3600.0).rows
    for first in range(0, len(rows), 5000):
        writer.append(rows[first : first + 5000])
    writer.close()
    return len(rows)


@pytest.mark.slow
@pytest.mark.parametrize("hours", [8, 24])
def test_a_long_journal_is_packed_in_little_time_and_memory(tmp_path: Path, hours: int) -> None:
    """Memory does not grow with the journal; limits are several times what was measured."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    count = long_day(base, hours)
    command = [sys.executable, "-c", _PACK, str(folder.path), str(local_wall_ns(3, 0)), str(base)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    rows, cpu_s, mb = (float(word) for word in done.stdout.split())
    print(f"\n{hours} h: {count} rows of a journal become {rows:.0f}, {cpu_s:.2f} s of CPU, {mb:.1f} MB")
    assert rows > hours * 10
    assert cpu_s < hours * 0.5
    assert 1 < mb < 25
