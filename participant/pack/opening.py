"""What the first two rows of a session say: its local time, its place in the study, and what is in force in it."""

from collections.abc import Mapping

import msgspec

from participant.pack.state import Running
from policies.arms import arm_of
from policies.sampling import DAY_NS, MINUTE_NS
from storage.clock import NS_PER_S
from storage.records import SessionStart, StudyStart, SwitchName
from storage.settings import PolicySettings

_MAX_LOTS = 10_000_000


def begin_running(start: SessionStart, study: StudyStart) -> Running:
    """Return the state of a session behind its first two rows."""
    policy = _policy_of(start)
    arm = None if policy is None else arm_of(policy)
    return Running(
        at_ns=study.at_ns,
        wall_offset_ns=start.wall_ns - start.at_ns,
        utc_offset_s=study.utc_offset_s,
        first_date=study.first_date,
        days=study.days,
        phase=study.phase,
        codes=() if study.questions is None else tuple(item.code for item in study.questions.items),
        version=start.kairos_version,
        call=None if arm is None else arm.call,
        threshold=0.0 if policy is None else policy.threshold,
        next_lot=_next_lot(start, study),
        off=[] if start.journal else [SwitchName.CONSENT],
    )


def local_ns(running: Running, at_ns: int) -> int:
    """Return local time at a moment of the session, in nanoseconds since the local midnight of 1970-01-01."""
    return at_ns + running.wall_offset_ns + running.utc_offset_s * NS_PER_S


def day_and_minute(running: Running, at_ns: int) -> tuple[int, int]:
    """Return the day of the study, 1 for the first, and the minute since local midnight."""
    date, since_ns = divmod(local_ns(running, at_ns), DAY_NS)
    return date - running.first_date + 1, since_ns // MINUTE_NS


def _policy_of(start: SessionStart) -> PolicySettings | None:
    """Return the settings of the policy in a session; None where this version does not understand them."""
    try:
        return msgspec.convert(start.settings["policy"], PolicySettings)
    except (KeyError, msgspec.ValidationError):
        return None


def _next_lot(start: SessionStart, study: StudyStart) -> int | None:
    """Return the number of the first lot that the session draws; None if its lots are not those of the study."""
    saved = start.policy_state.get("saved", {})
    if not isinstance(saved, Mapping) or saved.get("seed") != study.seed:
        return None
    drawn = saved.get("drawn", 0)
    return drawn if isinstance(drawn, int) and 0 <= drawn < _MAX_LOTS else None
