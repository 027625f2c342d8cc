"""Generated hostile input: settings files, lists of records, consent files and requests on the control socket.

Every variant follows from its family and its seed alone. Half of a family are valid inputs with a few things changed,
since nonsense from the first byte on is refused by the first check and tries nothing else.
"""

import contextlib
import io
import json
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from daemon.cli.main import main
from daemon.engine.engine import Engine
from daemon.runtime.control import parse_request
from daemon.runtime.core import Core
from detectors import registry as detector_registry
from policies.registry import load
from storage.codec import canonical
from storage.errors import KairosError
from storage.paths import config_file
from storage.records import is_derived
from storage.session.log import list_sessions
from storage.settings import Settings, setting_infos
from storage.state.store import read_consent
from tests.fakes.derived_session import SETTINGS, stuck_rows

LIMIT_S = 10
"""A variant that takes longer hangs."""

EXITS = (0, 1, 2, 3, 4)
"""Exit codes of a command that ended in order."""

NUMBERS: tuple[object, ...] = (
    0,
    -1,
    1,
    2**31,
    2**63 - 1,
    -(2**63),
    2**63,
    10**40,
    10**4400,
    0.0,
    -0.0,
    1e-320,
    1e9,
    1e308,
    float("inf"),
    float("nan"),
)
TEXTS = (
    "",
    "\0",
    "a\0b",
    "\ud800",
    "~nosuchuser/x",
    "../../../etc",
    "/",
    "%n%s",
    "é" * 3,
    "x" * 70_000,
    "[[[",
    "os:getcwd",
)


class HangError(BaseException):
    """A variant took too long. No `except Exception` on the way may swallow it."""


class Outside(BaseException):  # where it wrote
    """A variant wrote outside its folder."""


