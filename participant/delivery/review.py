"""Looking at parcels before they go: modes, release, and rows that are left out. The lock is held by whoever calls.

In mode `ask` a parcel waits until the person lets it go. In mode `daily` it can be looked at on the day on which it was
packed, and leaves an hour after the midnight that follows, looked at or not. On `hold` nothing leaves, not even again,
until the person lets it go. Without a choice the first week is `ask` and the rest `daily`, also for what waits by then:
who joins is told so, and `kairos study review` names the day. Parcel 0 says only what was
just agreed to; it leaves at once, unless the person joined on hold.

What a person lets go is named by the digest of its last parcel, which commits to every byte of it and of those before.
"""

import datetime as dt
from collections.abc import Collection, Sequence
from enum import StrEnum

import msgspec

from participant.delivery.outbox import ON_HOLD, SHOWN, Outbox, ParcelState, StoredParcel
from participant.delivery.writer import Writer
from participant.documents.names import digest_of
from participant.documents.rows import ConsentRow, DayRow, Row, decode_rows
from storage.clock import DAY_NS, NS_PER_S, local_time
from storage.errors import BadFile, UsageError
from storage.translation import translatable

ASK_DAYS = 7
LEAVES_AT = dt.time(1)
LEFT_OUT = "left_out"
"""The fact that counts rows left out that no day row tells of yet (`rows_left_out`)."""

_REVIEW = "review"


class Mode(StrEnum):
    """How a person looks at what is sent: each parcel first, once a day, or nothing leaves."""

    ASK = "ask"
    DAILY = "daily"
    HOLD = "hold"


class _Review(msgspec.Struct, frozen=True, kw_only=True):
    joined_wall_ns: int
    mode: Mode | None


def start_review(outbox: Outbox, now_wall_ns: int, mode: Mode | None) -> None:
    """Store when the person joined and the mode that they chose, if any."""
    _save(outbox, _Review(joined_wall_ns=now_wall_ns, mode=mode))
    if mode is Mode.HOLD:
        outbox.save_fact(ON_HOLD, b"1")


def mode_of(outbox: Outbox, now_wall_ns: int) -> Mode:
    """Return the mode in force."""
    until_wall_ns = asks_until_wall_ns(outbox)
    if until_wall_ns is None:
        return _load(outbox).mode or Mode.ASK
    return Mode.ASK if now_wall_ns < until_wall_ns else Mode.DAILY


def asks_until_wall_ns(outbox: Outbox) -> int | None:
    """Return when the first week of asking ends by itself; None where the person chose a mode."""
    review = _load(outbox)
    return review.joined_wall_ns + ASK_DAYS * DAY_NS if review.mode is None else None


def set_mode(outbox: Outbox, mode: Mode) -> None:
    """Store the mode; on hold everything that is not received stops leaving."""
    _save(outbox, msgspec.structs.replace(_load(outbox), mode=mode))
    if mode is Mode.HOLD:
        outbox.save_fact(ON_HOLD, b"1")
        outbox.hold(sent_too=True)
    else:
        outbox.delete_fact(ON_HOLD)


def _load(outbox: Outbox) -> _Review:
    try:
        return msgspec.msgpack.decode(outbox.fact(_REVIEW) or b"", type=_Review)
    except msgspec.MsgspecError:
        raise BadFile(
            translatable("how parcels are looked at is damaged"),
            remedy=translatable("leave the study: kairos study leave"),
        ) from None


def _save(outbox: Outbox, review: _Review) -> None:
    outbox.save_fact(_REVIEW, msgspec.msgpack.encode(review))


def correct_clock(outbox: Outbox, now_wall_ns: int) -> None:
    """Take what happened later than now as of now: the clock was ahead, and would hold everything until that date."""
    review = _load(outbox)
    if review.joined_wall_ns > now_wall_ns:
        _save(outbox, msgspec.structs.replace(review, joined_wall_ns=now_wall_ns))
    outbox.correct_clock(now_wall_ns)


def shown_before(outbox: Outbox, held: Sequence[StoredParcel]) -> list[StoredParcel]:
    """Return those of the parcels that the person was shown by an earlier look."""
    through = int(outbox.fact(SHOWN) or b"-1")
    return [parcel for parcel in held if parcel.n <= through]


