"""Reads, checks and changes the settings file (TOML, one table per class of `storage.settings`).

An unknown key is an error that names the nearest one: a silently ignored `excluded_app` would break a promise.
"""

import difflib
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_origin

from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.files import config_file, decode_text, hold_lock, open_regular, private_file
from storage.settings import RETIRED, SettingInfo, Settings, get_value, recorded_settings, replace_value, setting_infos
from storage.translation import phrase, translatable

MAX_FILE_BYTES = 256 << 10
"""A larger settings file is a mistake."""

TRIES = 5
"""How often a change begins anew because somebody else has written the file meanwhile."""

MAX_SHOWN = 60
"""Characters of a wrong value or name that a message shows."""

_KINDS = {
    float: phrase("a number"),
    int: phrase("a whole number"),
    bool: phrase("true or false"),
    str: phrase("a text"),
}


_NO_ADDRESS = re.compile(
    r"[@?#;=\\]|%[2-7][0-9a-f]"
    r"|(?<![a-z0-9])(?:(?:sk|pk|xai)-(?:[a-z0-9]{1,8}-){0,2}|(?:gsk|hf|ghp)_|(?-i:AIza|eyJ))(?=[a-z_]{0,99}\d)\w{12}"
    r"|(?-i:(?<!\w)(?=\w*[A-Z])(?=\w*[a-z])(?=\d*(?:[A-Za-z_]+\d+){3})\w{24})",
    re.IGNORECASE,
)
"""What an address alone never holds: a name or question, and what keys begin with or are made of."""

_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")


