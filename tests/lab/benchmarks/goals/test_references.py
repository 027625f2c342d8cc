"""The published figures are what the paper prints: their sums hold, and a changed digit shows."""

import re
from hashlib import sha256

import msgspec
import pytest

from lab.benchmarks.goals.references import FILE, Published, Shares, load_published

DIGEST = "04e2fd724bfaa9dc"
"""Of the file; figures that no sum guards, as kappas, are guarded by it."""


def sums_of(published: Published) -> list[float]:
    """Return every sum that has to be 1. The paper's tables keep to that without exception."""
    rows: list[Shares] = [*published.written_by_people]
    for one in published.predicted_by_models:
        rows += [one.by_hand, one.automatic]
    return [round(one.non_match + one.partial + one.match, 6) for one in rows] + [
        round(sum(published.ambiguity.values()), 6)
    ]


def test_shares_sum_to_one() -> None:
    """Four rows of people, eight of models, and the ambiguity of three goals."""
    published = load_published()
    assert sums_of(published) == [1.0] * 13


def test_what_is_not_fulfilled_is_no_match() -> None:
    """By hand at least as many goals do not match as are not fulfilled."""
    for one in load_published().predicted_by_models:
        assert one.by_hand.non_match >= round(1 - one.fulfilment, 6)


def test_the_tables_are_whole() -> None:
    """The cells that sections 4 and 6 are quoted for."""
    published = load_published()
    assert [one.match for one in published.written_by_people] == [0.80, 0.81, 0.76, 0.94]
    assert [one.by_hand.match for one in published.predicted_by_models] == [0.44, 0.58, 0.59, 0.57]
    assert [one.automatic.match for one in published.predicted_by_models] == [0.42, 0.54, 0.34, 0.36]
    assert published.kappa_of_judge == 0.48
    assert any("is not said" in note for note in published.notes)
    assert any("the definition decides" in note for note in published.notes)


def test_a_changed_digit_fails() -> None:
    """Each digit of each share in the tables, changed by one, breaks a sum; any other breaks the digest."""
    text = FILE.read_text(encoding="utf-8")
    assert sha256(text.encode()).hexdigest()[:16] == DIGEST
    tables = text[: text.index('"items"')]
    shares = list(re.finditer(r'"(?:non_match|partial|match)": 0\.(\d\d)', tables))
    assert len(shares) == 36
    for match in shares:
        for place in (match.start(1), match.start(1) + 1):
            digit = str((int(text[place]) + 1) % 10)
            changed = msgspec.json.decode((text[:place] + digit + text[place + 1 :]).encode(), type=Published)
            assert sums_of(changed) != [1.0] * 13


@pytest.mark.parametrize("word", ["download", "http"])
def test_the_file_names_no_place_to_get_data(word: str) -> None:
    """Nothing is downloaded."""
    assert word not in FILE.read_text(encoding="utf-8")
