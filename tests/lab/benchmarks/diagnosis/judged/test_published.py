"""The published figures agree with each other, but for the exceptions that are named; a changed digit fails."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from lab.benchmarks.diagnosis.judged.references import load_published, published_lines

PUBLISHED = load_published()
INDUSTRIAL = PUBLISHED.industrial
EXCEPTIONS = {"GUIDE": 95.82, "naive": 85.62, "without diagnosis": 93.24, "without summary": 87.45}
"""Accuracies that precision, recall and the class sizes give, where another one is printed by at least 0.005."""


def rows() -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """Yield every row with accuracy, precision, recall and F1."""
    yield from INDUSTRIAL.rates.items()
    yield from INDUSTRIAL.ablations.items()


every_row = pytest.mark.parametrize(("name", "row"), list(rows()))


Row = tuple[float, float, float, float]


def f1_of(row: Row) -> float:
    """Return the F1 that follows from precision and recall."""
    return 2 * row[1] * row[2] / (row[1] + row[2])


def accuracy_of(row: Row) -> float:
    """Return the accuracy that follows from precision, recall and the sizes of the classes."""
    share = INDUSTRIAL.successes / (INDUSTRIAL.successes + INDUSTRIAL.failures)
    _, precision, recall, _ = row
    return 100 * (1 - share * (1 - recall / 100) - share * recall / precision * (1 - precision / 100))


def agrees(name: str, row: Row) -> bool:
    """Tell whether a row agrees with itself, exceptions with what is known of them."""
    accuracy = accuracy_of(row)
    known = abs(accuracy - EXCEPTIONS[name]) <= 0.006 if name in EXCEPTIONS else abs(accuracy - row[0]) <= 0.01
    return known and abs(f1_of(row) - row[3]) <= 0.01


@every_row
def test_rates_give_f1_and_accuracy(name: str, row: Row) -> None:
    """F1 within 0.01, accuracy too; of four rows the printed accuracy is another, and they are named."""
    assert agrees(name, row)
    assert (abs(accuracy_of(row) - row[0]) > 0.01) is (name in EXCEPTIONS)


@every_row
def test_control_a_changed_digit_does_not_agree(name: str, row: Row) -> None:
    """The last digit but one of any rate; the accuracy of an exception rests on the others alone."""
    for place in range(4):
        changed = tuple(value + 0.1 * (at == place) for at, value in enumerate(row))
        if place or name not in EXCEPTIONS:
            assert not agrees(name, changed)  # type: ignore[arg-type]  # four of them


def test_shares_sum_to_one_and_give_the_usable_share() -> None:
    """Of the ratings."""
    assert sum(INDUSTRIAL.quality.values()) == pytest.approx(100.0)
    assert INDUSTRIAL.quality["5"] + INDUSTRIAL.quality["4"] == pytest.approx(INDUSTRIAL.usable)


def test_the_lead_is_as_the_notes_say() -> None:
    """It falls once, so it is not monotone."""
    lead = [
        round(ours - theirs, 1)
        for ours, theirs in zip(
            INDUSTRIAL.accuracy_by_length["GUIDE"], INDUSTRIAL.accuracy_by_length["WebJudge"], strict=True
        )
    ]
    assert lead == [4.7, 2.4, 4.8, 6.6, 10.6, 18.2]
    assert [after < before for before, after in pairwise(lead)] == [True, False, False, False, False]
    assert "4.7, 2.4, 4.8, 6.6, 10.6 and 18.2" in " ".join(PUBLISHED.notes)


def test_the_bold_figure_is_below_another() -> None:
    """On AitW."""
    column = PUBLISHED.android_bench.columns.index("AitW")
    android = PUBLISHED.android_bench.accuracy
    assert android["GUIDE"][column] < android["AgentTrek"][column]


def test_overall_accuracies_are_means_of_the_policies() -> None:
    """Each policy did the same number of tasks, so the overall figure is their mean, within rounding."""
    for name, (overall, *policies) in PUBLISHED.android_bench.accuracy.items():
        assert overall == pytest.approx(sum(policies) / len(policies), abs=0.11), name


def test_every_row_has_a_cell_for_each_column_and_is_printed() -> None:
    """Nothing is left out of the block."""
    web, android = PUBLISHED.agent_reward_bench, PUBLISHED.android_bench
    assert {len(row) for row in web.precision.values()} == {len(web.columns)}
    assert {len(row) for row in (*android.accuracy.values(), *android.deviation.values())} == {len(android.columns)}
    assert {len(row) for row in INDUSTRIAL.accuracy_by_length.values()} == {len(INDUSTRIAL.length_groups)}
    text = "\n".join(published_lines(PUBLISHED))
    for name in (*INDUSTRIAL.rates, *INDUSTRIAL.ablations, *web.precision, *android.accuracy, *android.single):
        assert name in text
    for figure in ("95.80", "86.67", "89.21", "94.9 ± 0.3", "99.4", "0.89"):
        assert figure in text
