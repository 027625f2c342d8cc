"""Pictures and drawings to begin with: coloured shapes and words on a plain ground, written as PNG or SVG by seed.

Nothing here is drawn by the programs themselves, so that opening one asks no questions.
"""

import random
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from demo.virtual_desktop.sample_text import heading, item

Colour = tuple[int, int, int]
"""Red, green, blue."""

_GROUNDS: tuple[Colour, ...] = ((236, 232, 222), (226, 234, 240), (240, 240, 236), (222, 232, 222), (244, 228, 214))
VIVID: tuple[Colour, ...] = (
    (196, 62, 58), (52, 96, 180), (60, 140, 84), (226, 160, 44), (120, 72, 150), (40, 140, 150), (90, 60, 44),
)  # fmt: skip


def paint(path: Path, size: tuple[int, int], rng: random.Random) -> None:
    """Write a PNG of `size` (width, height) with shapes all over it."""
    width, height = size
    pixels: NDArray[np.uint8] = np.empty((height, width, 3), np.uint8)
    pixels[:] = rng.choice(_GROUNDS)
    ys, xs = np.ogrid[:height, :width]
    for _ in range(rng.randint(14, 22)):
        x, y = rng.randrange(width), rng.randrange(height)
        across, down = rng.randint(width // 16, width // 6), rng.randint(height // 24, height // 10)
        if rng.choice((True, False)):
            inside = (abs(xs - x) <= across) & (abs(ys - y) <= down)
        else:
            inside = ((xs - x) / across) ** 2 + ((ys - y) / down) ** 2 <= 1
        pixels[inside] = rng.choice(VIVID)
    path.write_bytes(_png(pixels))


def draw(path: Path, size: tuple[int, int], rng: random.Random) -> None:
    """Write an SVG page of `size` (width, height) with shapes and words, one in each of the page's parts."""
    width, height = size
    columns, rows = 4, 5
    across, down = width / columns, height / rows
    shapes = []
    for number in rng.sample(range(columns * rows), rng.randint(12, 16)):
        x = (number % columns + rng.uniform(0.12, 0.25)) * across
        y = (number // columns + rng.uniform(0.12, 0.25)) * down
        w, h = rng.uniform(0.45, 0.65) * across, rng.uniform(0.4, 0.6) * down
        style = "fill:#{:02x}{:02x}{:02x}".format(*rng.choice(VIVID))
        kind = rng.choice(("rect", "rect", "ellipse", "text"))
        if kind == "rect":
            shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" style="{style}"/>')
        elif kind == "ellipse":
            centre = f'cx="{x + w / 2:.1f}" cy="{y + h / 2:.1f}" rx="{w / 2:.1f}" ry="{h / 2:.1f}"'
            shapes.append(f'<ellipse {centre} style="{style}"/>')
        else:
            words = rng.choice((item, heading))(rng)
            font = f"font-size:{w / 6:.1f}px;font-family:sans-serif"
            shapes.append(f'<text x="{x:.1f}" y="{y + h / 2:.1f}" style="{style};{font}">{words}</text>')
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        + "\n".join(shapes)
        + "\n</svg>\n",
        encoding="utf-8",
    )


def _png(pixels: NDArray[np.uint8]) -> bytes:
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
