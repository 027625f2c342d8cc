"""The rehearsal: what simulated people lived through arrives row by row, and the planted effect comes back."""

import hashlib
import json
import os
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msgspec
import pytest

from participant.documents.plan import Plan, PlannedTask, PolicyChange, Sent, parse_plan
from participant.documents.rows import LabelRow, PointRow, Row
from participant.pack import packer
from participant.pack.labels import new_rows
from participant.pack.points import OpenPoint
from storage.errors import UsageError
from study.collector.collector import Collector, Incoming, Outgoing
from study.rehearsal.compare import differing_assignments, differing_rows
from study.rehearsal.people import RehearsedPerson, night_after
from study.rehearsal.rehearse import Options, Progress, Rehearsal, rehearse
from study.rehearsal.route import Route, WholePath
from study.rehearsal.study_copy import Rehearsed, copy_study, example_plan, lots_by, plan_text
from study.researcher.folder import StudyFolder
from tests.fakes.narrowing import present
from tests.fakes.studies.documents import point


def short_study(*, silent: int = 1, trial: int = 7) -> Rehearsed:
    plan = example_plan()
    phases = tuple(
        msgspec.structs.replace(phase, days=days) for phase, days in zip(plan.phases, (silent, trial), strict=True)
    )
    return Rehearsed(plan=msgspec.structs.replace(plan, phases=phases, days=silent + trial), source=None)


def rehearse_in(
    where: Path, study: Rehearsed, *, people: int, seed: int, effect: float = 0.1, route: Route | None = None
) -> Rehearsal:
    where.mkdir(exist_ok=True)
    options = Options(people=people, days=study.plan.days, effect=effect, seed=seed, whole_path=route is not None)
    return rehearse(study, options, where, progress=Progress(), route=route)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """What came of one seed; `cpu_s` is what it took of a core."""

    seed: int
    effect: float
    estimate: float
    covered: bool
    found: bool
    lots: int
    problems: tuple[str, ...]
    cpu_s: float


def _one(seed: int, effect: float, people: int) -> Seed:
    before = os.times()
    with tempfile.TemporaryDirectory() as where:
        result = rehearse_in(Path(where), short_study(), people=people, seed=seed, effect=effect)
    after = os.times()
    took_s = after.user + after.system - before.user - before.system
    figures = {"estimate": present(result.fit).effects[0].estimate, "covered": result.covered, "found": result.found}
    return Seed(seed=seed, effect=effect, **figures, lots=result.lots, problems=tuple(result.problems), cpu_s=took_s)  # type: ignore[arg-type]  # by name


def many(seeds: Sequence[int], effect: float, *, people: int, processes: int = 2) -> list[Seed]:
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_one, seeds, [effect] * len(seeds), [people] * len(seeds)))


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


PEOPLE, SEED = 3, 5


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Rehearsal:
    return rehearse_in(tmp_path_factory.mktemp("first"), short_study(trial=3), people=PEOPLE, seed=SEED)


def test_every_row_arrives_as_the_journals_give_it(rehearsal: Rehearsal) -> None:
    """Each person sends the consent and a parcel a day; lots, rows and stages are told."""
    assert list(rehearsal.problems) == []
    assert rehearsal.parcels >= PEOPLE * 3
    assert rehearsal.rows > 60
    assert rehearsal.lots >= 8
    assert list(rehearsal.seconds) == ["inviting", "days at the desk", "packing", "delivering", "opening", "comparing"]


def test_a_rehearsal_can_be_repeated(rehearsal: Rehearsal, tmp_path: Path) -> None:
    """With the same seed the estimate is the same although ids and keys are new; else another."""
    again = rehearse_in(tmp_path / "a", short_study(trial=3), people=PEOPLE, seed=SEED)
    other = rehearse_in(tmp_path / "b", short_study(trial=3), people=PEOPLE, seed=SEED + 1)
    estimates = [made.fit.effects[0].estimate for made in (rehearsal, again, other) if made.fit is not None]
    assert estimates[0] == pytest.approx(estimates[1], abs=1e-9)  # ids give people another order, so sums round
    assert estimates[0] != pytest.approx(estimates[2], abs=1e-3)
    assert (again.rows, again.lots) == (rehearsal.rows, rehearsal.lots)


