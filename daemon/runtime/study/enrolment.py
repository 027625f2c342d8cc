"""What a joined study changes in the daemon: settings laid over the person's, local time, and where sessions are cut.

A study sets only what `storage.enrolment` lists, and budgets only lower. Before day 1 the silent arm holds, as on a
quiet first day. Days are local ones, so a session ends at midnight, and when local time changes against UTC.
"""

import datetime as dt
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from policies.arms import NAMES
from storage.clock import NS_PER_S, local_time, utc_offset_s
from storage.enrolment import COOLDOWN_S, ONLY_LOWER, Enrolment, Phase
from storage.errors import BadFile, UsageError
from storage.records import StudyStart
from storage.settings import Settings, get_value
from storage.settings_file import with_value
from storage.translation import translatable

SILENT = "silent"
QUIET = "quiet"
"""Name of the time before day 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDay:
    """Where a study stands: the day from 1 on (0 before), and its phase; None before the first and after the last."""

    day: int
    phase: Phase | None
    over: bool


def first_study_day(joined: dt.datetime) -> dt.date:
    """Return the local date of day 1: the first whole day after a quiet one of 24 hours."""
    return (joined + dt.timedelta(days=1)).date() + dt.timedelta(days=1)


def study_day(enrolment: Enrolment, today: dt.date) -> StudyDay:
    """Return where a study stands on a local date."""
    day = (today - enrolment.first_day).days + 1
    if enrolment.closed_on is not None and today > enrolment.closed_on:
        return StudyDay(day=max(day, 0), phase=None, over=True)
    if day < 1:
        return StudyDay(day=0, phase=None, over=False)
    last = 0
    for phase in enrolment.phases:
        last += phase.days
        if day <= last:
            return StudyDay(day=day, phase=phase, over=False)
    return StudyDay(day=day, phase=None, over=True)


def is_over(enrolment: Enrolment, wall_ns: int) -> bool:
    """Tell whether the last day of a study has passed."""
    return study_day(enrolment, local_time(wall_ns).date()).over


def hides_lots(enrolment: Enrolment | None, wall_ns: int) -> bool:
    """Tell whether nothing may tell the person of lots and arms now: they are in a masked study that is not over."""
    return enrolment is not None and enrolment.masked and not is_over(enrolment, wall_ns)


def study_settings(settings: Settings, enrolment: Enrolment, today: dt.date) -> Settings:
    """Return the person's settings with those of the study over them; a person's own silence stays.

    Raises:
        BadFile: the study sets what it may not, or a value that the setting does not take.
    """
    found = study_day(enrolment, today)
    if found.over or settings.policy.name == SILENT:
        return settings
    if found.phase is None:
        return replace(settings, policy=replace(settings.policy, name=SILENT))
    own = settings
    try:
        enrolment.check()
        for key, value in found.phase.settings.items():
            if key == "policy.name" and value not in NAMES:
                raise BadFile(
                    translatable(
                        "the study names a policy that is not part of Kairos: {name}", name=repr(str(value)[:40])
                    )
                )
            settings = with_value(settings, key, _text(value), where=f"the study's phase {found.phase.name!r}")
            if key in ONLY_LOWER and get_value(settings, key) > get_value(own, key):
                settings = with_value(settings, key, str(get_value(own, key)), where="settings")
    except (UsageError, ValueError) as error:
        what = error.what if isinstance(error, UsageError) else str(error)
        raise BadFile(what, remedy=translatable("leave the study, and say so to whoever runs it")) from error
    apart_s = max(settings.policy.cooldown_s, COOLDOWN_S)
    return replace(settings, policy=replace(settings.policy, cooldown_s=apart_s))


def _text(value: str | float) -> str:
    """Return a value as in a settings file: a whole number without a fraction."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def phase_end_wall_ns(enrolment: Enrolment, wall_ns: int) -> int | None:
    """Return when the phase of now ends, or the quiet time before day 1; None when the study is over."""
    found = study_day(enrolment, local_time(wall_ns).date())
    if found.over:
        return None
    days, ends = 0, [0]
    for phase in enrolment.phases:
        days += phase.days
        ends.append(days)
    end = next(end for end in ends if found.day <= end)
    after = min(enrolment.first_day + dt.timedelta(days=end), enrolment.last_day + dt.timedelta(days=1))
    midnight = dt.datetime.combine(after, dt.time()).astimezone()
    return round(midnight.timestamp()) * NS_PER_S


def end_wall_ns(enrolment: Enrolment) -> int:
    """Return the local midnight at which the study is over."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    time.tzset()  # as in `local_time`
    midnight = dt.datetime.combine(enrolment.last_day + dt.timedelta(days=1), dt.time()).astimezone()
    return round(midnight.timestamp()) * NS_PER_S


def with_study_seed(saved: Mapping[str, object], enrolment: Enrolment) -> dict[str, object]:
    """Return a policy's saved state whose lots are those of the study; they are counted on from the last session."""
    if saved.get("seed") == enrolment.seed:
        return dict(saved)
    return {**saved, "seed": enrolment.seed, "drawn": 0}


def study_row(enrolment: Enrolment, wall_ns: int, sampling: Mapping[str, object], sampled_wall_ns: int) -> StudyStart:
    """Return the row that says in the log which study is in force; `sampling` was saved at `sampled_wall_ns`."""
    found = study_day(enrolment, local_time(wall_ns).date())
    return StudyStart(
        study=enrolment.study,
        participant=enrolment.participant,
        day=found.day,
        phase=found.phase.name if found.phase is not None else QUIET,
        first_date=enrolment.first_date,
        days=enrolment.days,
        utc_offset_s=utc_offset_s(wall_ns),
        seed=enrolment.seed,
        questions=enrolment.questions,
        sampling_state=sampling,
        elapsed_ns=max(0, wall_ns - sampled_wall_ns) if sampling else 0,
        masked_until_wall_ns=end_wall_ns(enrolment) if enrolment.masked else 0,
    )
