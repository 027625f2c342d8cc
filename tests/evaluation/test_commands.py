"""The commands of the evaluation room say what they need before they start."""

from argparse import Namespace
from pathlib import Path

import pytest

from evaluation.benchmarks.foreign_commands import run_bench_cups, run_bench_proactivebench
from evaluation.training import packages as training_packages
from storage.errors import EnvironmentFault


@pytest.mark.parametrize("run", [run_bench_proactivebench, run_bench_cups])
def test_benchmarks_on_people_name_the_missing_extra(
    run: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the training packages a benchmark ends with what to install, before it reads anything."""
    monkeypatch.setattr(training_packages, "find_spec", lambda _: None)
    assert callable(run)
    with pytest.raises(EnvironmentFault, match="train"):
        run(Namespace(path=tmp_path, json=False))
