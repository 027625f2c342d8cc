"""Judges offers by what the scripted user did: onset of need, breaks, false offers, and how late the script was.

Pure functions of the script's own log (`demo.virtual_desktop.hands`, `demo.user`); nothing comes from the
assistant. All times are wall-clock nanoseconds, which the script and a session share.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storage.errors import BadFile

BREAK_NS = 900_000_000
"""A break is about a second without input; the missing tenth allows for the delay until an event is counted."""

FAILURES = 2  # need begins when so many attempts at the same thing have failed
_INPUT = frozenset({"key", "button", "release", "scroll", "move", "moved"})

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTimeline:
    """What happened according to the script; `onset_ns` and `need_end_ns` are None where there was no need."""

    begin_ns: int
    stuck_ns: int | None
    onset_ns: int | None
    need_end_ns: int | None
    end_ns: int
    input: tuple[tuple[int, int], ...]
    late_ms: tuple[float, ...]

    def seconds(self, wall_ns: int) -> float:
        """Return seconds since the script began."""
        return round((wall_ns - self.begin_ns) / 1e9, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferJudgement:
    """When an offer came, and whether it was right."""

    at_s: float
    delay_from_onset_s: float | None
    at_break: bool
    false: bool


def read_script(path: Path) -> list[Line]:
    """Read a script's log.

    Raises:
        BadFile: it is not one.
    """
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise BadFile(f"{path} is not the log of a script: {error}") from error


def parse_script(lines: Sequence[Line]) -> ScriptTimeline:
    """Return the timeline in a script's log.

    Raises:
        BadFile: it does not say when work began.
    """
    phases = {line["name"]: int(line["wall_ns"]) for line in lines if line["kind"] == "phase"}
    if not phases:
        raise BadFile("the log of the script does not say when work began")
    onset_ns = _onset(lines)
    return ScriptTimeline(
        begin_ns=min(phases.values()),
        stuck_ns=phases.get("stuck"),
        onset_ns=onset_ns,
        need_end_ns=_need_end(lines, onset_ns),
        end_ns=int(lines[-1]["wall_ns"]),
        input=tuple(_spans(lines)),
        late_ms=tuple(float(line["late_ms"]) for line in lines if "late_ms" in line),
    )


def judge_offer(timeline: ScriptTimeline, shown_ns: int) -> OfferJudgement:
    """Judge an offer that was shown at `shown_ns`: false is one before the onset of need, or after need had ended."""
    needed = timeline.onset_ns is not None and timeline.onset_ns <= shown_ns
    over = timeline.need_end_ns is not None and shown_ns > timeline.need_end_ns
    return OfferJudgement(
        at_s=timeline.seconds(shown_ns),
        delay_from_onset_s=None if timeline.onset_ns is None else round((shown_ns - timeline.onset_ns) / 1e9, 3),
        at_break=is_break(timeline, shown_ns),
        false=not needed or over,
    )


def is_break(timeline: ScriptTimeline, moment_ns: int) -> bool:
    """Return whether the hands had been still for about a second: no key, button or wheel, no pointer on its way."""
    return all(end_ns <= moment_ns - BREAK_NS or begin_ns > moment_ns for begin_ns, end_ns in timeline.input)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of the values do not exceed; 0 if there are none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _onset(lines: Sequence[Line]) -> int | None:
    """Return when a second attempt at the same thing failed; a success in between starts the count anew."""
    failed: dict[str, int] = {}
    for line in lines:
        if line["kind"] != "attempt":
            continue
        if line["outcome"] != "failed":
            failed.pop(line["thing"], None)
            continue
        failed[line["thing"]] = failed.get(line["thing"], 0) + 1
        if failed[line["thing"]] == FAILURES:
            return int(line["wall_ns"])
    return None


def _need_end(lines: Sequence[Line], onset_ns: int | None) -> int | None:
    """Return when an attempt succeeded or was given up after the onset."""
    if onset_ns is None:
        return None
    for line in lines:
        if line["kind"] == "attempt" and line["outcome"] != "failed" and line["wall_ns"] >= onset_ns:
            return int(line["wall_ns"])
    return None


def _spans(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Return when the hands were busy, from and to: moments, and the ways of the pointer."""
    spans = []
    leaving_ns: int | None = None
    for line in lines:
        if line["kind"] not in _INPUT:
            continue
        now_ns = int(line["wall_ns"])
        begin_ns = leaving_ns if line["kind"] == "moved" and leaving_ns is not None else now_ns
        spans.append((begin_ns, now_ns))
        leaving_ns = now_ns if line["kind"] == "move" else None
    return spans
