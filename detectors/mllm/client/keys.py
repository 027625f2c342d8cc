"""Keys of model servers: from the environment, else from the desktop's keyring where the library for it is installed.

Kairos never stores a key. A keyring may wait for a person to unlock it, so `find` is called before anything runs, never
in the event loop.
"""

import os
import re
from importlib.util import find_spec

from detectors.mllm.prompting.plain_text import plain_name
from storage.errors import EnvironmentFault, UsageError
from storage.translation.sentences import translatable

SERVICE = "kairos"  # the service of our entries in the keyring: keyring set kairos NAME


_PIECE = 8
"""Letters and digits of a key in a row that give it away; words that a name has in common with one are shorter."""


class Secret:
    """A key that is shown by `reveal` alone."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value, for a request's headers and nothing else."""
        return self._value

    def is_in(self, text: str) -> bool:
        """Tell whether a text holds the key or a piece of it, whatever signs stand in between."""
        key, others = _letters(self._value), _letters(text)
        size = min(len(key), _PIECE)
        return size > 0 and any(key[start : start + size] in others for start in range(len(key) - size + 1))

    def __repr__(self) -> str:
        """Return a mask of constant length."""
        return "Secret(***)"

    def __reduce__(self) -> str:
        """Refuse to be pickled or copied."""
        raise TypeError("a key is not stored")


def find(name: str | None) -> Secret | None:
    """Return the key of this name; None if there is none, or none is needed (`name` is None or empty).

    Raises:
        EnvironmentFault: the keyring cannot be read.
        UsageError: the value cannot be a key.
    """
    if not name:
        return None
    value = os.environ.get(name) or _in_keyring(name)
    if value is None:
        return None
    value = value.strip()
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise UsageError(
            translatable("{name} holds something that cannot be a key", name=name),
            remedy=translatable("set {name} again, to the key alone", name=name),
        )
    return Secret(value) if value else None


def model_name(given: str, key: Secret | None) -> str:
    """Return a model's name as a server gave it, in the characters of names; empty if it gave our key back as one."""
    name = plain_name(given)
    return "" if key is not None and key.is_in(name) else name


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _in_keyring(name: str) -> str | None:
    if find_spec("keyring") is None:
        return None
    import keyring
    from keyring.errors import KeyringError, NoKeyringError

    try:
        value: str | None = keyring.get_password(SERVICE, name)
    except NoKeyringError:
        return None
    except KeyringError:  # its message may hold secrets
        raise EnvironmentFault(
            translatable("the keyring did not give {name}", name=name),
            remedy=translatable("unlock the keyring, or set {name} in the environment", name=name),
        ) from None
    return value
