"""`kairos study review`: what waits to be sent, row by row and byte by byte; lets it go, or leaves rows out."""

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.clock import NS_PER_S, SystemClock
from storage.errors import UsageError
from storage.plain_text import escape_controls, format_count, format_time, print_result
from storage.translation import translatable

if TYPE_CHECKING:
    from participant.delivery.outbox import StoredParcel


_BYTES_A_LINE = 32
_PICK = re.compile(r"([0-9]{1,9})\.([0-9]{1,5})")


def register(actions: Any) -> None:
    """Add the action to `kairos study`."""
    review = add_command(
        actions,
        "review",
        run,
        "look at what is sent in a study, before it goes",
        example="study review && kairos study review --leave-out 12.3 --send",
        description=(
            "Prints the parcels that wait, their rows in words; with --send lets go those that an earlier look has "
            "printed. Leaves rows out."
        ),
    )
    review.add_argument("--bytes", action="store_true", help="print the very bytes that will be sent, too")
    review.add_argument(
        "--send", action="store_true", help="let go what you were shown before, and nothing packed since"
    )
    review.add_argument(
        "--through",
        metavar="SHA256",
        help="with --send: nothing behind the parcel of this digest, the last one that you were shown",
    )
    review.add_argument(
        "--leave-out",
        action="append",
        type=_pick,
        default=[],
        metavar="N.ROW",
        help="take this row out of parcel N before; it is counted, and may be given more than once",
    )
    review.add_argument(
        "--mode",
        choices=("ask", "daily", "hold"),
        help="from now on: ask before each parcel, let them go a day later, or hold all",
    )


def _pick(text: str) -> tuple[int, int]:
    found = _PICK.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError("a parcel and a row, such as 12.3")
    return int(found[1]), int(found[2])


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study review`."""
    from participant.delivery.outbox import Outbox, ParcelState
    from participant.delivery.review import (
        Mode,
        asks_until_wall_ns,
        leave_out,
        mode_of,
        note_shown,
        release_shown,
        set_mode,
        shown_before,
    )
    from participant.membership.consent import open_writer
    from participant.membership.joining import tell_daemon
    from participant.membership.lock import study_lock
    from participant.membership.status import folder_in_force
    from participant.pack import take_out_deleted

    if arguments.through is not None and not arguments.send:
        raise UsageError(
            translatable("--through belongs to --send"),
            remedy=translatable("kairos study review --send --through SHA256"),
        )
    now_wall_ns = SystemClock().wall_ns()
    changes = bool(arguments.send or arguments.leave_out or arguments.mode)
    released = left_out = unseen = 0
    folder, masked = folder_in_force(now_wall_ns)
    with study_lock(end_sender=changes), Outbox(folder.outbox) as outbox:
        take_out_deleted(folder)
        if arguments.mode:
            set_mode(outbox, Mode(arguments.mode))
        if arguments.leave_out:
            left_out = leave_out(outbox, open_writer(folder), arguments.leave_out)
        held = outbox.parcels(ParcelState.HELD)
        if arguments.send:
            shown = shown_before(outbox, held) if arguments.through is None else _through(held, arguments.through)
            unseen, held = len(held) - len(shown), shown
            released = release_shown(outbox, held)
        else:
            note_shown(outbox, held)
        mode, until_wall_ns = mode_of(outbox, now_wall_ns), asks_until_wall_ns(outbox)
    if released:
        tell_daemon()
    facts = {
        "study": folder.study,
        "mode": str(mode),
        "parcels": [_facts(parcel, masked=masked, with_bytes=arguments.bytes) for parcel in held],
        "left_out": left_out,
        "released": released,
        "unseen": unseen,
    }
    lines = [line for parcel in held for line in _lines(parcel, masked=masked, with_bytes=arguments.bytes)]
    if not held:
        lines.append("No parcel that you were shown waits." if unseen else "No parcel waits.")
    if left_out:
        lines.append(f"left out: {format_count(left_out, 'row')}; the next figures of a day say how many")
    if released:
        lines.append(f"let go: {format_count(released, 'parcel')}; sent within the hour, or now by: kairos study work")
    elif held:
        lines.append("let them go: kairos study review --send        leave a row out: --leave-out N.ROW")
    if unseen:
        lines.append(f"not let go, since you were not shown it: {format_count(unseen, 'parcel')}; kairos study review")
    if mode is Mode.ASK and until_wall_ns is not None:
        day = format_time(until_wall_ns / NS_PER_S)
        lines.append(f"From {day} on what waits is sent the day after it was packed, looked at or not.")
        lines.append("To be asked each time after that, too: kairos study review --mode ask")
    print_result(facts, [escape_controls(line) for line in lines], as_json=arguments.json)
    return 0


def _through(held: Sequence["StoredParcel"], digest: str) -> list["StoredParcel"]:
    """Return the parcels up to the one of this digest, which commits to all before it.

    Raises:
        UsageError: it does not wait any more, or has changed.
    """
    from participant.documents.names import digest_of

    for place, parcel in enumerate(held, 1):
        if digest_of(parcel.raw).hex() == digest:
            return list(held[:place])
    raise UsageError(
        translatable("what you were shown does not wait like that any more"),
        remedy=translatable("look again: kairos study review"),
    )


def _facts(parcel: "StoredParcel", *, masked: bool, with_bytes: bool) -> dict[str, object]:
    from participant.documents.names import digest_of

    facts: dict[str, object] = {
        "n": parcel.n,
        "made": parcel.made_wall_ns / NS_PER_S,
        "size": len(parcel.raw),
        "sha256": digest_of(parcel.raw).hex(),
        "rows": _rows(parcel, masked=masked),
    }
    return {**facts, "bytes": parcel.raw.hex()} if with_bytes else facts


def _rows(parcel: "StoredParcel", *, masked: bool) -> list[str]:
    from participant.commands.words import describe_row
    from participant.documents.rows import decode_rows

    return [describe_row(row, masked=masked) for row in decode_rows(parcel.rows)]


def _lines(parcel: "StoredParcel", *, masked: bool, with_bytes: bool) -> Sequence[str]:
    from participant.documents.names import digest_of

    made, digest = format_time(parcel.made_wall_ns / NS_PER_S), digest_of(parcel.raw).hex()
    lines = [
        f"parcel {parcel.n}, packed {made}: {len(parcel.raw)} bytes, SHA-256 {digest}",
        *(f"  {parcel.n}.{place}  {words}" for place, words in enumerate(_rows(parcel, masked=masked), 1)),
    ]
    if with_bytes:
        text = parcel.raw.hex()
        lines += [f"  {text[at : at + 2 * _BYTES_A_LINE]}" for at in range(0, len(text), 2 * _BYTES_A_LINE)]
    return lines
