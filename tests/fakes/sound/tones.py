"""Tones: made, and found again."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from storage.clock import NS_PER_S
from storage.session.sound import BLOCK, RATE, SoundBlock, SoundPlan, SoundWriter, read_sound

LOUD = 8000
HEARD = 0.1
"""Loudness from which on a tone is in some samples; silence and other tones are far below."""

LEVEL = 0.04 * LOUD
"""And how strong it must be: of a third of a millisecond of another tone, where the player ran dry, any is a tenth."""


def tone(hz: int, seconds: float = 1.0) -> bytes:
    waves = LOUD * np.sin(2 * np.pi * hz * np.arange(round(RATE * seconds)) / RATE)
    return waves.astype("<i2").tobytes()


def loudness(samples: NDArray[np.int16], hz: int) -> float:
    """Return how loud a tone is in some samples, from 0 to 1 of all that is in them."""
    whole = float(np.sqrt(np.mean(samples.astype(np.float64) ** 2) * 2))
    return level(samples, hz) / whole if whole else 0.0


def level(samples: NDArray[np.int16], hz: int) -> float:
    """Return the amplitude of a tone in some samples, over all of them."""
    waves = np.exp(-2j * np.pi * hz * np.arange(len(samples)) / RATE)
    return 2 * float(abs(np.mean(samples * waves)))


def is_in(block: SoundBlock, hz: int) -> bool:
    """Tell whether a tone is in a block, for a millisecond or more."""
    samples = np.frombuffer(block.samples, np.dtype("<i2"))
    return loudness(samples, hz) > HEARD and level(samples, hz) > LEVEL


def placed(plan: SoundPlan, t_ns: int, samples: bytes) -> list[SoundBlock]:
    """Return samples in blocks that were heard from a time on."""
    size = 2 * BLOCK
    return [
        plan.place(t_ns + n * BLOCK * NS_PER_S // RATE, samples[n * size : (n + 1) * size])
        for n in range(len(samples) // size)
    ]


def write_sound(folder: Path, blocks: list[SoundBlock]) -> None:
    writer = SoundWriter(folder)
    for block in blocks:
        writer.write(block)
    writer.close()


def seconds_with(path: Path, hz: int) -> list[float]:
    """Return the seconds of a file at which a tone is heard."""
    return [begins_s for begins_s, samples in read_sound(path) if loudness(samples, hz) > HEARD]
