"""Attempts by gestures and screen alone: in vain, again in vain, to and fro, after a look at help; and successes.

What a press or an Enter hits is known by its place only, what comes of it by the screen. `touched_controls` has the
same with the names of controls and with errors.
"""

from detectors.features.extractor import FeatureTable
from detectors.features.outcomes.follower import AttemptFollower

TABLE: FeatureTable = {
    "tried_in_vain": (
        "attempts",
        "presses and Enter keys without an effect, undone, or that ended as the last one; half-life 30s, up to 8",
    ),
    "tried_in_vain_more": ("attempts", "the same beyond what the person's earlier minutes would come to"),
    "tried_again": (
        "attempts",
        "those whose last one at the same place within 2 minutes was in vain too; half-life 30s, up to 8",
    ),
    "tried_again_more": ("attempts", "the same beyond what the person's earlier minutes would come to"),
    "tried_turns": ("attempts", "those at the place before the last one, all three in vain; half-life 30s, up to 8"),
    "tried_after_help": (
        "attempts",
        "those at a place tried in vain before a browser or help viewer was looked at; half-life 30s, up to 8",
    ),
    "tried_succeeded": ("attempts", "presses and Enter keys that showed something new; half-life 30s, up to 8"),
    "tried_success_share": ("1", "share of these among them and those in vain; a half where there are none"),
    "tried_quiet": ("1", "rest after one in vain again, 1 from 8 s on"),
}


class AttemptOutcomes(AttemptFollower):
    """Follows attempts without the accessibility sense."""

    table = TABLE

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `TABLE`."""
        return self.attempt_values("tried", now_ns)
