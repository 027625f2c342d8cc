"""When somebody speaks, by loudness alone."""

from pathlib import Path

import numpy as np
import pytest

from storage.clock import NS_PER_S
from storage.records import Sound
from storage.session.sound import RATE, SoundPlan
from storage.session.voice import loudness_of, voiced
from storage.testing import SessionBuilder
from tests.fakes.sound.tones import placed, tone, write_sound


@pytest.mark.parametrize("hum", [0, 200], ids=["in silence", "beside a fan"])
def test_somebody_speaks_where_it_is_louder_than_it_mostly_is(tmp_path: Path, hum: int) -> None:
    """A pause within a sentence is none, a knock is no word; control: without speech there is nothing."""
    rest = (hum * np.random.default_rng(1).standard_normal(20 * RATE)).astype("<i2")
    spoken = rest.copy()
    for begin_s, length_s in ((2.0, 2.0), (4.5, 1.5), (12.0, 3.0), (18.0, 0.1)):
        at = round(begin_s * RATE)
        wave = np.frombuffer(tone(600, length_s), "<i2") // 4
        spoken[at : at + len(wave)] += wave
    found = []
    for name, samples in (("quiet", rest), ("spoken", spoken)):
        made = SessionBuilder()
        begin_ns = made.clock.now_ns()
        made.put(Sound, t_ns=begin_ns, on=True, sound_ref="sound-000.mp4@0")
        folder = made.wait(25).end().write(tmp_path / name)
        write_sound(folder, placed(SoundPlan(300), begin_ns, samples.tobytes()))
        found.append(
            [
                (round((a - begin_ns) / NS_PER_S), round((b - begin_ns) / NS_PER_S))
                for a, b in voiced(loudness_of(folder))
            ]
        )
    assert found == [[], [(2, 6), (12, 15)]]