def with_words(study: Rehearsed) -> Rehearsed:
    tasks = tuple(PlannedTask(code=code, title=code, text="Do it.", end="Done.") for code in ("sort", "chart"))
    return replace(study, plan=msgspec.structs.replace(study.plan, sends=tuple(Sent), tasks=tasks))


def test_tasks_and_labels_arrive_as_they_were_played_and_said(tmp_path: Path) -> None:
    found = rehearse_in(tmp_path, with_words(short_study(trial=5)), people=4, seed=SEED)
    assert list(found.problems) == []
    assert found.tasks >= 2 * 4
    assert found.labels > 20
    assert found.changed > 1


# ---------------------------------------------------------------- controls: what is broken is found


@pytest.mark.parametrize(
    ("name", "stand_in", "told"),
    [
        ("new_rows", lambda *of: [row for row in new_rows(*of) if not row.taken_back], "is not taken back"),
        ("new_rows", lambda *of: [msgspec.structs.replace(row, task=None) for row in new_rows(*of)], "is missing"),
        ("take_out", lambda *_: None, "was deleted, and left"),
    ],
    ids=["never taken back", "taken out again and again", "what was deleted leaves"],
)
def test_a_packer_that_reads_labels_wrong_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, stand_in: Callable[..., list[LabelRow]], told: str
) -> None:
    monkeypatch.setattr(packer, name, stand_in)
    found = rehearse_in(tmp_path, with_words(short_study(trial=5)), people=4, seed=SEED)
    assert [problem for problem in found.problems if told in problem]


def test_a_parcel_that_is_lost_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take, lost = Collector.take, list[bytes]()

    def losing(self: Collector, items: Sequence[Incoming], now_wall_ns: int) -> list[Outgoing]:
        if not lost and now_wall_ns > night_after(3):
            lost.append(items[0].raw)
        return take(self, [item for item in items if item.raw not in lost], now_wall_ns)

    monkeypatch.setattr(Collector, "take", losing)
    found = rehearse_in(tmp_path, short_study(trial=3), people=3, seed=SEED)
    assert lost
    assert any("1 parcels are ready and not received" in problem for problem in found.problems)
    assert any("row " in problem and "missing" in problem for problem in found.problems)


