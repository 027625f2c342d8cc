"""What a day comes down to: stretches, time by program and phase, and three sentences that lead on."""

import re
from dataclasses import replace
from typing import Any

from storage.clock import NS_PER_S
from storage.messages import PHASES
from storage.records import State, WorkPhase, phase_of
from storage.timeline import Moment, MomentKind
from tests.fakes.ui.moments import WALL_NS, WINDOW_S, moment_of
from ui.views.day import GAP_NS, fold_work, merge_work, view_sentences, view_times
from ui.views.timeline import has_words, view_details, view_row

WINDOW_NS = WINDOW_S * NS_PER_S


def work(number: int, **changes: Any) -> Moment:
    facts: dict[str, Any] = {"app": "calc", "program": "LibreOffice Calc", "state": State.PERFORMING_ACTIONS.value}
    return moment_of(
        WINDOW_S * number, **{"moment_id": f"s/w{number}", "help_need": 0.1, "estimates": 4, **facts, **changes}
    )


def folded(*moments: Moment) -> list[Moment]:
    return [merge_work(name, parts) for name, parts in fold_work(moments).items()]


def test_every_state_is_in_one_of_four_phases_that_have_words() -> None:
    """The grouping of GUIDE, Table C3."""
    assert set(PHASES) == set(WorkPhase) == {phase_of(state) for state in State}
    assert phase_of(State.DEBUGGING.value) is WorkPhase.PROBLEM_SOLVING
    assert phase_of("") is phase_of("none of ours") is None


def test_windows_of_one_program_and_task_are_one_row_with_its_time_by_phase() -> None:
    stuck = work(4, state=State.FRUSTRATION.value, help_need=0.8, frame=9)
    (row,) = folded(*(work(number) for number in range(4)), stuck, work(5))
    shown = view_row(row)
    assert (shown.head, shown.line) == ("LibreOffice Calc", "2 min · Execution 2 min · Problem solving 24 s")
    assert (shown.need_text, row.frame, row.estimates) == ("80 %", 9, 24)
    assert (row.begin_wall_ns, row.end_wall_ns, row.start_ns, row.end_ns) == (
        WALL_NS,
        WALL_NS + 6 * WINDOW_NS,
        0,
        6 * WINDOW_NS,
    )
    assert view_details([row]).lines[:2] == (shown.head, shown.line)


def test_a_stretch_ends_with_its_program_its_task_its_session_a_long_gap_and_time_without_watching() -> None:
    """Offers and what the person said do not end one."""
    other = work(1, app="gimp")
    task = work(1, task="Format Cells")
    session = replace(work(1), session="t", moment_id="t/w1")
    later = replace(work(1), begin_wall_ns=work(0).end_wall_ns + GAP_NS + 1, end_wall_ns=work(9).end_wall_ns)
    for second in (other, task, session, later):
        assert len(folded(work(0), second)) == 2
    off, offer, said = (
        replace(work(0), moment_id=f"s/{kind}", kind=kind)
        for kind in (MomentKind.OFF, MomentKind.OFFER, MomentKind.REPORT)
    )
    assert [len(folded(work(0), between, work(1))) for between in (off, offer, said)] == [2, 1, 1]
    assert view_row(folded(task)[0]).head == "LibreOffice Calc: Format Cells"


def test_what_a_purge_and_midnight_cut_out_is_in_no_stretch_and_no_sum() -> None:
    """Sessions are cut there: what lies between two of them counts nowhere."""
    before = [work(number) for number in range(3)]
    after = [replace(work(number), session="t", moment_id=f"t/w{number}") for number in range(100, 103)]
    assert [row.end_wall_ns - row.begin_wall_ns for row in folded(*before, *after)] == [3 * WINDOW_NS] * 2
    assert view_times([*before, *after])[0] == ("Programs", "LibreOffice Calc 2 min")


def test_a_clock_that_was_set_back_within_a_stretch_does_not_turn_it_round() -> None:
    """What comes after it stands where the clock said, in a stretch of its own; no row ends before it begins."""
    back_ns = 3600 * NS_PER_S
    set_back = [
        replace(row, begin_wall_ns=row.begin_wall_ns - back_ns, end_wall_ns=row.end_wall_ns - back_ns)
        for row in (work(3), work(4))
    ]
    rows = folded(*sorted([work(1), work(2), *set_back], key=lambda one: one.begin_wall_ns))
    assert [row.end_wall_ns - row.begin_wall_ns for row in rows] == [2 * WINDOW_NS] * 2
    assert dict(view_times([work(1), work(2), *set_back]))["Programs"] == "LibreOffice Calc 1 min"


def test_the_day_is_told_in_three_sentences_that_lead_on() -> None:
    """To the longest stretch of trouble, to the offers, and to the program that took most of the time."""
    trouble = [work(number, help_need=0.7) for number in (2, 3, 30)]
    offer = work(3, moment_id="s/o1", kind=MomentKind.OFFER, title="Undone twice", answer="accepted", help_need=0.9)
    asked = work(40, moment_id="s/o2", kind=MomentKind.OFFER, help_need=None)
    stuck, helped, most = view_sentences([work(0), *trouble, offer, asked])
    assert stuck.text.startswith("You may have been stuck twice in LibreOffice Calc, longest at ")
    assert stuck.text.endswith("for 48 s. Undone twice.")
    (once, *_) = view_sentences([*trouble[:2], replace(offer, title="Looking for a setting?")])
    pattern = r"You may have been stuck in LibreOffice Calc at \d\d:\d\d, for 48 s\. Looking for a setting\?"
    assert re.fullmatch(pattern, once.text)
    assert (stuck.begin_wall_ns, stuck.end_wall_ns) == (trouble[0].begin_wall_ns, trouble[1].end_wall_ns)
    assert helped.text == "Help was offered once, accepted once. You asked for help once."
    assert helped.marked
    assert most.text == "Most of the time: 1 min in LibreOffice Calc."
    assert most.words == "LibreOffice Calc"
    assert [sentence.words for sentence in view_sentences([work(0)])] == ["LibreOffice Calc"]
    assert view_sentences([]) == []


def test_words_are_found_in_any_order_and_a_program_also_by_the_name_it_gives_itself() -> None:
    (row,) = folded(work(0, task="Format Cells"))
    assert all(has_words(row, words) for words in ([], ["calc"], ["format", "libre"], ["execution"]))
    assert not has_words(row, ["calc", "gimp"])
    assert has_words(work(0, app="gimp", program="GNU Image Manipulation Program"), ["gimp"])
