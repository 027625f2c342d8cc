"""Parcels: readers alone open them, everybody can check them, and nothing hostile gets through."""

import random
import tracemalloc
import zlib
from itertools import pairwise

import msgspec
import pytest

from participant.documents.keys import BadSignatureError
from participant.documents.names import FIRST, digest_of
from participant.documents.parcel import BOX_OVERHEAD, MAX_PARCEL_BYTES, PADDING, read_header, write_parcel
from participant.documents.rows import MAX_ROWS_BYTES, PointRow, TooManyRowsError, encode_rows
from storage.errors import BadFile, KairosError
from study.researcher.documents import open_parcel, read_parcel
from tests.fakes.studies.documents import (
    COLLEAGUE,
    PERSON,
    PERSON_READER,
    RESEARCHER,
    STRANGER,
    header,
    invitation,
    parcels,
    point,
    rows,
    sender,
)
from tests.fakes.studies.hostile_parcels import BOMB_BYTES, FAMILIES, accept, body_of, bomb, hostile_parcel, parcel_of

MOST_MEMORY = 8_000_000


def search(seeds: range) -> list[str]:
    """Return what was accepted, or ended in anything but an error of ours, by family and seed."""
    failures = []
    for seed in seeds:
        name, raw = hostile_parcel(seed)
        try:
            accept(raw)
            failures.append(f"{name}, seed {seed}: accepted")
        except KairosError:
            continue
        except Exception as error:  # noqa: BLE001  # which one is what the test is to say
            failures.append(f"{name}, seed {seed}: {type(error).__name__}")
    return failures


def test_rows_arrive() -> None:
    """The control of everything below: signed, sealed, opened, equal."""
    raw = write_parcel(rows(), header(), PERSON, [PERSON_READER.public])
    assert accept(raw) == rows()
    assert accept(parcel_of(body_of(zlib.compress(encode_rows(rows()))))) == rows()


def test_the_first_parcel_says_who_joined_and_the_others_follow() -> None:
    chain = parcels(3)
    parcel, key = read_parcel(chain[0], sender())
    assert (parcel.header.n, parcel.header.previous, key) == (0, FIRST, PERSON.public)
    for before, after in pairwise(chain):
        parcel, key = read_parcel(after, sender(joined=True))
        assert (parcel.header.previous, key) == (digest_of(before), PERSON.public)
    assert [read_header(raw).n for raw in chain] == [0, 1, 2]
    with pytest.raises(BadFile, match="before the first one"):
        read_parcel(chain[1], sender())


def test_nobody_joins_twice() -> None:
    again = msgspec.structs.replace(header(), joining=invitation().join(STRANGER))
    raw = write_parcel(rows(), again, STRANGER, [PERSON_READER.public])
    assert read_parcel(raw, sender())[1] == STRANGER.public  # the control: before, it is theirs to join with
    with pytest.raises(BadFile, match="another key"):
        read_parcel(raw, sender(joined=True))


def test_each_reader_opens_a_parcel_and_nobody_else() -> None:
    raw = write_parcel(rows(), header(), PERSON, [PERSON_READER.public, RESEARCHER.public])
    parcel, _ = read_parcel(raw, sender())
    assert open_parcel(parcel, PERSON_READER) == open_parcel(parcel, RESEARCHER) == rows()
    with pytest.raises(BadFile, match="cannot be opened"):
        open_parcel(parcel, COLLEAGUE)


def test_what_is_in_the_rows_is_not_in_the_parcel() -> None:
    markers = (b"undo_bursts", b"sheets", b"withheld", b"trial", b"help")
    packed = encode_rows([point()])
    raw = write_parcel([point()], header(), PERSON, [PERSON_READER.public])
    assert [marker for marker in markers if marker not in packed] == []
    assert [marker for marker in markers if marker in raw] == [b"sheets"]  # the study's name, in the header


