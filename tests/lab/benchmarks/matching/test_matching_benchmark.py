"""The benchmark of commands: its gold keeps its rules, its figures fail when the matching does, its fit repeats."""

import json
from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from daemon.help.commands.command import Command, CommandList
from daemon.help.commands.intents import Intents, intents_of
from daemon.help.commands.matching import ANSWERED, FEATURES, CommandMatcher, default_weights
from daemon.help.commands.words import language_of
from lab.benchmarks.matching import benchmark
from lab.benchmarks.matching.benchmark import Judged, criteria, exact_words, judge, measure
from lab.benchmarks.matching.fit import fit, is_held_out, nearly_named, strangers, unknown_phrases
from lab.benchmarks.matching.gold import MANY, OFF_TOPIC, AskedCommand, AskKind, Half, many, read_lists, read_questions
from lab.benchmarks.matching.intents import Phrases, learn, written
from lab.benchmarks.matching.vectors import SentenceModel, table, words_of_documentation

LISTS = {
    ("writer", "en"): CommandList(
        app="writer",
        language="en",
        commands=tuple(
            Command(path=path)
            for path in (("Edit", "Undo"), ("Format", "Bold"), ("Insert", "Image"), ("File", "Print"), ("File", "Open"))
        ),
    ),
    ("painter", "en"): CommandList(
        app="painter",
        language="en",
        commands=tuple(Command(path=path) for path in (("Filters", "Blur"), ("Image", "Rotate"), ("Layer", "Merge"))),
    ),
}


def asked(words: str, *gold: tuple[str, ...], program: str = "writer", kind: AskKind = AskKind.EXACT) -> AskedCommand:
    return AskedCommand(
        program=program, language="en", half=Half.TUNE, kind=kind, words=words, gold=gold, shares_stem=False
    )


QUESTIONS = [
    asked("undo", ("Edit", "Undo")),
    asked("bold", ("Format", "Bold")),
    asked("put a photo in", ("Insert", "Image"), kind=AskKind.PARAPHRASE),
    asked("on paper", ("File", "Print"), kind=AskKind.PARAPHRASE),
    asked("blur", ("Filters", "Blur"), program="painter"),
    asked("turn", ("Image", "Rotate"), program="painter", kind=AskKind.PARAPHRASE),
    asked("weather in Oslo", kind=AskKind.NOTHING),
]


def answer(*, first: bool = True, found: bool = True, language: str = "en", kind: AskKind = AskKind.EXACT) -> Judged:
    return Judged(
        program="writer", language=language, kind=kind, shares_stem=False, first=first, of_three=first, found=found
    )


@pytest.mark.parametrize("half", Half)
def test_the_gold_names_commands_of_its_lists_and_divides_by_program(half: Half) -> None:
    lists, questions = read_lists(), read_questions(half)
    for question in questions:
        paths = {command.path for command in lists[question.program, question.language].commands}
        assert set(question.gold) <= paths
        assert bool(question.gold) == (question.kind is not AskKind.NOTHING)
    other = {question.program for question in read_questions(Half.TEST if half is Half.TUNE else Half.TUNE)}
    assert other.isdisjoint(question.program for question in questions)


def test_an_answer_is_judged_by_the_first_and_the_first_three() -> None:
    question = asked("bold", ("Format", "Bold"))
    wrong = ("Edit", "Undo")
    found = [judge(question, paths) for paths in ([("Format", "Bold")], [wrong, ("Format", "Bold")], [wrong] * 4, [])]
    assert [(judged.first, judged.of_three, judged.found) for judged in found] == [
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, False, False),
    ]
    added = judge(replace(question, added=(wrong,)), [wrong])
    assert (added.first, added.of_three) == (True, True)


def test_exact_words_find_names_alone() -> None:
    assert exact_words(LISTS, asked("bold please"))[0] == ("Format", "Bold")
    assert exact_words(LISTS, asked("bolder")) == []