def test_a_packer_that_reads_outcomes_wrong_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows agree with themselves, so only the second opinion on lots can tell."""
    finished = OpenPoint.finished

    def wrong(self: OpenPoint) -> PointRow:
        row = finished(self)
        outcomes = msgspec.structs.replace(row.outcomes, recovered=not row.outcomes.recovered)
        return msgspec.structs.replace(row, outcomes=outcomes)

    monkeypatch.setattr(OpenPoint, "finished", wrong)
    found = rehearse_in(tmp_path, short_study(trial=3), people=3, seed=SEED)
    assert found.problems
    assert all("recovered" in problem or "more" in problem for problem in found.problems)


def test_differences_between_rows_are_named() -> None:
    rows = _rows()
    assert differing_rows(rows, rows) == []
    changed = [*rows[:1], msgspec.structs.replace(rows[1], minute=99), *rows[2:]]
    assert differing_rows(changed, rows) == ["row 2: point differs in minute"]
    assert differing_rows(rows[:-1], rows) == ["row 3: missing (point)"]
    assert differing_rows(rows, rows[:-1]) == ["row 3: in no journal (point)"]
    assert len(differing_rows([], rows * 20)) == 21
    assert differing_assignments(rows, []) == ["3 rows about assignments, and 0 assignments in the journals"]


def _rows() -> list[Row]:
    return [msgspec.structs.replace(point(at), assignment_number=at) for at in range(3)]


# ---------------------------------------------------------------- the copy of a study


def two_arms() -> Plan:
    plan = example_plan()
    phases = (plan.phases[0], msgspec.structs.replace(plan.phases[1], arms={"control": plan.phases[0].policy}))
    return msgspec.structs.replace(plan, arms=("help", "control"), phases=phases)


def test_a_plan_is_copied_whole() -> None:
    """With arms, stopping rules and texts that TOML must quote."""
    odd = msgspec.structs.replace(two_arms(), title='Say "why" \\ ü')
    assert msgspec.structs.replace(parse_plan(plan_text(odd)), name=odd.name) == odd


def test_arms_follow_from_the_seed(tmp_path: Path) -> None:
    """So a study with two arms can be rehearsed again; ids are new each time."""
    copies = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        copies.append(copy_study(two_arms(), tmp_path / name, people=6, chance=random.Random(1)))
    arms = [[invitation.arm for invitation in copy.invited] for copy in copies]
    assert arms[0] == arms[1]
    assert set(arms[0]) == {"help", "control"}
    first, second = ({invitation.invitation.participant for invitation in copy.invited} for copy in copies)
    assert first.isdisjoint(second)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"people": 2}, "too few"),
        ({"effect": 0.9}, "cannot be planted"),
        ({"days": 0}, "14 days"),
        ({"days": 15}, "14 days"),
        ({"days": 4}, "no offer is left to chance"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(changes: dict[str, Any], message: str) -> None:
    """Before anything is simulated."""
    options = replace(Options(people=3, days=14, effect=0.1, seed=1), **changes)
    with pytest.raises(UsageError, match=message):
        options.check(Rehearsed(plan=example_plan(), source=None))


def test_a_study_that_leaves_nothing_to_chance_is_rehearsed_without_an_effect(tmp_path: Path) -> None:
    plan = example_plan()
    policy = msgspec.structs.replace(plan.phases[1].policy, exploration=None)
    phases = tuple(msgspec.structs.replace(phase, days=2) for phase in plan.phases)
    phases = (phases[0], msgspec.structs.replace(phases[1], policy=policy))
    study = Rehearsed(plan=msgspec.structs.replace(plan, phases=phases, days=4), source=None)
    found = rehearse_in(tmp_path, study, people=3, seed=SEED, effect=0.0)
    assert (found.fit, found.lots, list(found.problems), found.covered) == (None, 0, [], False)
    assert found.rows > 6
    with pytest.raises(UsageError, match="no offer is left to chance") as caught:
        Options(people=3, days=4, effect=0.1, seed=1).check(study)
    assert "leave --effect out" in (caught.value.remedy or "")


def test_days_with_lots_are_counted() -> None:
    plan = example_plan()
    assert [lots_by(plan, days) for days in (4, 5, 14)] == [0, 1, 10]
    anywhere = msgspec.structs.replace(plan.phases[1], policy=PolicyChange(name="random", arm_probability=0.1))
    plan = msgspec.structs.replace(plan, phases=(plan.phases[0], anywhere))
    with pytest.raises(UsageError, match="the phase trial draws assignments also"):
        Options(people=3, days=14, effect=0.1, seed=1).check(Rehearsed(plan=plan, source=None))


# ---------------------------------------------------------------- the command


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_command_rehearses_a_study_and_touches_nothing(run: Any, tmp_path: Path) -> None:
    """Neither the study's folder nor the data of whoever runs it; everything it says is labelled."""
    folder = StudyFolder.create(tmp_path / "mine").path
    text = (folder / "study.toml").read_text().replace("days = 7\n", "days = 1\n").replace("days = 28", "days = 22")
    (folder / "study.toml").write_text(text)
    before, environment = digests(tmp_path), dict(os.environ)
    answer = run("rehearse", "mine", "--participants", "3", "--days", "4", "--seed", "2")
    assert answer.code == 0, answer.err
    assert digests(tmp_path) == before
    assert dict(os.environ) == environment
    assert answer.out.startswith("SIMULATED: 3 people, 4 days of mine")
    assert "planted:   +0.100" in answer.out
    assert "Every row that arrived is the one that the journals give" in answer.out
    assert all(line.startswith("simulated: ") for line in answer.err.splitlines())


