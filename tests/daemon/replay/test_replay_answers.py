"""Sessions in which models were queried: they replay without a model, and commands report the answers."""

import json
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from daemon.replay.replay import replay
from detectors import registry as detector_registry
from detectors.mllm.cascade import Combiner
from policies import registry as policy_registry
from storage.clock import NS_PER_S
from storage.db.codec import canonical
from storage.records import (
    Estimate,
    InputEvent,
    ModelAnswer,
    ModelTier,
    Prefix,
    Record,
    SessionEnd,
    SessionStart,
    State,
    Tick,
    is_derived,
)
from storage.session.log import SessionReader
from storage.settings import FenceSettings, ModelSettings
from tests.fakes.narrowing import as_a
from tests.fakes.sessions.derived_session import SETTINGS, stuck_rows, write_session

STATES = {state.value: 0.92 if state is State.DEBUGGING else 0.01 for state in State}


def queried_rows() -> list[Record]:
    """Return every row of a session in which models were queried about every second prefix, one of them too late."""
    settings = replace(SETTINGS, strong_model=ModelSettings(preset="fake"))
    detector = detector_registry.load(settings.detector)
    policy = policy_registry.load(settings.policy, settings.detector.base_rate)
    combiner = Combiner(settings.detector.base_rate)
    engine = Engine(detector=detector, policy=policy, settings=settings, combine=combiner)
    start = first_row(
        settings=settings,
        detector=detector,
        policy=policy,
        session_id="20260101-000000-abcd",
        wall_ns=1_700_000_000 * NS_PER_S,
        recording=False,
        combiner_hash=combiner.hash,
    )
    sources = [
        row for row in stuck_rows() if not (is_derived(row) or isinstance(row, (Tick, SessionStart, SessionEnd)))
    ]
    rows = engine.take(start, sources[0].at_ns)
    prefixes = 0

    def take(record: Record, at_ns: int) -> None:
        nonlocal prefixes
        step = engine.take(record, at_ns)
        rows.extend(step)
        for prefix in [row for row in step if isinstance(row, Prefix)]:
            prefixes += 1
            if prefixes % 2:
                take(answer_about(prefix, at_ns, prefixes), at_ns)

    for source in sources:
        while (due_ns := engine.next_wake_ns) is not None and due_ns <= source.at_ns:
            take(Tick(), due_ns)
        take(source, source.at_ns)
    take(replace(answer_about(None, rows[-1].at_ns, 1), prefix_id="w1/25"), rows[-1].at_ns)
    take(SessionEnd(reason="quit"), rows[-1].at_ns)
    return rows


def answer_about(prefix: Prefix | None, at_ns: int, number: int) -> ModelAnswer:
    tier = ModelTier.LOCAL if number % 4 == 1 else ModelTier.STRONG
    result: dict[str, Any] = {"help_need": 0.9 if number % 3 else 0.2, "state_probs": STATES, "confidence_source": "x"}
    return ModelAnswer(
        prefix_id="" if prefix is None else prefix.prefix_id,
        window_id=0 if prefix is None else prefix.window_id,
        tier=tier,
        model=f"{tier.value}\x1b[31m model",
        asked_at_ns=at_ns,
        latency_ns=2 * NS_PER_S,
        tokens_in=1000,
        tokens_out=20,
        dollars=0.01 if tier is ModelTier.STRONG else 0.0,
        sent=("3",),
        pictures=5,
        **({"trouble": "busy"} if number % 5 == 0 else result),
    )


@pytest.fixture(scope="module")
def rows() -> list[Record]:
    rows = queried_rows()
    found = Counter(row.detector for row in rows if isinstance(row, Estimate))
    assert found["cascade"] > 2
    assert found["evidence"] > found["cascade"]
    return rows


def test_a_session_with_answers_replays_to_the_same_rows(rows: list[Record], tmp_path: Path) -> None:
    folder = write_session(rows, tmp_path)
    result = replay(folder, check=True)
    assert result.identical, result.reason
    assert [canonical(row) for row in result.rows] == [canonical(row) for row in rows]
    assert replay(folder, check=True, with_recorded_estimates=True).identical


@pytest.mark.parametrize("field", ["help_need", "prefix_id", "dollars"])
def test_an_altered_answer_is_noticed(rows: list[Record], tmp_path: Path, field: str) -> None:
    at = next(
        index
        for index, row in enumerate(rows)
        if isinstance(row, ModelAnswer) and isinstance(rows[index + 1], Estimate) and row.help_need is not None
    )
    row = as_a(ModelAnswer, rows[at])
    other: dict[str, Any] = {"help_need": 0.5, "prefix_id": "w9/25", "dollars": 7.0}
    altered = [*rows]
    altered[at] = replace(row, **{field: other[field]})
    assert replay(write_session(altered, tmp_path), check=True).identical is False


