"""Reads and changes the settings file (TOML, one table per class of `storage.settings`), and `kairos config`.

An unknown key is an error that names the nearest one: a silently ignored `excluded_app` would break a promise.
"""

import argparse
import difflib
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from daemon.limits import MOST, RANGES, check_order
from storage.errors import UsageError
from storage.paths import config_file
from storage.settings import Settings

_WANTED = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}
_SET = "config set"
_UNFIT = "what it means: docs/settings.md; what is in force: kairos config show"


def settings_hash(settings: Settings) -> str:
    """Return a short hash of the effective settings, to tell sessions apart."""
    text = json.dumps(asdict(settings), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_settings(path: Path | None = None, overrides: Iterable[str] = ()) -> Settings:
    """Return the defaults changed by the settings file and by `TABLE.KEY=VALUE` overrides.

    Raises:
        UsageError: the file is not TOML, or a table, key or value does not exist or fit, alone or beside another.
    """
    path = config_file() if path is None else path
    settings = _read(path)
    check_order(settings, where=str(path))
    for override in overrides:
        key, sign, value = override.partition("=")
        if not sign:
            raise UsageError(f"--set wants KEY=VALUE, not {override!r}", remedy="example: --set policy.cooldown_s=600")
        settings = with_value(settings, key.strip(), value.strip(), where="--set")
    check_order(settings, where="--set")
    return settings


def _read(path: Path) -> Settings:
    """Return what the file says, whose values may not yet fit beside each other: that can be mended one by one."""
    if not path.exists():
        return Settings()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a valid settings file: {error}", remedy="mend or remove it") from error
    return from_mapping(tables, where=str(path))


def from_mapping(tables: Mapping[str, Any], *, where: str) -> Settings:
    """Return settings from tables of plain values, as in a settings file or a session's first row.

    Raises:
        UsageError: a table, key or value does not exist or fit.
    """
    settings = Settings()
    for table, values in tables.items():
        if not isinstance(values, Mapping):
            raise UsageError(f"{where}: {table!r} is not a table", remedy="write it as [table] and key = value")
        for key, value in values.items():
            settings = _replaced(settings, f"{table}.{key}", value, where=where)
    return settings


def with_value(settings: Settings, key: str, text: str, *, where: str) -> Settings:
    """Return settings with one key changed to a value given as text; `where` is what it was given to.

    Raises:
        UsageError: the key does not exist or the value does not fit.
    """
    return _replaced(settings, key, _parsed(text, _hint(key, where=where)), where=where)


@cache  # asked for every key of every session that is read
def known_keys() -> Mapping[str, Any]:
    """Return every key, as `table.key`, with its type."""
    tables = {table.name: get_type_hints(type(getattr(Settings(), table.name))) for table in fields(Settings)}
    return {f"{table}.{name}": hint for table, hints in tables.items() for name, hint in hints.items()}


def _hint(key: str, *, where: str) -> Any:
    if key not in known_keys():
        near = difflib.get_close_matches(key, known_keys(), n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]}?" if near else "see: kairos config show"
        raise UsageError(f"{where}: there is no setting {key!r}", remedy=remedy)
    return known_keys()[key]


def _parsed(text: str, hint: Any) -> object:
    """Return the value that a text stands for; the text itself where it stands for none of that type."""
    if get_origin(hint) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if hint is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            return text
    return text


def _replaced(settings: Settings, key: str, value: object, *, where: str) -> Settings:
    hint = _hint(key, where=where)
    table, _, name = key.partition(".")
    low, high = RANGES.get(key, (0, MOST))
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        fits = isinstance(value, (list, tuple)) and all(isinstance(part, inner) for part in value)
        value = tuple(value) if fits and isinstance(value, (list, tuple)) else value
    elif hint is float:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
        value = float(value) if fits and isinstance(value, (int, float)) else value
    elif hint is int:
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    else:
        fits = isinstance(value, hint)
    if not fits:
        wanted = _WANTED.get(hint, "a list of texts")
        if hint in (int, float):
            wanted += f" from {low:g} to {high:g}"
        raise UsageError(f"{where}: {key} wants {wanted}, not {value!r}", remedy=_UNFIT)
    return replace(settings, **{table: replace(getattr(settings, table), **{name: value})})


