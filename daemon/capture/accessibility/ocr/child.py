"""The process that reads one picture: its limits first, then the libraries. It opens no file but its models.

Takes width and height (32 bits, little endian) and BGR pixels on stdin; gives one JSON list of lines on stdout, each
`[text, score, x, y, w, h]` in pixels. Exits with `NOT_INSTALLED` without libraries or models; nothing is downloaded.
"""

import json
import os
import struct
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from storage.limited_child import limit_self

MEMORY_BYTES = 2_000_000_000
"""Address space; what is really used for a picture of 1920 x 1080 is some 650 MB."""

CPU_S = 20
NICE = 5
MAX_SIDE = 8192
MAX_LINES = 500
MAX_CHARACTERS = 200
NOT_INSTALLED = 7
HEADER = struct.Struct("<II")

_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
_LARGEST = 2000
"""Larger pictures are made smaller, in pixels of the longer side."""

_DETECTED = 1280
"""Text is looked for in a picture of at most this side, which saves a third of the time, and read in full size."""

_WIDE = 1.45
"""Two words of a line that are further apart than this, in widths of a character of it, are two texts: "File   Edit".

Chosen looking at five pictures: words of a text stood up to 1.4 apart, titles of menus 1.5 to 2.8."""

Line = tuple[str, float, int, int, int, int]
Word = tuple[str, float, int, int, int, int]
"""A text, its score, and its left, top, right and bottom edges."""


def main() -> int:
    """Read the picture on stdin, and print its lines."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    limit_self(CPU_S, memory_bytes=MEMORY_BYTES)
    os.nice(NICE)
    models = _models()
    if models is None:
        return NOT_INSTALLED
    width, height = HEADER.unpack(sys.stdin.buffer.read(HEADER.size))
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        return 1
    pixels = sys.stdin.buffer.read(3 * width * height)
    print(json.dumps(list(_read(models, pixels, width, height))[:MAX_LINES]))
    return 0


def _models() -> dict[str, Path] | None:
    """Return the models by part; None if they or what runs them is not installed."""
    found = find_spec("rapidocr")
    if found is None or found.origin is None or find_spec("onnxruntime") is None:
        return None
    paths = {part: Path(found.origin).parent / "models" / name for part, name in _MODELS.items()}
    return paths if all(path.is_file() for path in paths.values()) else None


def _read(models: dict[str, Path], pixels: bytes, width: int, height: int) -> Iterator[Line]:
    import numpy as np
    from rapidocr import RapidOCR

    reader: Any = RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.log_level": "critical",
            "Global.max_side_len": _LARGEST,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,  # more would wait for each other in a loop
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "Global.return_word_box": True,
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECTED,
            **{f"{part}.model_path": str(path) for part, path in models.items()},
        }
    )
    found = reader(np.frombuffer(pixels, np.uint8).reshape(height, width, 3))
    if not getattr(found, "txts", None):  # it is another kind of answer then
        return
    for line in found.word_results:
        yield from _texts([word for word in line if word[0].strip()])


def _texts(words: list[tuple[str, float, Any]]) -> Iterator[Line]:
    """Yield the texts of a line: words that stand close together are one."""
    found: list[Word] = []
    for text, score, corners in words:
        across, down = [int(x) for x, _ in corners], [int(y) for _, y in corners]
        found.append((text, float(score), min(across), min(down), max(across), max(down)))
    wide = _WIDE * sum(word[4] - word[2] for word in found) / max(1, sum(len(word[0]) for word in found))
    group: list[Word] = []
    for word in found:
        if group and word[2] - group[-1][4] > wide:
            yield _text(group)
            group = []
        group.append(word)
    if group:
        yield _text(group)


def _text(group: list[Word]) -> Line:
    texts, scores, lefts, tops, rights, bottoms = zip(*group, strict=True)
    left, top = min(lefts), min(tops)
    return " ".join(texts)[:MAX_CHARACTERS], min(scores), left, top, max(rights) - left, max(bottoms) - top


if __name__ == "__main__":
    sys.exit(main())
