"""Agreement of raters: worked tables, simulated raters who show up as what they are, and whom to ask again."""

import argparse
import math
import random
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from nltk.metrics.agreement import AnnotationTask

from lab.benchmarks.agreement import benchmark
from lab.benchmarks.agreement.benchmark import AskAgain, Labels, Verified, _alpha, compare, fields_of, parts_of
from lab.benchmarks.commands import BENCHMARKS
from lab.measure.report import text_of
from storage.clock import DAY_NS, NS_PER_S
from storage.errors import UsageError
from storage.records import Judgement, NeedLabel, SegmentLabel, State, blank_answer, passed_quiz
from storage.session.labels import put_label, read_labels
from storage.testing import SessionBuilder

YES, NO, UNSURE = NeedLabel.YES, NeedLabel.NO, NeedLabel.UNSURE


def label(rater: str, begin_s: float, end_s: float, need: NeedLabel | None, *states: State) -> SegmentLabel:
    return SegmentLabel(
        label_id=f"{rater}{begin_s}",
        rater=rater,
        start_ns=round(begin_s * NS_PER_S),
        end_ns=round(end_s * NS_PER_S),
        states=states or (State.WAITING,),
        need=need,
    )


def test_alpha_equals_the_worked_example() -> None:
    """Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", B: two observers, binary data: 0.095."""
    first = ["0", "1", "0", "0", "0", "0", "0", "0", "1", "0"]
    second = ["1", "1", "1", "0", "0", "1", "0", "0", "0", "0"]
    words = {"0": "no", "1": "yes"}
    found = _alpha([{"a": [words[each] for each in first], "b": [words[each] for each in second]}])
    assert round(found, 3) == 0.095


def test_alpha_is_that_of_another_library_on_a_thousand_random_tables() -> None:
    """Of two to five raters with gaps; what one alone said of counts for nothing."""
    rng = random.Random(1)
    compared = 0
    for _ in range(1000):
        gaps, lean, n = rng.random() / 2, rng.random(), rng.randrange(3, 60)
        said = {
            name: [None if rng.random() < gaps else "yes" if rng.random() < lean else "no" for _ in range(n)]
            for name in "abcde"[: rng.randrange(2, 6)]
        }
        found = _alpha([said])
        rows = [(name, at, word) for name, words in said.items() for at, word in enumerate(words) if word is not None]
        pairs = [row for row in rows if sum(other[1] == row[1] for other in rows) > 1]
        if len({word for _, _, word in pairs}) < 2:
            assert math.isnan(found)
            continue
        assert found == pytest.approx(AnnotationTask(rows).alpha())
        compared += 1
    assert compared > 900


def test_equal_labels_agree_and_nothing_is_asked_again() -> None:
    """Ends within three seconds are one; control: moved by five, they are not."""
    first = [label("a", 20 * n, 20 * n + 20, (YES, NO)[n % 2], list(State)[n % 9]) for n in range(10)]
    second = [replace(each, rater="b") for each in first]
    found = compare({"s": [*first, *second]})
    assert (found.need.kappa.value, found.states.kappa.value, found.need_alpha) == (1.0, 1.0, 1.0)
    assert found.boundaries["a and b"].f1 == 1.0
    assert found.again == ()
    for by_s, f1 in ((2, 1.0), (5, 0.0)):
        moved = [
            replace(each, start_ns=each.start_ns + by_s * NS_PER_S, end_ns=each.end_ns + by_s * NS_PER_S)
            for each in second
        ]
        assert compare({"s": [*first, *moved]}).boundaries["a and b"].f1 == f1


Says = Callable[[random.Random, NeedLabel, NeedLabel, bool], NeedLabel]