# ---------------------------------------------------------------- command


def register(subparsers: Any) -> None:
    """Add `kairos config` to the command line."""
    parser = subparsers.add_parser(
        "config",
        help="show or change settings",
        description="Show or change settings.",
        epilog="example: kairos config set fence.excluded_apps keepassxc,signal",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    actions = parser.add_subparsers(dest="action", required=True, metavar="show|path|set")
    for name, text in (("show", "print every setting in force"), ("path", "print where the settings file is")):
        actions.add_parser(name, help=text).add_argument("--json", action="store_true", help="print one JSON object")
    setter = actions.add_parser("set", help="change one setting in the file")
    setter.add_argument("key", help="for example policy.cooldown_s")
    setter.add_argument("value", help="the new value; lists are separated by commas")
    setter.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos config`."""
    path = config_file()
    if arguments.action == "path":
        print(json.dumps({"path": str(path)}) if arguments.json else path)
        return 0
    if arguments.action == "set":
        changed = with_value(_read(path), arguments.key, _lasting(arguments.key, arguments.value), where=_SET)
        check_order(changed, where=_SET, key=arguments.key)
        _check_part(arguments.key, changed)
        write_value(path, arguments.key, changed)
        _tell_sent(arguments.key, changed)
        if not arguments.json:
            print(f"{arguments.key} is set in {path}; a running Kairos takes it up at its next start")
            return 0
        settings = changed
    else:
        settings = load_settings(path)
    tables = asdict(settings)
    if arguments.json:
        print(json.dumps({"path": str(path), "settings": tables, "hash": settings_hash(settings)}))
        return 0
    for table, values in tables.items():
        print(f"[{table}]")
        for key, value in values.items():
            shown = list(value) if isinstance(value, tuple) else value
            print(f"{key} = {json.dumps(shown)}")
        print()
    return 0


def _lasting(key: str, text: str) -> str:
    """Return a value that means the same in whatever folder Kairos is started: a model file is named in full."""
    if key == "detector.name":
        from detectors.registry import MODEL_SUFFIX

        if text.endswith(MODEL_SUFFIX):
            return str(Path(text).expanduser().absolute())
    return text


def _check_part(key: str, settings: Settings) -> None:
    """Load the detector or policy whose name is being set: a name that stands for nothing is not written.

    Raises:
        UsageError: it stands for nothing.
        BadFile: the model file cannot be used.
    """
    if key == "detector.name":
        from detectors import registry as detector_registry

        detector_registry.load(settings.detector)
    elif key == "policy.name":
        from policies import registry as policy_registry

        policy_registry.load(settings.policy, settings.detector.base_rate)


def _tell_sent(key: str, settings: Settings) -> None:
    """Say what will be sent to whom, when somebody changes a model."""
    if not key.startswith(("local_model.", "strong_model.")):
        return
    from daemon.models.disclosure import describe_sent

    words = describe_sent(settings)
    told = (
        f"Sent from the next start on: {words}" if words else "With these settings nothing is sent; see: kairos doctor"
    )
    print(told, file=sys.stderr)


def write_value(path: Path, key: str, settings: Settings) -> None:
    """Write one key of `settings` to the file, keeping its comments and all else as it is."""
    import tomlkit

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    table, _, name = key.partition(".")
    if table not in document:
        document[table] = tomlkit.table()
    value = getattr(getattr(settings, table), name)
    section: Any = document[table]
    section[name] = list(value) if isinstance(value, tuple) else value
    beside = path.with_suffix(".new")
    beside.write_text(tomlkit.dumps(document), encoding="utf-8")
    beside.chmod(0o600)
    beside.replace(path)
