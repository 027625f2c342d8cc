"""The recipe for one more benchmark: measure something, return a report, register it. CONTRIBUTING quotes this file."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from lab.benchmarks.commands import BENCHMARKS, add_benchmarks
from lab.benchmarks.diagnosis.judges.plan import JudgeName, JudgeStage
from lab.measure.benchmark import Benchmark, Report, at_most, option
from lab.trajectories import LAYOUTS


def _measure(arguments: argparse.Namespace) -> Report:
    # A real benchmark imports what it needs here, so that `kairos --help` stays fast.
    rounds = [{"round": number, "steps": arguments.size * number} for number in (1, 2)]
    worst = max(round_["steps"] for round_ in rounds)
    return Report(
        criteria=[at_most("worst", worst, 100, "steps")],
        rounds=rounds,
        fields={"size": arguments.size},
        text=[f"sorted {arguments.size} numbers"],
        pages={"sorting.html": f"<p>{worst} steps"},
    )


SORTING = Benchmark(
    name="sorting",
    help="how many steps sorting takes",
    description="Sort numbers. Takes no time.",
    example="sorting --json",
    options=(
        option("--size", type=int, default=10, metavar="N", help="how many numbers are sorted (10)"),
        option("--out", type=Path, metavar="DIR", help="where to leave a page"),
    ),
    measure=_measure,
)


def bench(*words: str) -> int:
    """Run `kairos bench` with the one benchmark more. In the project it is a table in `data/commands.toml`."""
    parser = argparse.ArgumentParser()
    add_benchmarks(parser.add_subparsers(), (*BENCHMARKS.values(), SORTING))
    arguments = parser.parse_args(["bench", *words])
    return int(arguments.run(arguments))


@pytest.mark.parametrize(("size", "status"), [("10", 0), ("1000", 1)])
def test_json_holds_bars_rounds_and_machine_and_a_missed_bar_ends_with_status_1(
    size: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("sorting", "--size", size, "--json") == status
    found = json.loads(capsys.readouterr().out)
    assert found["bars"] == [
        {"name": "worst", "value": 2 * int(size), "limit": 100, "unit": "steps, at most", "ok": status == 0}
    ]
    assert [round_["round"] for round_ in found["rounds"]] == [1, 2]
    assert found["machine"]["cores"] > 0
    assert found["size"] == int(size)


def test_text_is_printed_and_the_page_is_left_in_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("sorting", "--out", str(tmp_path / "new")) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("sorted 10 numbers\n\nheld   worst")
    assert str(tmp_path / "new" / "sorting.html") in printed.err
    assert (tmp_path / "new" / "sorting.html").read_text() == "<p>20 steps"


def test_the_parsers_of_all_benchmarks_load_nothing_heavy() -> None:
    """Their modules are imported whenever `kairos` starts; the second line shows that numpy would be seen."""
    code = "import sys, {}; print('numpy' in sys.modules)"
    for module, heavy in (("lab.benchmarks.commands", "False"), ("lab.measure.metrics", "True")):
        ran = subprocess.run([sys.executable, "-c", code.format(module)], check=True, capture_output=True, text=True)
        assert ran.stdout.strip() == heavy


def test_what_can_be_chosen_is_what_there_is() -> None:
    """The file names judges, stages and layouts, so that no parser loads them."""
    options = {known.names[0]: known.words.get("choices") for known in BENCHMARKS["diagnosis"].options}
    assert options["--judge"] == list(JudgeName)
    assert options["--without"] == list(JudgeStage)
    assert options["--layout"] == list(LAYOUTS)
