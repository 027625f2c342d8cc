"""Looking at parcels before they go: what is shown is what is sent, and what is on hold stays."""

import datetime as dt
import sqlite3
from collections.abc import Callable
from contextlib import closing

import msgspec
import pytest

from participant.commands.words import HIDDEN, describe_row
from participant.delivery.outbox import Outbox, ParcelState
from participant.delivery.review import (
    Mode,
    leave_out,
    leaves_wall_ns,
    mode_of,
    release_daily,
    release_shown,
    rows_left_out,
    set_mode,
)
from participant.documents.rows import DayRow
from participant.membership.consent import open_writer
from storage.clock import DAY_NS, HOUR_NS, NS_PER_S
from storage.errors import UsageError
from tests.fakes.studies.documents import point, rows
from tests.fakes.studies.participants import JOINED_NS, join_study, opened, pack_rows, receive_all, try_all


def wall_ns(text: str) -> int:
    return round(dt.datetime.fromisoformat(text).timestamp()) * NS_PER_S


def day(left_out: int = 0) -> DayRow:
    return DayRow(day=9, minutes=480, gates={"budget": 3}, problems={}, left_out=left_out, version="0.1.0")


def test_in_the_first_week_nothing_leaves_that_was_not_let_go() -> None:
    folder, _ = join_study()
    pack_rows(folder)
    assert len(try_all(folder)) == 1  # parcel 0
    receive_all(folder)
    with Outbox(folder.outbox) as outbox:
        assert mode_of(outbox, JOINED_NS + 7 * DAY_NS - 1) is Mode.ASK
        assert release_daily(outbox, JOINED_NS + 7 * DAY_NS - 1) == 0
        assert mode_of(outbox, JOINED_NS + 7 * DAY_NS) is Mode.DAILY
        set_mode(outbox, Mode.HOLD)
        assert release_daily(outbox, JOINED_NS + 30 * DAY_NS) == 0
        set_mode(outbox, Mode.DAILY)
        assert release_daily(outbox, JOINED_NS + 14 * HOUR_NS) == 0  # midnight
        assert release_daily(outbox, JOINED_NS + 15 * HOUR_NS) == 1


def test_a_parcel_leaves_at_one_on_the_day_after_it_was_packed(set_zone: Callable[[str], None]) -> None:
    set_zone("Europe/Berlin")
    for packed, leaves in (
        ("2026-05-04T00:05+02:00", "2026-05-05T01:00+02:00"),
        ("2026-05-04T23:59+02:00", "2026-05-05T01:00+02:00"),
        ("2026-03-28T12:00+01:00", "2026-03-29T01:00+01:00"),
        ("2026-03-29T12:00+02:00", "2026-03-30T01:00+02:00"),
        ("2026-10-25T12:00+01:00", "2026-10-26T01:00+01:00"),
    ):
        assert leaves_wall_ns(wall_ns(packed)) == wall_ns(leaves)


def test_on_hold_not_even_what_was_sent_goes_again() -> None:
    """The control: without holding it does, after its wait."""
    folder, _ = join_study()
    try_all(folder)
    with Outbox(folder.outbox) as outbox:
        assert len(outbox.due(JOINED_NS + HOUR_NS)) == 1
        set_mode(outbox, Mode.HOLD)
        assert outbox.due(JOINED_NS + HOUR_NS) == []
        assert outbox.next_send_wall_ns(JOINED_NS) is None
        assert release_shown(outbox, outbox.parcels(ParcelState.HELD)) == 1
        assert len(outbox.due(JOINED_NS + HOUR_NS)) == 1


@pytest.mark.parametrize("joined_on_hold", [False, True])
def test_on_hold_a_collector_that_asks_again_gets_nothing(joined_on_hold: bool) -> None:
    """What it asks for waits for the person; the control: not on hold it goes at once."""
    folder, _ = join_study(mode=Mode.HOLD if joined_on_hold else None)
    with Outbox(folder.outbox) as outbox:
        outbox.release(0)
    try_all(folder)
    receive_all(folder)
    with Outbox(folder.outbox) as outbox:
        if not joined_on_hold:
            set_mode(outbox, Mode.HOLD)
        assert outbox.ask_again([(0, 0)]) == 1
        assert outbox.due(JOINED_NS + HOUR_NS) == []
        assert release_shown(outbox, outbox.parcels(ParcelState.HELD)) == 1
        assert len(outbox.due(JOINED_NS + HOUR_NS)) == 1
    receive_all(folder)
    with Outbox(folder.outbox) as outbox:
        set_mode(outbox, Mode.ASK)
        assert outbox.ask_again([(0, 0)]) == 1
        assert len(outbox.due(JOINED_NS + HOUR_NS)) == 1


