"""The worked example of a policy of one's own."""

from dataclasses import replace
from pathlib import Path

import pytest

from policies import protocol
from policies.registry import identity, load
from storage.clock import NS_PER_S
from storage.records import Tick, Verdict
from storage.settings import PolicySettings
from tests.fakes.commands.worked_examples import worked_example
from tests.fakes.detectors.fake_detectors import context_of

S = NS_PER_S


def test_the_worked_example_is_a_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_idle_timer.py").write_text(worked_example(protocol))
    monkeypatch.syspath_prepend(tmp_path)
    policy = load(PolicySettings(name="my_idle_timer:factory"), 0.05)
    assert identity(policy)[:2] == ("idle_timer", "1")
    state = policy.start({}, 0, 0)
    context = replace(context_of(), last_input_ns=10 * S)
    found = []
    for now_s in (11, 40, 41, 100):
        state, decision = policy.decide(state, Tick(), context, now_s * S)
        assert decision.next_tick_ns is None or decision.next_tick_ns > now_s * S
        found.append(decision.verdict)
    assert found == [Verdict.HOLD, Verdict.OFFER, Verdict.HOLD, Verdict.HOLD]
    state, decision = policy.decide(state, Tick(), replace(context, last_input_ns=101 * S), 131 * S)
    assert decision.verdict is Verdict.OFFER
    assert policy.save(state, 131 * S) == {}
