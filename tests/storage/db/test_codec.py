"""Rows: what is written is what is read, and what does not fit is refused without being quoted."""

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import storage.records
from storage.db.codec import KINDS, canonical, decode, decode_part, encode
from storage.db.connection import MAX_BODY_BYTES
from storage.errors import BadFile
from storage.records import (
    DERIVED,
    SOURCE,
    ControlState,
    Decision,
    Dropped,
    Elements,
    Estimate,
    Feedback,
    FeedbackKind,
    Focus,
    Record,
    TileDigests,
    Verdict,
)
from tests.fakes.detectors.strategies import JSON, RECORDS, records

DECISION = Decision(seq=3, at_ns=9, verdict=Verdict.HOLD, gate="budget", reason="cooldown", numbers={"left_s": 1.5})


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=40)
@given(data=st.data())
def test_a_record_is_read_as_it_was_written(kind: str, data: st.DataObject) -> None:
    record = data.draw(RECORDS[kind])
    found = decode(kind, encode(record))
    assert found == record
    assert type(found) is type(record)
    assert canonical(found) == canonical(record)


def test_every_record_class_is_a_kind() -> None:
    classes = {cls for cls in vars(storage.records).values() if isinstance(cls, type) and issubclass(cls, Record)}
    assert set(KINDS.values()) == classes - {Record}
    assert len(KINDS) == len({*SOURCE, *DERIVED}) == len(SOURCE) + len(DERIVED)


def test_kinds_are_part_of_the_format() -> None:
    """A class may be renamed; the name of its rows in logs that exist already stays."""
    assert " ".join(KINDS) == (
        "session_start session_end anchor frame input_event focus opened environment elements switch tick wake dropped"
        " problem feedback need_report earlier_report model_answer help_found help_answer goal tiles control_act dialog"
        " message document_loaded undo_label desktop_senses sense study answer sound task window prefix estimate"
        " decision offer withdrawal question question_outcome"
    )


@given(record=records(), body=JSON)
def test_a_body_of_another_shape_is_refused_or_a_whole_record(record: Record, body: object) -> None:
    with suppress(BadFile):
        assert type(decode(record.KIND, json.dumps(body))) is type(record)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("secret_kind", b"{}"),
        ("feedback", b'{"offer_id":"secret","kind":"secret"}'),
        ("feedback", b'{"offer_id":"secret","kind":"accepted"'),
        ("feedback", b'{"offer_id":"secret\xc6'),
        ("dropped", b'{"what":"secret","count":1.5,"reason":"x"}'),
        ("dropped", b'{"what":"secret","count":99999999999999999999,"reason":"x"}'),
        ("dropped", b'{"what":"secret","count":true,"reason":"x"}'),
        ("tick", b"\xff\xfesecret"),
        ("decision", b'{"numbers":' + b"[" * 100_000 + b"secret"),
        ("dropped", b'{"what":"' + b"secret" * (MAX_BODY_BYTES // 6) + b'","count":1,"reason":"x"}'),
    ],
)
def test_a_row_that_does_not_fit_is_refused_without_quoting_it(kind: str, body: bytes) -> None:
    with pytest.raises(BadFile, match="row 12 ") as caught:
        decode(kind, body, seq=12)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.exit_code == 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts(Record):
    """A part of a decision."""

    KIND: ClassVar[str] = "decision"
    reason: str


def test_a_part_of_a_row_is_its_record_without_the_rest() -> None:
    """It is refused like the whole: with its number, and without being quoted."""
    body = encode(DECISION).decode()
    assert decode_part(Verdicts, 3, 9, body) == Verdicts(seq=3, at_ns=9, reason="cooldown")
    for seq, at_ns, wrong in ((4, 9, body), (3, 8, body), (3, 9, body[:-9]), (3, 9, body.replace('"cooldown"', "7"))):
        with pytest.raises(BadFile, match=f"row {seq} ") as caught:
            decode_part(Verdicts, seq, at_ns, wrong)
        assert "cool" not in str(caught.value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_could_not_be_read_again_is_not_written(number: float) -> None:
    """A detector or policy that yields nonsense numbers cannot make a session unreadable."""
    with pytest.raises(ValueError, match="was not written"):
        encode(replace(DECISION, numbers={"left_s": number}))


def test_an_integer_beyond_64_bits_is_not_written() -> None:
    """Integers stay within what SQLite and other readers hold."""
    with pytest.raises(ValueError, match="was not written"):
        encode(Dropped(what="frame", count=2**63, reason="x"))
    encode(Dropped(what="frame", count=2**63 - 1, reason="x"))


def test_the_canonical_form_is_one_sorted_line_with_six_places() -> None:
    line = canonical(replace(DECISION, propensity=0.123456789, numbers={"b": -1e-9, "a": 2}, next_tick_ns=2**62))
    assert line == (
        '{"at_ns":9,"gate":"budget","next_tick_ns":4611686018427387904,"numbers":{"a":2.0,"b":0.0},'
        '"prefix_ids":[],"propensity":0.123457,"reason":"cooldown","record":"decision","seq":3,"topic":null,'
        '"verdict":"hold","withdraw":false}'
    )
    answer = json.loads(canonical(Feedback(offer_id="o1", kind=FeedbackKind.ACCEPTED)))
    assert (answer["record"], answer["kind"]) == ("feedback", "accepted")


def test_new_optional_fields_of_a_later_version_are_ignored() -> None:
    body = msgspec.json.encode({"seq": 1, "at_ns": 2, "what": "a", "count": 1, "reason": "b", "later": [1]})
    assert decode("dropped", body) == Dropped(seq=1, at_ns=2, what="a", count=1, reason="b")
    with pytest.raises(BadFile):
        decode("dropped", b'{"what":"a","count":1}')
    assert {Estimate, Focus} <= set(KINDS.values())


def test_the_description_of_the_format_names_every_kind_and_the_version() -> None:
    """A kind that is not described cannot be read by anybody else."""
    text = (Path(storage.records.__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
    assert f"# The session format, version {storage.records.FORMAT_VERSION}\n" in text
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []


def test_controls_without_a_state_are_written_as_by_earlier_builds() -> None:
    """The digest of a prefix is of the rows as they were written; a state that says something is written and read."""
    old = b'{"seq":1,"at_ns":2,"t_ns":3,"app":"a","elements":[{"role":"button","box":[1,2,3,4],"name":null}]}'
    row = decode("elements", old)
    assert encode(row) == old
    assert isinstance(row, Elements)
    grey = replace(row.elements[0], state=ControlState.DISABLED)
    for changed in (replace(row, elements=(grey,)), replace(row, complete=False), replace(row, by_ocr=True)):
        assert encode(changed) != old
        assert decode("elements", encode(changed)) == changed


def test_tiles_without_patches_are_written_as_by_earlier_builds() -> None:
    """As above: most rows have none."""
    old = b'{"seq":1,"at_ns":2,"now":"AAAA","before":""}'
    row = decode("tiles", old)
    assert isinstance(row, TileDigests)
    assert encode(row) == old
    scrolled = replace(row, patches="BBBB")
    assert encode(scrolled) != old
    assert decode("tiles", encode(scrolled)) == scrolled


def test_two_replays_that_differ_by_less_than_six_places_are_equal() -> None:
    assert canonical(replace(DECISION, propensity=0.5)) == canonical(replace(DECISION, propensity=0.5 + 1e-9))
    assert canonical(replace(DECISION, propensity=0.5)) != canonical(replace(DECISION, propensity=0.5 + 1e-5))
    assert canonical(replace(DECISION, at_ns=9)) != canonical(replace(DECISION, at_ns=10))
