"""What marks sentences, fills them in and reads them from data, and knows nothing of the language that is spoken.

So what decides, and what is logged and replayed, can say what went wrong without depending on the person's language:
everything may import this.
"""

from functools import cache
from pathlib import Path
from typing import Any

from storage.translation.language import Sentence, phrase, translatable

__all__ = ["Sentence", "phrase", "read_texts", "translatable"]


@cache
def read_texts(name: str) -> dict[str, Any]:
    """Return the tables of a file of sentences, `storage/data/NAME.toml`."""
    import tomllib

    return tomllib.loads((Path(__file__).parents[1] / f"data/{name}.toml").read_text(encoding="utf-8"))