_watched: list[Path] = []
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGED: Mapping[str, tuple[tuple[int, int | None], ...]] = {
    "sqlite3.connect": ((0, None),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
}
"""For each event which arguments are the changed path and the folder that it is relative to."""


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise where a variant under way changes anything outside its folder."""
    if not _watched or (event not in _CHANGED and event != "open"):
        return
    if event == "open" and not arguments[2] & _WRITING:
        return
    for at, folder_at in _CHANGED.get(event, ((0, None),)):
        path, folder = arguments[at], -1 if folder_at is None else arguments[folder_at]
        if isinstance(path, int):
            continue
        text = os.fsdecode(path).removeprefix("file://").partition("?")[0]
        text = os.path.realpath(text if folder == -1 else f"/proc/self/fd/{folder}/{text}")
        inside = Path(text).is_relative_to(_watched[0])
        if not inside and "__pycache__" not in text and text != os.devnull:
            raise Outside(text)


sys.addaudithook(_audit)


@contextlib.contextmanager
def _limited(folder: Path) -> Iterator[None]:
    """Interrupt what hangs, and stop what writes outside `folder`."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    _watched.append(folder.resolve())
    try:
        yield
    finally:
        _watched.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def failures(family: str, seeds: range, folder: Path) -> list[str]:
    """Run variants of a family; return what each that failed did. `run_variant` with its seed does it again."""
    found = []
    for seed in seeds:
        own = folder / f"{family}-{seed}"
        own.mkdir()
        try:
            with _limited(own):
                run_variant(family, seed, own)
        except (Exception, HangError, Outside) as error:  # noqa: BLE001  # whatever it is, it is a finding
            found.append(f"run_variant({family!r}, {seed}, folder): {type(error).__name__}: {str(error)[:300]}")
    return found


def run_variant(family: str, seed: int, folder: Path) -> None:
    """Run one variant in an empty folder; what is no error of ours is raised."""
    FAMILIES[family](random.Random(f"{family} {seed}"), folder)


def _command(*words: str) -> int:
    """Run a command; raise unless it ends with an exit code of ours, and says why if it fails."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*words])
    if code not in EXITS or (code > 1 and not err.getvalue().startswith(("kairos: ", "reading "))):
        raise AssertionError(f"{words[0]} ended with {code}: {err.getvalue()[-300:]}")
    if "Traceback" in err.getvalue():
        raise AssertionError(err.getvalue()[-300:])
    return code


# ---------------------------------------------------------------- values


def _value(rng: random.Random) -> object:
    """Return a hostile value of JSON."""
    match rng.randrange(7):
        case 0 | 1:
            return rng.choice(NUMBERS)
        case 2 | 3:
            return rng.choice(TEXTS)
        case 4:
            return rng.choice((None, True, False))
        case 5:
            return _nested(rng.choice((1, 30, 200)))
        case _:
            return [rng.choice(NUMBERS) for _ in range(rng.choice((0, 3, 2_000)))]


def _nested(depth: int) -> object:
    value: object = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


@contextlib.contextmanager
def _any_digits() -> Iterator[None]:
    """Let Python write and read numbers of thousands of digits."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _dump(value: object) -> str:
    with _any_digits():
        return json.dumps(value)


def _load(line: str) -> Any:
    with _any_digits():
        return json.loads(line)


def _damaged(rng: random.Random, raw: bytes) -> bytes:
    """Return bytes with a few of them changed, cut out, or followed by others."""
    data = bytearray(raw)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[at : at + rng.randint(1, 200)]
            case 2:
                data[at:at] = rng.choice((b"[", b"{", b'"', b"\\u0000", b"\xff", b"9")) * rng.choice((1, 50, 20_000))
            case _:
                data[at:at] = data[at : at + rng.randint(1, 300)]
    return bytes(data)


def _changed(rng: random.Random, value: Any) -> Any:
    """Return a JSON value in which one thing, at any depth, is another."""
    if isinstance(value, dict) and value and rng.random() < 0.85:  # mostly deeper
        key = rng.choice(list(value))
        if rng.random() < 0.1:  # sometimes it is gone
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: _changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.7:  # likewise
        at = rng.randrange(len(value))
        return [*value[:at], _changed(rng, value[at]), *value[at + 1 :]]
    return _value(rng)


# ---------------------------------------------------------------- settings


def _toml(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value.replace("\ud800", "?")) if "\0" in value else f"'{value}'".replace("\ud800", "\\ud800")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return "''" if value is None else _dump(value).replace("Infinity", "inf").replace("NaN", "nan")


def _settings(rng: random.Random, folder: Path) -> None:
    """A settings file, as `config show`, `config set` and the interface read it."""
    infos = setting_infos()
    lines = []
    for key in rng.sample(sorted(infos), rng.randint(1, 6)):
        info = infos[key]
        in_range = [value for value in (info.low, info.high, info.default) if isinstance(value, (int, float, str))]
        value = rng.choice(in_range) if rng.random() < 0.6 else _value(rng)  # mostly in range
        lines.append(f"{key if rng.random() < 0.9 else key + '.x' * rng.choice((1, 99, 30_000))} = {_toml(value)}")
    raw = "\n".join(lines).encode(errors="surrogateescape")
    if rng.random() < 0.4:  # some are damaged
        raw = _damaged(rng, raw)
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    path = config_file()
    path.parent.mkdir(parents=True)
    match rng.randrange(40):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to(path)
        case _:
            path.write_bytes(raw)
    _command("config", "show")
    _command("config", "set", rng.choice(sorted(infos)), rng.choice(("1", "0.5", "true", "a,b", *TEXTS)))
    _command("config", "show", "--json")


# ---------------------------------------------------------------- sessions as lists of records


@cache
def _lines() -> tuple[str, ...]:
    """Return a whole session as canonical lines."""
    return tuple(canonical(row) for row in stuck_rows())


@cache
def _saved_policy() -> Mapping[str, object]:
    """Return what the policy remembers after that session."""
    settings = SETTINGS.policy
    engine = Engine(detector=detector_registry.load(SETTINGS.detector), policy=load(settings, 0.05), settings=SETTINGS)
    for row in stuck_rows():
        if not is_derived(row):
            engine.take(row, row.at_ns)
    return engine.saved_policy()


def _session(rng: random.Random, folder: Path) -> None:
    """A list of records, imported; if that is accepted the session is verified, replayed and explained."""
    lines = list(_lines()[: rng.choice((20, 120, 449))])
    if rng.random() < 0.3:  # without the first row everything is derived anew
        lines = lines[1:]
    for _ in range(rng.randint(1, 4)):
        _change_lines(rng, lines)
        if not lines:
            return
    raw = "\n".join(lines).encode()
    if rng.random() < 0.15:  # some are damaged too
        raw = _damaged(rng, raw)
    path, sessions = folder / "list.jsonl", folder / "sessions"
    path.write_bytes(raw)
    _command("sessions", "import", str(path), "--sessions", str(sessions))
    for session in list_sessions(sessions):
        _command("sessions", "list", "--sessions", str(sessions))
        _command("sessions", "verify", str(session))
        _command("sessions", "show", str(session))
        _command("why", "--session", str(session))
        _command("replay", str(session), "--check", "--workers", "1")
        _command("replay", str(session), "--policy", rng.choice(("always", "random", "utility")), "--workers", "1")


def _change_lines(rng: random.Random, lines: list[str]) -> None:
    """Change, move, repeat or leave out one row."""
    at = 0 if rng.random() < 0.4 else rng.randrange(len(lines))  # the first row holds the most
    match rng.randrange(8):
        case 0:
            del lines[at]
        case 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        case 2:
            gap_ns = rng.choice((10**9, 10**12, 10**15, 2**62))
            later = [_load(line) for line in lines[at:]]
            lines[at:] = [_dump(_moved(row, gap_ns)) for row in later]
        case 3:
            row = _load(lines[0])
            info = setting_infos()[rng.choice(sorted(setting_infos()))]
            table, _, name = info.key.partition(".")
            with contextlib.suppress(TypeError, KeyError):  # it is no first row any more
                row["settings"][table][name] = rng.choice((info.low, info.high, info.default, _value(rng)))
                lines[0] = _dump(row)
        case 4:
            row = _load(lines[0])
            if isinstance(row, dict) and "policy_state" in row:
                state: Any = {"saved": _saved_policy(), "elapsed_ns": rng.choice((0, 10**12, _value(rng)))}
                row["policy_state"] = _changed(rng, _changed(rng, state))
                lines[0] = _dump(row)
        case _:
            lines[at] = _dump(_changed(rng, _load(lines[at])))


def _moved(row: Any, gap_ns: int) -> Any:
    if isinstance(row, dict):
        for name in ("at_ns", "t_ns"):
            if isinstance(row.get(name), int):
                row[name] += gap_ns
    return row


# ---------------------------------------------------------------- consent files and requests


def _consent(rng: random.Random, folder: Path) -> None:
    """A consent file."""
    path = folder / "consent.json"
    facts: Any = {
        "journal": True,
        "recording": False,
        "given_at_wall_ns": 1_700_000_000 * 10**9,
        "quiet_first_day": True,
    }
    for _ in range(rng.randint(0, 3)):
        facts = _changed(rng, facts)
    raw = _dump(facts).encode()
    if rng.random() < 0.4:  # some are damaged
        raw = _damaged(rng, raw)
    match rng.randrange(20):
        case 0:
            os.mkfifo(path)
        case 1:
            path.symlink_to(path)
        case 2:
            path = folder / rng.choice(("a\0b", "x" * 300, "none"))
        case _:
            path.write_bytes(raw)
    with contextlib.suppress(KairosError):
        read_consent(path)


def _request(rng: random.Random, folder: Path) -> None:
    """A line on the control socket, up to what the core makes of it."""
    command = rng.choice(("status", "pause", "resume", "forget", "unmute"))
    request: Any = {"v": 1, "command": command, "seconds": 5, "topic": "x", "mutes": True}
    for _ in range(rng.randint(0, 3)):
        request = _changed(rng, request)
    line = _dump(request).encode()
    if rng.random() < 0.4:  # some are damaged
        line = _damaged(rng, line)
    core = Core(settings=Settings(), sessions_dir=folder / "sessions", state_file=folder / "state.db")
    with contextlib.suppress(KairosError):
        parsed = parse_request(line[: 64 << 10])
        json.dumps(core._handle(parsed["command"], parsed)).encode()


FAMILIES: Mapping[str, Callable[[random.Random, Path], None]] = {
    "settings": _settings,
    "session": _session,
    "consent": _consent,
    "request": _request,
}
