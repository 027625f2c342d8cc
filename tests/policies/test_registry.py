"""Policies are found by name, and tell who they are."""

import pytest

from policies.arms import NAMES
from policies.registry import identity, load, memory_of
from storage.errors import UsageError
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import EagerPolicy


def test_the_default_policy_is_found_by_name() -> None:
    first = identity(load(PolicySettings(), 0.05))
    assert first[:2] == ("utility", "3")
    assert first == identity(load(PolicySettings(), 0.05))
    assert first != identity(load(PolicySettings(benefit_s=30.0), 0.05))
    assert first != identity(load(PolicySettings(), 0.1))


def test_every_arm_is_found_by_name_and_shares_what_was_saved() -> None:
    arms = [load(PolicySettings(name=name), 0.05) for name in NAMES]
    assert [arm.name for arm in arms] == ["silent", "random", "always", "threshold", "utility"]
    assert len({identity(arm) for arm in arms}) == len(arms)
    assert {memory_of(arm) for arm in arms} == {"default"}
    assert load(PolicySettings(name="default"), 0.05).name == "utility"


def test_a_policy_brought_along_is_loaded_by_module_and_factory() -> None:
    policy = load(PolicySettings(name="tests.fakes.detectors.fake_detectors:eager"), 0.05)
    assert memory_of(policy) == "eager"
    assert isinstance(policy, EagerPolicy)
    name, version, digest = identity(policy)
    assert (name, version) == ("eager", "1")
    assert len(digest) == 16


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nonsense", "names nothing known"),
        (".nonsense:make", "names nothing known"),
        ("no.such.module:factory", "cannot import"),
        ("tests.fakes.detectors.fake_detectors:missing", "nothing to call"),
        ("tests.fakes.detectors.fake_detectors:broken_factory", "lacks"),
        ("tests.fakes.detectors.fake_detectors:certain", "does not take what it is called with"),
        ("tests.fakes.detectors.fake_detectors:unready_factory", "FileNotFoundError: weights.bin"),
    ],
)
def test_a_name_that_cannot_be_loaded_says_what_to_do(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        load(PolicySettings(name=name), 0.05)
    assert caught.value.remedy
    assert "policy.name" in caught.value.what
