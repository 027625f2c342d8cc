"""Rows and pictures for the tests of storage, and a child process to kill; run as a program it is that child."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import av
import numpy as np

import storage.session.recorder
from storage.clock import NS_PER_S, SystemClock
from storage.records import Box, Decision, Dropped, Frame, Problem, Record, SessionEnd, SessionStart, Verdict
from storage.sent.log import SentLog
from storage.session.heartbeat import Heartbeat
from storage.session.log import SessionReader, create_session
from storage.session.recorder import SessionRecorder
from storage.session.video import Picture, VideoPlan
from storage.session.video_sandbox import open_pinned
from storage.settings import StorageSettings
from storage.testing import plain

WALL_NS = 1_795_000_000 * NS_PER_S
SIZE = (320, 180)


def start(**changes: object) -> SessionStart:
    common: dict[str, object] = {"settings": {"policy": {"quiet_start_s": 300.0}}, "recording": True}
    return plain(SessionStart, **({"seq": 1, "at_ns": 1, "wall_ns": WALL_NS} | common | changes))


def step(seq: int, at_ns: int, image_ref: str | None = None) -> list[Record]:
    """Return a frame and a decision that follows from it, numbered from `seq`."""
    return [
        plain(Frame, at_ns, seq=seq, at_ns=at_ns, changed=(Box(1, 2, 3, 4),), image_ref=image_ref),
        Decision(seq=seq + 1, at_ns=at_ns, verdict=Verdict.HOLD, gate="evidence", reason="too_little"),
    ]


def session(steps: int) -> list[list[Record]]:
    """Return the steps of a session that ended in order: `2 * steps + 2` rows."""
    rows: list[list[Record]] = [[start()]]
    rows.extend(step(2 + 2 * n, 1 + (n + 1) * NS_PER_S) for n in range(steps))
    rows.append([SessionEnd(seq=2 + 2 * steps, at_ns=2 + steps * NS_PER_S, reason="stop")])
    return rows


def rows_in(folder: Path) -> list[Record]:
    with SessionReader(folder) as reader:
        return list(reader)


def shade(number: int) -> int:
    return 40 + number * 37 % 180


def picture(number: int, ref: str, t_ns: int = 0, size: tuple[int, int] = SIZE, *, repeat: bool = False) -> Picture:
    width, height = size
    planes = np.full((height * 3 // 2, width), 128, np.uint8)
    planes[:height] = shade(number)
    return Picture(t_ns=t_ns, ref=ref, planes=planes, width=width, height=height, repeat=repeat)


def number_of(jpeg: bytes, candidates: Sequence[int]) -> int:
    import simplejpeg

    grey = int(simplejpeg.decode_jpeg(jpeg).mean())
    return min(candidates, key=lambda number: abs(shade(number) - grey))


def recorded_pictures(folder: Path) -> list[tuple[str, int]]:
    """Return file name and millisecond of every whole picture in the videos of a session, repeats included."""
    found: list[tuple[str, int]] = []
    for path in sorted(folder.glob("screen-*.mp4")):
        if path.stat().st_size:  # else killed before the first byte
            with path.open("rb") as file, open_pinned(file, path.name) as video, suppress(av.FFmpegError):  # torn end
                packets = video.demux(video.streams.video[0])
                whole = (packet for packet in packets if packet.pts is not None and not packet.is_corrupt)
                found.extend((path.name, round((packet.pts or 0) * packet.time_base * 1000)) for packet in whole)
    return found


def count_orphans(log: SentLog) -> int:
    query = "SELECT count(*) FROM pictures WHERE NOT EXISTS (SELECT 1 FROM parts WHERE picture = pictures.id)"
    return int(log.connection.execute(query).fetchone()[0])


def record_until_killed(base: Path, still_after: int) -> None:
    """Record a step and a picture every 20 ms, and say on standard output what was handed over; never ends by itself.

    After `still_after` pictures the screen goes still: the last picture is sent once more, and that is all.
    """
    storage.session.recorder.MAX_PICTURES = 1000  # 50 pictures a second on a busy machine are not what is tried here
    clock = SystemClock()
    folder = create_session(base, WALL_NS)
    heartbeat = Heartbeat(folder)

    def refuse(problem: Problem | Dropped) -> None:
        print(f"problem {problem}", flush=True)

    recorder = SessionRecorder(folder, StorageSettings(min_free_mb=0), clock, on_problem=refuse, heartbeat=heartbeat)
    plan = VideoPlan(1.0)
    recorder.put([start(session_id=folder.name, at_ns=clock.now_ns())])
    print(f"folder {folder}", flush=True)
    for number in range(1_000_000):
        now_ns = clock.now_ns()
        heartbeat.seen(now_ns)
        if number < still_after:
            ref = plan.ref(now_ns, SIZE)
            recorder.put(step(2 + 2 * number, now_ns, ref))
            recorder.put_picture(picture(number, ref, now_ns))
            print(f"row {3 + 2 * number} {now_ns} {ref}", flush=True)
        elif number == still_after:
            recorder.put_picture(picture(number - 1, plan.ref(now_ns, SIZE), now_ns, repeat=True))
            print("still", flush=True)
        clock.sleep_s(0.02)


if __name__ == "__main__":
    record_until_killed(Path(sys.argv[1]), int(sys.argv[2]))
