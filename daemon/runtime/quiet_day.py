"""The quiet first day, chosen at consent, and quiet hours: Kairos decides and logs, and shows nothing unasked.

While they last the arm "silent" is in force, whatever policy is set. After the day what would have been offered is read
from the log and shown once, but never to a person whose policy is silent anyway, nor in a study that hides its lots:
that a summary comes or not would tell of the arm (`daemon.runtime.core`).
"""

import datetime as dt
from dataclasses import replace
from pathlib import Path

from storage.clock import DAY_NS, NS_PER_S, local_time
from storage.ports import QuietDaySummary, UnshownOffer
from storage.settings import InterfaceSettings, Settings
from storage.state.store import Consent

SILENT = "silent"
"""The arm that decides and shows nothing."""


_NO_HOURS = InterfaceSettings()


def silent_until_wall_ns(consent: Consent, wall_ns: int, hours: InterfaceSettings = _NO_HOURS) -> int | None:
    """Return when the quiet first day ends, and the quiet hours; None if neither is now."""
    end_ns = consent.given_at_wall_ns + DAY_NS
    day_ns = end_ns if consent.quiet_first_day and wall_ns < end_ns else None
    return max((until_ns for until_ns in (day_ns, hours_until_wall_ns(hours, wall_ns)) if until_ns), default=None)


def hours_until_wall_ns(hours: InterfaceSettings, wall_ns: int) -> int | None:
    """Return when the quiet hours end that it is now; None outside of them."""
    if not hours.quiet_hours:
        return None
    begin, end, now = hours.quiet_from_hour, hours.quiet_until_hour, local_time(wall_ns).hour
    is_quiet = begin <= now < end if begin <= end else now >= begin or now < end
    return next_hour_wall_ns(end, wall_ns) if is_quiet else None


def next_hour_wall_ns(hour: int, wall_ns: int) -> int:
    """Return when the local clock shows this full hour next, as wall-clock nanoseconds."""
    now = local_time(wall_ns)
    today, tomorrow = (
        dt.datetime.combine(now.date() + dt.timedelta(days=days), dt.time(hour)).astimezone() for days in (0, 1)
    )
    return round((today if today > now else tomorrow).timestamp()) * NS_PER_S


def effective_settings(settings: Settings, consent: Consent, wall_ns: int) -> Settings:
    """Return the settings in force now: the person's own, but with the silent arm while it is quiet."""
    if silent_until_wall_ns(consent, wall_ns, settings.interface) is None:
        return settings
    return replace(settings, policy=replace(settings.policy, name=SILENT))


def is_summary_due(settings: Settings, consent: Consent, summed_up_wall_ns: int, wall_ns: int) -> bool:
    """Tell whether the summary is to be shown.

    `summed_up_wall_ns` is when the consent was given whose quiet day was summed up last.
    """
    over = consent.quiet_first_day and silent_until_wall_ns(consent, wall_ns, settings.interface) is None
    return over and summed_up_wall_ns != consent.given_at_wall_ns and settings.policy.name != SILENT


def summarize(sessions_dir: Path, consent: Consent) -> QuietDaySummary:
    """Return what would have been offered, read from the log."""
    from daemon.history.decisions import runs_between

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