def simulated(raters: dict[str, Says], recordings: int = 12, share_blind: float = 0.5) -> Labels:
    """Return labels of recordings by simulated raters; each says something of the truth, and of what is shown."""
    rng = random.Random(5)
    labels: dict[str, list[SegmentLabel]] = {}
    for recording in range(recordings):
        said = labels.setdefault(f"s{recording}", [])
        for n in range(20):
            truth = YES if rng.random() < 0.3 else NO
            estimated = truth if rng.random() < 0.6 else (NO if truth is YES else YES)
            for name, says in raters.items():
                blind = rng.random() < share_blind
                own = says(rng, truth, estimated, not blind)
                each = replace(
                    label(name, 15 * n, 15 * n + 15, own), blind=blind, shown=Judgement(by="", need=estimated)
                )
                said.append(replace(each, first=Judgement(by=name, need=own)) if blind else each)
    return labels


def honest(rng: random.Random, truth: NeedLabel, _shown: NeedLabel, _sees: bool) -> NeedLabel:
    return truth if rng.random() < 0.92 else (NO if truth is YES else YES)


def anchored(rng: random.Random, truth: NeedLabel, shown: NeedLabel, sees: bool) -> NeedLabel:
    return shown if sees and rng.random() < 0.9 else honest(rng, truth, shown, sees)


def careless(rng: random.Random, _truth: NeedLabel, _shown: NeedLabel, _sees: bool) -> NeedLabel:
    return rng.choice((YES, NO))


def test_simulated_raters_show_up_as_what_they_are() -> None:
    """Two honest ones, one who follows what is shown, one who does not look; and none where all are honest."""
    labels = simulated({"anna": honest, "ben": honest, "cleo": anchored, "dan": careless})
    found = compare(labels)
    assert {each.name: each.note for each in found.raters} == {
        "anna": "",
        "ben": "",
        "cleo": "anchored",
        "dan": "careless",
    }
    assert {each.note for each in compare(simulated({"anna": honest, "ben": honest, "eve": honest})).raters} == {""}
    asked = Counter(name for each in found.again for name in each.who)
    assert asked.most_common(1)[0][0] == "dan"
    low, high = found.need.pairs["anna and ben"].kappa.low, found.need.pairs["anna and ben"].kappa.high
    assert 0.5 < low < found.need.pairs["anna and ben"].kappa.value < high < 1.0


@pytest.mark.parametrize("common", [0.8, 1 / 9])
def test_independent_states_agree_no_more_than_chance(common: float) -> None:
    """Also where one state is common, each has its own chance; and who does not look at need is told all the same."""
    rng = random.Random(3)
    weights = [common] + [(1 - common) / 8] * 8
    labels = {
        f"s{number}": [
            label(name, 10 * n, 10 * n + 10, rng.choice((YES, NO)), rng.choices(list(State), weights)[0])
            for name in "abc"
            for n in range(60)
        ]
        for number in range(12)
    }
    found = compare(labels)
    assert abs(found.states.kappa.value) < 0.05
    assert found.states.kappa.low < 0 < found.states.kappa.high
    assert abs(found.states_alpha) < 0.05
    assert [each.note for each in found.raters] == ["careless"] * 3


def test_states_are_compared_as_worked_by_hand() -> None:
    """Each p_o is 2/3; p_e is 2/3 for waiting and 4/9 for struggling, and ideas only one has named add nothing."""
    both = (State.WAITING, State.FRUSTRATION)
    said = {"a": [both, both[:1], both[1:], (State.IDEATION,)], "b": [both, both[:1], both[:1]]}
    labels = [label(name, n, n + 1, NO, *states) for name, each in said.items() for n, states in enumerate(each)]
    assert compare({"s": labels}).states.kappa.value == pytest.approx(1 - (1 / 3 + 1 / 3) / (1 / 3 + 5 / 9))


def test_careful_raters_who_agree_on_states_alone_are_told() -> None:
    """All name the same common state, and say of need what chance says."""
    rng = random.Random(4)
    labels = [
        label(name, 10 * n, 10 * n + 10, rng.choice((YES, NO)), list(State)[n % 9]) for name in "abc" for n in range(90)
    ]
    found = compare({"s": labels})
    assert found.states.kappa.value == 1.0
    assert [each.note for each in found.raters] == ["careless"] * 3


