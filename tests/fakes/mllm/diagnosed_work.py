"""Trajectories with pictures that all differ, and models that judge them by rule."""

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import simplejpeg

from daemon.diagnosis.model_diagnosis.case import Case
from daemon.history.trajectory.trajectory import Step, StepAction, Target, Trajectory
from detectors.mllm.questions import FailureReason, ModelQuery
from storage.errors import BadFile

EDGES = (4, 9)
"""Where the ruled model cuts: after these steps."""


def jpeg_of(name: str) -> bytes:
    seed = zlib.crc32(name.encode())
    pixels = np.random.default_rng(seed).integers(0, 255, (8, 12, 3), dtype=np.uint8)
    found: bytes = simplejpeg.encode_jpeg(pixels, quality=90)
    return found


@dataclass(slots=True)
class MadePictures:
    """Pictures by name; `changed` ones look different, `missing` ones are lost."""

    changed: dict[str, str] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def read(self, name: str) -> bytes:
        if name in self.missing:
            raise BadFile("lost")
        return jpeg_of(self.changed.get(name, name))


def work(count: int = 12, *, pictures: bool = True, goal: str | None = "Make the title bold") -> Trajectory:
    """Return a trajectory of so many clicks, with s0 to sn as pictures."""

    def name(number: int) -> str | None:
        return f"s{number}.jpg" if pictures else None

    steps = tuple(
        Step(
            number=number,
            at_s=float(number),
            app="writer",
            action=StepAction(verb="click"),
            target=Target(name=f"Button {number}", role="button"),
            before=name(number - 1),
            after=name(number),
        )
        for number in range(1, count + 1)
    )
    return Trajectory(
        key="t", source="made", whose="agent", app="writer", goal=goal, steps=steps, last_picture=name(count)
    )


def case(count: int = 12, *, shown: bool = True, **pictures: Any) -> Case:
    return Case(trajectory=work(count, pictures=shown), pictures=MadePictures(**pictures), task="Make the title bold")


def cut(count: int, edges: tuple[int, ...] = EDGES) -> dict[str, object]:
    ends = [edge for edge in edges if edge < count] + [count]
    firsts = [1, *(end + 1 for end in ends[:-1])]
    return {
        "segments": [
            {"first": first, "last": last, "goal": f"part {number}"}
            for number, (first, last) in enumerate(zip(firsts, ends, strict=True), start=1)
        ]
    }


@dataclass(slots=True)
class Ruled:
    """A rule for `tests.fakes.mllm.model_queries.RuledModel`: what it says of each kind of inquiry."""

    count: int = 12
    verdicts: Mapping[str, Mapping[str, object] | FailureReason] = field(default_factory=dict)

    def __call__(self, query: ModelQuery) -> Mapping[str, object] | FailureReason:
        kind = query.questions[0].key
        return self.verdicts.get(kind) or ANSWERS[kind] if kind != "segments" else self._segments()

    def _segments(self) -> Mapping[str, object] | FailureReason:
        return self.verdicts.get("segments") or cut(self.count)


ANSWERS: Mapping[str, Mapping[str, object]] = {
    "subtask": {"reasoning": "It went well.", "verdict": "success", "root_cause": "", "problems": []},
    "decision": {"reached": True},
    "summary": {"reasoning": "All was done.", "verdict": "success"},
    "whole": {"verdict": "success"},
    "final": {"reasoning": "The title is bold.", "verdict": "success"},
    "points": {"points": ["the title is bold"]},
    "relevance": {"reasoning": "It shows the title.", "score": 4},
    "key_frames": {"reasoning": "It is bold.", "verdict": "success"},
    "plan": {"subtasks": ["select the title", "make it bold"]},
    "alignment": {
        "reasoning": "Both were done.",
        "subtasks": [{"subtask": 1, "reached": True}, {"subtask": 2, "reached": True}],
        "verdict": "success",
    },
    "criteria": {"reasoning": "It is.", "criteria": [{"text": "the title is bold", "steps": [12], "met": True}]},
    "quality": {"reasoning": "Coherent.", "score": 5},
    "goal": {"steps": ["x"] * 12, "goal": "Make the title bold"},
}
"""What a contented model says."""


def write_plain(folder: Path, count: int = 12, *, goal: str | None = "Make the title bold", key: str = "t") -> Path:
    made = work(count, goal=goal)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count + 1):
        (folder / f"s{number}.jpg").write_bytes(jpeg_of(f"s{number}.jpg"))
    head = {
        "trajectory": 1,
        "key": key,
        "source": "made",
        "app": "writer",
        "goal": goal,
        "last_picture": made.last_picture,
    }
    rows = [head] + [
        {
            "number": step.number,
            "at_s": step.at_s,
            "app": step.app,
            "action": {"verb": "click"},
            "target": {"name": step.target.name, "role": "button"} if step.target else None,
            "before": step.before,
            "after": step.after,
        }
        for step in made.steps
    ]
    path = folder / f"{key}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def judging_rule(schema: Mapping[str, Any], text: str) -> Mapping[str, object]:
    """Answer as `Ruled` does, at a server: what is asked is told by the names of the answer."""
    names = tuple(schema["properties"])
    if names == ("segments",):
        found = re.search(r"Divide these (\d+) actions", text)
        return cut(int(found[1]) if found else 1)
    if names == ("steps", "goal"):
        steps = text.partition("The steps, in order:\n")[2].partition("\n\n")[0]
        count = len(re.findall(r"^\d+\. ", steps, re.MULTILINE))
        return {"steps": ["x"] * min(count, 60), "goal": "Make the title bold"}
    return next(facts for facts in ANSWERS.values() if tuple(facts) == names)