def settings_hash(settings: Settings) -> str:
    """Return a short hash of the settings as a session holds them, to tell sessions apart.

    What a person wrote does not count, and of what they excluded only the number: whoever reads the hash could try
    names until it fits.
    """
    text = json.dumps(recorded_settings(asdict(settings)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_settings(path: Path | None = None, overrides: Iterable[str] = ()) -> Settings:
    """Return the defaults changed by the settings file and by `TABLE.KEY=VALUE` overrides.

    Raises:
        UsageError: the file is not TOML; a table or key does not exist; a value is out of range or exceeds another.
    """
    path = config_file() if path is None else path
    settings = read_file(path)
    check_order(settings, where=str(path))
    for override in overrides:
        key, sign, value = override.partition("=")
        if not sign:
            raise UsageError(
                translatable("--set wants KEY=VALUE, not {override}", override=repr(override)),
                remedy=translatable("example: --set policy.cooldown_s=600"),
            )
        settings = with_value(settings, key.strip(), value.strip(), where="--set")
    check_order(settings, where="--set")
    return settings


def read_file(path: Path) -> Settings:
    """Return what the file says, each value checked alone: values that cross can then be corrected one by one.

    Raises:
        UsageError: the file is no plain file, or not TOML; a table or key does not exist; a value is out of range.
        EnvironmentFault: the file cannot be read.
    """
    text = _read_text(path)
    try:
        tables = parse_toml(text)
    except ValueError as error:
        raise _invalid(path, str(error)) from error
    return from_mapping(tables, where=str(path))


def _read_text(path: Path) -> str:
    try:
        os.lstat(path)  # a link that leads nowhere, or a folder that is closed, is no leave to forget what is excluded
        with open_regular(path, follow_links=True) as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except BadFile as error:
        if isinstance(error.__cause__, OSError):
            raise EnvironmentFault(error.what, remedy=translatable("see who may read the settings file")) from error
        raise _invalid(path, phrase("it is not a plain file")) from error
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be read: {why}", path=path, why=os_words(error)),
            remedy=translatable("see who may read it"),
        ) from error
    if len(raw) > MAX_FILE_BYTES:
        raise _invalid(path, translatable("it is larger than {limit} kB", limit=MAX_FILE_BYTES >> 10))
    try:
        return decode_text(raw).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise _invalid(path, phrase("it is not UTF-8")) from error


def _invalid(path: Path, why: str) -> UsageError:
    return UsageError(
        translatable("{path} is not a valid settings file: {why}", path=path, why=why),
        remedy=translatable("correct or remove it"),
    )


def from_mapping(tables: Mapping[str, Any], *, where: str) -> Settings:
    """Return settings from tables of plain values, as in a settings file or a session's first row.

    Raises:
        UsageError: a table or key does not exist, or a value is out of range.
    """
    settings = Settings()
    for table, values in tables.items():
        if not isinstance(values, Mapping):
            raise UsageError(
                _at(where, translatable("{table} is not a table", table=_shown(table))),
                remedy=translatable("write it as [table] and key = value"),
            )
        for name, value in values.items():
            if f"{table}.{name}" in RETIRED:
                continue
            settings = _replaced(settings, setting_info(f"{table}.{name}", where=where), value, where=where)
    return settings


def with_value(settings: Settings, key: str, value: object, *, where: str) -> Settings:
    """Return settings with one key changed; a text is read as the value that it stands for.

    `where` names the source of the value in errors.

    Raises:
        UsageError: the key does not exist or the value is out of range.
    """
    info = setting_info(key, where=where, kind=type(settings))
    return _replaced(settings, info, _parsed(value, info.kind) if isinstance(value, str) else value, where=where)


def with_default(settings: Settings, key: str, *, where: str) -> Settings:
    """Return settings with one key as it is without a file.

    Raises:
        UsageError: the key does not exist.
    """
    info = setting_info(key, where=where, kind=type(settings))
    return _replaced(settings, info, info.default, where=where)


def check_order(settings: Settings, *, where: str, key: str = "") -> None:
    """Check that no setting exceeds the one that limits it (`SettingInfo.at_most`).

    Args:
        settings: all of them.
        where: the file or option they come from, named in the error.
        key: check only the pairs that this setting is part of; any other was wrong before it was changed.

    Raises:
        UsageError: one exceeds its limit.
    """
    for info in setting_infos().values():
        if not info.at_most or key not in ("", info.key, info.at_most):
            continue
        low, high = get_value(settings, info.key), get_value(settings, info.at_most)
        if low > high:
            raise UsageError(
                _at(
                    where,
                    translatable(
                        "{key} ({low:g}) is greater than {at_most} ({high:g})",
                        key=info.key,
                        low=low,
                        at_most=info.at_most,
                        high=high,
                    ),
                ),
                remedy=translatable(
                    "lower {key} or raise {at_most}; what they mean: docs/settings.md",
                    key=info.key,
                    at_most=info.at_most,
                ),
            )


def _at(where: str, what: str) -> str:
    """Return what is wrong with the file or option that it is in; the settings window itself needs no naming."""
    return translatable("{where}: {what}", where=where, what=what) if where else what


def write_value(path: Path, key: str, settings: Settings) -> None:
    """Write one key of `settings` to the file, leaving comments and everything else as they are.

    What else somebody has changed in the file since `settings` were read stays, too.

    Raises:
        UsageError: the file is not one that this can be written into.
        EnvironmentFault: the file cannot be written.
    """
    import tomlkit

    table, _, name = key.partition(".")
    value = get_value(settings, key)

    def change(document: Any) -> None:
        if table not in document:
            document[table] = tomlkit.table()
        document[table][name] = list(value) if isinstance(value, tuple) else value

    _edit(path, key, change)


def remove_value(path: Path, key: str) -> None:
    """Take one key out of the file, so that its default holds; comments and everything else stay.

    Raises:
        UsageError: the file is not one that this can be written into.
        EnvironmentFault: the file cannot be written.
    """
    table, _, name = key.partition(".")

    def change(document: Any) -> None:
        if table in document and name in document[table]:
            del document[table][name]

    _edit(path, key, change)


def _edit(path: Path, key: str, change: Callable[[Any], None]) -> None:
    """Change the file as it stands: anew if somebody else has changed it while we did."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # an editor knows nothing of the lock, so the file is compared as well
        with hold_lock(path.parent.resolve(), folder=True, waits=True):
            for _ in range(TRIES):
                before = _read_text(path)
                try:
                    document = tomlkit.parse(before)
                    change(document)
                    text = tomlkit.dumps(document)
                except (TOMLKitError, RecursionError, ValueError, TypeError) as error:
                    raise _invalid(
                        path, translatable("{key} cannot be written into it as it is laid out", key=key)
                    ) from error
                if text == before:
                    return
                target = Path(os.path.realpath(path))  # a link stays one
                new = target.with_suffix(".new")
                new.unlink(missing_ok=True)  # whatever it is: a pipe would make us wait
                private_file(new).write_text(text, encoding="utf-8")
                if _read_text(path) == before:
                    new.replace(target)
                    return
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be written: {why}", path=path, why=os_words(error)),
            remedy=translatable("see who may write it"),
        ) from error
    raise EnvironmentFault(
        translatable("{path} changes all the time, so nothing was written", path=path),
        remedy=translatable("close what writes it"),
    )


def setting_info(key: str, *, where: str, kind: type[Settings] = Settings) -> SettingInfo:
    """Return what is declared of a setting.

    Raises:
        UsageError: there is none of this name; it names one that is similar.
    """
    infos = setting_infos(kind)
    if key not in infos:
        near = difflib.get_close_matches(key[:MAX_SHOWN], infos, n=1, cutoff=0.5)
        remedy = translatable("did you mean {near}?", near=near[0]) if near else translatable("see: kairos config show")
        raise UsageError(_at(where, translatable("there is no setting {key}", key=_shown(key))), remedy=remedy)
    return infos[key]


def _parsed(text: str, kind: Any) -> object:
    """Return the value that a text stands for; the text itself where it is no value of that type."""
    if get_origin(kind) is tuple:
        return _parsed_list(text)
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _parsed_list(text: str) -> object:
    """Return the entries of a text: `one, two`, or a list as it stands in the file; else the text."""
    if not text.lstrip().startswith("["):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    try:
        value: object = parse_toml(f"list = {text}")["list"]
    except ValueError:
        return text
    return value


def _shown(value: object) -> str:
    """Return a wrong value for a message: never pages of it, and nothing that is nested."""
    if isinstance(value, Mapping):
        return phrase("a table")
    if isinstance(value, (list, tuple)):
        return phrase("a list")
    if isinstance(value, int) and abs(value) >= 10**MAX_SHOWN:
        return phrase("a number with that many digits")
    text = repr(value[: MAX_SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= MAX_SHOWN + 2 else f"{text[:MAX_SHOWN]}..."


def _is_plain(value: object) -> bool:
    """Return whether a value is a text that can be a path and be written down: UTF-8 without NUL characters."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def _replaced(settings: Settings, info: SettingInfo, value: object, *, where: str) -> Settings:
    wanted: str = _KINDS.get(info.kind, phrase("a list of texts"))
    if get_origin(info.kind) is tuple:
        fits = isinstance(value, (list, tuple)) and all(map(_is_plain, value))
        value = tuple(value) if isinstance(value, (list, tuple)) else value
    elif info.kind in (int, float):
        numbers = (int, float) if info.kind is float else int
        fits = isinstance(value, numbers) and not isinstance(value, bool) and info.low <= value <= info.high
        value = info.kind(value) if fits else value
        wanted = translatable("{kind} from {low:,.10g} to {high:,.10g}", kind=wanted, low=info.low, high=info.high)
    elif info.kind is str:
        fits = _is_plain(value)
        if isinstance(value, str):
            wanted = phrase("a text of UTF-8 without NUL")
        if fits and info.choices and not info.others:
            fits, wanted = value in info.choices, translatable("one of {choices}", choices=", ".join(info.choices))
    else:
        fits = isinstance(value, info.kind)
    if not fits:
        raise UsageError(
            _at(
                where,
                translatable("{key} wants {wanted}, not {value}", key=info.key, wanted=wanted, value=_shown(value)),
            ),
            remedy=translatable("what it means: docs/settings.md; what is in force: kairos config show"),
        )
    if info.key.endswith(".url") and _NO_ADDRESS.search(str(value)):
        raise UsageError(  # and nothing of it: what is too much may be a secret
            _at(where, translatable("{key} holds more than an address: a name, password or key", key=info.key)),
            remedy=translatable("give the address alone, without @, ? and #, and say with key_name where the key is"),
        )
    return replace_value(settings, info.key, value)


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