@pytest.mark.parametrize(("by", "note"), [(2, ""), (10, "anchored")])
def test_of_few_labels_nothing_is_said(by: int, note: str) -> None:
    """What counts is how many labels a share is of, not how many the rater made."""
    yes, no = Judgement(by="", need=YES), Judgement(by="", need=NO)
    same = [replace(label("a", 10 * n, 10 * n + 10, YES), first=yes, shown=yes) for n in range(20)]
    moved = [replace(label("a", 200 + 10 * n, 210 + 10 * n, NO), first=yes, shown=no) for n in range(by)]
    others = [replace(each, rater="b") for each in (*same, *moved)]
    first, _ = compare({"s": [*same, *moved, *others]}).raters
    assert (first.note, first.moved is not None) == (note, True)


def test_ends_count_where_one_rater_made_a_single_stretch() -> None:
    """Nine ends of ten stretches are not found; a recording that one has not labelled says nothing."""
    one = [label("a", 0, 600, YES)]
    many = [label("b", 60 * n, 60 * n + 60, YES) for n in range(10)]
    both = [label(name, 10 * n, 10 * n + 10, YES) for name in "ab" for n in range(3)]
    rates = compare({"x": [*one, *many], "y": both, "z": one}).boundaries["a and b"]
    assert (rates.true, rates.found, rates.matched) == (2, 11, 2)


def test_who_named_no_state_is_asked_and_not_who_did() -> None:
    """Control: two who named others are both asked."""
    silent = replace(label("b", 0, 10, NO), states=())
    (found,) = compare({"s": [label("a", 0, 10, NO), silent, label("b", 20, 30, NO), label("a", 20, 30, NO)]}).again
    assert (found.who, found.about) == (("b",), "what was being done: not said")


def test_who_changes_towards_what_is_shown_is_anchored_too() -> None:
    """All blind at first: the change is what tells."""
    labels = simulated({"anna": honest, "ben": honest}, share_blind=1.0)
    moved = {
        session: [replace(each, need=each.shown.need) if each.rater == "ben" and each.shown else each for each in said]
        for session, said in labels.items()
    }
    assert {each.name: each.note for each in compare(moved).raters} == {"anna": "", "ben": "anchored"}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ([(0, 10, YES), (0, 10, NO)], (("a", "b"), "whether help was needed")),
        ([(0, 10, YES), (0, 10, NO), (0, 10, NO)], (("a",), "whether help was needed")),
        ([(0, 10, YES)], (("b",), "all of it: not labelled yet")),
        ([(0, 10, YES), (0, 10, UNSURE)], (("b",), "whether help was needed: unsure")),
    ],
)
def test_whom_to_ask_again(said: Sequence[tuple[int, int, NeedLabel]], asked: tuple[tuple[str, ...], str]) -> None:
    """The minority, both of two, who has not labelled it, and who was unsure."""
    labels = [label("abc"[n], *facts) for n, facts in enumerate(said)]
    labels += [label("b", 20, 30, NO), label("a", 20, 30, NO)]
    if len(said) > 2:
        labels.append(label("c", 20, 30, NO))
    (found,) = compare({"s": labels}).again
    assert found == AskAgain(session="s", begin_s=0, end_s=10, who=asked[0], about=asked[1])


def test_states_that_share_nothing_are_asked_again() -> None:
    """One state in common is enough."""
    first = label("a", 0, 10, NO, State.FRUSTRATION, State.DEBUGGING)
    assert compare({"s": [first, label("b", 0, 10, NO, State.DEBUGGING)]}).again == ()
    (found,) = compare({"s": [first, label("b", 0, 10, NO, State.WAITING)]}).again
    assert (found.who, found.about) == (("a", "b"), "what was being done")


def test_one_rater_alone_cannot_agree() -> None:
    """Nor can nobody."""
    for labels in ({"s": [label("a", 0, 10, YES)]}, {}):
        with pytest.raises(UsageError, match="two raters"):
            compare(labels)


