"""Settings files, consent files and requests on the control socket."""

import contextlib
import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from daemon.runtime.commands import Commands
from daemon.runtime.control import parse_request
from daemon.runtime.core import Core
from storage.errors import KairosError
from storage.files import config_file
from storage.settings import Settings, setting_infos
from storage.state.store import read_consent
from tests.fakes.hostile.commands import command
from tests.fakes.hostile.values import ODDITIES, TEXTS, changed, damaged, dump, value


def _toml(item: object) -> str:
    if isinstance(item, str):
        return json.dumps(item.replace("\ud800", "?")) if "\0" in item else f"'{item}'".replace("\ud800", "\\ud800")
    if isinstance(item, (list, tuple)):
        return f"[{', '.join(map(_toml, item))}]"
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(part)}" for key, part in item.items()) + "}"
    return "''" if item is None else dump(item).replace("Infinity", "inf").replace("NaN", "nan")


def settings_file(rng: random.Random, folder: Path) -> None:
    """A settings file, as `config show`, `config set` and the interface read it."""
    infos = setting_infos()
    lines = []
    for key in rng.sample(sorted(infos), rng.randint(1, 6)):
        info = infos[key]
        in_range = [value for value in (info.low, info.high, info.default) if isinstance(value, (int, float, str))]
        wanted = rng.choice(in_range) if rng.random() < 0.6 else value(rng)  # mostly in range
        lines.append(f"{key if rng.random() < 0.9 else key + '.x' * rng.choice((1, 99, 30_000))} = {_toml(wanted)}")
    raw = "\n".join(lines).encode(errors="surrogateescape")
    if rng.random() < 0.4:  # some are damaged
        raw = damaged(rng, raw)
    os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_RUNTIME_DIR"] = str(folder)
    path = config_file()
    path.parent.mkdir(parents=True)
    if rng.randrange(40) < len(ODDITIES):
        rng.choice(ODDITIES)(path)
    else:
        path.write_bytes(raw)
    command("config", "show")
    command("config", "set", rng.choice(sorted(infos)), rng.choice(("1", "0.5", "true", "a,b", *TEXTS)))
    command("config", "show", "--json")


def consent_file(rng: random.Random, folder: Path) -> None:
    """A consent file."""
    path = folder / "consent.json"
    facts: Any = {
        "journal": True,
        "recording": False,
        "given_at_wall_ns": 1_700_000_000 * 10**9,
        "quiet_first_day": True,
    }
    for _ in range(rng.randint(0, 3)):
        facts = changed(rng, facts)
    raw = dump(facts).encode()
    if rng.random() < 0.4:  # some are damaged
        raw = damaged(rng, raw)
    match rng.randrange(20):
        case 0 | 1:
            rng.choice(ODDITIES)(path)
        case 2:
            path = folder / rng.choice(("a\0b", "x" * 300, "none"))
        case _:
            path.write_bytes(raw)
    with contextlib.suppress(KairosError):
        read_consent(path)


def control_request(rng: random.Random, folder: Path) -> None:
    """A line on the control socket, up to what the core makes of it."""
    named = rng.choice(("status", "pause", "resume", "forget", "unmute"))
    request: Any = {"v": 1, "command": named, "seconds": 5, "topic": "x", "mutes": True}
    for _ in range(rng.randint(0, 3)):
        request = changed(rng, request)
    line = dump(request).encode()
    if rng.random() < 0.4:  # some are damaged
        line = damaged(rng, line)
    core = Core(settings=Settings(), sessions_dir=folder / "sessions", state_file=folder / "state.db")
    with contextlib.suppress(KairosError):
        parsed = parse_request(line[: 64 << 10])
        json.dumps(Commands(core).handle(parsed["command"], parsed)).encode()
