"""Finds the policy that the settings name, and tells which one it is and where it keeps what it saved."""

from typing import Any

from policies.arms import NAMES, arm_of
from policies.chain import ChainPolicy
from policies.protocol import Policy
from storage.plugins import build_plugin, find_factory, fingerprint
from storage.settings import PolicySettings

_SETTING = "policy.name"
_NEEDS = ("name", "version", "start", "decide", "learn", "save")


def load(settings: PolicySettings, base_rate: float) -> Policy[Any]:
    """Return the policy of `settings.name`: one of `policies.arms.NAMES`, "default" or `package.module:factory`.

    Raises:
        UsageError: the name stands for nothing that can be loaded.
    """
    arm = arm_of(settings)
    if arm is not None:
        return ChainPolicy(arm, settings, base_rate)
    factory = find_factory(settings.name, _SETTING, NAMES)
    policy: Policy[Any] = build_plugin(factory, (settings, base_rate), _SETTING, _NEEDS)
    return policy


def identity(policy: Policy[Any]) -> tuple[str, str, str]:
    """Return name, version and a hash of everything that shapes the policy's decisions but its input."""
    return policy.name, policy.version, fingerprint(policy)


def memory_of(policy: Policy[Any]) -> str:
    """Return the name under which the policy's saved state is kept; policies may share one."""
    return str(getattr(policy, "memory", policy.name))