def test_the_bytes_that_are_shown_are_the_bytes_that_are_sent() -> None:
    """What has changed since it was shown is not let go: any byte of it or of a parcel before it."""
    folder, _ = join_study()
    try_all(folder)
    receive_all(folder)
    pack_rows(folder, [point(1)], [point(2)], [point(3)])
    with Outbox(folder.outbox) as outbox:
        shown = outbox.parcels(ParcelState.HELD)
        leave_out(outbox, open_writer(folder), [(2, 1)])
        with pytest.raises(UsageError, match="changed since"):
            release_shown(outbox, shown)
        assert outbox.due(JOINED_NS) == []
        shown = outbox.parcels(ParcelState.HELD)
    pack_rows(folder, [point(4)])  # meanwhile; nobody was shown it
    with Outbox(folder.outbox) as outbox:
        assert release_shown(outbox, shown) == 3
    assert try_all(folder) == [parcel.raw for parcel in shown]


def test_rows_that_are_left_out_are_in_no_byte_and_are_counted() -> None:
    folder, _ = join_study(mode=Mode.HOLD)
    pack_rows(folder, [point(1), point(2)], [point(3), day()], [day(), point(4)])
    with Outbox(folder.outbox) as outbox:
        assert leave_out(outbox, open_writer(folder), [(1, 2), (2, 1)]) == 2
        assert rows_left_out(outbox) == 0
    _, *found = opened(folder)
    assert found == [(point(1),), (day(left_out=2),), (day(), point(4))]
    with Outbox(folder.outbox) as outbox:
        leave_out(outbox, open_writer(folder), [(3, 2), (2, 1)])  # the figures themselves, and what no figures follow
        assert rows_left_out(outbox) == 1
    assert opened(folder)[1:] == [(point(1),), (), (day(left_out=3),)]


def test_what_was_left_out_is_nowhere_in_the_outbox() -> None:
    """Neither sealed nor open; the control: before, it was."""
    folder, _ = join_study(mode=Mode.HOLD)
    pack_rows(folder, [msgspec.structs.replace(day(), gates={"marker_of_a_row": 1})])
    assert b"marker_of_a_row" in folder.outbox.read_bytes()
    with Outbox(folder.outbox) as outbox:
        leave_out(outbox, open_writer(folder), [(1, 1)])
    assert b"marker_of_a_row" not in folder.outbox.read_bytes()


@pytest.mark.parametrize(
    ("pick", "words"), [((0, 1), "cannot be left out"), ((1, 9), "no row 1.9"), ((7, 1), "no row 7.1")]
)
def test_what_cannot_be_left_out(pick: tuple[int, int], words: str) -> None:
    folder, _ = join_study(mode=Mode.HOLD)
    pack_rows(folder)
    with Outbox(folder.outbox) as outbox:
        before = outbox.parcels()
        with pytest.raises(UsageError, match=words):
            leave_out(outbox, open_writer(folder), [pick])
        assert outbox.parcels() == before


def test_nothing_is_left_out_of_what_was_let_go_or_sent() -> None:
    """Sent and then held again is not changed either: the collector may have it."""
    folder, _ = join_study()
    pack_rows(folder, state=ParcelState.READY)
    with Outbox(folder.outbox) as outbox, pytest.raises(UsageError, match="let go already"):
        leave_out(outbox, open_writer(folder), [(1, 1)])
    try_all(folder)
    with Outbox(folder.outbox) as outbox:
        set_mode(outbox, Mode.HOLD)
        with pytest.raises(UsageError, match="let go already"):
            leave_out(outbox, open_writer(folder), [(1, 1)])


def test_a_replacement_that_fails_changes_neither_parcels_nor_count() -> None:
    folder, _ = join_study(mode=Mode.HOLD)
    pack_rows(folder, [point(1)], [point(2)])
    full = "CREATE TRIGGER full BEFORE UPDATE ON parcels WHEN NEW.n = 2 BEGIN SELECT RAISE(ABORT, 'full'); END"
    with Outbox(folder.outbox) as outbox:
        before = outbox.parcels()
        with closing(sqlite3.connect(folder.outbox)) as other, other:
            other.execute(full)
        with pytest.raises(Exception, match="full"):
            leave_out(outbox, open_writer(folder), [(1, 1)])
        assert outbox.parcels() == before
        assert rows_left_out(outbox) == 0


def test_rows_in_words_tell_nothing_of_lots_until_the_study_is_over() -> None:
    for row in rows():
        masked, open_words = (describe_row(row, masked=masked) for masked in (True, False))
        assert masked
        for telling in ("trial", "group help", "withheld", "no_offer", "probability"):
            assert telling not in masked
        if hasattr(row, "phase"):
            assert "trial" in open_words
    assert HIDDEN in describe_row(point(), masked=True)
    assert "help need 75 %" in describe_row(point(), masked=True)