def test_the_size_of_a_body_is_a_multiple_of_512() -> None:
    """Whatever is in it; a quiet day and a full one of the same few hundred bytes look alike."""
    sizes = []
    for count in range(1, 60, 3):
        raw = write_parcel([point(minute) for minute in range(count)], header(), PERSON, [PERSON_READER.public])
        sizes.append(len(read_parcel(raw, sender())[0].sealed.box) - BOX_OVERHEAD)
    assert {size % PADDING for size in sizes} == {0}
    assert len(set(sizes)) < len(sizes)


def random_points(count: int) -> list[PointRow]:
    rng = random.Random(7)
    return [
        msgspec.structs.replace(
            point(rng.randrange(1440)), need=rng.random(), propensity=rng.random(), wait_s=rng.random()
        )
        for _ in range(count)
    ]


def test_a_parcel_stays_below_its_limit() -> None:
    """With eight readers too; what does not fit is said to the packer, which divides it."""
    readers = [PERSON_READER.public] * 8
    count = 8192
    while True:
        try:
            raw = write_parcel(random_points(count), header(), PERSON, readers)
            break
        except TooManyRowsError:
            count //= 2
    assert count >= 512
    assert MAX_PARCEL_BYTES / 4 < len(raw) <= MAX_PARCEL_BYTES
    assert len(accept(raw)) == count


def test_the_first_parcel_alone_carries_a_joining() -> None:
    """A mistake of ours is not signed."""
    for n, joining in ((0, None), (1, invitation().join(PERSON))):
        with pytest.raises(ValueError, match="joining"):
            write_parcel(rows(), msgspec.structs.replace(header(n), joining=joining), PERSON, [PERSON_READER.public])


def test_a_signature_of_somebody_else_is_named() -> None:
    """So that a log can tell forgery from damage."""
    raw = write_parcel(rows(), header(1), STRANGER, [PERSON_READER.public])
    with pytest.raises(BadSignatureError):
        read_parcel(raw, sender(joined=True))


def test_two_hundred_hostile_parcels_are_refused() -> None:
    """None is accepted, and each ends in an error of ours; `hostile_parcel(SEED)` makes one again."""
    assert search(range(200)) == []


@pytest.mark.slow
def test_ten_thousand_hostile_parcels_are_refused() -> None:
    assert search(range(200, 10_200)) == []


def test_a_hostile_parcel_that_is_accepted_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: an honest one and one that crashes the reader are each reported with the seed."""

    def crash(_: random.Random) -> bytes:
        raise RecursionError

    families = {"honest": lambda _: parcels(1)[0], "crash": lambda _: 7}
    monkeypatch.setattr("tests.fakes.studies.hostile_parcels.FAMILIES", families)
    assert search(range(2)) == ["honest, seed 0: accepted", "crash, seed 1: TypeError"]


def test_every_family_is_refused_for_its_own_reason() -> None:
    """What is signed and sealed in order gets as far as its fault: not all fail at the first check."""
    reasons = {}
    for seed, name in enumerate(FAMILIES):
        with pytest.raises(BadFile) as caught:
            accept(hostile_parcel(seed)[1])
        reasons[name] = caught.value.what
    assert len(set(reasons.values())) >= 7


def test_a_bomb_stops_at_a_megabyte() -> None:
    """Unpacked without a limit it is 14 MB; with it little more memory is used than rows may take."""
    assert len(bomb(b"\xc0")) < MAX_PARCEL_BYTES
    raw = parcel_of(body_of(bomb(b"\xc0")))
    tracemalloc.start()
    try:
        with pytest.raises(BadFile, match=str(MAX_ROWS_BYTES)):
            accept(raw)
        bounded = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        assert len(zlib.decompress(bomb(b"\xc0"))) == BOMB_BYTES
        control = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert bounded < MOST_MEMORY < control


def test_no_hostile_parcel_takes_much_memory() -> None:
    """Some of each family, deep and long ones among them."""
    made = [hostile_parcel(seed)[1] for seed in range(4 * len(FAMILIES))]
    tracemalloc.start()
    try:
        for raw in made:
            with pytest.raises(BadFile):
                accept(raw)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
