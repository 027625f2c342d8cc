"""Intervals of few draws for the tests of the benchmark of detectors."""

from functools import partial

import pytest

from lab.measure import resampling


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "bootstrap", partial(resampling.bootstrap, draws=20))
