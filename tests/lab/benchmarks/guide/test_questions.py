"""What is asked about a clip: contexts, prefixes, order of options, distractors that mean something else."""

from collections import Counter
from pathlib import Path

import pytest

from detectors.mllm.questions import AnswerForm, Task
from lab.benchmarks.guide.clips import Choice, Clip, draw_distractors, grouped, plain
from lab.benchmarks.guide.loaders import meanings
from lab.benchmarks.guide.questions import CONTEXTS, Context, GuidePlan, items_of
from lab.simulation.persona import Split
from lab.simulation.recording.pack import read_head, read_manifest
from storage.records import State

LOGS = Path(__file__).resolve().parents[4] / "lab" / "logs"
WHOLE_CLIP = Clip(
    key="v 1",
    video="v",
    app="calc",
    start_s=10.0,
    end_s=34.0,
    behavior=State.DEBUGGING,
    asks_behavior=True,
    previous=State.FRUSTRATION,
    aim="mend the sum",
    intent=Choice(right="mend the sum", wrong=("draw a chart", "print it", "name the sheet"), ours=True),
    need=True,
    content=Choice(right="say why", wrong=("say where", "say when", "say who"), ours=True),
)


def test_every_context_of_every_task_is_asked_and_prefixes_without_context_alone() -> None:
    """Ten questions about the whole clip, four more for each shorter prefix, and three pairs for each choice."""
    items = list(items_of(WHOLE_CLIP, GuidePlan()))
    asked = Counter((item.task, item.context, item.percent) for item in items if item.pair is None)
    assert {(task, context) for task, context, percent in asked if percent == 100} == {
        (task, context) for task in Task for context in CONTEXTS[task]
    }
    assert all(context is Context.NONE for _, context, percent in asked if percent != 100)
    assert set(asked.values()) == {1}
    assert len(items) == 10 + 3 * 4 + 2 * 3


def test_a_question_gives_its_context_and_nothing_else() -> None:
    """Each question knows what its context gives, and never its own answer's neighbours."""
    given = {
        (item.task, item.context): item.question.given for item in items_of(WHOLE_CLIP, GuidePlan(percents=(100,)))
    }
    assert given[Task.BEHAVIOR, Context.NONE].previous is None
    assert given[Task.BEHAVIOR, Context.PREVIOUS].previous is State.FRUSTRATION
    assert given[Task.INTENT, Context.BEHAVIOR].behavior is State.DEBUGGING
    assert given[Task.INTENT, Context.BEHAVIOR].intent is None
    both = given[Task.CONTENT, Context.BEHAVIOR_INTENT]
    assert (both.behavior, both.intent, both.previous) == (State.DEBUGGING, "mend the sum", None)


def test_missing_labels_lead_to_no_question() -> None:
    """A clip annotated for intent alone gives questions about intent alone, without contexts it has not."""
    bare = Clip(key="k", video="v", app="a", start_s=0.0, end_s=9.0, intent=WHOLE_CLIP.intent)
    items = list(items_of(bare, GuidePlan()))
    assert {item.task for item in items} == {Task.INTENT}
    assert {item.context for item in items} == {Context.NONE}


def test_the_right_key_names_the_right_text_wherever_it_stands() -> None:
    """Options are shuffled by the clip, so the right one is not always in one place."""
    places: Counter[tuple[bool, str]] = Counter()
    for number in range(60):
        clip = Clip(key=f"c{number}", video="v", app="a", start_s=0.0, end_s=9.0, intent=WHOLE_CLIP.intent)
        for item in items_of(clip, GuidePlan(percents=(25, 100))):
            texts = {option.key: option.text for option in item.question.options}
            assert texts[item.right] == "mend the sum"
            assert len(set(texts.values())) == len(texts) == (2 if item.pair else 4)
            places[item.pair is None, item.right] += 1
    assert len(places) == 6
    assert min(places.values()) > 15


def test_prefixes_of_a_question_are_the_same_question() -> None:
    """Only the pictures differ, so servers may use what they have read."""
    items = [item for item in items_of(WHOLE_CLIP, GuidePlan()) if item.context is Context.NONE and item.pair is None]
    for task in Task:
        assert len({item.question for item in items if item.task is task}) == 1


def test_both_orders_ask_each_pair_twice_the_other_way_round() -> None:
    """The same two options, in the opposite order."""
    pairs = [item for item in items_of(WHOLE_CLIP, GuidePlan(both_orders=True)) if item.pair is not None]
    assert len(pairs) == 2 * 3 * 2
    for item in pairs:
        assert item.question.form is AnswerForm.CHOICE
        twin = next(
            one
            for one in pairs
            if one.task is item.task and one.pair and item.pair and one.pair.against == item.pair.against
            if one.pair.swapped is not item.pair.swapped
        )
        assert [one.text for one in twin.question.options] == [one.text for one in reversed(item.question.options)]
        assert twin.right != item.right


def test_one_order_is_drawn_at_random() -> None:
    """Which of two options comes first does not tell which is right."""
    firsts = Counter(
        item.right
        for number in range(100)
        for item in items_of(
            Clip(key=f"c{number}", video="v", app="a", start_s=0.0, end_s=9.0, intent=WHOLE_CLIP.intent), GuidePlan()
        )
        if item.pair is not None
    )
    assert abs(firsts["o1"] - firsts["o2"]) < 60


@pytest.mark.parametrize("name", ["intent", "help"])
def test_every_script_of_the_older_logs_has_a_row_of_its_meaning(name: str) -> None:
    """No intent or help is missing from the table of meanings, and none is in two rows."""
    rows = meanings()[name]
    listed = Counter(text for row in rows for text in row)
    assert set(listed.values()) == {1}
    files = [entry.path(LOGS / split) for split in Split for entry in read_manifest(LOGS / split, check=False).sessions]
    said = {getattr(label, name) for file in files for label in read_head(file).labels} - {None}
    assert said
    assert said <= set(listed)


@pytest.mark.parametrize("name", ["intent", "help"])
def test_distractors_never_mean_the_right_answer_or_each_other(name: str) -> None:
    """Three distractors from three other rows, the same ones for the same seed."""
    rows = meanings()[name]
    row_of = {text: number for number, row in enumerate(rows) for text in row}
    for right in row_of:
        wrong = draw_distractors(right, rows, seed="1")
        assert len({row_of[text] for text in (right, *wrong)}) == 4
        assert wrong == draw_distractors(right, rows, seed="1")
    assert len({draw_distractors(next(iter(row_of)), rows, seed=str(seed)) for seed in range(20)}) > 10


def test_wordings_that_differ_in_dress_alone_are_one_meaning() -> None:
    """Case, spaces and full stops make no other answer."""
    assert plain(" Add  a chart. ") == plain("add a chart")
    assert draw_distractors("Add a chart.", grouped(["add a chart", "b", "c", "d"]), seed="1") != ()
    assert "add a chart" not in draw_distractors("Add a chart.", grouped(["add a chart", "b", "c", "d"]), seed="1")
