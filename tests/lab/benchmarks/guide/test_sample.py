"""The sample that lies beside the benchmark: small, sound, with all nine states, and nothing of where it was made."""

import re
from pathlib import Path

import pytest

from lab.benchmarks.guide.benchmark import SAMPLE
from lab.benchmarks.guide.loaders import load_sessions
from lab.benchmarks.guide.questions import CONTEXTS, GuidePlan, items_of
from storage.records import State
from storage.session.verify import verify

MAX_BYTES = 3_000_000
DESKTOP = re.compile(rb"/tmp/kairos-desktop-\w+/")
"""Where a virtual desktop keeps its files; one program tells it in its title."""

MAKER = re.compile(rb"/(home|root|tmp|work|Users)/")


def folders() -> list[Path]:
    """Return the folders of the sample's sessions."""
    return sorted(path.parent for path in SAMPLE.glob("*/labels.jsonl"))


def test_it_is_small_and_its_clips_have_all_states() -> None:
    """At most 3 MB, four programs, nine states, and clips in which help is needed and others."""
    data = load_sessions(SAMPLE)
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) <= MAX_BYTES
    assert {clip.behavior for clip in data.clips} == set(State)
    assert len({clip.app for clip in data.clips}) == len(data.videos) == 4
    assert {clip.need for clip in data.clips} == {True, False}
    assert data.notes == ()


def test_every_task_and_context_is_asked_of_it() -> None:
    """No intent or help of it is missing from the table of meanings, so each choice has its distractors."""
    data = load_sessions(SAMPLE)
    asked = {(item.task, item.context) for clip in data.clips for item in items_of(clip, GuidePlan())}
    assert asked == {(task, context) for task, contexts in CONTEXTS.items() for context in contexts}
    assert all(clip.intent is not None for clip in data.clips)
    assert all((clip.content is not None) is clip.need for clip in data.clips)


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: str(folder.name))
def test_each_session_is_sound_and_says_nothing_of_its_maker(folder: Path) -> None:
    """Rows and pictures fit together; no path of a machine is in them."""
    report = verify(folder / "session")
    assert report.ok, report.problems
    for path in (folder / "session" / "session.db", folder / "labels.jsonl", folder / "about.json"):
        assert MAKER.search(DESKTOP.sub(b"", path.read_bytes())) is None
