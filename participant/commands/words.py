"""Rows in words, for somebody who looks at a parcel before it goes. Pure; apart from `review`, which must load fast.

Groups and assignments travel and are hidden from the person until the study is over: named as sent, not shown.
"""

from participant.documents.rows import AnswerRow, ConsentRow, DayRow, LabelRow, PointRow, Row, TaskRow
from storage.plain_text import format_count, format_duration, format_percent

HIDDEN = "group, phase, assignment and what was decided are in it too, and hidden from you until the study is over"


def describe_row(row: Row, *, masked: bool) -> str:
    """Return one row as a sentence; `masked`: without what would tell of groups and lots."""
    match row:
        case PointRow():
            return _point(row, masked=masked)
        case AnswerRow():
            return _answer(row, masked=masked)
        case TaskRow():
            return _task(row, masked=masked)
        case LabelRow():
            return _label(row, masked=masked)
        case DayRow():
            return _day(row, masked=masked)
        case ConsentRow():
            return (
                f"What you agreed to: version {row.study_version}, text {row.text.hex()[:12]} ({row.language}), "
                f"switches {', '.join(row.sends) or 'none'}; with the seed of all assignments, your public key and "
                f"Kairos {row.version}"
            )


def _when(day: int, minute: int) -> str:
    return f"Day {day}, {minute // 60:02d}:{minute % 60:02d}"


def _point(row: PointRow, *, masked: bool) -> str:
    after = row.outcomes
    parts = [
        f"{_when(row.day, row.minute)}: a moment at which help could have been offered",
        f"help need {format_percent(row.need)}" if row.need is not None else "",
        f"application of kind {row.category}" if row.category is not None else "",
        ", ".join(f"{state} {format_percent(share)}" for state, share in row.states.items()),
        f"signs {', '.join(row.evidence)}" if row.evidence else "",
        (
            f"in the 5 minutes after: {after.watched_s} s watched, {after.active_s} s with input, "
            f"{format_count(after.undos, 'undo key')}"
            + (f", mean need {format_percent(after.need)}" if after.need is not None else "")
        ),
        HIDDEN
        if masked
        else f"phase {row.phase}, group {row.arm}, {row.action} with probability {row.propensity:g}"
        + (f", stopped by {row.gate}" if row.gate is not None else "")
        + (f", assignment {row.assignment_number}" if row.assignment_number is not None else "")
        + (f", the offer was {row.response.replace('_', ' ')}" if row.response is not None else ""),
    ]
    return "; ".join(part for part in parts if part)


def _answer(row: AnswerRow, *, masked: bool) -> str:
    choices = ", ".join(f"{code} {choice}" for code, choice in row.choices.items())
    parts = [
        f"{_when(row.day, row.minute)}: a question was {row.step.replace('_', ' ')}",
        f"because of {row.reason}" if row.reason is not None else "",
        f"choices by number: {choices}" if choices else "",
        f"after waiting {row.delay_s:.0f} s" if row.delay_s is not None else "",
        "group, phase and what made it due are in it too, and hidden from you until the study is over"
        if masked
        else f"phase {row.phase}, group {row.arm}, due by {row.moment} with probability {row.probability:g}",
    ]
    return "; ".join(part for part in parts if part)


def _place(row: TaskRow | LabelRow, *, masked: bool) -> str:
    hidden = "group and phase are in it too, and hidden from you until the study is over"
    return hidden if masked else f"phase {row.phase}, group {row.arm}"


def _task(row: TaskRow, *, masked: bool) -> str:
    parts = [
        f"{_when(row.day, row.minute)}: task {row.task}, {format_duration(row.seconds)}, {row.end.replace('_', ' ')}",
        f"you know its program {row.skill} of 5" if row.skill is not None else "",
        _place(row, masked=masked),
    ]
    return "; ".join(part for part in parts if part)


def _label(row: LabelRow, *, masked: bool) -> str:
    if row.taken_back:
        return f"Day {row.day}: a label that you deleted is taken back; {_place(row, masked=masked)}"
    parts = [
        f"{_when(row.day, row.minute)}: your label of {format_duration(row.seconds)}: {', '.join(row.states)}",
        f"help needed: {row.need}" if row.need is not None else "",
        f"in task {row.task}" if row.task is not None else "",
        f"before Kairos' judgement was shown you said {', '.join(row.first_states)}" if row.first_states else "",
        f"you wrote: {row.wanted} / {row.would_help}" if row.wanted or row.would_help else "",
        f"you said aloud: {row.said}" if row.said else "",
        _place(row, masked=masked),
    ]
    return "; ".join(part for part in parts if part)


def _day(row: DayRow, *, masked: bool) -> str:
    gates = ", ".join(f"{gate} {count}" for gate, count in sorted(row.gates.items()))
    problems = ", ".join(f"{code} {count}" for code, count in sorted(row.problems.items()))
    decisions = f"{format_count(sum(row.gates.values()), 'decision')}, by what stopped them (hidden until the end)"
    return (
        f"Day {row.day} in figures: {format_count(row.minutes, 'minute')} watched; "
        + (decisions if masked else f"decisions by what stopped them: {gates or 'none'}")
        + f"; problems: {problems or 'none'}; {format_count(row.left_out, 'row')} left out; Kairos {row.version}"
    )
