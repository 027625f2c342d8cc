"""Runs the worked examples of docstrings, so that they stay true."""

from textwrap import dedent
from types import ModuleType


def worked_example(module: ModuleType) -> str:
    """Return the code of the example in a module's docstring: the indented text after the first `::`."""
    _, code = str(module.__doc__).split("::\n", 1)
    return dedent(code)
