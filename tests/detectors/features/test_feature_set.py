"""Each streaming feature rises with what it is for, and not with the opposite: two little stories for every one."""

import pytest

from detectors.features import state_scores
from detectors.features.attempts import memory
from detectors.features.extractors import EXTRACTORS
from detectors.features.feature_set import FeatureSet
from detectors.features.table import EXTRACTED, SOUGHT, TABLE, TRACKED
from storage.records import State
from tests.fakes.detectors.feature_stories import CASES, features_after, stem


@pytest.mark.parametrize("name", EXTRACTED)
def test_a_feature_rises_with_what_it_is_for(name: str) -> None:
    """It is clearly higher in the story it is for than in one that is the opposite."""
    more, less = (features_after(story)[name] for story in CASES[stem(name)])
    assert more > less + 0.1 * abs(less) + 0.004


@pytest.mark.parametrize("state", list(State))
def test_a_plain_case_of_each_state_reads_as_that_state(state: State) -> None:
    """Of the nine readings by hand the one it is told for is the highest."""
    values = features_after(CASES[f"like_{state.value}"][0])
    assert max(State, key=lambda other: values[f"like_{other.value}"]) is state


@pytest.mark.parametrize(
    ("calm", "stuck", "kind"), [("slow_undo", "work_undo", "undo"), ("slow_menus", "6 x (menu)", "menu")]
)
def test_what_is_tried_in_peace_seems_no_failure(calm: str, stuck: str, kind: str) -> None:
    at_peace, in_haste = features_after(calm), features_after(stuck)
    assert at_peace[f"{kind}_level"] > 1.0
    assert at_peace["seems_failing"] < 0.5 * in_haste["seems_failing"]


def test_every_story_is_about_a_feature_and_every_feature_has_one() -> None:
    """Nothing is left out, and nothing told of what no longer exists."""
    assert {stem(name) for name in EXTRACTED} == set(CASES)


def test_no_extractor_uses_the_name_of_another() -> None:
    for extractor in FeatureSet().extractors:
        assert sorted(extractor.values(0)) == sorted(extractor.table)
    tables = [*(extractor.table for extractor in EXTRACTORS), memory.TABLE, state_scores.TABLE, SOUGHT, TRACKED]
    assert len(TABLE) == sum(len(table) for table in tables)