def test_each_bar_is_missed_by_wrong_answers_and_held_by_right_ones() -> None:
    kinds = [("en", AskKind.EXACT), ("en", AskKind.PARAPHRASE), ("de", AskKind.EXACT), ("de", AskKind.PARAPHRASE)]
    nothing = answer(found=False, kind=AskKind.NOTHING)
    right = [*(answer(language=language, kind=kind) for language, kind in kinds), nothing]
    wrong = [replace(answered, first=False, of_three=False, found=True) for answered in right]
    assert all(criterion.ok for criterion in criteria(right, 14.0, 19.0))
    assert not any(criterion.ok for criterion in criteria(wrong, 16.0, 21.0))
    assert not any(criterion.ok for criterion in criteria([], 16.0, 21.0))


def test_the_fit_finds_what_it_was_fitted_on_and_is_the_same_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.benchmarks.matching.fit.learned_without", intents_of)  # learning takes a minute
    found = fit(LISTS, QUESTIONS)
    assert set(found.features) == set(FEATURES) == set(found.odds)
    assert set(found.answered) == set(ANSWERED)
    for question in (question for question in QUESTIONS if question.gold):
        matches = CommandMatcher(LISTS[question.program, "en"], found).match(question.words).matches
        assert matches[0].command.path in question.gold
    monkeypatch.setattr("lab.benchmarks.matching.fit.read_lists", lambda: LISTS)
    monkeypatch.setattr("lab.benchmarks.matching.fit.read_questions", lambda _: QUESTIONS)
    assert measure(Namespace(fit=tmp_path / "out.json")) is None
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == asdict(found)


def test_strangers_are_asked_of_programs_without_such_names() -> None:
    found = strangers(LISTS, QUESTIONS)
    assert found
    assert all(question.gold == () and question.kind is AskKind.NOTHING for question in found)
    off_topic = {words for lines in OFF_TOPIC.values() for words in lines}
    assert {question.words for question in found} <= {*off_topic, *(question.words for question in QUESTIONS)}


def test_what_was_not_learned_is_asked_of_who_has_the_command_and_of_who_lacks_it() -> None:
    commands = LISTS["writer", "en"]
    found = list(unknown_phrases(CommandMatcher(commands), commands))
    has, lacks = ([sample for sample in found if sample.right.any() == wanted] for wanted in (True, False))
    assert len(has) > 20
    assert len(lacks) > len(has)


def test_a_name_with_a_slip_or_with_its_menu_is_no_name_and_its_commands_are_right() -> None:
    commands = LISTS["painter", "en"]
    found = list(nearly_named(CommandMatcher(commands), commands))
    assert [sample.right.sum() for sample in found] == [1] * 4, (
        "each with its menu, and Rotate, which is long, misspelled"
    )
    assert not any(sample.features[:, FEATURES.index("whole_name")].any() for sample in found)


def test_what_is_learned_finds_what_it_was_not_taught_and_is_the_same_twice() -> None:
    """The control is what was learned of the same phrases with their lines mixed up."""
    language = language_of("de")
    lines = language.asked[:40]
    known, new = list[tuple[str, int]](), list[tuple[str, int]]()
    for number, line in enumerate(lines):
        for text in (*line.names, *written("de")[line.names[0]]):
            (new if is_held_out(text) else known).append((text, number))

    def right(phrases: list[tuple[str, int]]) -> tuple[bytes, int]:
        texts, numbers = zip(*phrases, strict=True)
        raw = learn(Phrases(texts, np.array(numbers)), replace(language, asked=lines))
        found = Intents(raw, language)
        return raw, sum(int(found.near_lines(found.vector(text)).argmax()) == number for text, number in new)

    raw, hits = right(known)
    assert hits > len(new) / 2
    assert right(known)[0] == raw
    mixed = [(text, (number * 7 + at) % len(lines)) for at, (text, number) in enumerate(known)]
    assert right(mixed)[1] < hits / 2


@pytest.mark.parametrize("code", ["en", "de"])
def test_no_phrase_is_a_question_of_the_half_that_is_scored(code: str) -> None:
    stems = language_of(code).stems
    scored = {
        frozenset(stems(question.words))
        for question in read_questions(Half.TEST)
        if question.language == code and question.kind in {AskKind.PARAPHRASE, AskKind.NOTHING}
    }
    phrases = [phrase for some in written(code).values() for phrase in some]
    assert len(phrases) > 10_000
    assert not [phrase for phrase in (*phrases, *OFF_TOPIC[code]) if frozenset(stems(phrase)) in scored]


