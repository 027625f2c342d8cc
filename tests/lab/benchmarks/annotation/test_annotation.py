"""`kairos bench annotation`: known labels come back, invented quotes do not, and a killed run ends the same."""

import argparse
import asyncio
import hashlib
import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks.annotation import annotators, benchmark, pipeline, questions, wording
from lab.benchmarks.annotation.constructed import RECORDINGS, SEGMENTS, OracleModel, construct
from lab.benchmarks.annotation.questions import stands_in
from lab.benchmarks.annotation.rules import RuleAnnotator
from lab.benchmarks.annotation.segments import NarratedSegment, read_recording
from storage.clock import NS_PER_S
from storage.errors import UsageError
from storage.records import NeedLabel, SegmentLabel, State
from storage.session.labels import LABELS, put_label, read_labels
from storage.session.log import MODEL_ANSWERS
from storage.session.transcript import SpokenWord, Transcript, write_transcript
from storage.settings import ModelSettings, Settings
from storage.testing import SessionBuilder
from tests.fakes.mllm import llama_server
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.model_queries import JudgingServer
from tests.fakes.narrowing import present
from tests.fakes.sessions.killed import killed_at

Bench = Callable[..., dict[str, Any]]


def bars(found: dict[str, Any]) -> dict[str, bool]:
    return {bar["name"]: bar["ok"] for bar in found["bars"]}


def test_the_oracle_s_labels_come_back_exactly(bench: Bench, tmp_path: Path) -> None:
    found = bench("--out", tmp_path)
    names = ("labels", "questions", "satisfying", "sent_twice", "changed", "invented")
    assert bars(found) == dict.fromkeys(names, True)
    assert found["segments"] == RECORDINGS * SEGMENTS == 48
    assert found["fates"] == {
        "help was sought": 20,
        "no help was needed": 16,
        "help that was neither asked for nor looked for in another program": 8,
        "nothing before help was looked for": 4,
    }
    sample = json.loads((tmp_path / "sample.json").read_text())
    assert Counter(question["kind"] for question in sample["questions"]) == {"goal": 44, "help": 20}
    assert {len(question["wrong"]) for question in sample["questions"]} == {3}
    assert "simulated; nobody worked or spoke here" in (tmp_path / "annotation.html").read_text()


@pytest.mark.parametrize(
    ("place", "stand_in", "missed"),
    [
        ((questions, "stands_in"), lambda _quote, _said: True, "invented"),
        ((annotators.AskedAnnotator, "satisfies"), None, "satisfying"),
        ((pipeline, "_end_before_help"), lambda segment: segment.end_ns, "labels"),
    ],
    ids=["quotes are believed", "nobody judges", "nothing is trimmed"],
)
def test_each_part_that_is_broken_misses_its_bar(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, place: tuple[object, str], stand_in: object, missed: str
) -> None:
    async def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(*place, stand_in or never)
    found = bench(status=1)
    assert not bars(found)[missed]


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("How do I move it?", True),
        ("how do i MOVE it", True),
        ("do I move", True),
        ("", True),
        ("I move how", False),
        ("how do I remove it", False),
        ("?!", False),
        ("ow do I", False),
    ],
)
def test_a_quote_stands_word_for_word(quote: str, *, stands: bool) -> None:
    assert stands_in(quote, "Well… how do I move it? Like so.") is stands


# ---------------------------------------------------------------- a model at a server