def exported(folder: Path, base: Path) -> Path:
    assert main(["sessions", "export", str(folder), "--out", str(base / "s.kairos")]) == 0
    return base / "s.kairos"


def imported(export: Path, base: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    capsys.readouterr()
    assert main(["sessions", "import", str(export), "--sessions", str(base / "in"), "--json"]) == 0
    return Path(json.loads(capsys.readouterr().out)["session"])


def test_a_journal_that_leaves_out_what_was_excluded_replays_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Earlier builds wrote it into the first row, of which every prefix has the digest."""
    plain = stuck_rows()
    assert isinstance(plain[0], SessionStart)
    fence = FenceSettings(excluded_apps=("Tinder",), excluded_titles=("oncology",))
    start = replace(plain[0], settings=asdict(replace(SETTINGS, fence=fence)), imported_from=None)
    detector = detector_registry.load(SETTINGS.detector)
    policy = policy_registry.load(SETTINGS.policy, SETTINGS.detector.base_rate)
    engine = Engine(detector=detector, policy=policy, settings=SETTINGS)
    derived = engine.take(start, start.at_ns)
    for row in plain[1:]:
        if not is_derived(row):
            derived += engine.take(row, row.at_ns)
    folder = write_session(derived, tmp_path)
    assert replay(folder, check=True).identical
    session = imported(exported(folder, tmp_path), tmp_path, capsys)
    with SessionReader(session) as reader:
        assert "oncology" not in str(reader.first())
    checked = replay(session, check=True)
    assert (checked.reason, checked.estimates > 0) == (None, True)
    event = next(row for row in derived if isinstance(row, InputEvent))
    other = write_session([replace(event, own=True) if row is event else row for row in derived], tmp_path)
    assert not replay(
        imported(other, tmp_path, capsys), check=True
    ).identical  # an import does not hide that rows were altered


def test_why_shows_the_answers_of_models_and_the_cost(
    rows: list[Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_session(rows, tmp_path)
    assert main(["why", "--session", str(folder), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {model["tier"] for model in facts["models"]} == {"local", "strong"}
    assert sum(model["asked"] for model in facts["models"]) == sum(isinstance(row, ModelAnswer) for row in rows)
    assert main(["why", "--session", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "Models were asked" in text
    assert "the strong model" in text
    plain = write_session(stuck_rows(), tmp_path)
    assert main(["why", "--session", str(plain)]) == 0
    assert "model" not in capsys.readouterr().out.lower()


def test_other_weights_are_reported(rows: list[Record], tmp_path: Path) -> None:
    start = as_a(SessionStart, rows[0])
    result = replay(write_session([replace(start, combiner_hash="0123"), *rows[1:]], tmp_path), check=True)
    assert result.identical is False
    assert result.reason is not None
    assert "answers were combined by 0123" in result.reason


def test_a_session_from_before_there_were_models_replays_as_before(tmp_path: Path) -> None:
    """Its first row has no hash of weights, and that is no difference."""
    plain = stuck_rows()
    assert isinstance(plain[0], SessionStart)
    assert plain[0].combiner_hash == ""
    assert replay(write_session(plain, tmp_path), check=True).identical


def test_answers_survive_export_and_import(
    rows: list[Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = exported(write_session(rows, tmp_path), tmp_path)
    assert replay(imported(export, tmp_path, capsys), check=True).identical


def test_a_session_shows_which_models_were_queried_and_the_cost(
    rows: list[Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_session(rows, tmp_path)
    assert main(["sessions", "show", str(folder), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    answers = [row for row in rows if isinstance(row, ModelAnswer)]
    assert len(facts["model_answers"]) == len(answers)
    assert facts["model_answers"][0]["at"] > 1_600_000_000
    strong = [row for row in answers if row.tier is ModelTier.STRONG]
    price = next(usage for usage in facts["models"] if usage["tier"] == "strong")
    assert price["asked"] == len(strong)
    assert price["answered"] == sum(row.trouble is None for row in strong)
    assert price["dollars"] == pytest.approx(sum(row.dollars for row in strong))
    assert price["tokens"] == sum(row.tokens_in + row.tokens_out for row in strong)
    assert price["latency_s"] == pytest.approx(2.0)
    assert main(["sessions", "show", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "strong" in text
    assert "US$" in text
