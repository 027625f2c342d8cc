"""What a person can see of what the policy remembers, and make it forget: works on the saved state alone."""

from collections.abc import Iterable, Mapping, Sequence

from policies.calibration import LIMITS, scaling_of, start_calibration
from policies.gates.budget import start_budget
from policies.gates.utility import utility_of
from policies.learning import LEAST_THRESHOLD, MOST_THRESHOLD, acceptance, answers_left, shift_of, start_learned
from policies.need_levels import OFFERS_AN_HOUR, level_of, start_need_history
from storage.clock import NS_PER_S
from storage.settings import PolicySettings

LEARNED = ("learned", "calibration", "need_history", "backoffs", "snoozed_until_age_ns")
"""What answers and the person's own time have taught.

Not among it are offers shown, so that forgetting opens no budget, and mutes.
"""


def export_memory(saved: Mapping[str, object], elapsed_ns: int, settings: PolicySettings) -> dict[str, object]:
    """Return in plain values what is remembered, and what follows from it, `elapsed_ns` after it was saved.

    Raises:
        TypeError, ValueError, KeyError: `saved` has a shape that no policy of ours gave.
    """
    budget, learned = start_budget(saved, elapsed_ns, 0), start_learned(saved, elapsed_ns, 0)
    calibration = start_calibration(saved, elapsed_ns, 0)
    left = answers_left(calibration.at_ns, settings, 0)
    answers = []
    for counts in learned.counts:
        accepted = acceptance(learned, settings, counts.subject, 0)
        threshold = utility_of(0.0, 0.0, accepted, settings).threshold
        answers.append(
            {
                **counts.subject._asdict(),
                "accepted": counts.accepted,
                "refused": counts.refused,
                "acceptance": accepted,
                "threshold": threshold,
            }
        )
    history = start_need_history(saved)
    per_hour = OFFERS_AN_HOUR[settings.how_often]
    return {
        "answers": answers,
        "threshold": utility_of(0.0, 0.0, settings.acceptance, settings).threshold,
        "threshold_min": LEAST_THRESHOLD,
        "threshold_max": MOST_THRESHOLD,
        "too_early": learned.early,
        "too_late": learned.late,
        "timing_shift": shift_of(learned, settings, 0),
        "how_often": settings.how_often,
        "offers_an_hour": per_hour,
        "need_levels": [
            {
                "app": counted.app,
                "senses": counted.senses,
                "hours": counted.hours,
                "level": level_of(history, counted.app, counted.senses, per_hour),
                "level_elsewhere": level_of(history, "", counted.senses, per_hour),
            }
            for counted in history.programs
        ],
        "need": [
            {
                "app": fit.app,
                "answers": left * fit.answers,
                **scaling_of(calibration, settings, fit.app, 0)._asdict(),
            }
            for fit in (calibration.overall, *calibration.programs)
            if fit.answers
        ],
        "need_limits": {
            "shift": [LIMITS.shift.least, LIMITS.shift.most],
            "scale": [1.0 + LIMITS.scale.least, 1.0 + LIMITS.scale.most],
        },
        "backoffs": [
            {"app": b.app, "topic": b.topic, "dismissals": b.dismissals, "left_s": max(0.0, b.until_ns / NS_PER_S)}
            for b in budget.backoffs
        ],
        "snoozed_left_s": max(0.0, (budget.snoozed_until_ns or 0) / NS_PER_S),
        "muted": list(budget.muted),
        "shown": len(budget.shown_ns),
    }


def muted_topics(saved: Mapping[str, object]) -> tuple[str, ...]:
    """Return the topics that a saved state mutes.

    Raises:
        TypeError: `saved` has a shape that no policy of ours gave.
    """
    muted = saved.get("muted", [])
    if not isinstance(muted, list):
        raise TypeError
    return tuple(str(topic) for topic in muted)


def without_mute(saved: Mapping[str, object], topic: str) -> dict[str, object]:
    """Return the saved state with one topic muted no longer; what was learned of the answer that muted it stays.

    Raises:
        TypeError: `saved` has a shape that no policy of ours gave.
    """
    return {**saved, "muted": [other for other in muted_topics(saved) if other != topic]}


def without_learned(saved: Mapping[str, object], *, mutes: bool) -> dict[str, object]:
    """Return the saved state without what answers have taught, and without muted topics if those are to go too."""
    removed = {*LEARNED, "muted"} if mutes else set(LEARNED)
    return {name: value for name, value in saved.items() if name not in removed}


def put_back(before: Mapping[str, object], later: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return an earlier saved state, without what the person had forgotten or unmuted since.

    Args:
        before: the state that is put back.
        later: what was saved since then, in order; the last is what is saved now.

    Raises:
        TypeError: a state has a shape that no policy of ours gave.
    """
    seen = [saved for saved in later if saved]
    if any("learned" not in saved for saved in seen):
        before = without_learned(before, mutes=False)
    muted = set(muted_topics(before)).intersection(*map(muted_topics, seen))
    return {**before, "muted": sorted(muted)} if "muted" in before else dict(before)


def with_mutes(saved: Mapping[str, object], topics: Iterable[str]) -> dict[str, object]:
    """Return a saved state that mutes these topics too.

    Raises:
        TypeError: `saved` has a shape that no policy of ours gave.
    """
    return {**saved, "muted": sorted({*muted_topics(saved), *topics})}
