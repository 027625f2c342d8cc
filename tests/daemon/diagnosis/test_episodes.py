"""Episodes of likely trouble in one session: where each begins and ends, what it is about, and after what it ended."""

from dataclasses import replace

import pytest

from daemon.diagnosis.episodes import LEFT_NS, MAX_STEPS, Ending, Episode, PlaceKind, SessionDiagnosis, diagnose_rows
from detectors.embedded import load_model
from detectors.need_threshold import MODEL, need_threshold
from storage.clock import NS_PER_S
from storage.records import (
    DialogSeen,
    Estimate,
    FeedbackKind,
    KeyClass,
    MessageClass,
    SessionEnd,
    SessionStart,
    Switch,
    SwitchName,
    Wake,
    Withdrawal,
)
from storage.testing import plain
from tests.fakes.detectors.trouble import (
    CALM,
    NOON_S,
    STUCK,
    Timed,
    act,
    answer,
    episode,
    estimate,
    focus,
    key,
    numbered,
    offer,
    typing,
)

LEFT_S = LEFT_NS / NS_PER_S
WINDOW_S = 24.0


def diagnosed(*timed: Timed, **first: object) -> SessionDiagnosis:
    begin, rows = numbered([focus(0.0, "writer"), *timed], **first)
    return diagnose_rows(begin, rows, "s")


def episodes(*timed: Timed, **first: object) -> tuple[Episode, ...]:
    return diagnosed(*timed, **first).episodes


def spans(*timed: Timed, **first: object) -> list[tuple[float, float]]:
    """Return onset and length of each episode, in seconds from the session's beginning."""
    return [(round(each.onset - NOON_S, 3), each.length_s) for each in episodes(*timed, **first)]


# ---------------------------------------------------------------------- how long one is


def test_three_episodes_are_three_and_without_need_there_is_none() -> None:
    """The control: the very same session with need removed."""
    timed = [*episode(60.0), *episode(300.0, app="calc"), *episode(540.0)]
    assert spans(*timed) == [(60.0, 12.0), (300.0, 12.0), (540.0, 12.0)]
    calm = [
        (at_s, replace(row, help_need=CALM) if row.KIND == "estimate" else row)  # type: ignore[call-arg]  # estimates
        for at_s, row in timed
    ]
    assert spans(*calm) == []


def test_an_episode_lasts_until_a_whole_window_is_without_one() -> None:
    assert spans(estimate(10), estimate(10 + WINDOW_S)) == [(10.0, WINDOW_S)]
    assert spans(estimate(10), estimate(10.1 + WINDOW_S)) == [(10.0, 0.0), (34.1, 0.0)]


def test_another_application_is_another_episode_and_help_is_not() -> None:
    """A browser belongs to what led there; two programs in turn keep one episode each."""
    found = episodes(estimate(10), estimate(16, app="firefox"), estimate(22))
    assert [(each.app, each.length_s) for each in found] == [("writer", 12.0)]
    found = episodes(estimate(10), estimate(16, app="calc"), estimate(22), estimate(28, app="calc"))
    assert [(each.app, each.length_s) for each in found] == [("writer", 12.0), ("calc", 12.0)]
    assert [each.app for each in episodes(estimate(10, app="firefox"))] == ["firefox"]


def test_an_offer_outside_an_episode_is_one_and_inside_it_is_not_another() -> None:
    alone = episodes(offer(10), answer(20, FeedbackKind.IGNORED))
    assert [(each.evidence, each.offers, each.estimates) for each in alone] == [("dead_clicks", 1, 0)]
    inside = episodes(estimate(10), offer(20))
    assert [(each.evidence, each.offers, each.length_s) for each in inside] == [("undo_bursts", 1, 10.0)]


def test_the_threshold_is_that_of_the_session_s_detector() -> None:
    version = load_model(MODEL)[1].version
    first = {"detector": "embedded", "detector_version": version, "settings": {"detector": {"base_rate": 0.05}}}
    embedded = {"detector": "embedded", "detector_version": version}
    whole, quarter = (need_threshold("embedded", version, 0.05).by_ending[ending] for ending in ("100", "25"))
    assert spans(estimate(10, whole, **embedded), **first) == [(10.0, 0.0)]
    assert spans(estimate(10, whole - 0.001, **embedded), **first) == []
    assert spans(estimate(10, quarter, prefix_id="w1/25", fraction=0.25, **embedded), **first) == [(10.0, 0.0)]
    assert spans(estimate(10, 0.3, detector="cascade"), **first) == []
    assert diagnosed(**first).shipped
    assert spans(estimate(10, 0.499)) == []
    assert spans(estimate(10, 0.5)) == [(10.0, 0.0)]
    assert not diagnosed().shipped


