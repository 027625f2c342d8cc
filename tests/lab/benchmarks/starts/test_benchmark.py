"""What the figures of starts are judged by."""

from lab.benchmarks.starts.benchmark import StartsRun, starts_criteria


def test_starts_are_held_against_those_of_the_other_build_of_the_same_round() -> None:
    """Without another build the times themselves have limits."""

    def failed(*runs: StartsRun) -> set[str]:
        return {criterion.name for criterion in starts_criteria(runs) if not criterion.ok}

    alone = StartsRun(round=1, costs=(880.0, 1210.0, 70.0), beside=())
    assert failed(alone) == {"start_tray"}
    halved = StartsRun(round=1, costs=(500.0, 700.0, 40.0), beside=(1000.0, 1400.0, 80.0))
    assert failed(halved) == set()
    busy = StartsRun(round=2, costs=(5000.0, 8000.0, 400.0), beside=(10000.0, 14000.0, 800.0))
    assert failed(busy) == {"start_tray"}
    assert failed(halved, busy, halved) == set()