def test_seconds_are_those_of_the_recording(tmp_path: Path) -> None:
    """A session's time begins when the machine was started, ten days ago."""
    session = SessionBuilder(begin_ns=10 * DAY_NS)
    begin_s = session.clock.now_ns() / NS_PER_S
    folder = session.wait(40).end().write(tmp_path)
    for each in (label("a", begin_s, begin_s + 20, YES), label("b", begin_s, begin_s + 20, NO)):
        put_label(folder, each)
    arguments = argparse.Namespace(sessions=tmp_path, session=[folder.name])
    (asked,) = benchmark.measure(arguments).fields["ask_again"]
    assert (asked["from_s"], asked["to_s"]) == (0, 20)


def test_the_command_reads_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its page and its JSON say the same; there are no bars."""
    folder = SessionBuilder().wait(40).end().write(tmp_path / "sessions")
    for each in (label("a", 0, 20, YES), label("b", 0, 20, NO), label("a", 20, 40, NO), label("b", 20, 40, NO)):
        put_label(folder, each)
    parser = argparse.ArgumentParser()
    BENCHMARKS["agreement"].register(parser.add_subparsers())
    arguments = parser.parse_args(
        ["agreement", folder.name, "--sessions", str(tmp_path / "sessions"), "--out", str(tmp_path / "out")]
    )
    assert arguments.run(arguments) == 0
    assert "0:00:20  a, b  whether help was needed" in capsys.readouterr().out
    page = (tmp_path / "out" / benchmark.PAGE).read_text()
    assert "whether help was needed" in page
    found = compare({folder.name: [label("a", 0, 20, YES), label("b", 0, 20, NO)]})
    assert fields_of(found)["ask_again"][0]["whom"] == ["a", "b"]
    assert any("Ask again" in line for line in text_of(parts_of(found, 1)))


# ---------------------------------------------------------------- what was proposed, and verified


def verified(raters: dict[str, Says], share_blind: float = 0.5) -> Labels:
    """Return proposals, 60 % of them right, and what simulated raters make of them; one of ten tells nothing."""
    rng = random.Random(7)
    labels: dict[str, list[SegmentLabel]] = {}
    for recording in range(12):
        said = labels.setdefault(f"s{recording}", [])
        for n in range(20):
            truth = YES if rng.random() < 0.3 else NO
            estimated = truth if rng.random() < 0.6 else (NO if truth is YES else YES)
            proposal = replace(label("model", 15 * n, 15 * n + 15, estimated), proposed=True)
            said.append(proposal)
            for name, says in raters.items():
                blind = rng.random() < share_blind
                own = replace(
                    blank_answer(proposal, name, blind=blind),
                    states=proposal.states,
                    need=says(rng, truth, estimated, not blind),
                )
                first = replace(own, shown=proposal.judgement, first=own.judgement) if blind else own
                said.append(replace(first, dropped=True, reason="cut off") if n == 0 and name != "dan" else first)
    return labels


def test_raters_who_verify_show_up_as_what_they_are() -> None:
    """One keeps what is shown, one does not look; the model is in pairs, not in the mean, and is never asked again."""
    labels = verified({"anna": honest, "ben": honest, "cleo": anchored, "dan": careless})
    found = compare(labels)
    notes = {each.name: each.note for each in found.raters}
    assert notes == {"anna": "", "ben": "", "cleo": "anchored", "dan": "careless", "model": "proposed"}
    kept = {each.name: each for each in found.verified}
    assert all(each.kept + each.corrected + each.dropped == 240 for each in kept.values())
    assert [kept[name].dropped for name in ("anna", "dan")] == [12, 0]
    assert kept["cleo"].kept > kept["anna"].kept + 20
    assert not any("model" in each.who for each in found.again)
    people = {session: [each for each in said if each.rater != "model"] for session, said in labels.items()}
    assert compare(people).need.kappa == found.need.kappa
    assert compare(people).need_alpha == found.need_alpha
    assert compare(people).verified == ()
    alone = compare({name: [each for each in said if each.rater in ("anna", "model")] for name, said in labels.items()})
    assert math.isnan(alone.need.kappa.value)
    assert math.isnan(alone.states.kappa.value)
    assert math.isnan(alone.need_alpha)
    assert "anna and model" in found.need.pairs
    page = "\n".join(text_of(parts_of(found, 12)))
    assert "What became of the proposals" in page
    assert fields_of(found)["verified"][0]["name"] == "anna"


def test_who_dropped_alone_is_asked_whether_it_tells_anything() -> None:
    """The few; both of two; nobody where all dropped it. What is dropped says nothing of need."""
    said = [label(name, 0, 10, YES) for name in "abc"]
    said[0] = replace(said[0], dropped=True)
    rest = [label(name, 20, 30, NO) for name in "abc"]
    (found,) = compare({"s": [*said, *rest]}).again
    assert (found.who, found.about) == (("a",), "whether it tells anything")
    (found,) = compare({"s": [*said[:2], *rest[:2]]}).again
    assert found.who == ("a", "b")
    assert compare({"s": [*(replace(each, dropped=True) for each in said), *rest]}).again == ()


def test_verdicts_are_counted_and_what_is_not_said_yet() -> None:
    """Moved ends are a correction; a recording that somebody has not begun is none of theirs."""
    proposals = [replace(label("m", 20 * n, 20 * n + 15, (YES, None)[n == 1]), proposed=True) for n in range(5)]
    answers = [replace(blank_answer(each, "a", blind=False), states=each.states, need=YES) for each in proposals[:3]]
    answers[2] = replace(answers[2], end_ns=answers[2].end_ns - NS_PER_S)
    answers.append(blank_answer(proposals[3], "a", blind=False))
    proposals[4] = replace(proposals[4], wanted="a title")
    answers.append(
        replace(blank_answer(proposals[4], "a", blind=False), states=proposals[4].states, need=YES, wanted="a table")
    )
    gold = label("g", 200, 210, YES)
    quiz = replace(blank_answer(gold, "a", blind=True), states=gold.states)
    other = [replace(each, label_id=f"x{each.label_id}") for each in proposals]
    found = compare({"s": [*proposals, *answers, gold, quiz], "t": [*other, label("g", 0, 9, NO)]}).verified
    assert found[0] == Verified(name="a", kept=2, corrected=2, dropped=0, left=1, quiz=(1, 1))
    assert found[1] == Verified(name="g", kept=0, corrected=0, dropped=0, left=0, quiz=(0, 0))


def test_who_has_not_passed_the_quiz_that_their_labels_name_is_said(tmp_path: Path) -> None:
    """Anna has; Ben names hers, and Cleo none. Once the session of the quiz is gone nothing is taken on trust."""
    quiz, work = (SessionBuilder().wait(400).end().write(tmp_path / name) for name in ("a", "b"))
    shutil.move(quiz, work.parent)
    quiz = work.parent / quiz.name
    for number, state in enumerate(State):
        gold = replace(label("gold", 10 * number + 1, 10 * number + 9, None, state), label_id=f"g{number}")
        put_label(quiz, gold)
        for rater in ("anna", "ben"):
            right = rater == "anna" or number < 6
            said = state if right else next(other for other in State if other is not state)
            put_label(quiz, replace(blank_answer(gold, rater, blind=True), states=(said,)))
    passed = passed_quiz(read_labels(quiz), "anna")
    assert passed
    assert passed_quiz(read_labels(quiz), "ben") == ""
    for rater, digest in (("anna", passed), ("ben", passed), ("cleo", "")):
        for number in range(3):
            put_label(work, replace(label(rater, 20 * number + 1, 20 * number + 9, YES), quiz=digest))
    arguments = argparse.Namespace(sessions=work.parent, session=[work.name])
    found = benchmark.measure(arguments)
    assert found.fields["unquizzed"] == {"ben": [3, 3], "cleo": [3, 3]}
    assert "No quiz that ben has passed stands behind 3 of 3 labels." in "\n".join(found.text)
    shutil.rmtree(quiz)
    assert benchmark.measure(arguments).fields["unquizzed"].keys() == {"anna", "ben", "cleo"}
