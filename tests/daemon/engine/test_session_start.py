"""The first row: what is in force, but not whom or what a person excluded, unless they agreed to a recording."""

from dataclasses import replace

import pytest

from daemon.engine.session_start import first_row
from detectors import registry as detector_registry
from policies import registry as policy_registry
from storage.db.codec import encode
from storage.records import SessionStart
from storage.settings import FenceSettings, Settings
from storage.settings_file import from_mapping, settings_hash

FENCE = FenceSettings(excluded_apps=("Tinder", "Signal"), excluded_titles=("oncology",), settle_s=2.5)
SETTINGS = replace(Settings(), fence=FENCE, detector=replace(Settings().detector, name="evidence"))


def row(*, recording: bool, imported_from: str | None = None) -> SessionStart:
    return first_row(
        settings=SETTINGS,
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


def test_with_consent_to_the_recording_settings_are_stored_whole() -> None:
    """Control: full titles are stored then anyway, and the search finds the words."""
    stored = encode(row(recording=True))
    assert all(word in stored for word in (b"Tinder", b"Signal", b"oncology"))
