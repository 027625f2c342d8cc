"""What `kairos bench capture` measures as a small program: our capture alone, or the loop of another program.

Run as `python -m lab.benchmarks.capture.subjects SUBJECT FOLDER` on the display it shall watch, until its
standard input ends. `capture` grabs and compares exactly, without pictures; `ring` makes pictures too. Others are
loops of `lab.benchmarks.capture.peers`.
"""

import gc
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from storage.clock import SystemClock
from storage.records import Frame, Record
from storage.settings import Settings

FRAMES_FILE = "frames.jsonl"
RING_FILE = "ring"
THREAD_FILE = "thread"


def watch(folder: Path, *, pictures: bool) -> None:
    """Run our capture thread; its frames, the size of its ring and its thread's number go into the folder."""
    from daemon.capture.gate import Gate
    from daemon.capture.picture_ring import PictureRing
    from daemon.capture.thread import CaptureSession, CaptureThread
    from daemon.runtime.run import GARBAGE_AT

    gc.set_threshold(GARBAGE_AT)
    settings = Settings()
    gate = Gate()
    ring = PictureRing(settings.capture) if pictures else None
    with (folder / FRAMES_FILE).open("w", encoding="ascii") as frames:

        def take(records: Sequence[Record]) -> None:
            for record in records:
                if isinstance(record, Frame):
                    frames.write(json.dumps([record.t_ns, record.changed]) + "\n")

        capture = CaptureThread(
            clock=SystemClock(),
            settings=settings,
            gate=gate,
            session=CaptureSession(key=b"a key for a benchmark", record_titles=False),
            on_records=take,
            ring=ring,
        )
        capture.start()
        gate.open()
        named = [thread for thread in threading.enumerate() if thread.name == "screen"]
        (folder / THREAD_FILE).write_text(str(named[0].native_id), encoding="ascii")
        sys.stdin.read()
        capture.stop()
    if ring is not None:
        (folder / RING_FILE).write_text(str(ring.size_bytes), encoding="ascii")


def main(arguments: Sequence[str]) -> int:
    """Run one subject."""
    subject, folder = arguments[0], Path(arguments[1])
    if subject in ("capture", "ring"):
        watch(folder, pictures=subject == "ring")
    else:
        from lab.benchmarks.capture.peer_loops import run

        run(subject, folder, lambda: (folder / THREAD_FILE).write_text(str(os.getpid()), encoding="ascii"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
