"""The presets agree with the dialects, with the settings' rules for addresses, and with what was really tried."""

import pytest

from detectors.mllm import dialects, presets
from detectors.mllm.client.address import NetworkScope, parse_address
from detectors.mllm.presets import PRESETS, Preset
from detectors.mllm.protocol import SchemaMode

OVER_HTTPS = frozenset({"openai", "anthropic", "gemini", "openai_decisions", "gemini_decisions"})


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_preset_is_sound(preset: Preset) -> None:
    """Each has a dialect, an address that would be allowed, a note, and a word on how it was tried."""
    dialect = dialects.by_name(preset.dialect)
    assert preset.tried in {presets.REAL, presets.FAKE, presets.READ}
    assert preset.note
    assert preset.frames_max >= 1
    assert (preset.price_in is None) == (preset.price_out is None)
    if dialect.decides:
        assert preset.schema_mode is SchemaMode.NATIVE
        assert not preset.log_probs
    if preset.url:
        address = parse_address(preset.url, send_screens=True)
        assert (address.scope is NetworkScope.LOOPBACK) is not preset.remote
    if preset.dialect in OVER_HTTPS:
        assert preset.remote
        assert preset.key_name


def test_nothing_remote_was_really_tried() -> None:
    """No cloud was reached while this was written, so none may claim it."""
    assert not [preset.name for preset in PRESETS.values() if preset.remote and preset.tried == presets.REAL]


def test_every_dialect_has_a_preset() -> None:
    assert {preset.dialect for preset in PRESETS.values()} == set(dialects.DIALECTS)
