"""Policies are found by name, and tell who they are."""

import pytest

from policies.registry import identity, load
from storage.errors import UsageError
from storage.settings import PolicySettings
from tests.fakes import FakePolicy


def test_the_default_policy_is_found_by_name() -> None:
    """Its identity changes with its settings, and only with them."""
    first = identity(load(PolicySettings(), 0.05))
    assert first[:2] == ("default", "2")
    assert first == identity(load(PolicySettings(), 0.05))
    assert first != identity(load(PolicySettings(miss_rate=0.3), 0.05))
    assert first != identity(load(PolicySettings(), 0.1))


def test_a_policy_brought_along_is_loaded_by_module_and_factory() -> None:
    """`package.module:factory` gets the settings and the base rate."""
    policy = load(PolicySettings(name="tests.fakes:fake_policy"), 0.05)
    assert isinstance(policy, FakePolicy)
    name, version, digest = identity(policy)
    assert (name, version) == ("fake", "1")
    assert len(digest) == 16


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nonsense", "names nothing known"),
        ("no.such.module:factory", "cannot import"),
        ("tests.fakes:missing", "nothing to call"),
        ("tests.fakes:broken_factory", "lacks"),
    ],
)
def test_a_name_that_cannot_be_loaded_says_what_to_do(name: str, says: str) -> None:
    """The error names the setting and the remedy."""
    with pytest.raises(UsageError, match=says) as caught:
        load(PolicySettings(name=name), 0.05)
    assert caught.value.remedy
    assert "policy.name" in caught.value.what
