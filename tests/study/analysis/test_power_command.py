"""`kairos study power`: what it prints, and what it refuses by name."""

from pathlib import Path

import pytest

from study.commands.power import register
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.studies.documents import PLAN

DESIGN = ("--days", "5", "--points", "3", "--base", "0.4", "--simulations", "60")


def power(capsys: pytest.CaptureFixture[str], *words: str) -> Answer:
    return run_command(register, capsys, "power", *DESIGN, *words)


def test_power_says_that_it_is_simulated_and_what_was_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--people", "10", "20", "--effect", "0", "0.4", "--seed", "7")
    found = power(capsys, *words)
    assert found.out.startswith("SIMULATED: 60 studies a line, seed 7; nobody was involved")
    assert "assumed: good outcomes without an offer 0.4, differing between people by sd 0.1;" in found.out
    assert power(capsys, *words).out == found.out
    printed = power(capsys, *words, "--json").json
    assert printed["simulated"] is True
    lines = [(line["people"], line["effect"]) for line in printed["power"]]
    assert lines == [(10, 0.0), (10, 0.4), (20, 0.0), (20, 0.4)]
    nothing, much = printed["power"][2:]
    assert nothing["power"] < 0.2
    assert much["power"] > 0.9
    assert much["low"] < much["power"] <= much["high"] <= 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--people", "2", "--effect", "0.1"), "people must be 3 or more"),
        (("--people", "9", "--effect", "0.7"), "base and effect together must be a share"),
        (("--people", "9", "--effect", "0.1", "--base-spread", "0.6"), "base-spread is more than"),
        (("--people", "9", "--effect", "0.1", "--effect-spread", "-1"), "cannot be negative"),
        (("--people", "9", "--effect", "0.1", "--probability", "1"), "probability must be between"),
        (("--people", "9", "--effect", "0.1", "--availability", "0"), "availability must be above 0"),
        (("--people", "9", "--effect", "0.1", "--simulations", "0"), "simulations must be 1 or more"),
        (("--people", "9", "--effect", "0.1", "--days", "0"), "days and points must be"),
        (("--people", "9", "--effect", "0.1", "--base", "1"), "base must be between"),
    ],
)
def test_designs_that_cannot_be_are_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    found = power(capsys, *words)
    assert (found.code, message in found.err) == (2, True), found.err


# ---------------------------------------------------------------- power of a study


def study_folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "study.toml").write_text(text)
    return path


def power_of_study(capsys: pytest.CaptureFixture[str], *words: str) -> Answer:
    return run_command(register, capsys, "power", *words, "--simulations", "20")


def test_a_study_says_its_own_days_probability_and_arms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = PLAN.replace("exploration = 0.5", "exploration = 0.3").replace("offers_per_day = 10", "offers_per_day = 2")
    folder = study_folder(tmp_path / "sheets", plan)
    found = power_of_study(capsys, str(folder), "--people", "30", "--effect", "0.1", "--json").json
    (one,) = found["power"]
    assert (one["people"], one["days"], one["points"], one["probability"]) == (15, 21, 2, 0.7)
    assert (one["base"], one["effect"], one["availability"]) == (0.4, 0.1, 1.0)
    says = "21 days with assignments, an offer with probability 0.7, 1 of 2 arms with assignments"
    assert says in found["assumed"][0]
    text = power_of_study(capsys, str(folder), "--points", "5", "--days", "3").out
    assert "3 days, 5 points a day" in text
    assert "people above are those in an arm with assignments: 1 in 2 of all" in text


def test_an_answer_as_outcome_counts_where_it_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study_folder(tmp_path / "sheets", PLAN.replace('"recovered"', '"answer:stuck"'))
    found = power_of_study(capsys, str(folder), "--people", "40", "--effect", "0.1", "--json").json
    assert found["power"][0]["availability"] == 0.25
    never = study_folder(tmp_path / "never", PLAN.replace('"recovered"', '"answer:stuck"').replace("0.25", "0.0"))
    assert "no question follows an offer" in power_of_study(capsys, str(never)).err


def test_a_study_without_lots_has_no_power(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study_folder(tmp_path / "sheets", PLAN.replace("exploration = 0.5, ", ""))
    refused = power_of_study(capsys, str(folder))
    assert (refused.code, "nothing is left to chance in sheets" in refused.err) == (2, True)
    assert "holds no study.toml" in power_of_study(capsys, str(tmp_path)).err
    assert "--days and --points are missing" in power_of_study(capsys).err
