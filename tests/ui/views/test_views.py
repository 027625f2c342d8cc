"""What tray, card, and notices say, without Qt."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from storage import messages as words
from storage.ports import (
    HelpContent,
    HelpPage,
    HelpStep,
    QuietDaySummary,
    RunState,
    Status,
    StudyProgress,
    UnshownOffer,
)
from storage.records import Evidence, FeedbackKind, Offer
from storage.testing import plain
from tests.fakes.help.help_library import FREEZE, GENERAL
from ui.views.card import (
    ACCEPT,
    ASKED,
    BY_MODEL,
    DISMISS,
    MAX_STEPS,
    MORE,
    NOT_THERE,
    NOTHING_FOUND,
    STEP_LIMIT,
    view_card,
)
from ui.views.card import GENERAL as GENERAL_ADVICE
from ui.views.notice import CLOSE, FIRST_DAY_LINES, LOOK, NO_TRAY, OPEN_CONTROL, view_first_day, view_problem
from ui.views.study import study_line
from ui.views.text import TITLE_LIMIT, local_time
from ui.views.tray import PAUSE_S, Action, Entry, Glyph, TrayView, until_tomorrow_s, view_tray

HALF_PAST = datetime(2031, 5, 4, 14, 30, tzinfo=timezone(timedelta(hours=2)))


def entry(view: TrayView, action: Action) -> Entry:
    (found,) = [line for line in view.entries if line.action is action]
    return found


def make_offer(*, topic: str = "undo", help_text: str | None = None) -> Offer:
    evidence = (Evidence("other", {"count": 1.0}), Evidence("undo", {"count": 6.0, "seconds": 9.25}))
    about = {"topic": topic, "help": help_text, "evidence": evidence}
    return plain(Offer, offer_id="o-1", decision_seq=7, app="mousepad", help_need=0.8, **about)


@pytest.fixture
def undo_words(monkeypatch: pytest.MonkeyPatch) -> None:
    text = words.EvidenceText(
        "Undoing", "Several undos", "You undid {count} steps in {seconds:.1f} s.", "Step back further."
    )
    monkeypatch.setattr("storage.messages.EVIDENCE", {"undo": text})


@pytest.mark.parametrize(
    ("status", "glyph", "line"),
    [
        (Status(state=RunState.STARTING), Glyph.HOLLOW, "Starting"),
        (Status(state=RunState.WATCHING), Glyph.DOT, "Watching"),
        (Status(state=RunState.WATCHING, recording=True), Glyph.DOT, "Watching and recording"),
        (Status(state=RunState.PAUSED), Glyph.BARS, "Paused until you resume"),
        (Status(state=RunState.PRIVATE), Glyph.CLOSED, "Private until you resume"),
        (Status(state=RunState.EXCLUDED), Glyph.CLOSED, "An excluded window is open: it is not watched"),
        (Status(state=RunState.PROBLEM), Glyph.BANG, "Something is wrong"),
        (Status(state=RunState.STOPPED), Glyph.HOLLOW, "Stopped"),
    ],
)
def test_each_state_has_its_icon_and_its_line(status: Status, glyph: Glyph, line: str) -> None:
    view = view_tray(status)
    assert view.glyph is glyph
    assert view.entries[0] == Entry(
        Action.SEEN, line, enabled=status.state not in (RunState.STARTING, RunState.STOPPED)
    )
    assert view.tooltip == f"Kairos: {line}"


def test_a_model_that_cannot_be_asked_shows_while_kairos_watches() -> None:
    view = view_tray(Status(state=RunState.WATCHING, recording=True, model_off=True))
    assert (view.glyph, view.recording) == (Glyph.NO_MODEL, True)
    assert view.entries[0].text == "Watching and recording; a model cannot be asked now"
    assert view_tray(Status(state=RunState.PAUSED, model_off=True)).glyph is Glyph.BARS
    assert view_tray(Status(state=RunState.WATCHING, model_off=True, problem="disk_full")).glyph is Glyph.BANG


@pytest.mark.parametrize(("hour", "hours"), [(0, 30), (5, 25), (12, 18), (23, 7)])
def test_a_pause_until_tomorrow_ends_in_the_next_morning(hour: int, hours: int) -> None:
    """Never the same day: who works past midnight means the morning after the next sleep."""
    now = datetime(2031, 5, 4, hour).astimezone()
    assert until_tomorrow_s(now) == hours * 3600


def test_a_timed_pause_says_until_when() -> None:
    view = view_tray(Status(state=RunState.PAUSED, paused_until_wall_ns=1), HALF_PAST)
    assert view.entries[0].text == "Paused until 14:30"


def test_a_silent_first_day_says_until_when() -> None:
    """Only while Kairos watches: whatever else it does says more."""
    watching = Status(state=RunState.WATCHING, recording=True)
    line = view_tray(watching, None, HALF_PAST).entries[0].text
    assert line == f"Watching and recording; no offers until {HALF_PAST:%a} 14:30"
    assert view_tray(Status(state=RunState.PAUSED), None, HALF_PAST).entries[0].text == "Paused until you resume"


def test_the_first_day_is_summed_up() -> None:
    assert "&" not in LOOK + CLOSE + OPEN_CONTROL  # buttons of a notice take no keys

    def told(count: int) -> str:
        offers = tuple(UnshownOffer(wall_ns=number, topic="undo_bursts") for number in range(count))
        return view_first_day(QuietDaySummary(decisions=9, offers=offers)).text

    assert "Kairos judged 9 moments, and would have offered help at none of them." in told(0)
    assert "Help would have been offered twice:" in told(2)
    assert told(2).count("Undoing again and again") == 2
    assert told(9).count("Undoing again and again") == FIRST_DAY_LINES
    assert "and 3 more" in told(9)
    assert all("What Kairos saw has every moment with its reason" in told(count) for count in (0, 1, 9))


def test_wall_clock_nanoseconds_become_local_time() -> None:
    """The moment stays the same, and no moment stays none."""
    shown = local_time(1_000_000_000_000_000_000)
    assert shown is not None
    assert shown.astimezone(UTC) == datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC)
    assert local_time(None) is None


@pytest.mark.parametrize("state", [RunState.PAUSED, RunState.PRIVATE])
def test_a_problem_does_not_hide_a_pause(state: RunState) -> None:
    assert view_tray(Status(state=state, problem=NO_TRAY)) == view_tray(Status(state=state))


def test_the_menu_never_changes_its_lines() -> None:
    """Whatever the state, the same actions stand at the same places."""
    menus = {tuple(line.action for line in view_tray(Status(state=state)).entries) for state in RunState}
    assert len(menus) == 1
    assert {action for action in Action if action is not Action.NONE} <= set(*menus)


@pytest.mark.parametrize("state", list(RunState))
def test_what_can_be_clicked_fits_the_state(state: RunState) -> None:
    view = view_tray(Status(state=state))
    live = state not in (RunState.STARTING, RunState.STOPPED)
    assert entry(view, Action.RESUME).enabled is (state in (RunState.PAUSED, RunState.PRIVATE))
    assert all(entry(view, action).enabled is live for action in (*PAUSE_S, Action.PRIVATE, Action.REVOKE))
    assert entry(view, Action.PRIVATE).checked is (state is RunState.PRIVATE)
    assert entry(view, Action.QUIT).enabled is (state is not RunState.STOPPED)


@pytest.mark.usefixtures("undo_words")
def test_a_card_takes_its_words_from_the_topic() -> None:
    view = view_card(make_offer())
    assert view.offer_id == "o-1"
    assert (view.title, view.advice, view.note) == ("Several undos", "Step back further.", "")
    assert view.reason == "You undid 6 steps in 9.2 s."


@pytest.mark.usefixtures("undo_words")
def test_help_by_a_model_says_so() -> None:
    view = view_card(make_offer(help_text="Press F2 first."))
    assert view.advice == "Press F2 first."
    assert view.note == BY_MODEL


@pytest.mark.usefixtures("undo_words")
def test_an_empty_help_leaves_our_own_advice() -> None:
    view = view_card(make_offer(help_text="\u202e\u200b \x07\n"))
    assert (view.advice, view.note) == ("Step back further.", "")


def test_a_topic_without_words_still_makes_a_card() -> None:
    """An unknown code asks in general and promises nothing."""
    view = view_card(make_offer(topic="from_a_plugin"))
    assert view.title
    assert view.reason
    assert view.advice


def test_every_answer_can_be_given_once() -> None:
    kinds = [button.kind for button in (ACCEPT, DISMISS, *(b for row in MORE for b in row))]
    assert sorted(kinds) == sorted(set(FeedbackKind) - {FeedbackKind.IGNORED})


def test_an_unknown_problem_is_told_all_the_same() -> None:
    view = view_problem("from_the_future")
    assert view.title
    assert "kairos doctor" in view.text


@pytest.mark.parametrize(
    ("study", "line"),
    [
        (StudyProgress(title="Sheets", day=0, days=28), "Study: the quiet time before day 1"),
        (StudyProgress(title="Sheets", day=9, days=28), "Study: day 9 of 28"),
        (
            StudyProgress(title="Sheets", day=9, days=28, closed=True),
            "Study: closed by its researchers, today is its end",
        ),
    ],
)
def test_the_menu_says_where_a_study_stands(study: StudyProgress, line: str) -> None:
    assert study_line(study) == line


@pytest.mark.parametrize("study", [None, StudyProgress(title="Sheets", day=9, days=28)])
def test_taking_the_consent_back_says_that_it_leaves_a_study(study: StudyProgress | None) -> None:
    view = view_tray(Status(state=RunState.WATCHING, study=study))
    assert ("leave the study" in entry(view, Action.REVOKE).text) is (study is not None)


def test_a_card_with_a_page_says_the_thing_and_where_it_is(undo_words: None) -> None:
    """The title is the page's with the way to its first control; the reason stays; source and steps are named."""
    view = view_card(make_offer(), {}, HelpContent(page=FREEZE, missing=(2,), guess="Use “Freeze”"))
    assert view.title == "Freeze the first row: View > Freeze Rows and Columns"
    assert view.reason == "Several undos. You undid 6 steps in 9.2 s."
    assert view.eyebrow == "Kairos · LibreOffice Help 7.4"
    assert [(step.number, step.remark) for step in view.steps] == [(0, ""), (1, ""), (2, NOT_THERE)]
    assert view.steps[2].spoken == f"Step 3: Click OK. {NOT_THERE}"
    assert (view.guess, view.fold_text) == ("Use “Freeze”", "")


