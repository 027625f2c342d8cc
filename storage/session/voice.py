"""When somebody speaks in a session's sound, by plain loudness; it takes no model and says nothing of the words."""

from collections.abc import Iterator
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

_RATE = 8_000
_ABOVE, _LEAST = 3.0, 100.0
"""How loud speech is: so many times what is mostly there, and never less than this, of 32,767; guesses."""

_QUIET = 0.2
"""The share of the time in which nobody speaks, at least; a guess."""

_JOINED_NS, _SHORTEST_NS = NS_PER_S, 300 * NS_PER_MS


def sound_of(folder: Path, rate: int) -> "Iterator[tuple[int, NDArray[np.int16]]]":
    """Yield when samples begin in the session's time, and these, file by file; a file that is gone is left out.

    Raises:
        BadFile: the session, or a file of sound, is damaged.
    """
    begins: dict[str, int] = {}
    with SessionReader(folder) as reader:
        for row in reader.rows((Sound.KIND,)):
            if isinstance(row, Sound) and row.sound_ref is not None:
                file, ms = split_ref(row.sound_ref)
                begins.setdefault(file, row.t_ns - ms * NS_PER_MS)
    for file, begin_ns in begins.items():
        if (folder / file).exists():
            for at_s, samples in read_sound(folder / file, rate):
                yield begin_ns + round(at_s * NS_PER_S), samples


def voiced(folder: Path) -> list[tuple[int, int]]:
    """Return from when to when somebody speaks.

    Raises:
        BadFile: the session, or a file of sound, is damaged.
    """
    import numpy as np

    parts = [
        (at_ns, len(samples) * NS_PER_S // _RATE, float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))))
        for at_ns, samples in sound_of(folder, _RATE)
        if len(samples)
    ]
    if not parts:
        return []
    least = max(_LEAST, _ABOVE * float(np.quantile([loud for *_, loud in parts], _QUIET)))
    spans: list[tuple[int, int]] = []
    for at_ns, length_ns, loud in parts:
        if loud >= least:
            joins = spans and at_ns - spans[-1][1] <= _JOINED_NS
            spans.append((spans.pop()[0] if joins else at_ns, at_ns + length_ns))
    return [(begin_ns, end_ns) for begin_ns, end_ns in spans if end_ns - begin_ns >= _SHORTEST_NS]
