"""The quiet first day, chosen at consent: for 24 hours Kairos decides and logs, and shows nothing.

While it lasts the arm "silent" is in force, whatever policy is set. Afterwards what would have been offered is read
from the log and shown once, but never to a person whose policy is silent anyway, nor in a study that hides its lots:
that a summary comes or not would tell of the arm (`daemon.runtime.core`).
"""

from dataclasses import replace
from pathlib import Path

from daemon.history.decisions import runs_between
from storage.clock import DAY_NS, NS_PER_S
from storage.ports import QuietDaySummary, UnshownOffer
from storage.settings import Settings
from storage.state.store import Consent

SILENT = "silent"
"""The arm that decides and shows nothing."""


def silent_until_wall_ns(consent: Consent, wall_ns: int) -> int | None:
    """Return when the quiet first day ends; None if it is over or was not chosen."""
    end_ns = consent.given_at_wall_ns + DAY_NS
    return end_ns if consent.quiet_first_day and wall_ns < end_ns else None


def effective_settings(settings: Settings, consent: Consent, wall_ns: int) -> Settings:
    """Return the settings in force now: the person's own, but with the silent arm on a quiet first day."""
    if silent_until_wall_ns(consent, wall_ns) is None:
        return settings
    return replace(settings, policy=replace(settings.policy, name=SILENT))


def is_summary_due(settings: Settings, consent: Consent, summed_up_wall_ns: int, wall_ns: int) -> bool:
    """Tell whether the summary is to be shown.

    `summed_up_wall_ns` is when the consent was given whose quiet day was summed up last.
    """
    over = consent.quiet_first_day and silent_until_wall_ns(consent, wall_ns) is None
    return over and summed_up_wall_ns != consent.given_at_wall_ns and settings.policy.name != SILENT


def summarize(sessions_dir: Path, consent: Consent) -> QuietDaySummary:
    """Return what would have been offered, read from the log."""
    begin = consent.given_at_wall_ns / NS_PER_S
    runs, _ = runs_between(sessions_dir, begin, begin + DAY_NS / NS_PER_S)
    return QuietDaySummary(
        decisions=sum(run.count for run in runs),
        offers=tuple(
            UnshownOffer(wall_ns=round(run.at * NS_PER_S), topic=run.topic or "")
            for run in runs
            if run.gate == "arm" and run.reason == SILENT
        ),
    )
