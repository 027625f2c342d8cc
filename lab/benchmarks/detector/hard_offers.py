"""Counts how often the default policy offers help to people who need none, with packed sessions and the real engine.

The quiet minutes at a session's start are set to none, since these sessions last ten minutes. A policy waits for a
break, which is often the unlabelled rest after a behavior. So an offer counts for what was going on when the prefix it
rests on ended; if that was between two labels, for what goes on where it appears; if that is too, for neither. Beside
the policy as it is stands the same without budget and cool-down, which hide what a detector would do. `bench policy`
counts the same offers, but judges each by the moment at which it is shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from daemon.engine.engine import Engine
from detectors.protocol import Detector
from lab.benchmarks.policy.trace import run_engine
from lab.benchmarks.policy.truth import hours_of
from lab.simulation.recording.labels import label_at
from lab.simulation.recording.pack import Packed
from policies import registry
from storage.records import Offer, Prefix
from storage.settings import PolicySettings, Settings

POLICY = PolicySettings(quiet_start_s=0.0)
UNLIMITED = replace(POLICY, offers_per_hour=100_000, offers_per_day=100_000, cooldown_s=0.0, novelty_s=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferCounts:
    """Offers and hours of sessions: in all, while help was needed, in hard negatives, and between labels."""

    hours: float
    offers: int
    needed: int
    hard_hours: float
    hard_offers: int
    between: int

    @property
    def hard_per_hour(self) -> float:
        """Offers an hour of hard negatives."""
        return self.hard_offers / self.hard_hours if self.hard_hours else 0.0


def count_offers(
    sessions: Iterable[Packed], detector: Detector, base_rate: float, policy: PolicySettings
) -> OfferCounts:
    """Run a detector and the default policy over every session, and count the offers by their labels."""
    hours = hard_hours = 0.0
    offers = needed = hard = between = 0
    for session in sessions:
        hours += hours_of(session.labels)
        hard_hours += hours_of(label for label in session.labels if label.hard_negative)
        for offer, seen_to_ns in offers_in(session, detector, base_rate, policy):
            moments = [(label_at(session.labels, at_ns), at_ns) for at_ns in (seen_to_ns, offer.shown_at_ns)]
            label, at_ns = next(((label, at_ns) for label, at_ns in moments if label is not None), (None, 0))
            offers += 1
            needed += label is not None and label.needs_help(at_ns)
            hard += label is not None and label.hard_negative
            between += label is None
    return OfferCounts(
        hours=hours, offers=offers, needed=needed, hard_hours=hard_hours, hard_offers=hard, between=between
    )


def offers_in(session: Packed, detector: Detector, base_rate: float, policy: PolicySettings) -> list[tuple[Offer, int]]:
    """Return the offers of one session, each with the end of the prefix it rests on.

    None is shown, or the policy would learn from each that expires that it had been ignored.
    """
    settings = Settings(policy=policy)
    loaded = registry.load(policy, base_rate)
    engine = Engine(detector=detector, policy=loaded, settings=settings, is_shown=lambda _: False)
    ends_ns: dict[str, int] = {}
    found: list[tuple[Offer, int]] = []
    for row in chain.from_iterable(run_engine(engine, session.rows)):
        if isinstance(row, Prefix):
            ends_ns[row.prefix_id] = row.end_ns
        elif isinstance(row, Offer):
            found.append((row, ends_ns[row.prefix_id]))
    return found