def spoken(base: Path, *sentences: tuple[float, str]) -> Path:
    """Write a session in which sentences are said, a word every half second, and keys are pressed meanwhile."""
    session = SessionBuilder(app="writer", recording=True)
    session.focus("writer")
    session.picture(90)
    words = []
    for at_s, sentence in sentences:
        for place, text in enumerate(sentence.split()):
            start_ns = round((at_s + place / 2) * NS_PER_S)
            words.append(SpokenWord(start_ns=start_ns, end_ns=start_ns + NS_PER_S // 2, text=text))
        session.at(at_s + 0.2).keys(5)
    folder = session.at(session.clock.now_ns() / NS_PER_S + 60).end().write(base)
    if words:
        write_transcript(folder, Transcript(source="test", language="en", words=tuple(words)))
    return folder


def answers(quote: str) -> Callable[[Mapping[str, Any], str], Mapping[str, object]]:
    def rule(schema: Mapping[str, Any], text: str) -> Mapping[str, object]:
        names = set(schema["properties"])
        if names == {"parts"}:
            seconds = int(text.partition("This is a stretch of ")[2].partition(" ")[0])
            return {"parts": [{"reason": "clear", "quote": quote, "state": "debugging", "until": seconds}]}
        if "goal" in names:
            return {"reason": "clear", "quote": quote, "goal": "move the margin"}
        if "source" in names:
            return {"quote": quote, "seen": "", "source": "narration", "help": "explain margins"}
        if names == {"kept"}:
            return {"kept": [1]}
        if names == {"wrong"}:
            return {"wrong": ["move the margin", *(f"paint shade {number}" for number in "abcde")]}
        return {"requirements": [{"text": "it", "met": False}], "counterexample": "another", "answer": "no"}

    return rule


def test_an_invented_quote_is_refused_and_nothing_is_asked_twice(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a server invents is asked for once more, then there is no answer; control: what was said is taken."""
    base = tmp_path / "sessions"
    folder = spoken(base, (5, "How do I move the margin? I need to move the margin now."))
    found, bodies = {}, {}
    for quote in ("move the margin now", "shrink the margin"):
        server = JudgingServer(answers(quote))
        with running(server) as url:
            tier = ModelSettings(preset="llama-server", model=quote[:6], url=url, on_battery=True)
            monkeypatch.setattr(benchmark, "load_settings", lambda tier=tier: Settings(local_model=tier))
            words = (folder.name, "--sessions", base, "--model", f"llama-server:{quote[:6]}", "--task", "Set margins")
            refused = quote.startswith("shrink")
            found[refused] = bench(*words, status=int(refused))
            bodies[refused] = len(server.bodies)
            bench(*words, status=int(refused))
        assert len(server.bodies) == bodies[refused] or refused
        assert any(b"Set margins" in body for body in server.bodies)
    labels = read_labels(folder)
    assert [(label.rater, label.proposed, label.need, label.states, label.wanted) for label in labels] == [
        ("llama-server:move t", True, NeedLabel.YES, (State.DEBUGGING,), "move the margin")
    ]
    assert found[False]["questions"] == {"goal": 1, "help": 1}
    assert found[True]["left_out"]["segments whose states are not answered"] == 1
    assert bars(found[True])["sent_twice"]
    assert (folder / MODEL_ANSWERS).exists()
    refused_words = (folder.name, "--sessions", base, "--model", "openai", "--yes")
    assert "recorded sessions may not leave" in bench(*refused_words, status=2)["error"]


def test_a_person_s_labels_are_not_overwritten(tmp_path: Path) -> None:
    """Nor are those of another model."""
    folder = spoken(tmp_path, (5, "I am typing the first line of this letter."))
    own = SegmentLabel(label_id="a", rater="rules", start_ns=0, end_ns=NS_PER_S, states=(State.WAITING,))
    put_label(folder, own)
    with pytest.raises(UsageError, match="by hand"):
        benchmark._keep(folder, [], "rules")
    put_label(folder, SegmentLabel(label_id="a", rater="other", proposed=True, start_ns=0, end_ns=NS_PER_S))
    benchmark._keep(folder, [], "rules")
    assert [label.rater for label in read_labels(folder)] == ["other"]


def test_rules_alone_propose_what_was_said_and_done_and_quote_it(bench: Bench, tmp_path: Path) -> None:
    """No model is there; of calm work only what sounds calm is kept."""
    folder = spoken(
        tmp_path,
        (5, "Now I want to freeze the first row. I cannot find the menu. How do I freeze it?"),
        (40, "I write the next line of the letter and then another one."),
        (70, "Maybe that is odd. Let's see what it does."),
    )
    out = tmp_path / "out"
    bench(folder.name, "--sessions", tmp_path, "--model", "rules", "--out", out)
    labels = read_labels(folder)
    assert [(label.rater, label.proposed, label.states, label.need) for label in labels] == [
        ("rules", True, (State.DEBUGGING,), NeedLabel.YES),
        ("rules", True, (State.PERFORMING_ACTIONS,), NeedLabel.NO),
        ("rules", True, (State.EXPLORATION,), NeedLabel.NO),
    ]
    assert (labels[0].wanted, labels[0].would_help) == ("freeze the first row", "I cannot find the menu.")
    rows = [json.loads(line) for line in (out / benchmark.PROPOSALS).read_text().splitlines()]
    assert [row["fate"] for row in rows] == ["needed", "calm", "not_chosen"]
    quotes = [(row["goal"]["quote"], row["help"]["quote"], row["parts"][0]["quote"]) for row in rows]
    for segment, quoted in zip(read_recording(folder).segments, quotes, strict=True):
        assert all(stands_in(quote, segment.said) for quote in quoted)
    assert quotes[0] == ("Now I want to freeze the first row.", *["I cannot find the menu."] * 2)


@pytest.mark.parametrize(
    ("said", "state", "goal"),
    [
        ("I click on the taskbar now.", State.PERFORMING_ACTIONS, ""),
        ("I put the planets in a row, in Uganda Sans.", State.PERFORMING_ACTIONS, ""),
        ("It looks okay.", State.ASSESSMENT, ""),
        ("I am trying it.", State.EXPLORATION, ""),
        ("Ugh.", State.FRUSTRATION, ""),
        ("I will save it. I don't want to delete the row.", State.PERFORMING_ACTIONS, "save it"),
        ("I will not do that. It is what I need to do.", State.PERFORMING_ACTIONS, ""),
        ("", State.PERFORMING_ACTIONS, ""),
    ],
)
def test_rules_know_whole_words_and_no_aim_that_is_denied(said: str, state: State, goal: str) -> None:
    segment = NarratedSegment(session="s", start_ns=0, end_ns=NS_PER_S, said=said, steps=(), app="gedit", before=None)
    (part,) = present(asyncio.run(RuleAnnotator().states(segment)))
    assert (part.state, present(asyncio.run(RuleAnnotator().goal(segment))).goal) == (state, goal)


# ---------------------------------------------------------------- killed


def arguments_of(base: Path, out: Path, model: str = "oracle") -> argparse.Namespace:
    names = [folder.name for folder in sorted(base.iterdir())]
    return argparse.Namespace(
        session=names,
        sessions=base,
        model=model,
        judge=None,
        task="",
        per_class=4,
        seed=1,
        retries=0,
        out=out,
        yes=False,
    )


def written(base: Path, out: Path) -> dict[str, bytes]:
    """Run the whole command on sessions; return what lies there at the end."""
    found = benchmark.measure(arguments_of(base, out))
    pages = {name: content.encode() for name, content in found.pages.items() if name != benchmark.PAGE}
    return pages | {folder.name: (folder / LABELS).read_bytes() for folder in base.iterdir()}


MODULE = "lab.benchmarks.annotation.benchmark"


@pytest.mark.parametrize(
    ("step", "when"),
    [
        ("daemon.diagnosis.model_queries.answers.AnswerFile.put", "before"),
        ("daemon.diagnosis.model_queries.answers.AnswerFile.put", "after"),
        (f"{MODULE}.change_labels", "before"),
        (f"{MODULE}.change_labels", "after"),
        (f"{MODULE}.draw_questions", "before"),
        (f"{MODULE}.page_of", "before"),
        ("", 40),
        ("", 130),
    ],
)
def test_killed_anywhere_it_ends_in_the_same_bytes(tmp_path: Path, step: str, when: str | int) -> None:
    """At each step that leaves something, and in the midst of questions."""
    construct(tmp_path / "base")
    for folder in sorted((tmp_path / "base").iterdir())[1:]:
        shutil.rmtree(folder)
    shutil.copytree(tmp_path / "base", tmp_path / "whole")
    whole = written(tmp_path / "whole", tmp_path / "out")

    def run() -> None:
        written(tmp_path / "base", tmp_path / "out2")

    if isinstance(when, str):
        assert killed_at(step, when, run)
    else:
        assert killed_in(when, run)
    assert written(tmp_path / "base", tmp_path / "out2") == whole


@pytest.mark.realserver
@pytest.mark.skipif(
    llama_server.language_model() is None,
    reason="no llama-server with a language model beside it (see CONTRIBUTING.md)",
)
def test_a_real_language_model_is_asked_once_whatever_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads no pictures and is small: each question has an answer or a reason, stored; a killed run goes on."""
    base = tmp_path / "sessions"
    folder = spoken(base, (5, "How do I move the margin? I need to move the margin now."))
    (tmp_path / "server").mkdir()
    with llama_server.running(tmp_path / "server", context=8192, model=llama_server.language_model()) as server:
        tier = ModelSettings(preset="llama-server", url=f"{server.url}/v1", on_battery=True)
        monkeypatch.setattr(benchmark, "load_settings", lambda: Settings(local_model=tier))
        arguments = arguments_of(base, tmp_path / "out", f"llama-server:{llama_server.ALIAS}")
        step = "daemon.diagnosis.model_queries.answers.AnswerFile.put"
        assert killed_at(step, "after", lambda: benchmark.measure(arguments))
        first = benchmark.measure(arguments)
        kept = read_labels(folder)
    again = benchmark.measure(arguments)  # without a server: what it needs is stored
    asked, unanswered = (Counter(first.fields[name]) for name in ("asked", "unanswered"))
    assert {kind: asked[kind] for kind in ("states", "segment_goal", "segment_help")} == dict.fromkeys(
        ("states", "segment_goal", "segment_help"), 1
    )
    assert set(unanswered) <= {"nonsense", "too_long", "deadline"}  # the last on a busy machine
    assert (first.fields["sent"], again.fields["sent"]) == (asked.total() - 1, 0)
    assert 0 < first.fields["usage"]["tokens_out"] <= 2 * 1024 * asked.total()
    assert read_labels(folder) == kept
    for name in (benchmark.PROPOSALS, benchmark.SAMPLE):
        assert again.pages[name] == first.pages[name]
    proposed = json.loads(first.pages[benchmark.PROPOSALS])
    missing = [name for name in ("parts", "goal", "help") if proposed[name] is None]
    assert len(kept) == len(proposed["parts"] or ())
    assert unanswered.total() >= len(missing)


def killed_in(question: int, act: Callable[[], None]) -> bool:
    """Do something in a forked process that kills itself at so many questions."""
    child = os.fork()
    if child == 0:
        asks = OracleModel._facts
        count = 0

        def facts(self: OracleModel, kind: str, words: str) -> Mapping[str, object] | None:
            nonlocal count
            count += 1
            if count == question:
                os.kill(os.getpid(), signal.SIGKILL)
            return asks(self, kind, words)

        OracleModel._facts = facts  # type: ignore[method-assign]  # in this process alone, which ends here
        try:
            act()
        finally:
            os._exit(99)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


# ---------------------------------------------------------------- segments, lots


def test_wrong_answers_are_of_the_same_recording(tmp_path: Path) -> None:
    """So that what was said in a recording lies with no other one, and goes with it."""
    run = benchmark.AnnotationRun(
        folders=tuple(construct(tmp_path)), proposer=benchmark.Proposer(name="oracle"), task="", per_class=9, seed=1
    )
    found = asyncio.run(benchmark.label_all(run)).questions
    places = [{word for text in (each.right, *each.wrong) for word in text.split()} for each in found]
    assert len({each.session for each in found}) == RECORDINGS
    assert {len({"first", "second", "third", "fourth"} & words) for words in places} == {1}


@pytest.mark.parametrize(("most", "kept"), [(pipeline.CALM, 4), (2, 2)])
def test_of_calm_stretches_so_many_of_a_recording_are_kept_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, kept: int
) -> None:
    """Five, as GUIDE has it, also where a model names more; each recording of the set has four."""
    assert pipeline.CALM == 5
    monkeypatch.setattr(pipeline, "CALM", most)
    run = benchmark.AnnotationRun(
        folders=tuple(construct(tmp_path)), proposer=benchmark.Proposer(name="oracle"), task="", per_class=9, seed=1
    )
    segments = asyncio.run(benchmark.label_all(run)).segments
    calm = Counter(each.segment.session for each in segments if each.fate is pipeline.Fate.CALM)
    assert list(calm.values()) == [kept] * RECORDINGS
    assert sum(each.fate is pipeline.Fate.NOT_CHOSEN for each in segments) == (4 - kept) * RECORDINGS


def test_segments_are_whole_sentences_or_acts(tmp_path: Path) -> None:
    """A sentence is never divided; a silence divides; without narration acts count, without either there is none."""
    long = " ".join(["word"] * 30) + "."
    folder = spoken(tmp_path / "a", (5, long), (20, long), (50, "Short and last."))
    found = read_recording(folder)
    spans = [(each.start_ns / NS_PER_S, each.end_ns / NS_PER_S) for each in found.segments]
    assert spans == [(5.0, 35.0)]
    silent = SessionBuilder(app="writer")
    silent.focus("writer")
    for at_s in (5, 7, 9, 40, 42):
        silent.at(at_s).keys(2, gap_s=0.9)
    found = read_recording(silent.wait(10).end().write(tmp_path / "b"))
    assert [each.said for each in found.segments] == [""] * len(found.segments)
    assert len(found.segments) >= 1
    assert read_recording(SessionBuilder().wait(60).end().write(tmp_path / "c")).segments == ()


def test_the_sample_is_balanced_by_lot(tmp_path: Path) -> None:
    """At most so many of each state, the same ones with the same seed and others with another."""
    folders = construct(tmp_path)
    run = benchmark.AnnotationRun(
        folders=tuple(folders), proposer=benchmark.Proposer(name="oracle"), task="", per_class=3, seed=1
    )
    segments = asyncio.run(benchmark.label_all(run)).segments
    drawn, left = pipeline.draw_stretches(segments, 3, 1)
    assert Counter(state for *_, state in drawn) == dict.fromkeys(State, 3)
    assert left.total() == sum(len(each.stretches) for each in segments) - 27
    assert pipeline.draw_stretches(segments, 3, 1)[0] == drawn
    assert pipeline.draw_stretches(segments, 3, 2)[0] != drawn


def test_a_changed_sentence_needs_a_new_version() -> None:
    """Stored answers name the version; the digest is of all sentences of it."""
    texts = {
        name: value for name, value in vars(wording).items() if name.isupper() and name not in ("GIVEN", "VERSION")
    }
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True, default=dict).encode()).hexdigest()
    assert (wording.VERSION, digest[:16]) == ("1", "b76126853bbf50b2")
