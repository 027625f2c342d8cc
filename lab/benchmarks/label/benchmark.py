"""Measures the CPU time of steps through a recorded hour, as the window of `kairos label` has pictures read.

The hour is made: pages of letters, of which some change each half second, and another page now and then. Where somebody
goes far, a picture that is ready is shown on the way, and the right one once they rest.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from lab.measure.benchmark import ProgressBar, Report, at_most
from storage.clock import NS_PER_S, SystemClock
from storage.session.video import Picture, PictureSeeker, VideoPlan, VideoWriter
from storage.settings import StorageSettings

STEP_MS, WIDTH = 40.0, 900
"""The bar of the median of each way, and how wide pictures are shown."""

PER_S = 2
LINES, COLUMNS = 60, 200
_LETTER = 16, 9
_SIZE = COLUMNS * _LETTER[1], LINES * _LETTER[0]
_ANOTHER, _TYPED, _LETTERS, _INK = 0.03, 4, 40, 0.4


def measure(*, minutes: int, steps: int, seed: int) -> Report:
    """Make the recording, and go through it in each way."""
    rng, clock = np.random.default_rng(seed), SystemClock()
    with TemporaryDirectory(prefix="kairos-label-") as place:
        refs = record(Path(place), minutes * 60 * PER_S, rng)
        size_mb = sum(path.stat().st_size for path in Path(place).iterdir()) / 1e6
        seeker, costs, rest = (
            PictureSeeker(Path(place)),
            defaultdict[str, list[float]](list),
            defaultdict[str, list[float]](list),
        )
        for way, places in ways(len(refs), steps, rng).items():
            for number in places:
                begin_ns = clock.cpu_ns()
                found = seeker.read(seeker.ready_before(refs[number]) or refs[number], WIDTH)
                shown_ns = clock.cpu_ns()
                rested = seeker.read(refs[number], WIDTH)
                costs[way].append((shown_ns - begin_ns) / 1e6)
                rest[way].append((clock.cpu_ns() - shown_ns) / 1e6)
                assert found is not None is not rested  # noqa: S101  # nothing was lost
        seeker.close()
    at_rest_ms = round(median(rest["jump"]), 1)
    made = f"{minutes} minutes of made pictures, {_SIZE[0]} x {_SIZE[1]}, {size_mb:.0f} MB; CPU a step, median."
    return Report(
        criteria=[at_most(way, median(found), STEP_MS, "ms") for way, found in costs.items()],
        fields={"minutes": minutes, "mb": round(size_mb, 1), "at_rest_ms": at_rest_ms, "simulated": True},
        text=[made, f"Where a jump has come to rest, the right picture takes {at_rest_ms} ms more."],
    )


def ways(count: int, steps: int, rng: "np.random.Generator") -> dict[str, Sequence[int]]:
    """Return of each way to go the pictures that it comes to: on and back by 1 and by 10 seconds, and jumps."""
    begin = count // 3
    found: dict[str, Sequence[int]] = {}
    for name, by in (("on_1s", PER_S), ("back_1s", -PER_S), ("on_10s", 10 * PER_S), ("back_10s", -10 * PER_S)):
        found[name] = [(begin + by * step) % count for step in range(steps)]
    return {**found, "jump": rng.integers(0, count, steps).tolist()}


def record(folder: Path, count: int, rng: "np.random.Generator") -> list[str]:
    """Write pictures as a session has them; return their references."""
    plan, writer, bar = (
        VideoPlan(StorageSettings().video_file_s),
        VideoWriter(folder),
        ProgressBar(count, of="pictures"),
    )
    refs = []
    for number, grey in enumerate(_pictures(count, rng)):
        t_ns = (number + 1) * NS_PER_S // PER_S
        planes = np.full((grey.shape[0] * 3 // 2, grey.shape[1]), 128, np.uint8)
        planes[: grey.shape[0]] = grey
        refs.append(plan.ref(t_ns, (grey.shape[1], grey.shape[0])))
        writer.write(Picture(t_ns=t_ns, ref=refs[-1], planes=planes, width=grey.shape[1], height=grey.shape[0]))
        bar.add(1, "made")
    writer.close()
    return refs


def _pictures(count: int, rng: "np.random.Generator") -> Iterator["NDArray[np.uint8]"]:
    strokes = np.kron(rng.random((_LETTERS, 4, 3)) < _INK, np.ones((1, 3, 2))) > 0
    letters = np.where(np.pad(strokes, ((0, 0), (2, 2), (1, 2))), 30, 235).astype(np.uint8)
    letters[0] = 235
    words = _page(rng)
    for _ in range(count):
        if rng.random() < _ANOTHER:
            words = _page(rng)
        else:
            words[rng.integers(LINES), rng.integers(COLUMNS - _TYPED) :][:_TYPED] = rng.integers(_LETTERS, size=_TYPED)
        yield letters[words].transpose(0, 2, 1, 3).reshape(_SIZE[1], _SIZE[0])


def _page(rng: "np.random.Generator") -> "NDArray[np.int64]":
    """Return lines of letters of any length; the first letter is a blank."""
    ends = rng.integers(-COLUMNS, COLUMNS, (LINES, 1))
    return np.where(np.arange(COLUMNS) < ends, rng.integers(_LETTERS, size=(LINES, COLUMNS)), 0)