def test_a_step_that_is_not_there_gives_the_title_no_way() -> None:
    view = view_card(make_offer(), {}, HelpContent(page=FREEZE, missing=(1,)))
    assert view.title == "Freeze the first row: OK"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Click OK.", "Click OK."),
        ("Select a cell. " * 30, "Select a cell. " * 20 + "Select a cell."),
        ("word " * 100, ("word " * 100)[: STEP_LIMIT - 1].rstrip() + "…"),
        ("Do. " + "word " * 100, ("Do. " + "word " * 100)[: STEP_LIMIT - 1].rstrip() + "…"),
    ],
)
def test_a_long_step_is_cut_behind_a_sentence(text: str, shown: str) -> None:
    page = replace(FREEZE, steps=(HelpStep(text=text),))
    assert view_card(make_offer(), {}, HelpContent(page=page)).steps[0].text == shown


def test_a_general_page_is_named_as_general() -> None:
    """Nobody is to take it for the program's own help."""
    view = view_card(make_offer(), {}, HelpContent(page=GENERAL))
    assert (view.title, view.source) == ("Find a command", GENERAL_ADVICE)


def test_a_page_is_cut_to_what_a_card_holds_and_its_text_is_plain() -> None:
    step = HelpStep(text="Choose\n\u202e <b>Format</b> " + "x" * 2000, controls=("Format\n", "y" * 500))
    page = HelpPage(page_id="p", title="t\u2066\n" * 500, steps=(step,) * 30, source="s" * 500, app="calc")
    view = view_card(make_offer(), {}, HelpContent(page=page, guess="g" * 500))
    shown = (view.title, view.source, view.guess, *(step.text for step in view.steps))
    assert len(view.steps) == MAX_STEPS
    assert view.fold_text == f"All {MAX_STEPS} steps"
    assert max(map(len, shown)) <= max(STEP_LIMIT, 2 * TITLE_LIMIT)
    assert all(text.isprintable() for text in shown)
    assert "<b>Format</b>" in view.steps[0].text


