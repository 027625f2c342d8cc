"""The evidence detector: it names what it saw, weighs it, and abstains where there is too little."""

import math
from string import Formatter

import pytest

from detectors.evidence import CODE_OF, find_signs
from detectors.features.table import TABLE
from detectors.registry import identity, load
from detectors.rules import EvidenceDetector
from storage.errors import UsageError
from storage.messages import EVIDENCE
from storage.records import Estimate, State
from storage.settings import DetectorSettings
from tests.fakes.desktop.watching import prefix_of
from tests.fakes.detectors.fake_detectors import FixedDetector, NoPictures

QUIET = dict.fromkeys(TABLE, 0.0) | {
    "relief": 1.0, "since_failure_s": 999.0, "since_kept_s": 999.0, "since_help_s": 999.0, "app_s": 999.0,
    "inputs": 20.0, "frames": 10.0,
}  # fmt: skip

STUCK = {
    "undo_bursts": {"failures": 3.0, "undo_level": 3.0, "undo_count": 3.0, "undo_span_s": 20.0, "undo_presses": 9.0},
    "dead_clicks": {"failures": 3.0, "dead_click_level": 3.0, "dead_click_count": 4.0, "dead_click_span_s": 9.0},
    "repeat_clicks": {"failures": 3.0, "repeat_click_level": 3.0, "repeat_click_count": 5.0}
    | {"repeat_click_span_s": 9.0},
    "menu_wandering": {"failures": 3.0, "menu_level": 3.0, "menu_count": 3.0, "menu_span_s": 15.0},
    "dialog_loop": {"failures": 3.0, "dialog_level": 3.0, "dialog_count": 3.0, "dialog_span_s": 25.0},
    "value_flip_flop": {"failures": 3.0, "retype_level": 3.0, "retype_count": 3.0}
    | {"retype_span_s": 25.0, "value_entries": 1.0},
    "long_pause": {"failures": 1.6, "undo_level": 1.6, "undo_count": 2.0, "still_s": 12.0, "since_failure_s": 13.0},
    "help_resource": {"help_app": 1.0, "help_sought": 1.0, "app_s": 5.0, "failures_elsewhere": 3.0},
}
QUIETLY = {
    "same_place": {"same_place": 6.0, "same_place_fresh": 1.0},
    "field_returns": {"place_returns": 3.0, "place_return_fresh": 1.0, "field_returns": 3.0, "field_return_fresh": 1.0},
}
CALM = {
    "hover_without_act": {"hover_places": 14.0, "hover_s": 16.0, "wander_s": 16.0},
    "progress_watching": {"watching_s": 12.0, "still_s": 14.0},
    "back_and_forth": {"scroll_turns": 6.0, "scrolls": 20.0},
    "comparing": {"waver": 5.0, "redos": 3.0},
    "flow": {"pace": 30.0, "characters": 60.0},
}


def estimate(**features: float) -> Estimate:
    return EvidenceDetector(DetectorSettings()).estimate(prefix_of(QUIET | features, 24.0), NoPictures(), 5)


@pytest.mark.parametrize("code", [*STUCK, *QUIETLY, *CALM])
def test_each_code_is_seen_and_its_words_fit_its_numbers(code: str) -> None:
    seen = estimate(**(STUCK | QUIETLY | CALM)[code]).evidence
    numbers = next(item.numbers for item in seen if item.code == code)
    words = EVIDENCE[code]
    needed = {name for text in (words.title, words.reason) for _, name, _, _ in Formatter().parse(text) if name}
    assert needed <= set(numbers)
    assert all(math.isfinite(value) for value in numbers.values())


@pytest.mark.parametrize("code", STUCK)
def test_find_signs_being_stuck_are_named_first_and_raise_need(code: str) -> None:
    found = estimate(**STUCK[code])
    assert found.evidence[0].code == code
    assert found.help_need > 0.6


@pytest.mark.parametrize("code", QUIETLY)
def test_quiet_signs_raise_need_and_bring_no_offer_alone(code: str) -> None:
    assert 0.15 < estimate(**QUIETLY[code]).help_need < 0.5


@pytest.mark.parametrize("code", CALM)
def test_find_signs_other_states_raise_no_need(code: str) -> None:
    assert estimate(**CALM[code]).help_need <= 0.12


def test_every_code_has_plain_words() -> None:
    """Titles fit the card, reasons and advice are sentences, and no two codes say the same."""
    assert set(EVIDENCE) == {
        *STUCK, *QUIETLY, *CALM, "nothing_gained", "same_views", "failed_runs", "refused_again", "trouble_pattern",
        "model_judgement",
    }  # fmt: skip
    assert set(CODE_OF.values()) <= set(EVIDENCE)
    for words in EVIDENCE.values():
        assert 0 < len(words.title) <= 52
        assert 0 < len(words.label) <= 31  # the column of `kairos why --learned`
        assert words.reason.endswith(".")
        assert words.advice.endswith(".")
        assert len(words.advice) <= 120
    assert len({words.label for words in EVIDENCE.values()}) == len(EVIDENCE)


def test_one_failure_is_everyday_work_and_each_further_one_tells_more() -> None:
    needs = [
        estimate(failures=count, undo_level=count, undo_count=count).help_need for count in (0.0, 1.0, 2.0, 3.0, 4.0)
    ]
    assert needs[0] == needs[1] == pytest.approx(0.05)
    assert needs[1] < needs[2] < needs[3] <= needs[4]
    assert needs[2] < 0.8 < needs[3]


