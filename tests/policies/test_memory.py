"""What is put back of an earlier saved state, without what the person had removed since."""

from collections.abc import Mapping

import pytest

from policies.memory import put_back, with_mutes

BEFORE: Mapping[str, object] = {"seed": 1, "learned": {}, "calibration": {}, "muted": ["a", "b"]}


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ([], BEFORE),
        ([{}, {"learned": {}, "muted": ["a", "b", "c"]}], BEFORE),
        ([{"learned": {}, "muted": ["b"]}, {"learned": {}, "muted": ["a", "b"]}], {**BEFORE, "muted": ["b"]}),
        ([{"muted": ["a", "b"]}], {"seed": 1, "muted": ["a", "b"]}),
        ([{"seed": 1}], {"seed": 1, "muted": []}),
    ],
)
def test_what_was_forgotten_or_unmuted_since_is_not_put_back(
    later: list[Mapping[str, object]], expected: Mapping[str, object]
) -> None:
    """An empty state says nothing: none was saved."""
    assert put_back(BEFORE, later) == expected


def test_a_state_from_before_there_were_mutes_gets_none() -> None:
    assert put_back({"seed": 1}, [{"learned": {}, "muted": ["a"]}]) == {"seed": 1}


def test_topics_are_muted_beside_those_that_are() -> None:
    assert with_mutes({"muted": ["b"]}, ["c", "a", "b"]) == {"muted": ["a", "b", "c"]}
    assert with_mutes({}, ["a"]) == {"muted": ["a"]}