def test_the_weights_of_the_package_say_every_feature() -> None:
    found = default_weights()
    assert set(found.features) == set(FEATURES) == set(found.odds)
    assert set(found.answered) == set(ANSWERED)
    assert 0 <= found.least_other < 1


def test_a_report_has_both_ways_and_every_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "read_lists", lambda: LISTS)
    monkeypatch.setattr(benchmark, "read_questions", lambda _: QUESTIONS)
    monkeypatch.setattr(benchmark, "key_times_ms", lambda _: [1.0])
    report = measure(Namespace(fit=None, half="tune", library=None))
    assert report is not None
    text = "\n".join(report.text)
    assert all(
        part in text for part in ("commands", "exact words", "without a common stem", "nothing answers", "painter")
    )
    assert len(report.criteria) == 8
    assert set(report.fields["answers"]) == {"commands", "exact words"}


def test_the_long_list_is_long() -> None:
    assert len(many().commands) == MANY


def test_words_of_documentation_are_those_of_several_pages_that_the_model_does_not_know(tmp_path: Path) -> None:
    for number in range(3):
        page = tmp_path / "help" / "C" / f"app{number}" / "page.page"
        page.parent.mkdir(parents=True)
        page.write_text(f"<p>The sidepane and the window, once only{number}.</p><style>sidebar</style>")
    assert words_of_documentation(tmp_path, {"window": 1, "once": 2}) == ["sidepane"]


def test_the_table_keeps_directions_and_counts_frequent_words_less() -> None:
    embedded = np.random.default_rng(1).normal(size=(300, 384)).astype(np.float32)
    words = [f"w{number:03}" for number in range(300)]
    rows = table(words, embedded, range(10, 310))
    assert rows["word"].tolist() == [word.encode() for word in words]
    assert (np.diff(rows["weight"]) >= 0).all()
    assert rows["vector"].shape == (300, 192)
    assert np.abs(rows["vector"]).max() == 127


def test_a_word_goes_through_the_model_in_its_longest_pieces(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    vocabulary = ["[PAD]", "[CLS]", "[SEP]", "tool", "##bar", "##b"]
    (tmp_path / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (8, 384) for name in ("word", "position", "token_type")
    }
    for part in ("embeddings.LayerNorm", *(_layer(number, part) for number in range(6) for part in _NORMAL)):
        shapes |= {f"{part}.weight": (384,), f"{part}.bias": (384,)}
    for number in range(6):
        for part, size in _LINEAR.items():
            shapes |= {f"{_layer(number, part)}.weight": size, f"{_layer(number, part)}.bias": size[:1]}
    tensors = {name: rng.normal(scale=0.05, size=size).astype("<f4") for name, size in shapes.items()}
    offsets = np.cumsum([0, *(tensor.nbytes for tensor in tensors.values())]).tolist()
    head = {
        name: {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets[at : at + 2]}
        for at, (name, tensor) in enumerate(tensors.items())
    }
    text = json.dumps(head).encode()
    raw = len(text).to_bytes(8, "little") + text + b"".join(tensor.tobytes() for tensor in tensors.values())
    (tmp_path / "model.safetensors").write_bytes(raw)
    model = SentenceModel(tmp_path)
    assert model.pieces("toolbar") == [3, 4]
    assert model.pieces("tools") == []
    embedded = model.embed([[3], [3, 4], [3]])
    assert np.allclose(embedded[0], embedded[2])
    assert not np.allclose(embedded[0], embedded[1])


_NORMAL = ("attention.output.LayerNorm", "output.LayerNorm")
_LINEAR: dict[str, tuple[int, ...]] = {
    **{f"attention.self.{name}": (384, 384) for name in ("query", "key", "value")},
    "attention.output.dense": (384, 384),
    "intermediate.dense": (1536, 384),
    "output.dense": (384, 1536),
}


def _layer(number: int, part: str) -> str:
    return f"encoder.layer.{number}.{part}"