def test_a_pause_counts_only_after_failures_and_not_for_ever() -> None:
    troubled = {"failures": 1.8, "undo_level": 1.8, "undo_count": 2.0}
    assert estimate(**troubled, still_s=12.0, since_failure_s=13.0).help_need > 0.8
    without = estimate(**troubled, still_s=1.0, since_failure_s=2.0).help_need
    for still_s, since_s in ((12.0, 40.0), (95.0, 96.0)):
        assert estimate(**troubled, still_s=still_s, since_failure_s=since_s).help_need == pytest.approx(without)
    assert estimate(still_s=30.0).help_need == pytest.approx(0.05)


def test_looking_something_up_counts_only_after_failures() -> None:
    """A browser in front is no trouble by itself; the help key after failures is."""
    assert estimate(help_app=1.0, app_s=5.0).help_need == pytest.approx(0.05)
    assert estimate(help_app=1.0, app_s=300.0, failures_elsewhere=3.0).help_need == pytest.approx(0.05)
    assert estimate(since_help_s=4.0, failures=1.6).help_need > 0.5


def test_a_prefix_that_holds_too_little_gets_no_opinion() -> None:
    little = estimate(inputs=1.0, frames=1.0)
    assert little.abstained
    assert little.help_need == 0.05
    assert little.evidence == ()
    assert not estimate(inputs=0.0, frames=0.0, failures=2.0, undo_level=2.0, undo_count=2.0).abstained
    assert not estimate(inputs=0.0, frames=0.0, failures_elsewhere=2.0).abstained


def test_an_estimate_is_complete_and_says_where_it_comes_from() -> None:
    found = estimate(**STUCK["undo_bursts"])
    assert set(found.state_probs) == {state.value for state in State}
    assert sum(found.state_probs.values()) == pytest.approx(1.0, abs=1e-5)
    assert (found.made_at_ns, found.ready_at_ns) == (5, 5)
    assert found.confidence_source == "evidence"
    assert len(found.evidence) <= 5


@pytest.mark.parametrize(
    ("features", "state"),
    [
        (CALM["flow"], State.PERFORMING_ACTIONS), (CALM["progress_watching"], State.WAITING),
        ({"scrolls": 12.0, "scroll_turns": 4.0, "still_s": 4.0}, State.ASSESSMENT),
        ({"menus": 4.0, "hover_places": 14.0, "hover_s": 5.0}, State.EXPLORATION),
        ({**STUCK["dead_clicks"], "still_s": 1.0}, State.FRUSTRATION), (STUCK["value_flip_flop"], State.DEBUGGING),
        (STUCK["help_resource"], State.SEEKING_EXTERNAL_HELP),
        ({"app_switches": 4.0, "dialogs": 3.0}, State.TASK_UNDERSTANDING),
        ({"characters": 8.0, "still_s": 9.0, "pace": 1.0}, State.IDEATION),
    ],
)  # fmt: skip
def test_plain_cases_of_each_state_are_recognised(features: dict[str, float], state: State) -> None:
    """A clear picture leads to its state: for ideation among the first two, because silence looks alike."""
    probs = estimate(**features).state_probs
    ranked = sorted(probs, key=probs.__getitem__, reverse=True)
    assert state in ranked[: 2 if state is State.IDEATION else 1]


def test_features_of_an_older_log_may_lack_some() -> None:
    """Missing features count as zero, so that an older session still replays."""
    found = EvidenceDetector(DetectorSettings()).estimate(prefix_of({"inputs": 9.0}, 24.0), NoPictures(), 0)
    assert not found.abstained


def test_signs_come_heaviest_first() -> None:
    """Whoever reads one sign reads the most telling one."""
    weights = [
        sign.weight for sign in find_signs(QUIET | STUCK["undo_bursts"] | CALM["back_and_forth"] | {"pace": 1.0})
    ]
    assert weights == sorted(weights, reverse=True)


def test_the_detector_is_found_by_name_and_knows_who_it_is() -> None:
    first = identity(load(DetectorSettings(name="evidence")))
    assert first[:2] == ("evidence", "2")
    assert first == identity(load(DetectorSettings(name="evidence")))
    assert first != identity(load(DetectorSettings(name="evidence", base_rate=0.1)))
    brought = load(DetectorSettings(name="tests.fakes.detectors.fake_detectors:certain"))
    assert isinstance(brought, FixedDetector)
    assert identity(brought)[0] == "fixed"


@pytest.mark.parametrize(
    "name",
    [
        "nonsense", "no.such:thing", "tests.fakes.detectors.fake_detectors:missing",
        "tests.fakes.detectors.fake_detectors:broken_factory",
    ],
)  # fmt: skip
def test_a_detector_that_cannot_be_loaded_says_what_to_do(name: str) -> None:
    with pytest.raises(UsageError, match=r"detector\.name") as caught:
        load(DetectorSettings(name=name))
    assert caught.value.remedy


def test_a_pause_after_two_failures_that_lie_far_apart_is_reading() -> None:
    apart = {"failures": 1.5, "undo_level": 1.5, "undo_count": 2.0, "still_s": 7.3, "since_failure_s": 8.0}
    assert estimate(**apart).help_need < 0.6
