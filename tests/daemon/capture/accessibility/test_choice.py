"""Controls are understood only by the person's choice, and the desktop's switch follows it, there and back."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from dbus_fast import Message, MessageType, Variant

from daemon.capture.accessibility.choice import apply_choice, reads_outputs, records_speech, understands_controls
from storage.consent_text import CONTROLS_VERSION, SPEECH_VERSION
from storage.settings import CaptureSettings, Settings
from storage.state.store import Consent, StateStore
from tests.fakes.accessibility.private_bus import FakeService, address_in, private_bus

AGREED = Consent(journal=True, recording=False, given_at_wall_ns=1, controls=CONTROLS_VERSION)
WITHOUT = Consent(journal=True, recording=True, given_at_wall_ns=1)


@pytest.mark.parametrize(
    ("choice", "consent", "on"),
    [
        ("as-agreed", AGREED, True),
        ("as-agreed", WITHOUT, False),
        ("as-agreed", Consent(journal=True, recording=True, given_at_wall_ns=1, controls=CONTROLS_VERSION + 1), False),
        ("as-agreed", None, False),
        ("off", AGREED, False),
        ("on", WITHOUT, True),
        ("on", None, False),
        ("on", Consent(journal=False, recording=False, given_at_wall_ns=1), False),
    ],
)
def test_controls_are_understood_by_choice_alone(choice: str, consent: Consent | None, *, on: bool) -> None:
    """A consent to other words does not count; the setting goes before it; nothing without the journal."""
    settings = Settings(capture=CaptureSettings(understand_controls=choice))
    assert understands_controls(settings, consent) is on


@pytest.mark.parametrize(
    ("choice", "consent", "on"),
    [
        ("as-agreed", replace(WITHOUT, speech=SPEECH_VERSION), True),
        ("as-agreed", replace(WITHOUT, speech=SPEECH_VERSION + 1), False),
        ("as-agreed", WITHOUT, False),
        ("off", replace(WITHOUT, speech=SPEECH_VERSION), False),
        ("on", WITHOUT, True),
        ("on", None, False),
        ("on", replace(WITHOUT, journal=False), False),
    ],
)
def test_speech_is_recorded_by_choice_alone(choice: str, consent: Consent | None, *, on: bool) -> None:
    assert records_speech(Settings(capture=CaptureSettings(record_speech=choice)), consent) is on


@pytest.mark.parametrize(
    ("controls", "outputs", "consent", "on"),
    [
        ("as-agreed", "as-agreed", AGREED, True),
        ("as-agreed", "off", AGREED, False),
        ("on", "as-agreed", WITHOUT, False),
        ("on", "on", WITHOUT, True),
        ("off", "on", AGREED, False),
        ("on", "on", None, False),
    ],
)
def test_what_programs_write_after_a_command_is_read_by_a_yes_of_its_own(
    controls: str, outputs: str, consent: Consent | None, *, on: bool
) -> None:
    """Who turns controls on in the settings has not agreed to that part yet."""
    settings = Settings(capture=CaptureSettings(understand_controls=controls, read_outputs=outputs))
    assert reads_outputs(settings, consent) is on


class Launcher(FakeService):
    """The desktop's service that holds the switch, and one that stands for the registry's bus."""

    def __init__(self, address: str, *, enabled: bool) -> None:
        super().__init__(address, "org.a11y.Bus", {("org.a11y.Bus", "GetAddress"): ("s", [address])})
        self.enabled = enabled
        self.written: list[bool] = []

    def _answer(self, message: Message) -> Message | bool | None:
        if message.message_type is MessageType.METHOD_CALL and message.member == "Set":
            self.enabled = message.body[2].value
            self.written.append(self.enabled)
            return Message.new_method_return(message)
        self.answers["org.a11y.Status", "IsEnabled"] = ("v", [Variant("b", self.enabled)])
        return super()._answer(message)


@pytest.mark.parametrize("was_on", [False, True])
def test_the_switch_follows_the_choice_and_is_put_back_as_it_was(tmp_path: Path, *, was_on: bool) -> None:
    """Turned off again only if it was turned on from here; somebody who needs it keeps it."""

    async def play() -> list[bool]:
        address = address_in(tmp_path)
        env = {"DBUS_SESSION_BUS_ADDRESS": address}
        with StateStore(tmp_path / "state.db") as state:
            async with Launcher(address, enabled=was_on) as launcher:
                await apply_choice(state, on=False, env=env)
                assert launcher.written == []
                await apply_choice(state, on=True, env=env)
                await apply_choice(state, on=True, env=env)
                assert launcher.enabled
                assert state.turned_on_accessibility() is not was_on
                await apply_choice(state, on=False, env=env)
                await apply_choice(state, on=False, env=env)
                assert launcher.enabled is was_on
                return launcher.written

    with private_bus(tmp_path):
        assert asyncio.run(play()) == ([] if was_on else [True, False])


def test_without_an_accessibility_service_nothing_is_remembered(tmp_path: Path) -> None:
    """The choice stands, and the next start tries again."""
    env = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/none"}
    with StateStore(tmp_path / "state.db") as state:
        asyncio.run(apply_choice(state, on=True, env=env))
        assert not state.turned_on_accessibility()
