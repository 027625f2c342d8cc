"""The quiet first day: by choice at consent, 24 hours in which Kairos decides and writes down, and shows nothing.

While it lasts the arm "silent" is in force, whatever policy is set. Afterwards what would have been offered is read
from the log and told once; a person whose policy is silent anyway (a study's control) is never told.
"""

from dataclasses import replace
from pathlib import Path

from daemon.history.decisions import runs_between
from storage.clock import NS_PER_S
from storage.ports import FirstDay, WouldOffer
from storage.settings import Settings
from storage.state.store import Consent

DAY_NS = 86_400 * NS_PER_S
SILENT = "silent"
"""The arm that decides and shows nothing."""

SUPPRESSING_GATES = ("consent", "manners")
"""Gates whose word means that this is no moment for a summary either."""


def silent_until_wall_ns(consent: Consent, wall_ns: int) -> int | None:
    """Return when the quiet first day ends; None if it is over, or nobody chose one."""
    end_ns = consent.given_at_wall_ns + DAY_NS
    return end_ns if consent.quiet_first_day and wall_ns < end_ns else None


def settings_in(settings: Settings, consent: Consent, wall_ns: int) -> Settings:
    """Return the settings in force now: the person's own, but silent on a quiet first day."""
    if silent_until_wall_ns(consent, wall_ns) is None:
        return settings
    return replace(settings, policy=replace(settings.policy, name=SILENT))


def is_due(settings: Settings, consent: Consent, told_wall_ns: int, wall_ns: int) -> bool:
    """Tell whether a summary is to be told; `told_wall_ns` is when that consent was given whose day was told last."""
    over = consent.quiet_first_day and silent_until_wall_ns(consent, wall_ns) is None
    return over and told_wall_ns != consent.given_at_wall_ns and settings.policy.name != SILENT


def look_back(sessions_dir: Path, consent: Consent) -> FirstDay:
    """Return what would have been offered, by the log."""
    begin = consent.given_at_wall_ns / NS_PER_S
    runs, _ = runs_between(sessions_dir, begin, begin + DAY_NS / NS_PER_S)
    return FirstDay(
        decisions=sum(run.count for run in runs),
        offers=tuple(
            WouldOffer(wall_ns=round(run.at * NS_PER_S), topic=run.topic or "")
            for run in runs
            if run.gate == "arm" and run.reason == SILENT
        ),
    )
