"""Rows: what they can hold is all that can travel."""

from typing import get_args

import msgspec
import pytest

from participant.documents.rows import (
    MAX_ROWS_BYTES,
    DayRow,
    Outcomes,
    PointRow,
    Row,
    TooManyRowsError,
    decode_rows,
    encode_rows,
)
from storage.errors import BadFile
from storage.messages import EVIDENCE
from tests.fakes.studies.documents import point, rows

FIELDS = {
    "point": "row day minute phase arm gate propensity assignment_number action response category need states evidence"
    " wait_s outcomes",
    "answer": "row day minute phase arm moment probability step reason delay_s choices",
    "task": "row day minute phase arm task seconds end skill",
    "label": "row label day minute phase arm task seconds states need blind first_states first_need shown_states"
    " shown_need wanted would_help said taken_back",
    "day": "row day minutes gates problems left_out version",
    "consent": "row day study_version bundle language text sends seed key version",
}


def test_every_kind_of_row_comes_back() -> None:
    assert decode_rows(encode_rows(rows())) == rows()
    assert {type(row) for row in rows()} == set(get_args(Row))


def test_a_row_holds_these_fields_and_no_others() -> None:
    """Whoever adds one changes this list, the page on studies and what people are shown."""
    packed = msgspec.msgpack.decode(encode_rows(rows()))
    assert {row["row"]: " ".join(row) for row in packed} == FIELDS
    assert Outcomes.__struct_fields__ == ("watched_s", "need", "recovered", "active_s", "undos")
    strings = {
        name
        for kind in get_args(Row)
        for name, field in zip(kind.__struct_fields__, msgspec.structs.fields(kind), strict=True)
        if field.type is str
    }
    assert strings == set()  # every text has a pattern, a list, or in labels a length


WRONG: dict[str, dict[str, object]] = {
    "a day before the first": {"day": -1},
    "a day after the last": {"day": 367},
    "a minute after midnight": {"minute": 1440},
    "words for a phase": {"phase": "What he said"},
    "words for evidence": {"evidence": ["the mail from Ada"]},
    "words for a gate": {"gate": "because he said so"},
    "a line break": {"phase": "trial\n"},
    "a propensity of nothing": {"propensity": 0.0},
    "a propensity above 1": {"propensity": 1.5},
    "need that is no number": {"need": float("nan")},
    "need as text": {"need": "0.5"},
    "a program for a category": {"category": "firefox"},
    "a state that is none": {"states": {"sleeping": 1.0}},
    "evidence without end": {"evidence": ["x"] * 33},
    "an action that is none": {"action": "click"},
    "a response in words": {"response": "not now, I am in a meeting"},
    "an assignment before the first": {"assignment_number": -1},
    "a wait of a day": {"wait_s": 86_400.0},
    "something more": {"title": "Budget 2026.ods"},
    "more in the outcomes": {"outcomes": {**msgspec.to_builtins(point().outcomes), "app": "calc"}},
    "true for a number": {"day": True},
}


@pytest.mark.parametrize("case", WRONG)
def test_what_no_row_holds_is_refused(case: str) -> None:
    honest = msgspec.msgpack.decode(encode_rows([point()]))[0]
    assert decode_rows(msgspec.msgpack.encode([honest])) == (point(),)  # the control: this way a row is accepted
    with pytest.raises(BadFile, match="not a valid list of rows") as caught:
        decode_rows(msgspec.msgpack.encode([{**honest, **WRONG[case]}]))
    assert not [word for word in ("said", "firefox", "Budget") if word in caught.value.what]


def test_rows_that_could_not_be_read_are_not_packed() -> None:
    with pytest.raises(ValueError, match="it was not packed"):
        encode_rows([msgspec.structs.replace(point(), need=float("nan"))])
    for count in (5_000, 10_001):
        with pytest.raises(TooManyRowsError, match="too many for one parcel"):
            encode_rows([point()] * count)


def test_rows_are_limited_in_length() -> None:
    with pytest.raises(BadFile, match="longer than"):
        decode_rows(bytes(MAX_ROWS_BYTES + 1))


def test_evidence_codes_and_gates_of_ours_fit() -> None:
    whole = msgspec.structs.replace(point(), evidence=tuple(EVIDENCE))
    assert decode_rows(encode_rows([whole])) == (whole,)
    day = DayRow(day=1, minutes=0, gates={"manners": 1}, problems={"disk_full": 1}, left_out=0, version="0.1.0")
    assert decode_rows(encode_rows([day])) == (day,)
    assert PointRow.__struct_config__.forbid_unknown_fields
