"""What a desktop tells: what is less than full is said, kept and asked about again once there is more."""

from pathlib import Path

import pytest

from daemon.capture.capability_words import NAMES, describe
from daemon.capture.wayland.capabilities import (
    GNOME_PICTURES,
    KDE_WINDOWS,
    NO_PIXELS,
    SILENT_KWIN,
    SWAY,
    with_input,
    with_interface,
)
from storage.capabilities import Capabilities, Capability, Level, sees_more, unsensed
from storage.consent_text import consent_facts, words_digest
from storage.settings import StorageSettings

BLIND = Capabilities(
    desktop="test", frames=Capability(Level.NONE, "none yet"), tray=Capability(Level.PART, "only with a bar")
)


def test_only_what_is_less_than_full_is_listed() -> None:
    """Of what can only not be shown nothing is agreed to; it has its level all the same."""
    assert BLIND.levels == {"frames": "none", "tray": "part"}
    assert describe(BLIND)[1:] == ["• pictures: none yet"]
    assert describe(Capabilities(desktop="full")) == []
    assert set(NAMES) == set(Capabilities.__dataclass_fields__) - {"desktop"}


@pytest.mark.parametrize(
    ("now", "agreed", "expected"),
    [
        ({"frames": "none"}, {"frames": "none"}, False),
        ({"frames": "part"}, {"frames": "none"}, True),
        ({}, {"frames": "part"}, True),
        ({"frames": "none"}, {}, False),
        ({}, {"tray": "none"}, False),
        ({"frames": "part"}, {"frames": "a word that no version has"}, True),
    ],
)
def test_more_than_was_agreed_to_is_noticed(now: dict[str, str], agreed: dict[str, str], *, expected: bool) -> None:
    """Less is not, nor what is only shown; what a consent says in words of its own counts as nothing."""
    assert sees_more(now, agreed) is expected


def test_what_a_desktop_does_not_tell_stands_in_the_consent_and_its_digest() -> None:
    """Where it tells all, words and digest stay as they were."""
    folder, storage = Path("/1"), StorageSettings()
    facts = consent_facts(folder, storage, desktop=describe(BLIND))
    assert [fact.head for fact in facts][:2] == ["Watched", "On this desktop"]
    assert facts[1].text.splitlines()[1:] == ["• pictures: none yet"]
    assert consent_facts(folder, storage, desktop=()) == consent_facts(folder, storage)
    assert words_digest(desktop=describe(BLIND)) != words_digest(desktop=()) == words_digest()


@pytest.mark.parametrize("found", [SWAY, NO_PIXELS, SILENT_KWIN])
def test_everything_below_full_has_a_reason_and_what_a_session_lacks_besides_is_said(found: Capabilities) -> None:
    """Without XWayland or layers a card would take the keyboard; without a bus no program says what controls are."""
    whole = with_interface(found, {"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/1"}, tells_idle=True)
    assert whole == found
    bare = with_interface(found, {}, tells_idle=False)
    levels = {name: bare.levels[name] for name in ("overlay", "idle", "controls", "keys", "offers")}
    assert set(levels.values()) == {"none"}
    assert all(capability.reason for capability in (*found.limited.values(), *bare.limited.values()))
    shown = with_interface(found, {}, tells_idle=False, notifies=True, has_shortcuts=True)
    assert (shown.overlay.level, shown.shortcuts.level) == (Level.PART, Level.PART)
    assert with_interface(found, {}, tells_idle=True, has_layers=True).overlay.level is Level.FULL
    assert not sees_more(bare.levels, whole.levels)
    assert sees_more(SWAY.levels, NO_PIXELS.levels)


@pytest.mark.parametrize(
    ("found", "mouse", "touchpad", "missing"),
    [
        (SWAY, True, False, {"pointer"}),
        (SWAY, True, True, {"pointer"}),
        (SWAY, False, True, {"pointer", "clicks", "scrolls"}),
        (GNOME_PICTURES, True, False, set()),
        (KDE_WINDOWS, True, False, {"frames"}),
    ],
)
def test_with_the_service_for_input_what_is_told_in_part_counts_as_sensed(
    found: Capabilities, missing: set[str], *, mouse: bool, touchpad: bool
) -> None:
    """Without it keys are letters alone and clicks are none; where neither can be judged, offers are only by errors."""
    told = with_input(found, has_mouse=mouse, has_touchpad=touchpad)
    shown = {"tray", "shortcuts", "offers", "controls"}
    assert set(unsensed(told.levels)) - shown == missing
    assert set(unsensed(found.levels)) >= {"keys", "clicks", "scrolls"}
    assert (told.clicks.level is Level.FULL) is (found is GNOME_PICTURES)  # KWin tells the place a moment late
    judges = not missing & {"frames", "clicks"}
    assert (told.offers == found.offers) is not judges
