"""When somebody speaks in a session's sound, by plain loudness; it takes no model and says nothing of the words."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from storage.clock import NS_PER_MS, NS_PER_S
from storage.records import Sound
from storage.session.log import SessionReader
from storage.session.sound import read_sound
from storage.session.video import split_ref

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RATE, _EVERY = 8_000, 5
"""Samples a second, and of how many packets of 20 ms one is listened to."""

_ABOVE, _LEAST = 3.0, 100.0
"""How loud speech is: so many times what is mostly there, and never less than this, of 32,767; guesses."""

_QUIET = 0.2
"""The share of the time in which nobody speaks, at least; a guess."""

_PART_NS, _JOINED_NS, _SHORTEST_NS = 100 * NS_PER_MS, NS_PER_S, 300 * NS_PER_MS

Loudness = list[tuple[int, float]]
"""When a tenth of a second began, in the session's time, and how loud it was."""


def files_of(folder: Path) -> dict[str, int]:
    """Return the files of sound that a session names, each with when it began in the session's time.

    Raises:
        BadFile: the session is damaged.
    """
    begins: dict[str, int] = {}
    with SessionReader(folder) as reader:
        for row in reader.rows((Sound.KIND,)):
            if isinstance(row, Sound) and row.sound_ref is not None:
                file, ms = split_ref(row.sound_ref)
                begins.setdefault(file, row.t_ns - ms * NS_PER_MS)
    return begins


def sound_of(
    folder: Path, rate: int, files: Mapping[str, int] | None = None, *, every: int = 1
) -> "Iterator[tuple[int, NDArray[np.int16]]]":
    """Yield when samples begin in the session's time, and these, file by file; a file that is gone is left out.

    Raises:
        BadFile: the session, or a file of sound, is damaged.
    """
    for file, begin_ns in (files_of(folder) if files is None else files).items():
        if (folder / file).exists():
            for at_s, samples in read_sound(folder / file, rate, every=every):
                yield begin_ns + round(at_s * NS_PER_S), samples


def loudness_of(folder: Path, files: Mapping[str, int] | None = None) -> Loudness:
    """Return how loud it was, in some files of a session or in all; some 60 ms of CPU for a minute.

    Raises:
        BadFile: the session, or a file of sound, is damaged.
    """
    import numpy as np

    found = sound_of(folder, _RATE, files, every=_EVERY)
    return [
        (at_ns, float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))))
        for at_ns, samples in found
        if len(samples)
    ]


def voiced(loudness: Loudness) -> list[tuple[int, int]]:
    """Return from when to when somebody speaks."""
    import numpy as np

    if not loudness:
        return []
    least = max(_LEAST, _ABOVE * float(np.quantile([loud for _, loud in loudness], _QUIET)))
    spans: list[tuple[int, int]] = []
    for at_ns, loud in loudness:
        if loud >= least:
            joins = spans and at_ns - spans[-1][1] <= _JOINED_NS
            spans.append((spans.pop()[0] if joins else at_ns, at_ns + _PART_NS))
    return [(begin_ns, end_ns) for begin_ns, end_ns in spans if end_ns - begin_ns >= _SHORTEST_NS]
