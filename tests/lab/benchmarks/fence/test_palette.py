"""Colours of the campaign: each is found again after the codec, and no blur of ordinary ones looks excluded."""

from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from daemon.capture.screen import FILL
from lab.benchmarks.fence.cast import (
    DIM,
    EXCLUDED_COLOURS,
    FIRST_ORDINARY,
    NOTHING,
    ORDINARY_COLOURS,
    channels,
    excluded_label,
    labels,
    ordinary_label,
)
from storage.session.video import Picture, VideoPlan, VideoWriter

WANTED = {colour: excluded_label(index) for index, colour in enumerate(EXCLUDED_COLOURS)} | {
    colour: ordinary_label(index) for index, colour in enumerate(ORDINARY_COLOURS)
}


def one_pixel(*rgb: int) -> int:
    return int(labels(np.array([rgb], np.uint8))[0])


def test_every_colour_has_a_label_of_its_own() -> None:
    assert len(set(WANTED.values())) == len(WANTED)
    for colour, label in WANTED.items():
        assert one_pixel(*channels(colour)) == label
    for index, colour in enumerate(EXCLUDED_COLOURS):
        assert one_pixel(*(channel // 2 for channel in channels(colour))) == excluded_label(index) + DIM
    assert one_pixel(FILL, FILL, FILL) == NOTHING


def test_no_mixture_of_ordinary_colours_looks_excluded() -> None:
    others = [(0, 0, 0), (255, 255, 255), (FILL, FILL, FILL), (53, 86, 110)]
    ordinary = np.array([*map(channels, ORDINARY_COLOURS), *others], np.float64)
    for share in np.linspace(0, 1, 17):
        mixed = (ordinary[:, None] * share + ordinary[None] * (1 - share)).astype(np.uint8)
        found = labels(mixed)
        assert not ((found > NOTHING) & (found < FIRST_ORDINARY)).any()


def test_every_colour_is_found_again_in_a_video(tmp_path: Path) -> None:
    side, patches = 32, list(WANTED.items())
    rgb = np.zeros((2 * side, side * len(patches) // 2 + side, 3), np.uint8)
    for number, (colour, _) in enumerate(patches):
        rgb[patch(number)] = channels(colour)
    write(tmp_path, rgb)
    with av.open(str(tmp_path / "screen-000.mp4")) as container:
        frame = next(container.decode(video=0))
    found = labels(np.asarray(frame.to_ndarray(format="rgb24"), np.uint8))
    for number, (_, label) in enumerate(patches):
        inner = found[patch(number)][4:-4, 4:-4]
        assert (inner == label).mean() > 0.95


def patch(number: int, side: int = 32) -> tuple[slice, slice]:
    row, column = number % 2, number // 2
    return slice(row * side, (row + 1) * side), slice(column * side, (column + 1) * side)


def write(folder: Path, rgb: NDArray[np.uint8]) -> None:
    frame = av.VideoFrame.from_ndarray(rgb, format="rgb24").reformat(format="yuvj420p")
    height, width = rgb.shape[:2]
    planes = np.ascontiguousarray(frame.to_ndarray()).astype(np.uint8)
    plan, writer = VideoPlan(300.0), VideoWriter(folder)
    for t_ns in (0, 1_000_000_000):
        picture = Picture(t_ns=t_ns, ref=plan.ref(t_ns, (width, height)), planes=planes, width=width, height=height)
        assert writer.write(picture)
    writer.close()


@pytest.mark.parametrize("colour", EXCLUDED_COLOURS)
def test_control_a_mixture_with_an_excluded_colour_does_look_excluded(colour: int) -> None:
    """Were one of them among what may be seen, the search above would find it."""
    mixed = [round(0.95 * channel + 0.05 * 128) for channel in channels(colour)]
    assert NOTHING < one_pixel(*mixed) < FIRST_ORDINARY
