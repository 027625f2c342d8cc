"""Keys of model servers: from the environment, else from the desktop's keyring where the library for it is installed.

Kairos never stores a key. A keyring may wait for a person to unlock it, so `find` is called before anything runs, never
in the event loop.
"""

import os
from importlib.util import find_spec

from storage.errors import EnvironmentFault, UsageError

SERVICE = "kairos"
"""The service of our entries in the keyring: keyring set kairos NAME."""


class Secret:
    """A key that is shown by `reveal` alone."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Hold a value."""
        self._value = value

    def reveal(self) -> str:
        """Return the value, for a request's headers and nothing else."""
        return self._value

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
        raise UsageError(f"{name} holds something that cannot be a key", remedy=f"set {name} again, to the key alone")
    return Secret(value) if value else None


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
            f"the keyring did not give {name}", remedy=f"unlock the keyring, or set {name} in the environment"
        ) from None
    return value
