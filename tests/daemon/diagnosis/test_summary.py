"""The figures of a diagnosis: what comes back, rates and shares with their intervals, and too few to tell."""

from dataclasses import replace
from typing import Any

import pytest

from daemon.diagnosis.episodes import Ending, Episode, Place, PlaceKind, SessionDiagnosis
from daemon.diagnosis.sessions import UnreadableSession
from daemon.diagnosis.summary import DETAILED, FEW, Diagnosis, Summary
from daemon.diagnosis.wording import headline, limits, small_percent
from daemon.figures.intervals import poisson_rate, wilson
from tests.fakes.detectors.trouble import DAY_S, NOON_S, found_episode, found_session

BOLD = Place(kind=PlaceKind.CONTROL, role="button", name="Bold")
NAMELESS = Place(kind=PlaceKind.CONTROL, role="button", digest="d1")


def stuck(at_s: float = NOON_S, place: Place = BOLD, **changes: Any) -> Episode:
    return found_episode(at_s, place=place, **changes)


def summed(*found: SessionDiagnosis | UnreadableSession) -> Diagnosis:
    summary = Summary()
    for diagnosis in found:
        summary.add(diagnosis)
    return summary.diagnosis(since=0.0, until=NOON_S)


def on_days(*days: float, place: Place = BOLD, **changes: Any) -> SessionDiagnosis:
    return found_session(*(stuck(NOON_S + day * DAY_S, place, **changes) for day in days))


@pytest.mark.parametrize(
    ("days", "recurs"), [((0, 0.01, 1), True), ((0, 0.01, 0.02), False), ((0, 1), False), ((0, 1, 2), True)]
)
def test_what_comes_back_came_three_times_on_two_days(days: tuple[float, ...], recurs: bool) -> None:
    found = summed(on_days(*days))
    assert [spot.place for spot in found.recurring] == ([BOLD] if recurs else [])


@pytest.mark.parametrize(
    "other",
    [
        {"app": "calc"},
        {"evidence": "dead_clicks"},
        {"place": replace(BOLD, name="Font")},
        {"place": replace(BOLD, role="menu_item")},
        {"place": NAMELESS},
    ],
)
def test_another_program_sign_or_place_is_another_spot(other: dict[str, Any]) -> None:
    """Two and one make no three."""
    found = summed(on_days(0, 1), found_session(stuck(NOON_S + 2 * DAY_S, **other)))
    assert found.recurring == ()
    assert [spot.times for spot in found.spots] == [2, 1]


def test_without_names_program_and_sign_join_and_the_report_says_so() -> None:
    """Digests of different sessions mean different things, so they join nothing."""
    journal = [
        found_session(stuck(NOON_S + day * DAY_S, replace(NAMELESS, digest=f"d{day}")), day=day, recording=False)
        for day in range(3)
    ]
    found = summed(*journal)
    assert [(spot.times, spot.days, spot.place) for spot in found.recurring] == [(3, 3, None)]
    assert any("3 sessions have the journal alone" in text and "joined by program" in text for text in limits(found))
    assert not any("journal" in text for text in limits(summed(on_days(0, 1, 2))))


def test_rates_are_of_hours_with_input_with_the_interval_of_poisson() -> None:
    found = summed(
        found_session(*(stuck() for _ in range(6)), input_s={"writer": 7200.0, "calc": 3600.0, "mail": 599.0})
    )
    writer, calc, mail = found.programs
    assert (writer.app, writer.episodes, writer.rate) == ("writer", 6, poisson_rate(6, 2.0))
    assert (calc.app, calc.episodes, calc.rate) == ("calc", 0, poisson_rate(0, 1.0))
    assert (mail.app, mail.rate) == ("mail", None)
    assert found.rate == poisson_rate(6, (7200.0 + 3600.0 + 599.0) / 3600.0)
    assert found.stuck_s == 72.0


def test_shares_of_endings_need_five_episodes() -> None:
    few = summed(found_session(*(stuck() for _ in range(FEW - 1))))
    assert {ending.share for ending in few.endings} == {None}
    assert sum(ending.count for ending in few.endings) == FEW - 1
    enough = summed(found_session(*(stuck() for _ in range(FEW - 1)), stuck(ending=Ending.LEFT)))
    shares = {ending.ending: ending.share for ending in enough.endings}
    assert shares[Ending.LEFT] == wilson(1, FEW)
    assert shares[Ending.WORK_WENT_ON] == wilson(FEW - 1, FEW)
    assert shares[Ending.OFFER_ACCEPTED] == wilson(0, FEW)


def test_only_the_newest_episodes_keep_their_steps() -> None:
    """So that memory does not grow with the weeks; all are counted."""
    found = summed(*(found_session(stuck(NOON_S + day * DAY_S), day=day) for day in range(DETAILED + 3)))
    assert [bool(episode.episode.steps) for episode in found.episodes] == [False] * 3 + [True] * DETAILED


def test_what_it_rests_on_is_said() -> None:
    text = " ".join(limits(summed(found_session(windows=400))))
    assert "2 h 0 min of input and 400 judged windows" in text
    assert "5 % would be 20" in text
    assert "one half" not in text
    assert "No window was judged" not in text
    assert "No window was judged" in " ".join(limits(summed(found_session(windows=0))))
    text = " ".join(limits(summed(found_session(shipped=False, controls=False))))
    assert "one half" in text
    assert "no place is named" in text
    assert "would be" not in text


def test_equal_names_join_whatever_their_case() -> None:
    """As programs write them differently in menus and buttons."""
    found = summed(on_days(0, 1), found_session(stuck(NOON_S + 2 * DAY_S, replace(BOLD, name="bold"))))
    assert [spot.times for spot in found.recurring] == [3]


def test_what_was_left_out_is_named() -> None:
    found = summed(UnreadableSession(session="bad", problem="damaged"), found_session())
    assert ([unreadable.session for unreadable in found.unreadable], found.sessions) == (["bad"], 1)


def test_simulated_sessions_are_called_so() -> None:
    assert "1 of them simulated" in headline(summed(found_session(simulated=True)))
    assert "simulated" not in headline(summed(found_session()))


def test_the_first_sentence_names_the_place_that_is_most_frequent() -> None:
    found = summed(on_days(0, 1), found_session(stuck(NOON_S, evidence="dead_clicks")))
    assert "writer, the button “Bold”, 3 times on 2 days" in headline(found)
    assert headline(summed()).startswith("There are no sessions to look at. Kairos records them")
    assert "No episode of likely trouble in 2 h 0 min" in headline(summed(found_session()))


def test_a_small_share_is_not_none() -> None:
    assert [small_percent(share) for share in (0.0, 0.004, 0.01, 0.2)] == ["0 %", "under 1 %", "1 %", "20 %"]
