"""What a person turns off while Kairos runs: only ever less."""

import pytest

from daemon.models.restrictions import Restrictions
from storage.records import ModelTier
from storage.settings import (
    CaptureSettings,
    HelpSettings,
    ModelSettings,
    Settings,
    get_value,
    replace_value,
    setting_infos,
)

START = Settings(
    capture=CaptureSettings(record_screen="on", understand_controls="on", read_outputs="on", record_speech="on"),
    local_model=ModelSettings(preset="llama-server", send_screens=True),
    strong_model=ModelSettings(preset="openai", send_screens=True),
    help=HelpSettings(model="ahead", remote_model="on-acceptance"),
)
STRICTER = {
    "capture.record_screen": "off",
    "capture.understand_controls": "off",
    "capture.read_outputs": "off",
    "capture.record_speech": "off",
    "local_model.preset": "",
    "local_model.send_screens": False,
    "strong_model.preset": "",
    "strong_model.send_screens": False,
    "help.model": "on-request",
    "help.remote_model": "off",
    "help.model_pictures": False,
}


def test_every_setting_that_acts_at_once_when_it_is_turned_off_is_tried_here() -> None:
    """A further one comes with its stricter value."""
    assert {key for key, info in setting_infos().items() if info.takes_effect == "less now"} == set(STRICTER)


@pytest.mark.parametrize("key", [key for key, value in STRICTER.items() if key.startswith("capture.")])
def test_as_agreed_turns_off_what_was_not_agreed_to(key: str) -> None:
    """Control: what was agreed to stays on."""
    as_agreed = replace_value(START, key, "as-agreed")
    restrictions = Restrictions(START)
    restrictions.agreed = frozenset({key})
    assert not restrictions.tighten(as_agreed)
    assert restrictions.apply(START) == START
    restrictions = Restrictions(START)
    assert restrictions.tighten(as_agreed)
    assert restrictions.apply(START) == as_agreed


@pytest.mark.parametrize("key", STRICTER)
def test_what_is_turned_off_counts_and_what_is_turned_on_does_not(key: str) -> None:
    """It stays off when it is turned on again; nothing else changes with it."""
    restrictions = Restrictions(START)
    notified: list[str] = []
    unwatch = restrictions.watch(lambda: notified.append(key))
    assert not restrictions.tighten(START)
    stricter = replace_value(START, key, STRICTER[key])
    assert restrictions.tighten(stricter)
    assert restrictions.apply(START) == stricter
    assert not restrictions.tighten(stricter)
    assert not restrictions.tighten(START)
    assert restrictions.apply(START) == stricter
    assert notified == [key]
    unwatch()
    assert restrictions.tighten(replace_value(START, "help.model", "off"))
    assert notified == [key]


@pytest.mark.parametrize("key", ["local_model.preset", "local_model.send_screens"])
def test_a_model_that_was_turned_off_may_not_be_asked(key: str) -> None:
    """The other one still may; so may both while nothing is turned off."""
    restrictions = Restrictions(START)
    assert all(map(restrictions.may_ask, ModelTier))
    restrictions.tighten(replace_value(START, key, STRICTER[key]))
    assert [restrictions.may_ask(tier) for tier in (ModelTier.LOCAL, ModelTier.STRONG)] == [False, True]


def test_what_was_not_turned_off_stays_as_a_study_or_a_single_run_has_it() -> None:
    """The person's own settings of the start are no restriction."""
    restrictions = Restrictions(Settings(help=HelpSettings(model="off")))
    assert restrictions.apply(START) == START
    restrictions.tighten(Settings(help=HelpSettings(model="off", remote_model="off")))
    assert restrictions.apply(START) == replace_value(START, "help.remote_model", "off")


def test_another_preset_waits_for_the_next_start() -> None:
    """Only an empty one is stricter."""
    restrictions = Restrictions(START)
    assert not restrictions.tighten(replace_value(START, "local_model.preset", "ollama"))
    assert get_value(restrictions.apply(START), "local_model.preset") == "llama-server"
