"""The service of the settings window: changes checked in the words of `kairos config`, agreed to, written, acted on."""

import sys
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from daemon.preferences.autostart import autostart_file
from daemon.preferences.service import SettingsService
from daemon.preferences.trial import ModelsCommand
from storage.clock import SystemClock
from storage.consent_text import CONSENT_RECORDING, CONTROLS_CHOICE, CONTROLS_OUTPUTS
from storage.files import config_file
from storage.preferences import (
    AutostartState,
    ChangeDone,
    ChangeNeedsYes,
    ChangeRefused,
    ModelsState,
    SettingsReply,
    SettingsState,
    TrialResult,
)
from storage.settings import FenceSettings, ModelSettings, PolicySettings, Settings
from tests.fakes.narrowing import as_a, present
from tests.fakes.ui.interface import TIMEOUT_S
from tests.fakes.ui.requests import NotedView

FILE = "# mine\n[policy]\ncooldown_s = 10.0 # why\n"


class Made:
    """A service over the settings file of this test."""

    def __init__(self, models: ModelsCommand | None = None) -> None:
        self.path = config_file()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(FILE)
        self.view = NotedView()
        self.excluded: list[FenceSettings] = []
        self.restricted: list[Settings] = []
        self.service = SettingsService(
            self.path, Settings(), exclude=self.excluded.append, restrict=self.restricted.append, models=models
        )
        self.service.attach(self.view)

    def replies(self) -> list[SettingsReply]:
        assert self.service.wait(TIMEOUT_S)
        replies, self.view.replies = self.view.replies, []
        return replies

    def change(self, key: str, value: str | bool | None = None, **more: Any) -> SettingsReply:
        self.service.change(key, value, **more)
        return self.replies()[0]

    def state(self) -> SettingsState:
        return as_a(SettingsState, self.replies()[-1])


@pytest.fixture
def made() -> Made:
    return Made()


def test_a_change_is_written_beside_what_others_write(made: Made) -> None:
    made.service.read()
    assert made.state().settings.policy.cooldown_s == 10.0
    made.path.write_text(FILE + "offers_per_day = 3 # by an editor\n")
    made.service.change("policy.offers_per_hour", "2")
    done, state = made.replies()
    assert done == ChangeDone(key="policy.offers_per_hour")
    assert isinstance(state, SettingsState)
    assert (state.settings.policy.offers_per_hour, state.settings.policy.offers_per_day) == (2, 3)
    assert state.in_force.policy.offers_per_hour == 8  # at the next start
    text = made.path.read_text()
    assert all(part in text for part in ("# mine", "# why", "# by an editor", "offers_per_hour = 2"))


