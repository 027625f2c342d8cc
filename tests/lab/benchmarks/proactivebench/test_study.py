"""Reading ProactiveBench, on made-up data in its layout."""

import json
import zipfile
from pathlib import Path

import pytest

from lab.benchmarks.proactivebench.study import counts_as_offer, read, speaks
from storage.errors import BadFile
from tests.fakes.lab import studies as made_up_studies


def test_moments_are_distinct_and_grouped_by_their_first_event(tmp_path: Path) -> None:
    """A history that both parts hold is one moment; what was written there is what is read."""
    written = made_up_studies.proactivebench(tmp_path)
    bench = read(tmp_path)
    items = [item for trace in written.values() for item in trace]
    assert [moment.help_needed for moment in bench.moments] == [item["help_needed"] for item in items]
    assert [moment.trace for moment in bench.moments] == [n for n, trace in enumerate(written.values()) for _ in trace]
    assert bench.events_dropped == 0


def test_votes_count_verdicts_for_offers_and_against_silence(tmp_path: Path) -> None:
    """Accepting an offer and rejecting silence are both in favour of help."""
    made_up_studies.proactivebench(tmp_path)
    path = tmp_path / "dataset" / "reward_data" / "train_data.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    offer = {**json.loads(first), "pred_task": "An offer.", "annotation": [True, False, False]}
    silence = {**json.loads(first), "pred_task": None, "annotation": [False]}
    path.write_text("\n".join([json.dumps(offer), json.dumps(silence), *rest]), encoding="utf-8")
    test = tmp_path / "dataset" / "reward_data" / "test_data.jsonl"
    test.write_text("\n".join(rest[:2]), encoding="utf-8")
    assert read(tmp_path).moments[0].votes == pytest.approx(2 / 4)


def test_the_leak_is_counted_and_not_assumed(tmp_path: Path) -> None:
    """Five histories stand in both parts; a sixth that is only in the test part does not leak."""
    made_up_studies.proactivebench(tmp_path)
    path = tmp_path / "dataset" / "reward_data" / "test_data.jsonl"
    own = {
        "obs": [{"time": "5", "event": "Nowhere else."}],
        "pred_task": "x",
        "help_needed": True,
        "annotation": [True],
    }
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(own) + "\n", encoding="utf-8")
    bench = read(tmp_path)
    assert (bench.leaked, bench.official_test) == (5, 6)


def test_only_events_that_every_model_answered_are_used(tmp_path: Path) -> None:
    """An event that reads otherwise in one model's output is dropped, and counted."""
    made_up_studies.proactivebench(tmp_path)
    path = tmp_path / "eval" / "traces.zip"
    with zipfile.ZipFile(path) as archive:
        members = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    changed = json.loads(members["eval/traces_new/shy/code_11.json"])
    changed[0]["observation"]["event"] = "Another sentence."
    members["eval/traces_new/shy/code_11.json"] = json.dumps(changed).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    bench = read(tmp_path)
    assert bench.events_dropped == 1
    assert len(bench.events) == len(bench.moments) - 1


@pytest.mark.parametrize(
    ("answer", "meant", "counted"),
    [
        (["Offer help."], True, True),
        ([], False, False),
        (None, False, False),
        ([None], False, False),
        (["null"], False, True),
        (["None"], False, True),
        ({"candidate_task": []}, False, True),
        ({"candidate_task": ["Offer help."]}, True, True),
        ([{"Operation": "search", "Arguments": []}], True, True),
    ],
)
def test_silence_is_known_in_all_its_spellings(answer: object, *, meant: bool, counted: bool) -> None:
    """What a model meant, and what the published evaluation makes of it."""
    assert speaks(answer) is meant
    assert counts_as_offer(answer) is counted


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("dataset/reward_data/train_data.jsonl", b"{"),
        ("dataset/reward_data/train_data.jsonl", b""),
        ("dataset/reward_data/train_data.jsonl", b'{"obs": [], "pred_task": null, "help_needed": true}'),
        ("dataset/test_data/code_11.json", b"[1]"),
        ("eval/traces.zip", b"no archive"),
    ],
)
def test_foreign_files_are_refused(tmp_path: Path, file: str, content: bytes) -> None:
    """A damaged or foreign file ends with its name and what to give instead, and quotes nothing of it."""
    made_up_studies.proactivebench(tmp_path)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(BadFile, match="give the folder") as caught:
        read(tmp_path)
    assert "searches" not in str(caught.value)


def test_a_moment_with_two_labels_is_refused(tmp_path: Path) -> None:
    """Where the two parts contradict each other there is no truth to score against."""
    made_up_studies.proactivebench(tmp_path)
    path = tmp_path / "dataset" / "reward_data" / "test_data.jsonl"
    item = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    path.write_text(json.dumps({**item, "help_needed": not item["help_needed"]}), encoding="utf-8")
    with pytest.raises(BadFile, match="two labels"):
        read(tmp_path)


def test_a_model_without_a_trace_is_refused(tmp_path: Path) -> None:
    """Leaving its events out silently would flatter or harm it."""
    made_up_studies.proactivebench(tmp_path)
    with zipfile.ZipFile(tmp_path / "eval" / "traces.zip", "a") as archive:
        archive.writestr("eval/traces_new/lazy/code_11.json", "[]")
    with pytest.raises(BadFile, match="lacks the output"):
        read(tmp_path)


def test_a_wrong_folder_is_refused(tmp_path: Path) -> None:
    """An empty folder holds no data set."""
    with pytest.raises(BadFile, match="cannot be read"):
        read(tmp_path)
