"""The quiet first day: when it is in force, what it changes, and its summary afterwards."""

from dataclasses import replace
from pathlib import Path

import pytest

from daemon.cli.consent import register
from daemon.runtime.quiet_day import (
    SILENT,
    effective_settings,
    is_summary_due,
    next_hour_wall_ns,
    silent_until_wall_ns,
    summarize,
)
from policies.arms import NAMES
from storage.clock import DAY_NS, HOUR_NS, NS_PER_S, ManualClock
from storage.errors import UsageError
from storage.ports import QuietDaySummary, UnshownOffer
from storage.settings import InterfaceSettings, PolicySettings, Settings
from storage.state.store import Consent, read_consent
from tests.fakes.commands.command_line import run_command
from tests.fakes.sessions.decision_log import hold, write
from tests.fakes.sessions.session_sample import WALL_NS

CONSENT = Consent(journal=True, recording=False, given_at_wall_ns=WALL_NS, quiet_first_day=True)
OTHER = replace(CONSENT, quiet_first_day=False)


def test_it_lasts_a_day_by_the_wall_clock() -> None:
    clock = ManualClock(0, WALL_NS)
    assert silent_until_wall_ns(CONSENT, clock.wall_ns()) == WALL_NS + DAY_NS
    assert silent_until_wall_ns(CONSENT, WALL_NS - 5) == WALL_NS + DAY_NS
    clock.advance(DAY_NS - 1)
    assert silent_until_wall_ns(CONSENT, clock.wall_ns()) == WALL_NS + DAY_NS
    clock.advance(1)
    assert silent_until_wall_ns(CONSENT, clock.wall_ns()) is None
    assert silent_until_wall_ns(OTHER, WALL_NS) is None


@pytest.mark.parametrize("name", ["utility", "always", "somewhere:factory"])
def test_the_silent_arm_is_in_force_while_it_lasts(name: str) -> None:
    assert SILENT in NAMES
    own = Settings(policy=PolicySettings(name=name, cooldown_s=7))
    during = effective_settings(own, CONSENT, WALL_NS)
    assert during.policy.name == "silent"
    assert replace(during, policy=own.policy) == own
    assert during.policy.cooldown_s == 7
    assert effective_settings(own, CONSENT, WALL_NS + DAY_NS) is own
    assert effective_settings(own, OTHER, WALL_NS) is own


@pytest.mark.parametrize(
    ("begin", "end", "now", "until"),
    [(22, 7, 23, 8), (22, 7, 6, 1), (22, 7, 7, None), (22, 7, 21, None), (9, 12, 11, 1), (0, 0, 0, None)],
)
def test_quiet_hours_are_silent_by_the_clock_on_the_wall(begin: int, end: int, now: int, until: int | None) -> None:
    """Over midnight too; the same hour twice is none."""
    hours = InterfaceSettings(quiet_hours=True, quiet_from_hour=begin, quiet_until_hour=end)
    now_ns = next_hour_wall_ns(now, WALL_NS)
    until_ns = now_ns + until * HOUR_NS if until is not None else None
    assert silent_until_wall_ns(OTHER, now_ns, hours) == until_ns
    during = effective_settings(Settings(interface=hours), OTHER, now_ns)
    assert during.policy.name == ("utility" if until is None else "silent")
    given = replace(CONSENT, given_at_wall_ns=now_ns - DAY_NS)
    assert is_summary_due(Settings(interface=hours), given, 0, now_ns) == (until is None)
    assert silent_until_wall_ns(OTHER, now_ns, replace(hours, quiet_hours=False)) is None


def test_the_summary_is_due_once_and_never_for_a_silent_control() -> None:
    after = WALL_NS + DAY_NS
    assert is_summary_due(Settings(), CONSENT, 0, after)
    assert not is_summary_due(Settings(), CONSENT, 0, after - 1)
    assert not is_summary_due(Settings(), OTHER, 0, after)
    assert not is_summary_due(Settings(), CONSENT, WALL_NS, after)
    assert is_summary_due(Settings(), CONSENT, WALL_NS - DAY_NS, after)
    assert not is_summary_due(Settings(policy=PolicySettings(name="silent")), CONSENT, 0, after)


def test_the_log_says_what_would_have_been_offered(tmp_path: Path) -> None:
    silent = replace(hold("silent", "arm", sum=5.0), topic="undo_bursts")
    first_s = WALL_NS / NS_PER_S
    write(tmp_path, (0, silent), wall_s=first_s - 60)
    write(tmp_path, (1, hold("not_enough")), (2, silent), (3, hold("cooldown", "budget")), wall_s=first_s)
    write(tmp_path, (5, silent), (100, silent), wall_s=first_s + 86_390)
    unshown = (UnshownOffer(wall_ns=WALL_NS + second * NS_PER_S, topic="undo_bursts") for second in (2, 86_395))
    assert summarize(tmp_path, CONSENT) == QuietDaySummary(decisions=4, offers=tuple(unshown))
    assert summarize(tmp_path / "none", CONSENT) == QuietDaySummary(decisions=0, offers=())


def test_consent_without_a_window_can_choose_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "consent.json"
    told = run_command(register, capsys, "consent", "--journal", "--quiet-first-day", "--out", str(path), "--json")
    assert (told.code, told.json["quiet_first_day"]) == (0, True)
    assert "first 24 hours" in told.err
    assert read_consent(path).quiet_first_day
    assert (
        run_command(register, capsys, "consent", "--quiet-first-day", "--out", str(path)).code == UsageError.exit_code
    )