def test_a_wrong_value_is_refused_in_the_words_of_kairos_config(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    refused = as_a(ChangeRefused, made.change("policy.offers_per_hour", "many"))
    assert made.path.read_text() == FILE
    assert main(["config", "set", "policy.offers_per_hour", "many"]) == 2
    assert refused.trouble.what in capsys.readouterr().err
    refused = as_a(ChangeRefused, made.change("capture.passive_fps", "9"))
    assert "is greater than capture.active_fps" in refused.trouble.what


def test_a_damaged_file_is_named_and_never_written(made: Made) -> None:
    made.path.write_text("[policy\n")
    made.service.change("policy.offers_per_hour", "2")
    refused, state = made.replies()
    assert isinstance(refused, ChangeRefused)
    assert isinstance(state, SettingsState)
    assert state.trouble is not None
    assert str(made.path) in state.trouble.what
    assert state.trouble.remedy == "correct or remove it"
    assert made.path.read_text() == "[policy\n"
    assert not made.excluded


def test_what_is_read_or_sent_then_needs_a_yes_to_its_very_words(made: Made) -> None:
    assert made.change("capture.understand_controls", "on") == ChangeNeedsYes(
        key="capture.understand_controls", value="on", words=CONTROLS_CHOICE.text
    )
    assert isinstance(made.change("capture.understand_controls", "on", agreed="whatever"), ChangeNeedsYes)
    assert made.path.read_text() == FILE
    assert isinstance(made.change("capture.understand_controls", "on", agreed=CONTROLS_CHOICE.text), ChangeDone)
    assert 'read_outputs = "on"' in made.path.read_text()  # its words say so
    assert isinstance(made.change("capture.read_outputs", "off"), ChangeDone)
    made.service.change("capture.understand_controls", "off")
    made.service.change("capture.understand_controls", "on", agreed=CONTROLS_CHOICE.text)
    made.replies()
    assert 'read_outputs = "off"' in made.path.read_text()  # what was turned off by itself stays off
    assert made.change("capture.read_outputs", "on") == ChangeNeedsYes(
        key="capture.read_outputs", value="on", words=CONTROLS_OUTPUTS
    )
    recording = made.change("capture.record_screen", "on")
    assert recording == ChangeNeedsYes(key="capture.record_screen", value="on", words=CONSENT_RECORDING.text)
    assert "record_screen" not in made.path.read_text()
    assert isinstance(made.change("capture.record_screen", "off"), ChangeDone)
    assert isinstance(made.change("strong_model.preset", "openai"), ChangeDone)  # nothing is sent without permission
    made.service.change("strong_model.send_screens", value=True)
    needs, state = made.replies()
    assert isinstance(needs, ChangeNeedsYes)
    assert "api.openai.com" in needs.words
    assert isinstance(state, SettingsState)
    assert not state.settings.strong_model.send_screens
    assert isinstance(made.change("strong_model.send_screens", value=True, agreed=needs.words), ChangeDone)
    needs = as_a(
        ChangeNeedsYes, made.change("strong_model.url", "https://example.org/v1")
    )  # another place, another yes
    assert "example.org" in needs.words
    assert isinstance(made.change("strong_model.send_screens", value=False), ChangeDone)


def test_a_key_is_not_taken_for_the_name_of_one(made: Made) -> None:
    refused = as_a(ChangeRefused, made.change("strong_model.key_name", "sk-4f9a8b7c6d5e4f3a2b1c0d9e"))
    assert "4f9a" not in repr(refused)
    assert made.path.read_text() == FILE
    assert isinstance(made.change("strong_model.key_name", "MY_OPENAI_KEY_2"), ChangeDone)


def test_an_exclusion_acts_at_once_and_its_removal_does_not(made: Made) -> None:
    made.path.write_text('[fence]\nexcluded_apps = ["signal"]\n')
    made.service.add("fence.excluded_apps", "mail")
    state = made.state()
    assert made.excluded[-1].excluded_apps == ("signal", "mail")
    assert state.in_force.fence.excluded_apps == ("signal", "mail")
    made.service.remove("fence.excluded_apps", "signal")
    state = made.state()
    assert state.settings.fence.excluded_apps == ("mail",)
    assert state.in_force.fence.excluded_apps == ("signal", "mail")


def test_what_is_turned_off_acts_at_once_and_what_is_turned_on_does_not(made: Made) -> None:
    made.service.change("help.remote_model", "off")
    state = made.state()
    assert made.restricted[-1].help.remote_model == state.in_force.help.remote_model == "off"
    assert state.in_force.help.model == "on-acceptance"
    made.service.change("help.remote_model", "ahead")
    made.service.change("local_model.send_screens", value=True)
    state = made.state()
    assert (state.settings.help.remote_model, state.settings.local_model.send_screens) == ("ahead", True)
    assert (state.in_force.help.remote_model, state.in_force.local_model.send_screens) == ("off", False)
    assert made.restricted[-1] == state.in_force


def test_a_model_of_this_run_alone_stays_on_until_it_is_turned_off_in_the_file(made: Made) -> None:
    """A look at the file, which never had it, takes nothing away (`kairos run --set`)."""
    force = Settings(strong_model=ModelSettings(preset="openai", send_screens=True))
    made.service = SettingsService(made.path, force, restrict=made.restricted.append)
    made.service.attach(made.view)
    made.service.read()
    assert made.state().in_force.strong_model == force.strong_model
    made.path.write_text('[strong_model]\npreset = "openai"\n')
    made.service.read()
    made.replies()
    made.path.write_text("")
    made.service.read()
    assert made.state().in_force.strong_model == ModelSettings(send_screens=True)
    assert made.restricted[-1].strong_model.preset == ""


def script(tmp_path: Path, text: str) -> ModelsCommand:
    path = tmp_path / "models.py"
    path.write_text(text)
    return ModelsCommand((sys.executable, str(path)))


def until_trial(made: Made) -> TrialResult:
    trial = present(made.service._trial)
    trial.join(TIMEOUT_S)
    (result,) = made.replies()
    assert isinstance(result, TrialResult)
    return result


def test_a_trial_is_told_in_facts_and_can_be_stopped(tmp_path: Path) -> None:
    good = '{"test": [{"model": "m" * 500, "latency_s": 1.5, "usage": {"dollars": 0.01}}]}'
    made = Made(script(tmp_path, f"import json; print(json.dumps({good}))"))
    made.service.try_model("local_model")
    result = until_trial(made)
    assert (len(result.model), result.seconds, result.dollars, result.trouble) == (120, 1.5, 0.01, None)
    made = Made(script(tmp_path, 'print(\'{"error": "no model", "remedy": "start it"}\')'))
    made.service.try_model("local_model")
    result = until_trial(made)
    assert result.trouble is not None
    assert (result.trouble.what, result.trouble.remedy) == ("no model", "start it")
    made = Made(script(tmp_path, "import signal; signal.pause()"))
    made.service.try_model("local_model")
    while made.service._models._child is None:
        SystemClock().sleep_s(0.01)
    made.service.close()
    assert until_trial(made).stopped


def test_models_are_listed_by_the_command_itself() -> None:
    made = Made()
    made.service._read_models()
    (state,) = made.replies()
    assert isinstance(state, ModelsState)
    assert state.trouble is None
    by_name = {row.name: row for row in state.presets}
    assert by_name["openai"].remote
    assert by_name["openai"].price_in
    assert not by_name["llama-server"].remote
    assert [(tier.table, tier.preset) for tier in state.tiers] == [("local_model", ""), ("strong_model", "")]


def test_back_to_the_default_takes_the_line_out(made: Made) -> None:
    """A later default then holds."""
    made.service.change("policy.cooldown_s", None)
    _, state = made.replies()
    assert isinstance(state, SettingsState)
    assert state.settings == Settings()
    assert "cooldown_s" not in made.path.read_text()
    assert "# mine" in made.path.read_text()


def test_an_entry_of_autostart_that_cannot_be_read_hides_no_setting(made: Made) -> None:
    autostart_file().mkdir(parents=True)
    made.service.read()
    state = made.state()
    assert (state.autostart.state, state.autostart.starts) == (AutostartState.BY_HAND, False)
    assert state.settings.policy.cooldown_s == 10.0


def test_settings_of_the_card_act_at_once(made: Made) -> None:
    made.path.write_text('[interface]\ncorner = "top-left"\noffer_visible_s = 9\n')
    made.service.read()
    state = made.state()
    assert state.in_force.interface.corner == "top-left"
    assert state.in_force.interface.offer_visible_s == 45.0


def test_what_acts_at_once_stays_as_this_run_has_it_until_the_file_changes(made: Made) -> None:
    """`kairos run --set policy.how_often=often` outlives a look at the settings."""
    made.service = SettingsService(made.path, Settings(policy=PolicySettings(how_often="often")))
    made.service.attach(made.view)
    made.service.read()
    assert made.state().in_force.policy.how_often == "often"
    made.service.change("policy.how_often", "rarely")
    assert made.state().in_force.policy.how_often == "rarely"
