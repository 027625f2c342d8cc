"""A fortnight with Kairos, day by day on a manual clock: what is refused falls silent, what is welcome comes back."""

import json
from collections.abc import Mapping
from itertools import pairwise

from policies.registry import load
from storage.clock import ManualClock
from storage.records import Evidence, Feedback, FeedbackKind, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of, estimate_of, offer_of

S = 1_000_000_000
MINUTE = 60 * S
HOUR = 60 * MINUTE
DAY = 24 * HOUR
MENUS = (Evidence("menu_wandering", {"count": 4.0, "span_s": 20.0}),)


class Person:
    """Somebody who works every day from nine to five and gets stuck every ten minutes; Kairos starts anew each day."""

    def __init__(self) -> None:
        self.clock = ManualClock(wall_ns=9 * HOUR)
        self.policy = load(PolicySettings(offers_per_hour=100, offers_per_day=100), 0.05)
        self.saved: Mapping[str, object] = {}
        self.saved_at_ns = self.clock.wall_ns()
        self.windows = 0

    def day(self, answer: FeedbackKind, topic: str = "undo_bursts") -> list[int]:
        elapsed_ns = self.clock.wall_ns() - self.saved_at_ns
        began_ns = self.clock.now_ns()
        state = self.policy.start(json.loads(json.dumps(self.saved)), elapsed_ns, began_ns)
        minutes = []
        while self.clock.now_ns() - began_ns < 8 * HOUR:
            self.clock.advance(10 * MINUTE)
            now_ns = self.clock.now_ns()
            self.windows += 1
            evidence = MENUS if topic == "menu_wandering" else estimate_of(0.0).evidence
            stuck = estimate_of(0.9999, window_id=self.windows, evidence=evidence)
            context = context_of(session_start_ns=began_ns, last_input_ns=now_ns - 2 * S)
            state, decision = self.policy.decide(state, stuck, context, now_ns)
            if decision.verdict is Verdict.OFFER:
                minutes.append((now_ns - began_ns) // MINUTE)
                self.clock.advance(5 * S)
                offer = offer_of(now_ns / S, topic=topic)
                state = self.policy.learn(state, Feedback(offer_id="o1", kind=answer), offer, self.clock.now_ns())
        self.saved, self.saved_at_ns = self.policy.save(state, self.clock.now_ns()), self.clock.wall_ns()
        self.clock.advance_to(began_ns + DAY)
        return minutes


def test_a_dismissed_topic_falls_silent_and_an_accepted_one_comes_back() -> None:
    person = Person()
    monday = person.day(FeedbackKind.DISMISSED)
    quiet = [after - before for before, after in pairwise(monday)]
    assert quiet == [20, 30, 60, 120, 240]  # 15 minutes and twice as long each time, looked at every ten minutes
    assert person.day(FeedbackKind.DISMISSED) == [10]  # the eight hours from Monday's last were over in the night
    assert person.day(FeedbackKind.DISMISSED) == [10]  # so were sixteen
    assert person.day(FeedbackKind.DISMISSED) == [20]  # a whole day, the longest, ends when the last offer was
    assert person.day(FeedbackKind.DISMISSED) == [30]
    elsewhere = person.day(FeedbackKind.ACCEPTED, "menu_wandering")
    assert len(elsewhere) > 20
    sunday = person.day(FeedbackKind.ACCEPTED)
    assert len(sunday) > 20
    assert sunday[0] == 10
    monday = person.day(FeedbackKind.DISMISSED)
    assert monday[1] - monday[0] == 20  # the doubling has begun anew


def test_a_muted_topic_never_comes_back_and_a_snooze_ends() -> None:
    person = Person()
    assert len(person.day(FeedbackKind.SNOOZED)) == 24
    assert person.day(FeedbackKind.MUTED) == [10]
    assert [person.day(FeedbackKind.ACCEPTED) for _ in range(3)] == [[], [], []]
    assert len(person.day(FeedbackKind.ACCEPTED, "menu_wandering")) > 20