def test_what_a_model_wrote_goes_before_a_page_and_an_empty_page_before_nothing(undo_words: None) -> None:
    """A page without steps is none; help of a model is shown as it was."""
    empty = HelpContent(page=HelpPage(page_id="p", title="Nothing", steps=(), source=""))
    assert view_card(make_offer(), {}, empty) == view_card(make_offer(), {})
    written = view_card(make_offer(help_text="Do this."), {}, HelpContent(page=FREEZE))
    assert (written.advice, written.note, written.steps) == ("Do this.", BY_MODEL, ())


def test_a_card_that_was_asked_for_says_so_also_where_nothing_was_found() -> None:
    asked = replace(make_offer(), asked=True)
    found, nothing = view_card(asked, {}, HelpContent(page=FREEZE)), view_card(asked, {})
    assert (found.asked, found.reason) == (True, ASKED)
    assert (nothing.title, nothing.reason, nothing.steps) == (NOTHING_FOUND, ASKED, ())
    assert "in a few words" in nothing.advice


def test_the_tray_asks_only_while_kairos_watches() -> None:
    enabled = {state: entry(view_tray(Status(state=state)), Action.ASK).enabled for state in RunState}
    assert {state for state, on in enabled.items() if on} == {RunState.WATCHING, RunState.PROBLEM}


def test_a_problem_is_shown_instead_of_watching() -> None:
    view = view_tray(Status(state=RunState.WATCHING, problem=NO_TRAY, recording=True))
    assert view.glyph is Glyph.BANG
    assert not view.recording
    assert view.entries[0].text == words.PROBLEMS[NO_TRAY][0]


def test_the_recording_mark_is_there_only_while_recording() -> None:
    """A pause hides the mark, because nothing is recorded then."""
    assert view_tray(Status(state=RunState.WATCHING, recording=True)).recording
    assert not view_tray(Status(state=RunState.WATCHING)).recording
    assert not view_tray(Status(state=RunState.PAUSED, recording=True)).recording


def test_an_open_microphone_shows_in_icon_and_line_whatever_the_state() -> None:
    for state in (RunState.WATCHING, RunState.PROBLEM):
        view = view_tray(Status(state=state, microphone=True))
        assert view.microphone
        assert "the microphone is open" in view.tooltip
    assert not view_tray(Status(state=RunState.WATCHING)).microphone
