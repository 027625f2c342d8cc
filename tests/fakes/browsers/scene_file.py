"""Scenes of a real desktop as a JSON file: what the fence was given, in order, and what each window really was.

A window that did not change is stored once. Times count from the first scene. Left out are facts of a window that equal
their defaults, and the window manager's own windows of a few pixels.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from daemon.capture.scene import DesktopWindow, Scene, WindowKind
from storage.records import Box

_FEW = 3
_SETS = ("leaders", "program")


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneFile:
    """What is stored: `about` says of which programs; `labels` name for each client what the script opened."""

    about: str
    labels: Mapping[int, str]
    scenes: tuple[Scene, ...]


@dataclass
class SceneLog:
    """Collects scenes as the capture thread takes them, and labels the clients that appear."""

    scenes: list[Scene] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)

    def seen(self) -> dict[int, DesktopWindow]:
        return {window.client: window for scene in list(self.scenes) for window in (*scene.windows, *scene.hidden)}


def write_scenes(file: Path, about: str, log: SceneLog) -> None:
    """Write a log of scenes; windows that carry no label are kept without one."""
    known: dict[DesktopWindow, int] = {}
    first_ns = log.scenes[0].t_ns
    rows: list[dict[str, Any]] = []
    for scene in log.scenes:
        row: dict[str, Any] = {"t_ns": scene.t_ns - first_ns}
        for part in ("windows", "hidden"):
            shifted = [
                _shifted(window, -first_ns) for window in getattr(scene, part) if window.pid or window.box.w > _FEW
            ]
            row[part] = [known.setdefault(window, len(known)) for window in shifted]
        row |= {"active": scene.active, "focused": sorted(scene.focused)}
        row |= {name: getattr(scene, name) for name in ("managed", "compositor", "redirected", "draws_active_whole")}
        rows.append(row)
    lines = [f'{{"about": {json.dumps(about)},']
    lines.append(f'"labels": {json.dumps({str(client): label for client, label in sorted(log.labels.items())})},')
    lines.append('"windows": [\n' + ",\n".join(json.dumps(_facts(window)) for window in known) + "\n],")
    lines.append('"scenes": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n")
    file.write_text("\n".join(lines), encoding="utf-8")


def read_scenes(file: Path) -> SceneFile:
    """Read what `write_scenes` wrote; the first scene is a day after the clock's zero."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    first_ns = 86_400 * 1_000_000_000
    windows = [_shifted(_window(facts), first_ns) for facts in stored["windows"]]
    scenes = tuple(
        Scene(
            t_ns=row["t_ns"] + first_ns,
            windows=tuple(windows[number] for number in row["windows"]),
            hidden=tuple(windows[number] for number in row["hidden"]),
            active=row["active"],
            focused=frozenset(row["focused"]),
            managed=row["managed"],
            compositor=row["compositor"],
            redirected=row.get("redirected", row["compositor"]),
            draws_active_whole=row["draws_active_whole"],
        )
        for row in stored["scenes"]
    )
    labels = {int(client): label for client, label in stored["labels"].items()}
    return SceneFile(about=stored["about"], labels=labels, scenes=scenes)


def _shifted(window: DesktopWindow, by_ns: int) -> DesktopWindow:
    """Move when a window appeared; 0 means before it could be seen."""
    inside = tuple(_shifted(part, by_ns) for part in window.embedded)
    return replace(window, since_ns=window.since_ns + by_ns if window.since_ns else 0, embedded=inside)


def _facts(window: DesktopWindow) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for item in fields(window):
        value = getattr(window, item.name)
        if item.default is not MISSING and value == item.default:
            continue
        if item.name in _SETS:
            value = sorted(value)
        elif item.name == "embedded":
            value = [_facts(part) for part in value]
        facts[item.name] = value
    return facts


def _window(facts: Mapping[str, Any]) -> DesktopWindow:
    values = dict(facts) | {"box": Box(*facts["box"])}
    values |= {name: frozenset(facts[name]) for name in _SETS if name in facts}
    values |= {
        "kind": WindowKind(facts.get("kind", WindowKind.PROGRAM)),
        "connected": tuple(facts.get("connected", ())),
    }
    values.setdefault("ordinary_profile", True)  # the older recordings are of new profiles
    inside: Sequence[Mapping[str, Any]] = facts.get("embedded", ())
    return DesktopWindow(**values | {"embedded": tuple(map(_window, inside))})
