"""`kairos study effect` and `kairos study power`: what they print, and what they refuse by name."""

import csv
from pathlib import Path

import numpy as np
import pytest

from study.analysis.effect import Trial, excursion_effect
from study.commands.estimates import register
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.studies.documents import PLAN

PEOPLE, EACH = 12, 20


def rows() -> list[dict[str, str]]:
    """Return a trial as a spreadsheet would hold it; the outcome is missing where nobody was available."""
    rng = np.random.default_rng(5)
    found = []
    for number in range(PEOPLE * EACH):
        available, late = bool(rng.random() < 0.8), int(rng.random() < 0.5)
        offered = int(available and rng.random() < 0.6)
        outcome = f"{rng.normal() + 0.5 * offered + late:.6f}" if available else "NA"
        found.append(
            {
                "who": f"p{number // EACH}",
                "progress": outcome,
                "offered": str(offered),
                "chance": "0.6",
                "free": "TRUE" if available else "FALSE",
                "late": str(late),
                "a, b": f"{rng.normal():.6f}",
                "words": "typing",
            }
        )
    return found


def written(path: Path, table: list[dict[str, str]], *, encoding: str = "utf-8") -> Path:
    """Write a table as CSV."""
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


@pytest.fixture
def points(tmp_path: Path) -> Path:
    """Return the trial's file."""
    return written(tmp_path / "points.csv", rows())


COLUMNS = ("--id", "who", "--outcome", "progress", "--treatment", "offered")


