"""The evidence detector: quiet trouble weighs, the repair of prose and a browser's name do not."""

import pytest

from detectors.evidence import find_quiet_signs
from detectors.features.table import TABLE
from detectors.rules import EvidenceDetector
from storage.records import Box, Record, State
from storage.settings import DetectorSettings
from tests.fakes.desktop.watching import prefix_of
from tests.fakes.detectors.fake_detectors import NoPictures
from tests.fakes.sessions.timed_records import click, focus, frame, keys, seen

FIELD = Box(448, 480, 128, 32)


def need(features: dict[str, float]) -> float:
    return EvidenceDetector(DetectorSettings()).estimate(prefix_of(features, 24.0), NoPictures(), 5).help_need


def same_entry_clicked() -> list[Record]:
    return [r for n in range(6) for r in (*click(2.0 + 2.6 * n), frame(2.4 + 2.6 * n, f"new {n}", FIELD))]


def prose() -> list[Record]:
    return [r for n in range(40) for r in keys(1.0 + 3.0 * n, "cccccccccccc" if n % 3 == 0 else "cccbbbc")]


def test_six_answered_clicks_at_one_place_weigh() -> None:
    """They are no failures, since each click changed the screen."""
    features = seen(same_entry_clicked(), 18.0)
    assert features["failures"] == 0.0
    assert need(features) > 0.15
    assert find_quiet_signs(features)[0].evidence.code == "same_place"


def test_a_field_that_is_come_back_to_is_named() -> None:
    rounds = [(2.0 + 8.0 * n + 2.5 * m, 200 + 150 * m) for n in range(3) for m in range(3)]
    work = [r for t, y in rounds for r in (*click(t, 500, y), *keys(t + 0.5, "ccc"), frame(t + 1.2, f"{t}", FIELD))]
    features = seen(work, 27.0)
    assert features["field_returns"] == 2.0
    assert "field_returns" in {sign.evidence.code for sign in find_quiet_signs(features) if sign.weight > 0.0}


def test_repairing_prose_is_no_trouble() -> None:
    features = seen(prose(), 121.0)
    assert features["retype_level"] > 1.0
    assert need(features) < 0.1


def test_wandering_over_a_view_that_turned_round_weighs_by_itself() -> None:
    features = {**dict.fromkeys(TABLE, 0.0), "inputs": 99.0, "frames": 9.0, "relief": 1.0, "since_help_s": 999.0}
    wandering = {
        "wander_s": 22.0,
        "wander_view_s": 22.0,
        "hover_places": 20.0,
        "hover_s": 22.0,
        "since_failure_s": 999.0,
    }
    assert need({**features, **wandering}) > 0.1


@pytest.mark.parametrize("troubled", [True, False])
def test_a_browser_is_help_only_if_turned_to_from_failures(troubled: bool) -> None:
    """The name alone changes no estimate; what was tried before does."""
    before = keys(1.0, "cccu") + keys(4.0, "cccu") if troubled else keys(1.0, "cccccccccc")
    work = [*before, focus(8.0, "firefox"), *keys(9.0, "cccx")]
    features = seen(work, 11.0)
    assert features["help_sought"] == float(troubled)
    detector = EvidenceDetector(DetectorSettings())
    states = detector.estimate(prefix_of(features, 24.0), NoPictures(), 5).state_probs
    assert (max(states, key=states.__getitem__) == State.SEEKING_EXTERNAL_HELP) is troubled


def test_a_programs_name_alone_changes_nothing() -> None:
    neutral, browser = (seen(prose(), 121.0, app=app) for app in ("program", "firefox"))
    assert neutral["help_app"] != browser["help_app"]
    detector = EvidenceDetector(DetectorSettings())
    first, second = (detector.estimate(prefix_of(found, 24.0), NoPictures(), 5) for found in (neutral, browser))
    assert (first.help_need, first.state_probs) == (second.help_need, second.state_probs)


def test_the_same_number_of_clicks_elsewhere_weighs_nothing() -> None:
    """The control: six places."""
    elsewhere: list[Record] = []
    for n in range(6):
        box = Box(64 + 250 * n, 480, 128, 32)
        elsewhere += [*click(2.0 + 2.6 * n, 100 + 250 * n), frame(2.4 + 2.6 * n, f"{n}", box)]
    assert need(seen(elsewhere, 18.0)) <= 0.05


def test_values_entered_again_still_are() -> None:
    """The control: short values, each ended by Enter, erased and entered anew."""
    work = [r for n in range(6) for r in keys(1.0 + 4.0 * n, "cccccbbbbbcccx")]
    features = seen(work, 25.0)
    assert features["value_entries"] > 0.4
    assert need(features) > 0.5
