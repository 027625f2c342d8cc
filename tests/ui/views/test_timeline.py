"""What the timeline window says, without Qt: rows, sums, and sizes."""

import datetime as dt
from dataclasses import replace
from functools import partial

from detectors.mllm.protocol import CANCELLED, DONE
from detectors.mllm.questions import FailureReason
from storage.clock import NS_PER_S
from storage.messages import ANSWERS, STATES
from storage.records import FeedbackKind, State
from storage.timeline import MomentKind, SentRow, StoredFacts, TimelineFacts
from tests.fakes.ui.moments import DAY, WALL_NS, day_of, moment_of
from ui.views.timeline import (
    FINE,
    FORGET,
    ONLY_MARKED,
    SAID_FINE,
    SAID_STUCK,
    STUCK,
    Stretch,
    day_title,
    stretches,
    view_details,
    view_row,
    view_sent_lead,
    view_sent_row,
    view_stored,
    view_summary,
)

moment = partial(
    moment_of, app="soffice.bin", state=State.FRUSTRATION.value, help_need=0.62, estimates=4, why="No offer: it was so."
)


def test_every_state_and_answer_has_words() -> None:
    assert set(STATES) == {state.value for state in State}
    assert set(ANSWERS) == {kind.value for kind in FeedbackKind} | {"open", "withdrawn"}


def test_a_row_of_work_says_state_program_need_and_why() -> None:
    row = view_row(moment())
    assert (row.head, row.line, row.need_text) == ("Struggling in soffice.bin", "No offer: it was so.", "62 %")
    assert row.spoken == f"{row.time}. Struggling in soffice.bin. Help need 62 %. No offer: it was so."
    silent = view_row(moment(state="", help_need=None, why=""))
    assert (silent.head, silent.need_text) == ("No estimate in soffice.bin", "")


def test_rows_that_stand_out_say_so_in_words() -> None:
    offer = moment(kind=MomentKind.OFFER, title="Undone twice", why="An offer was made: because.", answer="too_early")
    assert view_row(offer).head == "Help was offered: Undone twice"
    assert view_row(offer).line == "Too early. An offer was made: because."
    assert view_row(replace(offer, answer="")).line.startswith("No answer so far.")
    asked = replace(offer, title="You asked for help", why="", help_need=None, detail="Nothing was found.")
    assert (view_row(asked).head, view_row(asked).line) == ("You asked for help", "Nothing was found. Too early.")
    assert view_details([asked]).lines == ("You asked for help", "Nothing was found. Too early.")
    said = [view_row(moment(kind=MomentKind.REPORT, needed=needed)).head for needed in (True, False)]
    assert said == [SAID_STUCK, SAID_FINE]
    off = view_row(moment(0, 90, kind=MomentKind.OFF, title="private"))
    assert (off.head, off.line) == ("Private: nothing was watched", "for 1 min")


def test_words_from_the_screen_are_plain() -> None:
    """Names of programs come from elsewhere: no line breaks, no direction marks, not too long."""
    row = view_row(moment(app="\u202eevil\n<b>" + "x" * 500))
    assert "\n" not in row.head
    assert "\u202e" not in row.head
    assert len(row.head) < 100


def test_a_stretch_leaves_out_its_edges_and_what_was_not_watched() -> None:
    """Windows touch, so the next one is not meant; each session has a stretch of its own."""
    rows = [moment(0, 24), moment(24, 48), moment(48, 60, kind=MomentKind.OFF), replace(moment(70, 80), session="t")]
    assert stretches(rows) == [Stretch("s", 1, 48 * NS_PER_S - 1), Stretch("t", 70 * NS_PER_S + 1, 80 * NS_PER_S - 1)]
    assert stretches([moment(5, 5, kind=MomentKind.OFFER)]) == [Stretch("s", 5 * NS_PER_S, 5 * NS_PER_S)]
    assert not view_details([rows[2]]).can_report
    assert not view_details([]).can_report


