"""The figures of a detector: curves, the clock, late observers, offers of the policy, and what each sense gives."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from detectors.rules import EvidenceDetector
from lab.benchmarks.detector import figures as late_observer
from lab.benchmarks.detector.figures import (
    EQUAL_LABEL_S,
    LATE_S,
    NO_CONTROLS,
    VERSIONS,
    auc_by_program,
    clock_figures,
    count_offers,
    curves_of,
    late_observers,
    render_clock,
    whole_windows,
)
from lab.simulation.persona import Split
from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import Packed, read_manifest, read_packed, summarize_lateness
from lab.training.dataset import Samples, samples_of
from lab.training.detector_metrics import PERCENTS, Predictions
from storage.clock import NS_PER_S
from storage.records import (
    Context,
    ControlAct,
    ControlRole,
    Decision,
    Estimate,
    Feedback,
    Offer,
    Record,
    Sense,
    State,
    Tick,
    TileDigests,
    Trigger,
    Verdict,
)
from storage.settings import DetectorSettings, PolicySettings, Settings
from tests.fakes.detectors.fake_detectors import FixedDetector, first_row, key
from tests.fakes.lab.desk_sessions import desk_samples, pack_desks, packed_desk
from tests.fakes.lab.packs import head, label
from tests.fakes.lab.samples import Row, clip, samples_from, window

ALL, NONE = (True,) * 4, (False,) * 4
AUCS = {25: 0.625, 50: 0.75, 75: 0.875, 100: 1.0}


def ramp() -> tuple[Samples, np.ndarray]:
    """Return four windows with need and four without in each of three sessions, and who sees one more each prefix."""
    session = [row for number in range(8) for row in window(number, ALL if number < 4 else NONE)]
    score = [float(row.need and row.window < PERCENTS.index(row.part) + 1) for row in session]
    return samples_from([session] * 3), np.array(score * 3)


def opinion(score: np.ndarray, state: np.ndarray | None = None) -> Predictions:
    return Predictions(state=np.zeros(len(score), np.int64) if state is None else state, need=score)


def test_more_recall_with_each_prefix_raises_the_curve() -> None:
    """One of four, two of four, ...: half of the rest is a tie. Sessions are alike, so intervals have no width."""
    samples, score = ramp()
    found = curves_of(samples, opinion(score))
    assert found.windows == 24
    for levels in (found.auc, found.auc_ahead):
        assert {one: level.value for one, level in levels.items()} == pytest.approx(AUCS)
        assert {one: (level.low, level.high) for one, level in levels.items()} == {
            one: (value, value) for one, value in AUCS.items()
        }
    for rises in (found.rises, found.rises_ahead):
        assert {(rise.value, rise.low) for rise in rises.values()} == {(0.125, 0.125)}
        assert tuple(rises) == PERCENTS[1:]


def test_only_whole_windows_are_compared() -> None:
    rows: list[Row] = [
        *window(0, NONE, truncated=True),
        *window(1, ALL),
        *window(2, (True, True, True)),
        *clip(3, State.WAITING),
        *window(4, NONE),
    ]
    assert whole_windows(samples_from([rows])).tolist() == [[4, 5, 6, 7], [15, 16, 17, 18]]


LATE = (False, False, True, True)


def samples() -> Samples:
    """Return 20 sessions of four windows; in half of them need comes with the second half of each window."""
    return samples_from(
        [[row for at in range(4) for row in window(at, LATE if odd else (False,) * 4)] for odd in [0, 1] * 10]
    )


def judged(score: np.ndarray) -> Predictions:
    return Predictions(state=np.zeros(len(score), np.int64), need=score.astype(np.float64))


def test_a_detector_that_counts_seconds_is_seen_through() -> None:
    """Its AUC is the clock's, and among samples of equal time it knows nothing."""
    some = samples()
    found = clock_figures(some, judged(some.label_s // EQUAL_LABEL_S))
    assert found.label_clock > 0.6
    assert found.chained == pytest.approx(0.5)
    assert np.isnan(found.apart), "there are no clips"


def test_a_detector_that_knows_more_keeps_its_credit() -> None:
    some = samples()
    found = clock_figures(some, judged(some.need))
    assert found.chained == found.equal_session == 1.0
    late = replace(some, need=some.session_s > 60.0)
    assert clock_figures(late, judged(late.need)).session_clock == 1.0
    assert found.session_clock < 0.7
    assert f"{found.session_clock:.3f} by the seconds since the session began" in render_clock(found)


def test_a_late_observer_misses_the_begin_and_reports_need_after_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In time, all need is found and nothing else; long after, hardly any, and what was found is wrong."""
    folder = pack_desks(tmp_path, programs=("a",), people=1)
    (entry,) = read_manifest(folder).sessions
    packed = read_packed(entry.path(folder))
    samples = samples_of(packed)
    found = late_observers(samples, [packed])
    assert tuple(found) == LATE_S
    recalls = [observer.recall for observer in found.values()]
    assert recalls == sorted(recalls, reverse=True)
    assert recalls[-1] < 1.0
    assert found[LATE_S[-1]].false_positives > 0.0
    monkeypatch.setattr(late_observer, "LATE_S", (0, 100_000))
    found = late_observers(samples, [packed])
    assert (found[0].recall, found[0].false_positives) == (1.0, 0.0)
    assert (found[100_000].recall, found[100_000].false_positives) == (0.0, 0.0)


LATE_OFFER = PolicySettings(name="tests.lab.benchmarks.detector.test_figures:LatePolicy")
WAIT_NS = 2 * NS_PER_S


class LatePolicy:
    """Offers two seconds after each estimate that sees need, and takes the offer down at the next estimate."""

    name = "late"
    version = "1"

    def __init__(self, settings: PolicySettings, base_rate: float) -> None:
        """Need neither."""

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> str | None:
        return None

    def decide(self, state: str | None, trigger: Trigger, context: Context, now_ns: int) -> tuple[str | None, Decision]:
        """Remember a prefix with need; name it in the offer at the tick."""
        if isinstance(trigger, Estimate) and trigger.help_need > 0.5:
            waiting = Decision(
                verdict=Verdict.HOLD,
                gate="break",
                reason="waiting",
                withdraw=context.showing is not None,
                next_tick_ns=now_ns + WAIT_NS,
            )
            return trigger.prefix_id, waiting
        if isinstance(trigger, Tick) and state is not None:
            return None, Decision(verdict=Verdict.OFFER, gate="all", reason="at_break", prefix_ids=(state,))
        return state, Decision(verdict=Verdict.HOLD, gate="none", reason="none")

    def learn(self, state: str | None, feedback: Feedback, offer: Offer, now_ns: int) -> str | None:
        return state

    def save(self, state: str | None, now_ns: int) -> dict[str, object]:
        return {}


def session(rows: list[Record], labels: list[Label]) -> Packed:
    return Packed(
        head=replace(head("made-up", split=Split.TEST, lateness=summarize_lateness(())), labels=tuple(labels)),
        rows=tuple(rows),
    )


@pytest.fixture
def typing() -> Packed:
    """Return half a minute of typing: prefixes end at 107, 113, 119, 125 and 131 s, offers come 2 s after each."""
    times = [101 * NS_PER_S + number * NS_PER_S // 2 for number in range(67)]
    rows = [replace(first_row(Settings()), at_ns=100 * NS_PER_S), *(replace(key(at), at_ns=at) for at in times)]
    labels = [
        label(101, 108, hard_negative=True),  # ends before the offer that it calls for appears
        label(110, 116, need_s=112),  # holds prefix and offer, and needs it
        label(120.5, 124, hard_negative=True),  # begins after the prefix, holds the offer
        label(130, 134),  # holds both, and is neither; the offer before, of 125 s at 127 s, lies in no label
    ]
    return session(rows, labels)


def test_offers_count_for_what_called_for_them(typing: Packed) -> None:
    """Five offers, each counted by hand."""
    found = count_offers([typing], FixedDetector(0.9), 0.05, LATE_OFFER)
    assert (found.offers, found.needed, found.hard_offers, found.between) == (5, 1, 2, 1)
    assert found.hours == pytest.approx((7 + 6 + 3.5 + 4) / 3600)
    assert found.hard_hours == pytest.approx(10.5 / 3600)
    assert found.hard_per_hour == pytest.approx(2 * 3600 / 10.5)


EVIDENCE = EvidenceDetector(DetectorSettings())


def test_versions_leave_out_the_records_of_a_sense_and_nothing_else() -> None:
    touched = ControlAct(t_ns=0, app="a", what="pressed", role=ControlRole.BUTTON, name_digest="00")
    on, tiles = Sense(name="controls", on=True), TileDigests(now="")
    gesture = packed_desk("a", 0).rows[5]
    held = {name: [row for row in (touched, on, tiles, gesture) if one.has(row)] for name, one in VERSIONS.items()}
    assert held == {
        "all senses": [touched, on, tiles, gesture],
        NO_CONTROLS: [tiles, gesture],
        "gestures and controls": [touched, on, gesture],
        "gestures": [gesture],
    }


def test_each_program_has_an_auc_of_its_own() -> None:
    samples = desk_samples()
    score = np.where(samples.program == "b", ~samples.need, samples.need).astype(np.float64)
    found = auc_by_program(samples, Predictions(state=samples.state, need=score))
    assert found == {"a": 1.0, "b": 0.0, "c": 1.0}


def test_need_to_come_is_read_apart_from_need_now() -> None:
    """Who foresees need at the window's end is right about that, and early about a prefix without need."""
    rows = [*window(0, ALL), *window(1, (False, False, False, True)), *window(2, NONE)]
    score = np.array([1.0] * 8 + [0.0] * 4)
    found = curves_of(samples_from([rows, rows]), opinion(np.tile(score, 2)))
    assert found.auc[25].value == pytest.approx(0.75)
    assert found.auc[100].value == 1.0
    assert found.auc_ahead[25].value == 1.0


def test_states_of_clips_weigh_the_same() -> None:
    """Three clips of a state all right and one of another all wrong: half as good as all right, not three quarters."""
    rows = [row for number in range(3) for row in clip(number, State.WAITING)] + clip(3, State.IDEATION)
    samples = samples_from([rows, [*window(0, ALL), *window(1, NONE)]])
    right = curves_of(samples, opinion(samples.need.astype(float), samples.state.copy()))
    waiting = np.full(len(samples), samples.state[0])
    half = curves_of(samples, opinion(samples.need.astype(float), waiting))
    assert right.clip_accuracy[100] > 0.0
    assert {
        percent: half.clip_accuracy[percent] / right.clip_accuracy[percent] for percent in PERCENTS
    } == dict.fromkeys(PERCENTS, 0.5)


def test_a_detector_without_need_leads_to_no_offer(typing: Packed) -> None:
    """The control: the same hours, and nothing in them."""
    found = count_offers([typing, typing], FixedDetector(0.1), 0.05, LATE_OFFER)
    assert (found.offers, found.needed, found.hard_offers, found.between) == (0, 0, 0, 0)
    assert found.hours == pytest.approx(2 * 20.5 / 3600)
    assert found.hard_per_hour == 0.0
