"""Reads TOML from files that anybody may have written: in bounded time, and with one kind of error.

Standard library only. Limit the size of the text before; `tomllib` reads a megabyte a second.
"""

import re
import tomllib
from typing import Any

_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML document.

    Raises:
        ValueError: it is not TOML, or like nothing that people write; says why.
    """
    if _LONG_KEY.search(text):  # `tomllib` takes minutes for thousands of them
        raise ValueError("a name in it has a hundred parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
