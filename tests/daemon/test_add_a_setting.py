"""Recipe: a setting. One line in a table of `storage/settings.py`; then render its page (see the first assertion)."""

from dataclasses import dataclass

import pytest

from daemon.models.restrictions import Restrictions
from storage.errors import UsageError
from storage.settings import Settings, get_value, setting, table
from storage.settings_file import with_value
from tests.docs.reference import settings_page


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderSettings:
    """When somebody is reminded."""

    every_min: float = setting(30.0, "how often a reminder comes", low=5, high=240, basis="guess")  # a field
    sound: bool = setting(True, "whether it can be heard", takes_effect="less now")


@dataclass(frozen=True, slots=True, kw_only=True)
class LongerSettings(Settings):
    """All settings and one table more."""

    reminder: ReminderSettings = table(ReminderSettings, "reminders")  # noqa: RUF009  # a field


def test_a_setting_brings_its_page_its_range_and_its_errors() -> None:
    """`python -m tests.docs.reference` writes the page; checks and messages follow from the same line."""
    page = settings_page("# Settings\n", LongerSettings)
    assert "## `[reminder]` reminders" in page
    assert "| `every_min = 30.0` | how often a reminder comes (5 to 240; a guess) |" in page
    changed = with_value(LongerSettings(), "reminder.every_min", "60", where="--set")
    assert get_value(changed, "reminder.every_min") == 60.0
    with pytest.raises(UsageError, match="from 5 to 240"):
        with_value(changed, "reminder.every_min", "1", where="--set")
    with pytest.raises(UsageError, match="no setting"):
        with_value(Settings(), "reminder.every_min", "60", where="--set")


def test_a_setting_that_acts_at_once_says_so_in_its_line_alone() -> None:
    """What uses it asks `Restrictions.apply`; turned off in the file it is off from then on, and never on again."""
    restrictions = Restrictions(LongerSettings())
    assert restrictions.tighten(with_value(LongerSettings(), "reminder.sound", "false", where="--set"))
    restrictions.tighten(LongerSettings())
    assert get_value(restrictions.apply(LongerSettings()), "reminder.sound") is False
