"""What `kairos bench capture` measures, each as a small program: our capture alone, and two common ways beside it.

Run as `python -m lab.benchmarks.capture.subjects SUBJECT FOLDER` on the display it shall watch, until its
standard input ends. `capture` grabs and compares exactly, without pictures; `ring` makes pictures too; `plain` is the
shortest loop that misses nothing: whole grabs behind a damage gate; `save` stores every frame; `gate` stores a frame
when one similarity of the whole picture to the last one stored is low.
"""

import json
import select
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from storage.clock import NS_PER_S, SystemClock
from storage.records import Frame, Record
from storage.settings import Settings

FRAMES_FILE = "frames.jsonl"
RING_FILE = "ring"
THREAD_FILE = "thread"
INTERVAL_S = 0.5
SIMILAR = 0.9


def watch(folder: Path, *, pictures: bool) -> None:
    """Run our capture thread; its frames, the size of its ring and its thread's number go into the folder."""
    from daemon.capture.gate import Gate
    from daemon.capture.picture_ring import PictureRing
    from daemon.capture.thread import CaptureSession, CaptureThread

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


def compare_plainly(folder: Path) -> None:
    """Grab the whole screen when something was painted, at most twice a second, and compare it with the last grab."""
    import mss

    from daemon.capture.backend import open_backend
    from daemon.capture.diff import changed_boxes

    clock = SystemClock()
    ended = _ended()
    backend = open_backend(clock)
    previous: NDArray[np.uint8] | None = None
    (folder / THREAD_FILE).write_text(str(threading.get_native_id()), encoding="ascii")
    with mss.MSS() as grabber:
        while not ended.wait(INTERVAL_S):
            if not select.select([backend.fileno()], [], [], 1.0)[0]:
                continue
            backend.take_damage()
            shot = grabber.grab(grabber.monitors[0])
            pixels = np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)
            if previous is not None:
                changed_boxes(previous, pixels)
            previous = pixels
    backend.close()


def save_frames(folder: Path, *, gated: bool) -> None:
    """Grab the whole screen twice a second and store it as JPEG: each one, or those that seem to differ."""
    import mss
    import simplejpeg

    clock = SystemClock()
    ended = _ended()
    stored: NDArray[np.float32] | None = None
    with mss.MSS() as grabber:
        due_ns = clock.now_ns()
        while not ended.wait(max(0.0, (due_ns - clock.now_ns()) / NS_PER_S)):
            due_ns += int(INTERVAL_S * NS_PER_S)
            shot = grabber.grab(grabber.monitors[0])
            pixels = np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)
            if gated:
                grey = pixels[:, :, :3].mean(axis=2, dtype=np.float32)
                if stored is not None and similarity(stored, grey) > SIMILAR:
                    continue
                stored = grey
            jpeg = simplejpeg.encode_jpeg(pixels, quality=85, colorspace="BGRA")
            (folder / f"{clock.now_ns()}.jpg").write_bytes(jpeg)


def similarity(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the structural similarity of two grey pictures, taken over the whole of them at once."""
    mean_one, mean_other = float(one.mean()), float(other.mean())
    covariance = float(((one - mean_one) * (other - mean_other)).mean())
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    above = (2 * mean_one * mean_other + c1) * (2 * covariance + c2)
    below = (mean_one**2 + mean_other**2 + c1) * (float(one.var()) + float(other.var()) + c2)
    return above / below


def _ended() -> threading.Event:
    """Return an event that is set when standard input ends."""
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended


def main(arguments: Sequence[str]) -> int:
    """Run one subject."""
    subject, folder = arguments[0], Path(arguments[1])
    if subject in ("capture", "ring"):
        watch(folder, pictures=subject == "ring")
    elif subject == "plain":
        compare_plainly(folder)
    else:
        save_frames(folder, gated=subject == "gate")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
