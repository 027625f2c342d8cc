"""Random acts beside the real daemon: nothing excluded is stored, and what is ordinary is."""

import json

import pytest

from evaluation.benchmarks.fence.benchmark import measure
from evaluation.benchmarks.fence.command import FENCE
from evaluation.benchmarks.fence.programs import has_browsers

pytestmark = [pytest.mark.display, pytest.mark.slow]

SEED = 1


def test_a_thousand_random_acts_leave_nothing_excluded_behind() -> None:
    """No pixel, title, program, key or click of excluded windows; under names that no fence knows all are found."""
    assert has_browsers(), "install the browsers: private windows are half of the matter"
    report = measure(actions=1000, control_actions=250, seed=SEED)
    print("\n".join(report.text))  # rates, for the log of the run
    print(json.dumps(report.as_json()))
    assert [one.name for one in report.criteria if not one.ok] == []
    assert FENCE.name == "fence"
