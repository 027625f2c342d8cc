"""The columns of a study's tables, and the rows that one person adds to them."""

from collections.abc import Iterator, Mapping
from typing import Any

from participant.documents.rows import AnswerRow, ConsentRow, DayRow, PointRow
from storage.records import State
from study.opening.parcels import Person, PlacedRow, Status

_PLACE = (("participant", "string"), ("n", "int32"), ("place", "int32"))
_MOMENT = (("day", "int16"), ("minute", "int16"), ("phase", "string"), ("arm", "string"))

COLUMNS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "participants": (
        ("participant", "string"),
        ("number", "int32"),
        ("arm", "string"),
        ("status", "string"),
        ("study_version", "int32"),
        ("parcels", "int32"),
        ("missing_parcels", "int32"),
        ("problems", "int32"),
    ),
    "points": (
        *_PLACE,
        *_MOMENT,
        ("gate", "string"),
        ("propensity", "float64"),
        ("action", "string"),
        ("response", "string"),
        ("lot_number", "int64"),
        ("category", "string"),
        ("need", "float64"),
        *((f"state_{state.value}", "float64") for state in State),
        ("evidence", "list<string>"),
        ("wait_s", "float64"),
        ("watched_s", "int16"),
        ("outcome_need", "float64"),
        ("recovered", "bool"),
        ("active_s", "int16"),
        ("undos", "int32"),
    ),
    "answers": (
        *_PLACE,
        *_MOMENT,
        ("moment", "string"),
        ("probability", "float64"),
        ("step", "string"),
        ("reason", "string"),
        ("delay_s", "float64"),
        ("choices", "map<string, int16>"),
    ),
    "days": (
        *_PLACE,
        ("day", "int16"),
        ("minutes", "int32"),
        ("gates", "map<string, int64>"),
        ("problems", "map<string, int64>"),
        ("left_out", "int64"),
        ("version", "string"),
    ),
    "consents": (
        *_PLACE,
        ("day", "int16"),
        ("study_version", "int32"),
        ("bundle", "string"),
        ("language", "string"),
        ("text", "string"),
        ("sends", "list<string>"),
        ("seed", "int64"),
        ("key", "string"),
        ("version", "string"),
    ),
    "withdrawals": (
        ("participant", "string"),
        ("arm", "string"),
        ("status", "string"),
        ("keep", "bool"),
        ("wall_ns", "int64"),
    ),
    "problems": (("participant", "string"), ("n", "int32"), ("what", "string")),
    "facts": (("name", "string"), ("value", "string")),
}
"""Columns of every table with their Arrow types; docs/studies.md says what they mean."""


def _place(participant: str, one: PlacedRow) -> dict[str, Any]:
    return {"participant": participant, "n": one.n, "place": one.place}


def _point(row: PointRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "minute": row.minute,
        "phase": row.phase,
        "arm": row.arm,
        "gate": row.gate,
        "propensity": row.propensity,
        "action": row.action,
        "response": row.response,
        "lot_number": row.lot_number,
        "category": row.category,
        "need": row.need,
        **{f"state_{state.value}": share for state, share in row.states.items()},
        "evidence": row.evidence,
        "wait_s": row.wait_s,
        "watched_s": row.outcomes.watched_s,
        "outcome_need": row.outcomes.need,
        "recovered": row.outcomes.recovered,
        "active_s": row.outcomes.active_s,
        "undos": row.outcomes.undos,
    }


def _answer(row: AnswerRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "minute": row.minute,
        "phase": row.phase,
        "arm": row.arm,
        "moment": row.moment,
        "probability": row.probability,
        "step": row.step,
        "reason": row.reason,
        "delay_s": row.delay_s,
        "choices": list(row.choices.items()),
    }


def _day(row: DayRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "minutes": row.minutes,
        "gates": list(row.gates.items()),
        "problems": list(row.problems.items()),
        "left_out": row.left_out,
        "version": row.version,
    }


def _consent(row: ConsentRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "study_version": row.study_version,
        "bundle": row.bundle.hex(),
        "language": row.language,
        "text": row.text.hex(),
        "sends": [one.value for one in row.sends],
        "seed": row.seed,
        "key": row.key.hex(),
        "version": row.version,
    }


def rows_of(person: Person) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a person adds to the tables: the table, and a row by its columns; nothing of one who was deleted."""
    if person.status is Status.DELETED:
        return
    who = person.participant
    yield (
        "participants",
        {
            "participant": who,
            "number": person.listed.number,
            "arm": person.arm,
            "status": person.status.value,
            "study_version": person.listed.study_version,
            "parcels": person.parcels,
            "missing_parcels": sum(last - first + 1 for first, last in person.missing),
            "problems": len(person.problems),
        },
    )
    for one in person.rows:
        match one.row:
            case PointRow() as row:
                yield "points", _place(who, one) | _point(row)
            case AnswerRow() as answer:
                yield "answers", _place(who, one) | _answer(answer)
            case DayRow() as figures:
                yield "days", _place(who, one) | _day(figures)
            case ConsentRow() as consent:
                yield "consents", _place(who, one) | _consent(consent)
    if person.keep is not None:
        yield (
            "withdrawals",
            {
                "participant": who,
                "arm": person.arm,
                "status": person.status.value,
                "keep": person.keep,
                "wall_ns": person.withdrawn_wall_ns,
            },
        )
    for problem in person.problems:
        yield "problems", {"participant": problem.participant, "n": problem.n, "what": problem.what}
