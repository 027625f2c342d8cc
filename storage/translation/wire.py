"""Sentences on their way from a command of ours to the interface: source and values beside the English text.

The text alone is enough for everybody else. What is read is only taken if it makes the same text again.
"""

from collections.abc import Mapping

from storage.translation.language import Sentence

MAX_DEPTH = 4
"""How deep sentences are put into each other."""


def sentence_facts(text: str) -> object:
    """Return a sentence as values of JSON; any other text as it is."""
    if not isinstance(text, Sentence):
        return text
    values = {name: sentence_facts(value) if isinstance(value, str) else value for name, value in text.values.items()}
    return {"source": text.source, "values": values}


def read_sentence(text: str, facts: object) -> str:
    """Return the sentence that the facts describe; the text itself where they do not make this very text."""
    try:
        found = _read(facts, MAX_DEPTH)
    except (KeyError, ValueError, IndexError, AttributeError, TypeError):
        return text
    return found if found == text else text


def said_of(facts: Mapping[str, object]) -> tuple[object, object]:
    """Return what an object of JSON has under "said": the facts of what happened, and of what to do."""
    said = facts.get("said")
    return (said[0], said[1]) if isinstance(said, list) and len(said) == 2 else (None, None)  # noqa: PLR2004  # both


def _read(facts: object, depth: int) -> str:
    if not isinstance(facts, Mapping) or depth == 0:
        return str(facts)
    values = {
        str(name): value if isinstance(value, (int, float)) else _read(value, depth - 1)
        for name, value in facts["values"].items()
    }
    return Sentence(str(facts["source"]), values)
