"""The language that the interface speaks now, and `tr`, which speaks it."""

from storage.translation.language import ENGLISH, Language

_current: Language = ENGLISH


def install_language(language: Language | None) -> None:
    """Have `tr` speak a language from now on; None is English. For the interface alone, on its own thread."""
    global _current  # noqa: PLW0603  # one interface in a process, one language in an interface
    _current = language or ENGLISH


def current_language() -> Language:
    """Return the language that `tr` speaks."""
    return _current


def tr(source: str, **values: object) -> str:
    """Return a sentence in the language of the interface, its places filled with `values`, or as `translatable` did.

    Raises:
        KeyError: a value is missing that the source names.
        ValueError: a value cannot be written as the source demands.
    """
    return _current.say(source, values) if values else _current.say_again(source)
