"""The words of consent: tied to their version, and filled with the settings in force."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from storage import consent_text
from storage.consent_text import consent_facts
from storage.settings import StorageSettings


def digest_of(constants: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(constants, sort_keys=True, default=asdict).encode()).hexdigest()


def test_words_change_only_together_with_their_version() -> None:
    """Who agreed to other words is asked again: after a change raise `CONSENT_VERSION`, then put both down here."""
    words = {
        name: value
        for name, value in vars(consent_text).items()
        if name.isupper() and not {"CONTROLS", "SPEECH", "ENGLISH", "TEXTS"} & set(name.split("_"))
    }
    version = words.pop("CONSENT_VERSION")
    assert (version, digest_of(words)) == (2, "770dea1796fb447cfeb3ee2eb6e28a15811d4b3552ae0d6fae7c6e5b5d6d26a5")
    assert digest_of(words | {"CONSENT_TITLE": f"{words['CONSENT_TITLE']}!"}) != digest_of(words)


def test_words_about_controls_change_only_together_with_their_own_version() -> None:
    """A choice of its own beside the others: who agreed to those is not asked again."""
    words = {name: value for name, value in vars(consent_text).items() if name.isupper() and "CONTROLS" in name}
    version = words.pop("CONTROLS_VERSION")
    assert sorted(words) == ["CONTROLS_CHOICE", "CONTROLS_COMMAND", "CONTROLS_OUTPUTS"]
    assert (version, digest_of(words)) == (3, "c624817c23edc78357ee909cffdc4575e81707d3210a1820582985db4bf8b8d3")

    assert consent_text.SETTING_TEXTS.keys() == {
        "capture.record_screen",
        "capture.understand_controls",
        "capture.read_outputs",
        "capture.record_speech",
    }


def test_words_about_speech_change_only_together_with_their_own_version() -> None:
    words = {name: value for name, value in vars(consent_text).items() if name.isupper() and "SPEECH" in name}
    version = words.pop("SPEECH_VERSION")
    assert sorted(words) == ["SPEECH_CHOICE", "SPEECH_COMMAND"]
    assert (version, digest_of(words)) == (1, "5246567477c2ab11342566a0d43f70776d81aeb27b56d41f3dd9b6c46ad6f81e")


def test_consent_names_the_place_the_limits_in_force_and_what_is_sent() -> None:
    facts = consent_facts(Path("/data/kairos"), StorageSettings(keep_days=1, keep_gb=2.5))
    text = "\n".join(fact.text for fact in facts)
    assert "/data/kairos" in text
    assert "1 day and at most 2.5 GB" in text
    assert "7 days" in consent_facts(Path("/x"), StorageSettings(keep_days=7))[3].text
    assert facts[4].text.startswith("Nothing.")
    sent = "Pictures, to models.example."
    assert consent_facts(Path("/x"), StorageSettings(), sent)[4].text == sent
