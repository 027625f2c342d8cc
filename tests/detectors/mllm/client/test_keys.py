"""Keys: where they are found, and that they show nowhere."""

import pickle
from pathlib import Path

import pytest

from detectors.mllm.client import keys
from detectors.mllm.client.keys import Secret, find
from storage.errors import EnvironmentFault, UsageError

KEYRING = """
from keyring.errors import KeyringError, NoKeyringError

def get_password(service, name):
    if name == "LOCKED":
        raise KeyringError("s3cret")
    if name == "NO_BACKEND":
        raise NoKeyringError("none")
    return {("kairos", "TINY_KEY"): "from-keyring"}.get((service, name))
"""
ERRORS = """
class KeyringError(Exception): pass
class NoKeyringError(KeyringError): pass
"""


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "modules" / "keyring"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(KEYRING)
    (package / "errors.py").write_text(ERRORS)
    monkeypatch.syspath_prepend(package.parent)
    for name in ("keyring", "keyring.errors"):
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch, keyring: None) -> None:
    """A key in the environment is taken, with what surrounds it stripped; else the keyring's."""
    monkeypatch.setenv("TINY_KEY", " from-environment\n")
    assert _value(find("TINY_KEY")) == "from-environment"
    monkeypatch.delenv("TINY_KEY")
    assert _value(find("TINY_KEY")) == "from-keyring"
    assert find("OTHER_KEY") is None
    assert find("NO_BACKEND") is None


def test_no_name_no_key() -> None:
    assert find(None) is None
    assert find("") is None


def test_without_the_library_there_is_only_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keyring library is an extra; without it a key that is not in the environment is not there."""
    monkeypatch.setattr(keys, "find_spec", lambda name: None)
    assert find("TINY_KEY") is None


def test_a_locked_keyring_is_reported_without_its_message(keyring: None) -> None:
    with pytest.raises(EnvironmentFault, match="LOCKED") as fault:
        find("LOCKED")
    assert "s3cret" not in str(fault.value)
    assert fault.value.__cause__ is None


@pytest.mark.parametrize("value", ["s3cret two", "s3cret\r\nX-Other: 1", "s3cr\u00e9t"])
def test_an_invalid_key_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """A key that would break a header is named, not shown."""
    monkeypatch.setenv("TINY_KEY", value)
    with pytest.raises(UsageError, match="TINY_KEY") as refused:
        find("TINY_KEY")
    assert "s3cr" not in str(refused.value)


def test_a_key_is_shown_nowhere() -> None:
    """Neither printing nor formatting shows a key, and it cannot be pickled."""
    secret = Secret("s3cret")
    assert "s3cret" not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def _value(secret: Secret | None) -> str | None:
    return None if secret is None else secret.reveal()
