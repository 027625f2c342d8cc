"""Leaves out test modules of which `-m` selects nothing: importing all takes longer than many a selection.

The longest tests begin first, so that at the end no worker waits for another one.

A plugin of pytest; the top-level conftest loads it.
"""

import re
from collections.abc import Collection
from functools import cache, partial
from itertools import chain, combinations
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

MARKERS = ("display", "realserver", "slow")
"""The markers by which `./test` selects; a module that uses one spells it `mark.NAME`."""

LONGEST = ("test_the_main_job_in_mousepad", "test_some_seconds_of_mousepad_give_a_labelled_session")


def _is_among(names: Collection[str], name: str, /, **_: object) -> bool:
    return name in names


@cache
def may_select(selection: str, spelled: frozenset[str]) -> bool:
    """Whether `-m SELECTION` may select a test of a module that spells these of the `MARKERS`."""
    names = set(re.findall(r"[^\s()]+", selection)) - {"and", "or", "not"}
    if not names or not names <= set(MARKERS):
        return True
    expression = Expression.compile(selection)
    carried = chain.from_iterable(combinations(spelled, count) for count in range(len(spelled) + 1))
    return any(expression.evaluate(partial(_is_among, some)) for some in carried)


@cache
def spelled_in(module: Path) -> frozenset[str]:
    text = module.read_text(encoding="utf-8")
    return frozenset(name for name in MARKERS if f"mark.{name}" in text)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a test module without a selected test, unless the command line names it."""
    named = {Path(word.split("::")[0]).absolute() for word in config.args}
    if not collection_path.match("test_*.py") or collection_path in named:
        return None
    return None if may_select(str(config.option.markexpr), spelled_in(collection_path)) else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first. Refuse a marker that a test's module does not spell: a selection would miss the test.

    A selection without a screen imports every module that has tests for it, and so finds such a marker.
    """
    items.sort(key=lambda item: item.name not in LONGEST)
    for item in items:
        for name in MARKERS:
            if item.get_closest_marker(name) is not None and name not in spelled_in(item.path):
                raise pytest.UsageError(f'{item.nodeid} is marked "{name}"; write "mark.{name}" in its module')
