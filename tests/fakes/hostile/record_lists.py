"""Sessions as lists of records, one a line."""

import contextlib
import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from daemon.engine.engine import Engine
from detectors import registry as detector_registry
from policies.registry import load as load_policy
from storage.db.codec import canonical
from storage.records import is_derived
from storage.settings import setting_infos
from tests.fakes.hostile.commands import command, use_sessions
from tests.fakes.hostile.values import changed, damaged, dump, load, value
from tests.fakes.sessions.derived_session import SETTINGS, stuck_rows


@cache
def whole_session() -> tuple[str, ...]:
    return tuple(canonical(row) for row in stuck_rows())


@cache
def saved_policy() -> Mapping[str, object]:
    settings = SETTINGS.policy
    engine = Engine(
        detector=detector_registry.load(SETTINGS.detector), policy=load_policy(settings, 0.05), settings=SETTINGS
    )
    for row in stuck_rows():
        if not is_derived(row):
            engine.take(row, row.at_ns)
    return engine.saved_policy()


def record_list(rng: random.Random, folder: Path) -> None:
    """A list of records, imported; if that is accepted the session is verified, replayed and explained."""
    lines = list(whole_session()[: rng.choice((20, 120, 449))])
    if rng.random() < 0.3:  # without the first row everything is derived anew
        lines = lines[1:]
    for _ in range(rng.randint(1, 4)):
        _change_lines(rng, lines)
        if not lines:
            return
    raw = "\n".join(lines).encode()
    if rng.random() < 0.15:  # some are damaged too
        raw = damaged(rng, raw)
    path, sessions = folder / "list.jsonl", folder / "sessions"
    path.write_bytes(raw)
    command("sessions", "import", str(path), "--sessions", str(sessions))
    use_sessions(rng, sessions, uses=5)


def _change_lines(rng: random.Random, lines: list[str]) -> None:
    at = 0 if rng.random() < 0.4 else rng.randrange(len(lines))  # the first row holds the most
    match rng.randrange(8):
        case 0:
            del lines[at]
        case 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        case 2:
            gap_ns = rng.choice((10**9, 10**12, 10**15, 2**62))
            later = [load(line) for line in lines[at:]]
            lines[at:] = [dump(_moved(row, gap_ns)) for row in later]
        case 3:
            row = load(lines[0])
            info = setting_infos()[rng.choice(sorted(setting_infos()))]
            table, _, name = info.key.partition(".")
            with contextlib.suppress(TypeError, KeyError):  # it is no first row any more
                row["settings"][table][name] = rng.choice((info.low, info.high, info.default, value(rng)))
                lines[0] = dump(row)
        case 4:
            row = load(lines[0])
            if isinstance(row, dict) and "policy_state" in row:
                state: Any = {"saved": saved_policy(), "elapsed_ns": rng.choice((0, 10**12, value(rng)))}
                row["policy_state"] = changed(rng, changed(rng, state))
                lines[0] = dump(row)
        case _:
            lines[at] = dump(changed(rng, load(lines[at])))


def _moved(row: Any, gap_ns: int) -> Any:
    if isinstance(row, dict):
        for name in ("at_ns", "t_ns"):
            if isinstance(row.get(name), int):
                row[name] += gap_ns
    return row
