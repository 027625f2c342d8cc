"""A cluster of this process: items and results are packed as for workers elsewhere, and no worker is started."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from daemon.diagnosis.model_diagnosis import shares
from daemon.replay.parallel.pool import map_in_order

ADDRESS = "tcp://127.0.0.1:1"


def work_packed(monkeypatch: pytest.MonkeyPatch, before: Callable[[], None] = lambda: None) -> list[int]:
    """Have shares done so, after something else was done; return how many jobs each run had."""
    counts: list[int] = []

    def workers(function: Callable[[Any], Any], items: Sequence[Any], **options: Any) -> Any:
        assert options["scheduler"] == ADDRESS
        counts.append(len(items))
        before()
        return map_in_order(function, items, scheduler=None, workers=1, report=options["report"])

    monkeypatch.setattr(shares, "map_in_order", workers)
    return counts
