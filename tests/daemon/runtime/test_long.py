"""Fifty kills of the real daemon, judged from outside."""

import random
from pathlib import Path

import pytest

from daemon.replay.replay import replay
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import NS_PER_S, SystemClock
from storage.session.verify import verify
from tests.fakes.desktop.live_stage import Stage

pytestmark = [pytest.mark.display, pytest.mark.slow]

KILLS = 50
WORDS = ("plain", "words", "typed", "at", "a", "steady", "pace", "and", "counted", "again")


def heard(stage: Stage) -> int:
    """Type until a letter was stored, since the very first may come before the listener; return how many were."""

    def is_heard() -> bool:
        stage.hands.text("x")
        stage.hands.wait(0.3)
        return stage.characters() > 0

    stage.until(is_heard, "a letter that is heard")
    stage.hands.wait(1.0)
    return stage.characters()


def test_fifty_kills_lose_at_most_two_seconds_each(desktop: VirtualDesktop, tmp_path: Path) -> None:
    """At random moments: the session opens, replays, at most 2 s of keys are lost, and `lost_s` bounds that."""
    rng = random.Random(20260101)
    clock = SystemClock()
    stage = Stage(desktop, tmp_path)
    worst_s = worst_reported_s = 0.0
    for number in range(KILLS):
        stage.kairos.start()
        before = heard(stage)
        sent: list[int] = []
        kill_ns = clock.now_ns() + round(rng.uniform(0.3, 6.0) * NS_PER_S)
        while clock.now_ns() < kill_ns:
            for letter in rng.choice(WORDS):
                sent.append(clock.now_ns())
                stage.hands.text(letter, rate=rng.uniform(5, 40))
            if rng.random() < 0.2:
                stage.hands.wait(rng.uniform(0.2, 2.5))
        process = stage.kairos._process
        assert process is not None
        process.kill()
        process.wait(5)
        killed_ns = clock.now_ns()
        report = verify(stage.session)
        stored = stage.characters() - before
        lost_s = 0.0 if stored >= len(sent) else (killed_ns - sent[stored]) / NS_PER_S
        worst_s, worst_reported_s = max(worst_s, lost_s), max(worst_reported_s, report.lost_s)
        assert report.ok, (number, report)
        assert lost_s <= min(2.0, report.lost_s), (number, lost_s, report)
        assert report.lost_s <= 3.0, (number, report)  # at rest the screen is looked at every two seconds
        assert replay(stage.session, check=True).identical, number
    stage.close()
    print(f"{KILLS} kills: worst loss {worst_s:.2f} s, worst lost_s {worst_reported_s:.2f} s")
