"""The benchmark of questions: what counts as found, what is left out, and a fit that scores what it has not seen."""

import argparse
import json
from difflib import SequenceMatcher
from importlib.resources import files
from pathlib import Path

import pytest

from daemon.help.answers import TypedAnswers
from daemon.help.commands.words import language_of, words_of
from daemon.help.library import HelpLibrary
from daemon.help.library.asked import QUESTIONS as ASKED_PAGES
from daemon.help.library.ranking import default_weights
from lab.benchmarks.commands import BENCHMARKS
from lab.benchmarks.matching.gold import FOLDER, Half
from lab.benchmarks.matching.gold import read_questions as read_commands
from lab.benchmarks.questions.benchmark import (
    Asked,
    Question,
    Wording,
    ask_program,
    criteria,
    documentation_of,
    measure,
    read_questions,
    recorded_commands,
    text_of,
)
from lab.benchmarks.questions.fit import curve, fit, places_of, samples_of
from lab.benchmarks.questions.joined import AnswerSample, answer_rows, fit_joined, joined_samples, print_answered
from storage.db.connection import open_readonly
from storage.errors import EnvironmentFault, UsageError
from storage.files import library_file

PAGES = {
    "zoom": ("Zooming in", "Make the picture larger on the screen."),
    "print": ("Printing on both sides", "Duplex printers turn the paper."),
    "tabs": ("Working with tabs", "Each file is in a tab of its own."),
    "spell": ("Checking the spelling", "Red lines stand below words with typos."),
}
QUESTIONS = (
    {"id": "q1", "program": "gedit", "said": "zoom in", "question": "it is too small to read", "gold": ["zoom"]},
    {"id": "q2", "program": "gedit", "said": "print on both sides", "question": "save paper", "gold": ["print"]},
    {"id": "q3", "program": "gedit", "said": "check spelling", "question": "find typos", "gold": ["spell", "tabs"]},
    {"id": "q4", "program": "gedit", "said": "brew coffee", "question": "espresso machine", "gold": []},
    {"id": "q5", "program": "unheard", "said": "x", "question": "y", "gold": ["x/y"]},
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "share/help/C/gedit"
    folder.mkdir(parents=True)
    for name, (title, text) in PAGES.items():
        (folder / f"{name}.page").write_text(f"<page><title>{title}</title><p>{text}</p></page>", encoding="utf-8")
    rows = [row | {"gold": [f"mallard/gedit/{name}" for name in row["gold"]]} for row in QUESTIONS]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "questions.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def asked(gold: tuple[str, ...], *found: str) -> Asked:
    question = Question(question_id="q", program="gedit", said="a", question="b", gold=gold)
    return Asked(question=question, found=found)


def test_questions_about_programs_without_documentation_are_left_out_and_counted(data: Path) -> None:
    report = measure(data / "questions.jsonl", [Wording.SAID], data / "share")
    assert report.fields == {"questions": 4, "left_out": 1}
    alone, with_commands = report.rounds[:4], report.rounds[4:]
    assert [(row["id"], row["place"]) for row in alone] == [("q1", 1), ("q2", 1), ("q3", 1), ("q4", 0)]
    assert alone[3]["found"] == 0
    assert [criterion.ok for criterion in report.criteria[:4]] == [True] * 4
    assert [row["commands"] for row in with_commands] == [True] * 4
    assert [criterion.name for criterion in report.criteria[8:]] == ["key_cpu_p95"]
    assert report.notes == ["1 questions about programs without documentation here are left out."]


def test_hits_and_silence_are_counted_apart_and_fail_the_bars_when_the_ranking_does() -> None:
    good = [asked(("a",), "a"), asked(("a", "b"), "x", "b"), asked((), "x")]
    assert text_of(Wording.SAID, good)[:3] == [
        "said, pages alone: 2 questions that something answers, 1 that nothing does",
        "  hit@1 0.500 (0.09..0.91)",
        "  hit@3 1.000 (0.34..1.00)",
    ]
    assert {each.name: each.value for each in criteria(Wording.QUESTION, good)} == {
        "question_hit_at_1": 0.5,
        "question_hit_at_3": 1.0,
        "question_nothing_found_wrongly": 0.0,
        "question_nothing_found_rightly": 0.0,
    }
    assert text_of(Wording.SAID, [asked(())])[1:] == ["  nothing found, rightly 1.000 (0.21..1.00)"]
    bad = [asked(("a",), "x"), asked(("a",)), asked((), "x")]
    assert not any(criterion.ok for criterion in criteria(Wording.SAID, bad))


def test_a_folder_of_questions_is_read_and_what_is_none_is_refused(tmp_path: Path, data: Path) -> None:
    assert [each.question_id for each in read_questions(data)] == ["q1", "q2", "q3", "q4", "q5"]
    assert read_questions(data)[0].words(Wording.QUESTION) == "it is too small to read"
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="holds no questions"):
        read_questions(tmp_path / "other")
    with pytest.raises(UsageError, match=r"missing\.jsonl cannot be read \(No such file"):
        read_questions(tmp_path / "missing.jsonl")
    (tmp_path / "other/bad.jsonl").write_text('{"id": "q"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="holds no questions"):
        read_questions(tmp_path / "other")


def test_without_documentation_of_any_program_nothing_is_measured(tmp_path: Path, data: Path) -> None:
    with pytest.raises(EnvironmentFault, match="not installed"):
        measure(data / "questions.jsonl", [Wording.SAID], tmp_path / "empty")


def test_the_fit_ranks_the_pages_that_help_first_and_states_a_probability(data: Path) -> None:
    with documentation_of(read_questions(data), data / "share") as (folder, questions):
        connection = open_readonly(library_file(folder)).conn
        samples = samples_of(connection, questions, list(Wording))
        connection.close()
    weights = fit(samples)
    assert len(samples) == 8
    assert places_of(weights, samples).count(0) >= 5
    slope, _, least = curve(weights, samples)
    assert slope > 0
    assert 0 < least < 1


def test_what_helps_comes_first_among_commands_and_pages_by_the_joined_fit(data: Path) -> None:
    with (
        documentation_of(read_questions(data), data / "share") as (folder, questions),
        HelpLibrary.open(folder) as library,
    ):
        samples = joined_samples(library, questions, list(Wording))
    weights = fit_joined(samples)
    asked = [sample for sample in samples if sample.asked]
    assert [len(samples) > len(asked), len(asked)] == [True, 6]  # and questions about commands of this program
    assert sum(bool(sample.gold[(sample.rows @ weights).argmax()]) for sample in asked) >= 5
    assert not fit_joined([]).any()


def test_the_command_takes_a_path_and_one_wording_or_both(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    BENCHMARKS["questions"].add_arguments(parser)
    words = [str(data / "questions.jsonl"), "--documentation", str(data / "share")]
    report = BENCHMARKS["questions"].measure(parser.parse_args(words))
    assert report is not None
    assert {row["words"] for row in report.rounds} == {"said", "question"}
    assert BENCHMARKS["questions"].measure(parser.parse_args([*words, "--words", "said", "--fit"])) is None
    assert "folds by program: hit@1" in capsys.readouterr().out


def test_a_command_that_helps_is_an_answer_too_where_commands_are_asked() -> None:
    question = Question(question_id="q", program="gedit", said="a", question="b", gold=(), commands=("Edit > Undo",))
    assert Asked(question=question, found=("Edit > Undo",), with_commands=True).hit(1)
    assert not Asked(question=question, found=("Edit > Undo",)).hit(1)


def test_recorded_commands_answer_as_those_of_a_desktop_do() -> None:
    answers = TypedAnswers(recorded_commands(), lambda: None)
    question = Question(question_id="q", program="mousepad", said="word wrap", question="", gold=())
    with HelpLibrary(Path("none"), default_weights()) as library:
        assert ask_program(answers, library, question, Wording.SAID).found[0] == "Document > Word Wrap"


def test_what_the_index_says_that_people_ask_is_no_question_of_the_half_that_is_scored() -> None:
    """A page's own title may be asked for by its words."""
    english = language_of("en")
    scored = [
        (
            question.program.partition("-")[0],
            " ".join(words_of(question.words)),
            frozenset(english.stems(question.words)),
        )
        for question in read_commands(Half.TEST)
        if question.language == "en"
    ]
    given, app = list[str](), ""
    data = files("daemon.help.library") / "data" / ASKED_PAGES
    for line in data.read_text(encoding="utf-8").splitlines():
        title, means, asked = line.partition(" = ")
        if line.startswith("["):
            app = line.strip("[]").partition("-")[0]
        for words in asked.split("; ") if means and app else ():
            stems = frozenset(english.stems(words))
            given += [
                words
                for program, others, other_stems in scored
                if program == app
                and not stems <= frozenset(english.stems(title))
                and (stems == other_stems or (stems & other_stems and _alike(" ".join(words_of(words)), others)))
            ]
    assert app
    assert not given


def _alike(words: str, others: str) -> bool:
    return SequenceMatcher(None, others, words).ratio() >= 0.85


def test_no_question_is_fitted_as_answered_and_as_not_answered() -> None:
    questions = read_questions(FOLDER / "unanswered.jsonl")
    rows = answer_rows(questions, list(Wording))
    answered = {(program, words) for program, words, is_answered, *_ in rows if is_answered}
    silent = {(program, words) for program, words, is_answered, *_ in rows if not is_answered}
    assert not answered & silent
    assert min(len(answered), len(silent)) > len(questions)


def test_a_sure_page_counts_as_an_answer_in_the_figures_of_the_fit(capsys: pytest.CaptureFixture[str]) -> None:
    """One of two that nothing answers has a page of .9, whatever else speaks against it."""
    rows = {(2.2, -6.0): False, (-4.0, -6.0): False, (-1.0, 6.0): True}
    print_answered(
        [
            AnswerSample(
                program=program, asked=asked, counts=0.5, row=(1.0, page, odds, 0.0, 0.0, 0.0), answered=answered
            )
            for program in ("gedit", "gimp")
            for asked in (True, False)
            for (page, odds), answered in rows.items()
        ]
    )
    assert "asked: rightly 0.500, wrongly 0.000" in capsys.readouterr().out
