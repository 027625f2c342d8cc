"""Random acts beside the real daemon: nothing excluded is stored, and what is ordinary is."""

import json
from pathlib import Path

import pytest

from lab.benchmarks.fence.benchmark import examine, measure
from lab.benchmarks.fence.campaign import run_campaign
from lab.benchmarks.fence.cast import cast, has_browsers
from lab.benchmarks.fence.plan import Act, plan

pytestmark = pytest.mark.display

SEED = 1
FEW_SEED = 2959
"""With this one few acts are typing into excluded and ordinary windows, and a compositor that starts."""


def test_a_few_random_acts_leave_nothing_excluded_behind(tmp_path: Path) -> None:
    """With windows of our own alone, so that it is quick; an ordinary window is in the video."""
    players = cast(browsers=False, mousepad=False)
    actions = plan(players, FEW_SEED, 16)
    acts = {action.act for action in actions}
    assert acts >= {Act.OPEN, Act.TYPE, Act.MOVE, Act.COMPOSITOR}
    assert any(players.slot(action.slot).is_excluded for action in actions if action.act is Act.TYPE)
    account = run_campaign(players, actions, tmp_path)
    found = examine(account)
    assert not found.leaks
    assert sum(share.part for share in found.recorded.values()) > 0
    assert account.typed
    assert found.files >= 4


@pytest.mark.slow
def test_a_thousand_random_acts_leave_nothing_excluded_behind() -> None:
    assert has_browsers(), "install the browsers: private windows are half of the matter"
    report = measure(actions=1000, control_actions=250, seed=SEED)
    print("\n".join(report.text))  # rates, for the log of the run
    print(json.dumps(report.as_json()))
    assert [criterion.name for criterion in report.criteria if not criterion.ok] == []
