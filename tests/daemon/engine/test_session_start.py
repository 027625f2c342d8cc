"""The first row: what is in force, but not whom or what a person excluded, unless they agreed to a recording."""

import platform
from dataclasses import replace

import pytest

from daemon.engine.session_start import first_row
from detectors import registry as detector_registry
from policies import registry as policy_registry
from storage.db.codec import encode
from storage.records import SessionStart
from storage.settings import FenceSettings, Settings, recorded_settings, setting_infos
from storage.settings_file import from_mapping, settings_hash, with_value

FENCE = FenceSettings(excluded_apps=("Tinder", "Signal"), excluded_titles=("oncology",), settle_s=2.5)
SETTINGS = replace(Settings(), fence=FENCE, detector=replace(Settings().detector, name="evidence"))


def row(*, recording: bool, imported_from: str | None = None, settings: Settings = SETTINGS) -> SessionStart:
    return first_row(
        settings=settings,
        detector=detector_registry.load(SETTINGS.detector),
        policy=policy_registry.load(SETTINGS.policy, SETTINGS.detector.base_rate),
        session_id="20261121-120000-abcd",
        wall_ns=1,
        recording=recording,
        imported_from=imported_from,
    )


@pytest.mark.parametrize(("recording", "imported_from"), [(False, None), (False, "a list"), (True, "a recording")])
def test_without_consent_to_the_recording_excluded_titles_and_programs_are_not_stored(
    recording: bool, imported_from: str | None
) -> None:
    start = row(recording=recording, imported_from=imported_from)
    stored = encode(start)
    assert not any(word in stored for word in (b"Tinder", b"Signal", b"oncology"))
    assert start.settings_hash == settings_hash(SETTINGS)
    read = from_mapping(start.settings, where="here")
    assert (len(read.fence.excluded_apps), len(read.fence.excluded_titles)) == (2, 1)
    assert replace(
        read, fence=replace(read.fence, excluded_apps=("Tinder", "Signal"), excluded_titles=("oncology",))
    ) == (SETTINGS)


def test_no_name_can_be_tried_until_the_hash_fits() -> None:
    other = replace(FENCE, excluded_apps=("Skype", "Mail"), excluded_titles=("salary",))
    assert settings_hash(replace(SETTINGS, fence=other)) == settings_hash(SETTINGS)
    for changed in (replace(FENCE, excluded_apps=("Tinder",)), replace(FENCE, settle_s=3.0)):
        assert settings_hash(replace(SETTINGS, fence=changed)) != settings_hash(SETTINGS)


WRITTEN = {
    "storage.sessions_dir": "/home/markada/sessions",
    "local_model.preset": "marka",
    "local_model.model": "markb",
    "strong_model.url": "https://markc.example/v1",
    "strong_model.key_name": "markd",
    "interface.shortcut_ask": "marke",
}


@pytest.mark.parametrize("recording", [False, True])
def test_what_a_person_wrote_is_not_stored(monkeypatch: pytest.MonkeyPatch, *, recording: bool) -> None:
    """No folder, address or name, nor in the hash, nor the kernel's release; the control stores them all."""
    marked = SETTINGS
    for key, value in WRITTEN.items():
        marked = with_value(marked, key, value, where="")
    stored = row(recording=recording, settings=marked)
    assert b"mark" not in encode(stored)
    assert (stored.settings_hash, stored.platform) == (settings_hash(SETTINGS), platform.system())
    if recording:
        assert from_mapping(stored.settings, where="here") == SETTINGS
    monkeypatch.setattr("daemon.engine.session_start.recorded_settings", lambda settings, **_: settings)
    assert encode(row(recording=recording, settings=marked)).count(b"mark") == len(WRITTEN)


def test_every_text_that_a_person_can_write_is_left_out() -> None:
    """Also of settings that are added later: only choices stay, names of policies and files, numbers and switches."""
    texts = [info.key for info in setting_infos().values() if info.kind is str and not info.choices]
    assert set(WRITTEN) < set(texts)
    marked = {key.partition(".")[0]: {key.partition(".")[2]: "mark"} for key in texts}
    assert "mark" not in str(recorded_settings(marked, exclusions=True))


def test_with_consent_to_the_recording_settings_are_stored_whole() -> None:
    """Control: full titles are stored then anyway, and the search finds the words."""
    stored = encode(row(recording=True))
    assert all(word in stored for word in (b"Tinder", b"Signal", b"oncology"))