def note_shown(outbox: Outbox, held: Sequence[StoredParcel]) -> None:
    """Store that the person was shown these parcels."""
    if held:
        outbox.save_fact(SHOWN, str(held[-1].n).encode())


def leaves_wall_ns(made_wall_ns: int) -> int:
    """Return when a parcel leaves in mode `daily`: an hour after the midnight that follows, by local time."""
    day = local_time(made_wall_ns).date() + dt.timedelta(days=1)
    return round(dt.datetime.combine(day, LEAVES_AT).astimezone().timestamp()) * NS_PER_S


def release_daily(outbox: Outbox, now_wall_ns: int) -> int:
    """Let go what has waited long enough in mode `daily`; in others nothing; return how many parcels."""
    if mode_of(outbox, now_wall_ns) is not Mode.DAILY:
        return 0
    through = -1
    for parcel in outbox.parcels(ParcelState.HELD):
        if leaves_wall_ns(parcel.made_wall_ns) > now_wall_ns:
            break
        through = parcel.n
    return outbox.release(through)


def release_shown(outbox: Outbox, shown: Sequence[StoredParcel]) -> int:
    """Let go parcels that the person was shown; return how many.

    Raises:
        UsageError: they have changed since.
    """
    if not shown:
        return 0
    last = shown[-1]
    now = {parcel.n: digest_of(parcel.raw) for parcel in outbox.parcels(ParcelState.HELD)}
    if now.get(last.n) != digest_of(last.raw):
        raise UsageError(
            translatable("what you looked at has changed since"), remedy=translatable("look again: kairos study review")
        )
    return outbox.release(last.n)


def rows_left_out(outbox: Outbox) -> int:
    """Return how many rows were left out so far that no stored day row tells of; it only grows.

    Who packs a day row puts the difference to what earlier ones told into it.
    """
    return int(outbox.fact(LEFT_OUT) or b"0")


def leave_out(outbox: Outbox, writer: Writer, picks: Collection[tuple[int, int]]) -> int:
    """Take rows out of held parcels and chain these anew; return how many rows.

    The next day row tells how many: one that is held already, else one that is packed later.

    `picks`: numbers of parcels, and places of rows in them from 1 on.

    Raises:
        UsageError: there is no such row among those that are held, or it says what was agreed to.
    """
    chosen = set(picks)
    if not chosen:
        return 0
    first = min(n for n, _ in chosen)
    parcels = [parcel for parcel in outbox.parcels() if parcel.n >= first]
    fixed = {parcel.n for parcel in parcels if parcel.state is not ParcelState.HELD or parcel.tries}
    kept: list[list[Row]] = []
    untold = 0
    for parcel in parcels:
        rows, untold = _without(parcel, chosen, untold)
        kept.append(rows)
    if missing := sorted(chosen - _places(parcels)):
        raise UsageError("there is no row {}.{}".format(*missing[0]), remedy=translatable("see: kairos study review"))
    if fixed:
        raise UsageError(
            translatable("parcel {n} was let go already", n=min(fixed)), remedy=translatable("see: kairos study review")
        )
    outbox.replace_held(
        writer.rewrite(parcels, kept),
        first=first,
        facts={LEFT_OUT: str(rows_left_out(outbox) + untold).encode()} if untold else None,
    )
    return len(chosen)


def _places(parcels: Sequence[StoredParcel]) -> set[tuple[int, int]]:
    return {(parcel.n, place) for parcel in parcels for place in range(1, len(decode_rows(parcel.rows)) + 1)}


def _without(parcel: StoredParcel, chosen: set[tuple[int, int]], untold: int) -> tuple[list[Row], int]:
    """Return the rows that stay, and how many left out so far no day row tells of."""
    kept: list[Row] = []
    for place, row in enumerate(decode_rows(parcel.rows), 1):
        if (parcel.n, place) in chosen:
            if isinstance(row, ConsentRow):
                raise UsageError(
                    translatable(
                        "row {n}.{place} says what you agreed to and cannot be left out", n=parcel.n, place=place
                    ),
                    remedy=translatable("to take it back: kairos study leave"),
                )
            untold += 1 + (row.left_out if isinstance(row, DayRow) else 0)
            continue
        if isinstance(row, DayRow) and untold:
            row = msgspec.structs.replace(row, left_out=row.left_out + untold)  # noqa: PLW2901  # the row that stays
            untold = 0
        kept.append(row)
    return kept, untold