def test_the_command_rehearses_an_example_where_there_is_no_study(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rehearsal: Rehearsal
) -> None:
    calls: list[Options] = []

    def fake(study: Rehearsed, options: Options, where: Path, **_: object) -> Rehearsal:
        calls.append(options)
        return replace(rehearsal, options=options, problems=["person 1, row 2: missing (point)"] * 30)

    monkeypatch.setattr("study.rehearsal.rehearse.rehearse", fake)
    (tmp_path / "empty").mkdir()
    answer = run("rehearse", "empty", "--json")
    facts = json.loads(answer.out)
    assert answer.code == 1
    assert calls == [Options(people=24, days=14, effect=0.1, seed=20261123)]
    assert (facts["simulated"], facts["example"], facts["planted"]) == (True, True, 0.1)
    assert facts["low"] < facts["estimate"] < facts["high"]
    assert len(facts["problems"]) == 30
    lines = run("rehearse").out.splitlines()
    assert sum(line.startswith("problem: ") for line in lines) == 20
    assert lines[-1] == "and 10 more problems, see --json"
    assert "the built-in example" in lines[0]


def test_a_folder_that_is_not_there_is_refused(run: Any) -> None:
    answer = run("rehearse", "nowhere")
    assert answer.code == 2
    assert "no folder nowhere" in answer.err


# ---------------------------------------------------------------- people and progress


def test_the_data_of_others_is_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a simulated person works their folder is named, afterwards the earlier one again, also after an error."""
    monkeypatch.setenv("XDG_STATE_HOME", "/mine")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "study").mkdir()
    invited = copy_study(example_plan(), tmp_path / "study", people=1, chance=random.Random(1)).invited[0]
    person = RehearsedPerson(invited, tmp_path / "home", number=1, seed=1, effect=0.0)
    with pytest.raises(ValueError, match="stop"), person.at_home():  # noqa: PT012  # the block is what is tested
        assert os.environ["XDG_STATE_HOME"] == os.environ["XDG_CONFIG_HOME"] == str(tmp_path / "home")
        raise ValueError("stop")
    assert os.environ["XDG_STATE_HOME"] == "/mine"
    assert "XDG_CONFIG_HOME" not in os.environ
    with pytest.raises(ValueError, match="before joining"):
        person.live(1)


# ---------------------------------------------------------------- long


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_whole_path_by_broker_sender_and_collector(seed: int, tmp_path: Path) -> None:
    study = short_study(trial=5)
    whole = rehearse_in(tmp_path / "whole", study, people=6, seed=seed, route=WholePath())
    short = rehearse_in(tmp_path / "short", study, people=6, seed=seed)
    assert list(whole.problems) == list(short.problems) == []
    assert present(whole.fit).effects[0].estimate == pytest.approx(present(short.fit).effects[0].estimate, abs=1e-9)
    assert (whole.rows, whole.parcels) == (short.rows, short.parcels)
    print(f"simulated, seed {seed}: {whole.rows} rows in {whole.parcels} parcels, {whole.seconds}")


@pytest.mark.slow
def test_the_interval_holds_the_planted_effect_and_zero_is_not_found() -> None:
    """In 90 of 100 seeds at least; with nothing planted something is found in at most 10 of 100.

    24 people, 1 silent day and 7 days with lots; two processes. `KAIROS_SEEDS` takes fewer seeds.
    """
    count = int(os.environ.get("KAIROS_SEEDS", "100"))
    planted, control = (many(range(1, count + 1), effect, people=24) for effect in (0.1, 0.0))
    for name, seeds in (("planted 0.1", planted), ("planted nothing", control)):
        estimates = [seed.estimate for seed in seeds]
        print(
            f"simulated, {name}, {len(seeds)} seeds: covered {sum(seed.covered for seed in seeds)}, found "
            f"{sum(seed.found for seed in seeds)}; mean estimate {statistics.mean(estimates):+.3f}, sd "
            f"{statistics.stdev(estimates):.3f}; {statistics.mean(seed.lots for seed in seeds):.0f} assignments and "
            f"{statistics.mean(seed.cpu_s for seed in seeds):.1f} s of a core a seed"
        )
    assert [rehearsed.problems for rehearsed in (*planted, *control) if rehearsed.problems] == []
    assert sum(rehearsed.covered for rehearsed in planted) >= 0.9 * count
    assert sum(rehearsed.found for rehearsed in control) <= 0.1 * count
