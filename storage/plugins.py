"""Loads detectors and policies that a `package.module:factory` setting names, and fingerprints them.

Standard library only. Loading runs the code of that module: pass only a name that the person wrote, never one from a
session file.
"""

import hashlib
import importlib
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from storage.errors import UsageError
from storage.translation import translatable

_EXAMPLE = translatable("See the worked example in detectors/protocol.py or policies/protocol.py.")


def find_factory(spec: str, setting: str, known: tuple[str, ...]) -> Callable[..., Any]:
    """Return the callable that `package.module:factory` names.

    Args:
        spec: the value of the setting.
        setting: the key of the setting, for errors.
        known: the built-in names, for errors.

    Raises:
        UsageError: `spec` names nothing that can be called.
    """
    remedy = translatable(
        "Set {setting} to {known}, or to package.module:factory of an installed module.",
        setting=setting,
        known=" or ".join(known),
    )
    module_name, colon, attribute = spec.partition(":")
    if not (module_name and colon and attribute) or module_name.startswith("."):
        raise UsageError(
            translatable("{setting} names nothing known: {spec}.", setting=setting, spec=repr(spec)), remedy=remedy
        )
    try:
        module = importlib.import_module(module_name)
    except (ImportError, OSError) as error:
        raise UsageError(
            translatable(
                "{setting}: cannot import {module_name} ({why}).",
                setting=setting,
                module_name=repr(module_name),
                why=error,
            ),
            remedy=remedy,
        ) from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        raise UsageError(
            translatable(
                "{setting}: {module_name} has nothing to call named {attribute}.",
                setting=setting,
                module_name=repr(module_name),
                attribute=repr(attribute),
            ),
            remedy=remedy,
        )
    return factory  # type: ignore[no-any-return]  # a callable attribute of a module nobody typed


def build_plugin(
    factory: Callable[..., Any], arguments: tuple[object, ...], setting: str, needs: tuple[str, ...]
) -> Any:
    """Return what `factory` builds from `arguments`.

    Args:
        factory: what `find_factory` returned.
        arguments: settings to hand over.
        setting: the key of the setting, for errors.
        needs: the attributes that the result must have.

    Raises:
        UsageError: the factory takes other arguments, misses a file or a module, or its result lacks an attribute.
    """
    try:
        inspect.signature(factory).bind(*arguments)
    except TypeError as error:
        raise UsageError(
            translatable(
                "{setting}: the factory does not take what it is called with ({why}).", setting=setting, why=error
            ),
            remedy=_EXAMPLE,
        ) from error
    except ValueError:  # written in C, without a signature
        pass
    try:
        built = factory(*arguments)
    except (ImportError, OSError) as error:
        raise UsageError(
            translatable(
                "{setting}: what it names failed ({name}: {why}).",
                setting=setting,
                name=type(error).__name__,
                why=error,
            ),
            remedy=translatable(
                "It is no part of Kairos: correct it where it comes from, or set {setting} to another.", setting=setting
            ),
        ) from error
    missing = [name for name in needs if not hasattr(built, name)]
    if missing:
        raise UsageError(
            translatable(
                "{setting}: what the factory built lacks {missing}.", setting=setting, missing=", ".join(missing)
            ),
            remedy=_EXAMPLE,
        )
    return built


def fingerprint(part: object) -> str:
    """Return a short hash of a detector or policy.

    It covers `part.constants` where there are any (a mapping or a dataclass), else the source of its module.
    """
    constants = getattr(part, "constants", None)
    if constants is None:
        module = inspect.getmodule(type(part))
        try:
            material = inspect.getsource(module) if module is not None else repr(type(part))
        except OSError:
            material = repr(type(part))
    else:
        material = _canonical(constants)
    return hashlib.sha256(material.encode()).hexdigest()[:16]


def _canonical(value: object) -> str:
    if is_dataclass(value):
        inner = ",".join(f"{field.name}={_canonical(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__name__}({inner})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, tuple | list):
        return "(" + ",".join(_canonical(item) for item in value) + ")"
    return repr(value)