def test_details_say_more_about_one_row_and_less_about_many() -> None:
    one = view_details([moment()])
    assert one.lines[-1] == "Help need up to 62 %, estimated 4 times."
    offer = moment(30, 30, kind=MomentKind.OFFER, help_need=0.7, app="gimp")
    many = view_details([moment(), offer])
    assert many.lines == ("2 rows in soffice.bin, gimp.", "Help need up to 70 %. Help was offered once.")
    assert many.head.count(" to ") == 1
    assert " to " not in view_details([offer]).head


def test_a_day_is_summed_up_in_one_line() -> None:
    day = day_of()
    assert view_summary(day, []) == ""  # the list says it
    moments = [
        moment(0, 3600),
        moment(3600, 3600, kind=MomentKind.OFFER, answer="accepted"),
        moment(0, 9, kind=MomentKind.REPORT, needed=True),
    ]
    assert view_summary(day, moments) == (
        "1 h 0 min of work seen; need estimated 4 times; help offered once, accepted once; you said how it was once."
    )
    asked = moment(60, 60, kind=MomentKind.OFFER, help_need=None)
    assert "help offered once, accepted once; you asked for help once;" in view_summary(day, [*moments, asked])
    assert "no help offered; you asked for help twice." in view_summary(day, [moments[0], asked, asked])
    assert "offered" not in " ".join(view_details([moments[0], asked]).lines)
    broken = replace(day, unreadable=("20260921-1",), left_out=3)
    assert view_summary(broken, moments[:1]).endswith(
        "no help offered. The 3 oldest rows are left out. 1 session cannot be read: kairos sessions verify 20260921-1"
    )
    assert day_title(DAY, DAY) == "Today, Monday 21 September 2026"
    assert day_title(DAY, DAY + dt.timedelta(days=1)) == "Monday 21 September 2026"


STORED = StoredFacts(
    folder="/home/somebody/sessions",
    sessions=3,
    oldest_wall_ns=WALL_NS,
    rows=36_400_000,
    pictures=2_000_000_000,
    sent=0,
    learned=40,
    library=0,
    free=None,
    keep_days=30,
    keep_gb=5.0,
)


def test_what_is_stored_has_sizes_and_an_end() -> None:
    facts = dict(view_stored(STORED))
    assert facts["Pictures and sound"] == "2.0 GB"
    assert facts["What happened"].startswith("36.4 MB")
    assert facts["On the disk"] == "2.0 GB of sessions and copies"
    assert "30 days" in facts["How long"]
    assert "5 GB" in facts["How long"]
    assert dict(view_stored(replace(STORED, free=1_000_000, pictures=0)))["Pictures and sound"] == "none are stored"


def test_what_was_sent_says_where_and_how_much() -> None:
    row = SentRow(
        number=1,
        at_wall_ns=WALL_NS,
        address="https://example.org",
        model="m",
        purpose="strong",
        size=84_000,
        pictures=2,
        outcome="",
        dollars=0.0123,
    )
    line = view_sent_row(row)
    for part in ("https://example.org", "84 kB", "2 pictures", "on its way", "US$ 0.0123"):
        assert part in line
    assert "an estimate, by the strong model" in line
    for outcome in (DONE, CANCELLED, *FailureReason):
        assert outcome not in view_sent_row(replace(row, outcome=outcome)).split("  ·  ")
    assert "odd" in view_sent_row(replace(row, outcome="odd", purpose="bench goals"))
    assert "a benchmark" in view_sent_row(replace(row, purpose="bench goals"))
    assert "of tomorrow" in view_sent_row(replace(row, purpose="of tomorrow"))
    none = TimelineFacts(stored=STORED, sent=(), sent_count=0, sent_bytes=0, learned=())
    assert view_sent_lead(none) == "Nothing was sent to a model."
    assert "Look before it goes" in view_sent_lead(replace(none, joined_study=True))
    some = replace(none, sent=(row,), sent_count=7, sent_bytes=1_500_000)
    assert view_sent_lead(some).startswith(
        "7 requests to models on all days, 1.5 MB as stored. The newest 1 are listed."
    )


def test_no_two_keys_of_the_window_are_the_same() -> None:
    letters = [text[text.index("&") + 1].lower() for text in (STUCK, FINE, FORGET, ONLY_MARKED)]
    assert len(set(letters)) == len(letters)
