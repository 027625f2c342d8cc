"""The commands of the evaluation room say what they need before they start."""

from argparse import Namespace
from pathlib import Path

import pytest

from lab.benchmarks.cups.command import CUPS
from lab.benchmarks.proactivebench.command import PROACTIVEBENCH
from lab.measure.benchmark import Benchmark
from lab.training import packages as training_packages
from storage.errors import EnvironmentFault


@pytest.mark.parametrize("benchmark", [PROACTIVEBENCH, CUPS], ids=lambda one: one.name)
def test_benchmarks_on_people_name_the_missing_extra(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the training packages a benchmark ends with what to install, before it reads anything."""
    monkeypatch.setattr(training_packages, "find_spec", lambda _: None)
    with pytest.raises(EnvironmentFault, match="train"):
        benchmark.run(Namespace(path=tmp_path, json=False))
