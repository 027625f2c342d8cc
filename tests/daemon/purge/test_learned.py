"""What is put back: the state before the first session that goes, and nothing that the person had removed since."""

from collections.abc import Mapping
from typing import Any

import pytest

from daemon.purge.intent import SavedState
from daemon.purge.plan import Began, saved_before, states_before
from storage.clock import NS_PER_S
from tests.fakes.narrowing import present
from tests.fakes.sessions.rows import start

LESSON = {"tallies": [{"app": "editor"}]}
BEFORE = {"seed": 1, "learned": LESSON, "muted": ["a", "b"]}
NOW = {"seed": 1, "learned": {"tallies": [{"app": "other"}]}, "muted": ["a", "b", "c"]}


def began(saved: Mapping[str, object], *, goes: bool = True, memory: str = "default", **first: Any) -> Began:
    row = start(wall_ns=100 * NS_PER_S, policy_state={"saved": dict(saved), "elapsed_ns": NS_PER_S}, **first)
    return Began(start=row, memory=memory, before=saved_before(row) if goes else None)


def put_back(now: Mapping[str, object], *sessions: Began, memory: str = "default") -> Mapping[str, object] | None:
    found = states_before({memory: (now, 7)}, sessions).get(memory)
    return None if found is None else found.saved


def test_it_is_what_the_first_session_that_goes_began_with() -> None:
    found = states_before({"default": (NOW, 7)}, [began(BEFORE), began(NOW)])
    assert found == {"default": SavedState(saved=BEFORE, wall_ns=99 * NS_PER_S)}


def test_without_a_session_that_goes_nothing_is_put_back() -> None:
    """Nor by sessions of another memory, or imported ones, which hold what somebody else had learned."""
    assert put_back(NOW) is None
    assert put_back(NOW, began(BEFORE, goes=False)) is None
    assert put_back(NOW, began(BEFORE, memory="another")) is None
    assert put_back(NOW, began(BEFORE, imported_from="agentnet")) is None


@pytest.mark.parametrize("where", ["now", "between"])
def test_what_was_forgotten_or_unmuted_meanwhile_stays_so(where: str) -> None:
    removed = {"seed": 1, "muted": ["b"]}
    sessions = [began(BEFORE), began(removed)] if where == "between" else [began(BEFORE)]
    now = NOW if where == "between" else removed
    found = present(put_back(now, *sessions))
    assert ("learned" in found, found["muted"]) == (False, ["b"])


def test_mutes_of_after_a_past_day_stay() -> None:
    after = began({**NOW, "muted": ["a", "b", "on the day"]}, goes=False)
    found = present(put_back({**NOW, "muted": ["a", "b", "later", "on the day"]}, began(BEFORE), after))
    assert found["muted"] == ["a", "b", "later"]


@pytest.mark.parametrize("seed", [2, None])
def test_in_doubt_everything_learned_is_forgotten(seed: int | None) -> None:
    """Another seed: a session from elsewhere, or a study began or ended. The seed and offers shown stay."""
    now = {"seed": seed, "shown_age_ns": [5], "learned": LESSON, "muted": ["a"], "said": [{"topic": "a"}]}
    assert put_back(now, began(BEFORE), began(NOW)) == {"seed": seed, "shown_age_ns": [5], "said": []}


def test_another_policy_gets_its_own_state_back_or_none() -> None:
    """What its values mean is not known here."""
    strange = {"seed": 1, "muted": 5}
    assert put_back(strange, began(strange, memory="another"), memory="another") == strange
    assert put_back({"seed": 2}, began(strange, memory="another"), memory="another") == {}
    assert put_back(strange, began(strange)) == {}


def test_a_first_row_without_a_state_stands_for_nothing_saved() -> None:
    """As in sessions that were made from lists."""
    assert saved_before(start(wall_ns=5, policy_state={})) == SavedState(saved={}, wall_ns=5)