def test_a_log_without_end_holds_so_many_episodes_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A foreign one must not fill the memory; control: with a higher limit there are more."""
    many = [estimate(100.0 * number) for number in range(45)]
    monkeypatch.setattr("daemon.diagnosis.episodes.MAX_EPISODES", 40)
    assert len(episodes(*many)) == 40
    monkeypatch.setattr("daemon.diagnosis.episodes.MAX_EPISODES", 50)
    assert len(episodes(*many)) == 45


# ---------------------------------------------------------------------- what it is about


def test_the_evidence_is_what_was_heaviest_most_often() -> None:
    found = episodes(
        estimate(10, code="dead_clicks"), estimate(12, code="undo_bursts"), estimate(14, code="undo_bursts")
    )
    assert [each.evidence for each in found] == ["undo_bursts"]
    assert [each.evidence for each in episodes(estimate(10, code="flow"))] == ["trouble_pattern"]
    assert [each.evidence for each in episodes(estimate(10, code=""))] == ["trouble_pattern"]


def test_names_are_kept_with_the_recording_alone() -> None:
    """A journal has a digest, which means nothing elsewhere."""
    (found,) = episodes(act(9, None), estimate(10), recording=False)
    assert (found.place.kind, found.place.name, found.place.digest) == (PlaceKind.CONTROL, "", "digest of None")
    (found,) = episodes(act(9, "Bold"), estimate(10), recording=False)
    assert found.place.name == ""


def test_without_a_control_the_place_is_the_dialog_else_the_window() -> None:
    dialog = plain(DialogSeen, app="writer", about=MessageClass.ERROR, title="Error 17")
    (found,) = episodes((9.0, dialog), estimate(10))
    assert (found.place.kind, found.place.name) == (PlaceKind.DIALOG, "Error …")
    (found,) = episodes(focus(5, "writer", "window digest"), estimate(10))
    assert (found.place.kind, found.place.digest) == (PlaceKind.WINDOW, "window digest")


def test_steps_are_those_of_the_episode_and_a_window_before() -> None:
    keys = [key(100.0 + 3 * number, KeyClass.UNDO if number % 2 else KeyClass.REDO) for number in range(30)]
    (found,) = episodes(key(1), *keys, estimate(110), estimate(130), estimate(150))
    assert len(found.steps) == MAX_STEPS
    assert all(step.verb == "key" for step in found.steps)
    assert max(step.at_s for step in found.steps) == 38.0
    (found,) = episodes(key(80), key(86.5), estimate(110), key(200))
    assert [(step.verb, step.at_s) for step in found.steps] == [("type", -23.5), ("wait", -23.5)]


# ---------------------------------------------------------------------- after what it ended

PAUSE = Switch(name=SwitchName.PAUSED, on=True, by="person")
RESUME = Switch(name=SwitchName.PAUSED, on=False, by="person")


@pytest.mark.parametrize(
    ("after", "ending"),
    [
        (typing(50, 120), Ending.WORK_WENT_ON),
        ([offer(52), answer(60), *typing(61, 120)], Ending.OFFER_ACCEPTED),
        ([offer(52), *typing(53, 95), answer(96), *typing(97, 120)], Ending.OFFER_ACCEPTED),
        ([offer(52), answer(60, FeedbackKind.DISMISSED), *typing(61, 120)], Ending.WORK_WENT_ON),
        ([offer(52), (60.0, Withdrawal(offer_id="o1", reason="moved_on")), *typing(61, 120)], Ending.WORK_WENT_ON),
        ([focus(52, "firefox"), *typing(53, 120)], Ending.HELP_SOUGHT),
        ([key(52, KeyClass.HELP), *typing(53, 120)], Ending.HELP_SOUGHT),
        ([focus(51, "firefox"), focus(52, "writer"), offer(53), answer(60), *typing(61, 99)], Ending.OFFER_ACCEPTED),
        ([offer(52), answer(55), focus(60, "firefox"), *typing(61, 120)], Ending.HELP_SOUGHT),
        ([key(60), key(60 + LEFT_S)], Ending.LEFT),
        ([key(60), key(59.9 + LEFT_S)], Ending.WORK_WENT_ON),
        ([key(60), (70 + LEFT_S, SessionEnd(reason="stop"))], Ending.LEFT),
        ([key(60), (65.0, PAUSE), (90.0, RESUME), *typing(91, 120)], Ending.STOPPED),
        ([key(60), (61.0, Switch(name=SwitchName.CONSENT, on=False, by="person"))], Ending.STOPPED),
        ([key(60), (61.0, Wake(slept_ns=1))], Ending.STOPPED),
        ([key(60), (65.0, SessionEnd(reason="stop"))], Ending.STOPPED),
        ([key(60), (65.0, SessionEnd(reason="time"))], Ending.WORK_WENT_ON),
        ([key(60)], Ending.STOPPED),
    ],
    ids=[
        *("work", "accepted", "accepted late", "dismissed", "withdrawn", "browser", "help key", "accepted after help"),
        *("help after accepted", "left", "not quite left", "left at the end", "pause", "consent", "sleep", "end"),
        *("midnight", "cut off"),
    ],
)
def test_after_what_it_ended(after: list[Timed], ending: Ending) -> None:
    found = episodes(*typing(30, 50), estimate(44), estimate(50), *after)
    assert [each.ending for each in found] == [ending]


# ---------------------------------------------------------------------- what it rests on


def test_the_window_is_that_of_the_session() -> None:
    timed = (estimate(10), estimate(45))
    assert len(spans(*timed, settings={"window": {"planned_s": 40.0}})) == 1
    assert len(spans(*timed, settings={"window": {"planned_s": 1e12}})) == 2
    assert len(spans(*timed, settings={"window": {"planned_s": "40"}})) == 2


def test_an_estimate_without_an_opinion_counts_nowhere() -> None:
    assert spans(estimate(10, abstained=True), estimate(12, error="failed")) == []


def test_the_place_is_the_control_touched_most_often_near_it() -> None:
    timed = [act(1, "Old"), act(1, "Old"), act(40, "Bold"), act(52, "Bold"), act(51, "Font"), act(50, "Cell", "calc")]
    (found,) = episodes(*timed, estimate(50), estimate(56), act(300, "New"), act(301, "New"), act(302, "New"))
    assert (found.place.kind, found.place.role, found.place.name) == (PlaceKind.CONTROL, "button", "Bold")


def test_help_long_before_the_end_did_not_come_last() -> None:
    helped = [focus(50, "firefox"), focus(55, "writer")]
    (found,) = episodes(*typing(40, 200), estimate(48), *helped, *(estimate(50 + 12 * n) for n in range(6)))
    assert found.ending is Ending.WORK_WENT_ON


def test_input_in_windows_of_ours_is_no_work() -> None:
    """Whoever only answers the card has not gone on."""
    (found,) = episodes(key(48), estimate(50), key(90, own=True), (95.0, SessionEnd(reason="stop")))
    assert found.ending is Ending.STOPPED


def test_time_with_input_counts_pauses_up_to_a_window() -> None:
    found = diagnosed(key(0), key(10), key(50), focus(51, "calc"), key(60), key(62, own=True), key(63))
    assert found.input_s == {"calc": 10.0 + 3.0, "writer": 10.0 + WINDOW_S}
    stopped = diagnosed(key(0), (5.0, PAUSE), (9.0, RESUME), key(10), key(12))
    assert stopped.input_s == {"writer": 2.0}


def test_what_a_session_is_stands_with_it() -> None:
    found = diagnosed(estimate(10, STUCK), recording=False, imported_from="AgentNet", platform="simulated")
    assert (found.recording, found.controls, found.imported, found.simulated) == (False, False, True, True)
    found = diagnosed(act(5))
    assert (found.recording, found.controls, found.imported, found.simulated) == (True, True, False, False)
    assert (found.began, found.ended) == (NOON_S, NOON_S + 5)


def test_the_work_is_counted_by_phase_each_part_of_a_window_once() -> None:
    """By the likeliest state of its estimates; a model's second look and what has no opinion count nowhere."""
    start = plain(SessionStart, settings={"window": {"planned_s": 24.0}})
    stuck, typing = {"frustration": 0.6, "performing_actions": 0.4}, {"performing_actions": 1.0}
    looks: tuple[tuple[int, float, dict[str, float]], ...]
    looks = ((1, 0.25, stuck), (1, 0.25, typing), (1, 0.5, stuck), (1, 1.0, typing), (2, 1.0, typing), (3, 1.0, {}))
    estimates = [
        plain(Estimate, at_ns, at_ns=at_ns, window_id=window, fraction=fraction, state_probs=states)
        for at_ns, (window, fraction, states) in enumerate(looks, start=1)
    ]
    abstained = plain(Estimate, 9, at_ns=9, window_id=4, state_probs=stuck, abstained=True)
    found = diagnose_rows(start, [*estimates, abstained], "s")
    assert found.phases_s == {"execution": 36.0, "problem_solving": 12.0}