def effect(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> Answer:
    """Run the command on a file."""
    return run_command(register, capsys, "effect", str(path), *COLUMNS, *words)


def test_the_file_is_fitted_as_its_columns_are(points: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON holds every digit of what the estimator gives for the same columns."""
    found = effect(
        capsys, points, "--probability", "chance", "--availability", "free", "--moderators", "late", "--controls",
        "late", "a, b", "--json",
    )  # fmt: skip
    table = rows()
    fit = excursion_effect(
        Trial(
            person=np.array([row["who"] for row in table]),
            outcome=np.array([float(row["progress"].replace("NA", "nan")) for row in table]),
            treatment=np.array([float(row["offered"]) for row in table]),
            probability=0.6,
            available=np.array([row["free"] == "TRUE" for row in table]),
            moderators={"late": np.array([float(row["late"]) for row in table])},
            controls={name: np.array([float(row[name]) for row in table]) for name in ("late", "a, b")},
        )
    )
    assert found.code == 0
    assert [effect["name"] for effect in found.json["effects"]] == ["(intercept)", "late"]
    for one, printed in zip(fit.effects, found.json["effects"], strict=True):
        assert printed["estimate"] == pytest.approx(one.estimate, rel=1e-12)
        assert printed["standard_error"] == pytest.approx(one.standard_error, rel=1e-12)
        assert printed["degrees_of_freedom"] == PEOPLE - 5
    assert (found.json["people"], found.json["points"], found.json["numerator"]) == (PEOPLE, PEOPLE * EACH, 0.6)
    assert len(found.json["controls"]) == 3


def test_a_number_or_a_column_give_the_same(points: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The probability may be either, and several columns may stand in one word."""
    common = ("--availability", "free", "--json", "--controls")
    by_column = effect(capsys, points, "--probability", "chance", *common, "late", "a, b").json
    by_number = effect(capsys, points, "--probability", "0.6", *common, "a, b", "late,late").json
    assert by_number["effects"][0] == pytest.approx(by_column["effects"][0])
    other = effect(capsys, points, "--probability", "0.6", "--numerator", "0.5", *common, "late").json
    assert other["numerator"] == 0.5


def test_text_holds_every_figure(points: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line for the intercept and one for each moderator."""
    words = ("--probability", ".6", "--availability", "free", "--moderators", "late")
    printed = effect(capsys, points, *words).out.splitlines()
    found = effect(capsys, points, *words, "--json").json["effects"]
    assert printed[4].split() == ["estimate", "std.", "error", "t", "df", "p", "95%", "interval"]
    for line, one in zip(printed[5:], found, strict=True):
        assert line.split()[:5] == [
            one["name"],
            f"{one['estimate']:.4g}",
            f"{one['standard_error']:.4g}",
            f"{one['t']:.3f}",
            str(PEOPLE - 4),
        ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--probability", "chanse"), 2, "has no column chanse\nits columns are: who, progress"),
        (("--probability", "0.6", "--controls", "before,late"), 2, "has no column before\n"),
        (("--probability", "0.6", "--confidence", "95"), 2, "confidence of 95 is not between"),
        (("--probability", "0.6"), 4, "points.csv: outcome is missing"),
        (("--probability", "0.6", "--availability", "free", "--controls", "words"), 4, "column words holds something"),
        (("--probability", "0.6", "--availability", "progress"), 4, "column progress holds something else than 0"),
        (("--probability", "1", "--availability", "free"), 4, "points.csv: probability is not strictly between"),
    ],
)
def test_wrong_columns_are_refused_by_name(
    points: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, message: str
) -> None:
    """Usage and data are told apart, and no cell is quoted."""
    found = effect(capsys, points, *words)
    assert (found.code, message in found.err) == (code, True), found.err
    assert "typing" not in found.err


def test_files_that_are_no_table_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing, empty, not text, ragged, without a person, with two columns of one name."""
    path = tmp_path / "points.csv"
    for content, message in (
        (None, "cannot be read"),
        (b"", "has no column"),
        (b"\xff\xfe\x00who", "is not CSV in UTF-8"),
        (b"who,progress,offered\n1,2\n", "cannot be read as a table"),
        (b"who,progress,offered\n,2,1\n", "column who is empty in 1 rows"),
        (b"who,progress,offered,who\n1,2,1,1\n", "two columns of the same name: who"),
    ):
        if content is not None:
            path.write_bytes(content)
        found = effect(capsys, path, "--probability", "0.5")
        assert found.code in (2, 4)
        assert message in found.err


def test_kinds_are_not_guessed_from_the_beginning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A column may look like whole numbers for megabytes; other columns may be of any kind and share a name."""
    path = tmp_path / "points.csv"
    lines = [f"p{n % 9},{n % 2},{int(n % 7 < 3)},,{'x' * 200}" for n in range(9000)]
    path.write_text("\n".join(["who,progress,offered,,", *lines, 'p1, 0.5,1,"a,\nb",NA', ""]))
    found = effect(capsys, path, "--probability", "0.5", "--json")
    assert (found.code, found.json["points"]) == (0, 9001)


def test_a_byte_order_mark_and_numbers_as_ids_do_no_harm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files come from spreadsheets."""
    table = [{**row, "who": row["who"].removeprefix("p")} for row in rows() if row["free"] == "TRUE"]
    path = written(tmp_path / "points.csv", table, encoding="utf-8-sig")
    assert effect(capsys, path, "--probability", "0.6", "--json").json["people"] == PEOPLE


# ---------------------------------------------------------------- power

DESIGN = ("--days", "5", "--points", "3", "--base", "0.4", "--simulations", "60")


def power(capsys: pytest.CaptureFixture[str], *words: str) -> Answer:
    """Run the command."""
    return run_command(register, capsys, "power", *DESIGN, *words)


def test_power_says_that_it_is_simulated_and_what_was_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each number of people and each effect; the same seed gives the same."""
    words = ("--people", "10", "20", "--effect", "0", "0.4", "--seed", "7")
    found = power(capsys, *words)
    assert found.out.startswith("SIMULATED: 60 studies a line, seed 7; nobody was involved")
    assert "assumed: good outcomes without an offer 0.4, differing between people by sd 0.1;" in found.out
    assert power(capsys, *words).out == found.out
    printed = power(capsys, *words, "--json").json
    assert printed["simulated"] is True
    assert [(line["people"], line["effect"]) for line in printed["power"]] == [
        (10, 0.0),
        (10, 0.4),
        (20, 0.0),
        (20, 0.4),
    ]
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
    """Each by what is wrong with it."""
    found = power(capsys, *words)
    assert (found.code, message in found.err) == (2, True), found.err


# ---------------------------------------------------------------- power of a study


def study_folder(path: Path, text: str) -> Path:
    """Write a study file alone."""
    path.mkdir()
    (path / "study.toml").write_text(text)
    return path


def power_of_study(capsys: pytest.CaptureFixture[str], *words: str) -> Answer:
    """Simulate few studies."""
    return run_command(register, capsys, "power", *words, "--simulations", "20")


def test_a_study_says_its_own_days_probability_and_arms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of the arms have lots, for 21 days, and at most two offers a day are permitted."""
    plan = PLAN.replace("exploration = 0.5", "exploration = 0.3").replace("offers_per_day = 10", "offers_per_day = 2")
    folder = study_folder(tmp_path / "sheets", plan)
    found = power_of_study(capsys, str(folder), "--people", "30", "--effect", "0.1", "--json").json
    (one,) = found["power"]
    assert (one["people"], one["days"], one["points"], one["probability"]) == (15, 21, 2, 0.7)
    assert (one["base"], one["effect"], one["availability"]) == (0.4, 0.1, 1.0)
    assert "21 days with lots, an offer with probability 0.7, 1 of 2 arms with lots" in found["assumed"][0]
    text = power_of_study(capsys, str(folder), "--points", "5", "--days", "3").out
    assert "3 days, 5 points a day" in text
    assert "people above are those in an arm with lots: 1 in 2 of all" in text


def test_an_answer_as_outcome_counts_where_it_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A question follows a quarter of the offers."""
    folder = study_folder(tmp_path / "sheets", PLAN.replace('"recovered"', '"answer:stuck"'))
    found = power_of_study(capsys, str(folder), "--people", "40", "--effect", "0.1", "--json").json
    assert found["power"][0]["availability"] == 0.25
    never = study_folder(tmp_path / "never", PLAN.replace('"recovered"', '"answer:stuck"').replace("0.25", "0.0"))
    assert "no question follows an offer" in power_of_study(capsys, str(never)).err


def test_a_study_without_lots_has_no_power(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor does one that is not there, or no study and no days."""
    folder = study_folder(tmp_path / "sheets", PLAN.replace("exploration = 0.5, ", ""))
    refused = power_of_study(capsys, str(folder))
    assert (refused.code, "nothing is left to chance in sheets" in refused.err) == (2, True)
    assert "holds no study.toml" in power_of_study(capsys, str(tmp_path)).err
    assert "--days and --points are missing" in power_of_study(capsys).err
