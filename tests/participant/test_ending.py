"""The end of a study that its researchers signed: what counts, what does not, and what ends with it."""

import datetime as dt
import random
import sys
from pathlib import Path

import msgspec
import pytest

from participant.commands.membership import status_lines
from participant.delivery.answers import take_bundle, take_closing
from participant.delivery.exchange import receive_file
from participant.delivery.outbox import AGREED, BUNDLE, CLOSED, Outbox
from participant.documents.bundle import read_bundle
from participant.documents.container import write_container
from participant.documents.statements import Closing
from participant.membership.joining import answer_again, pending_bundle
from participant.membership.leaving import end_closed_study
from participant.membership.status import Membership, all_statuses, enrolment_in_force
from participant.work import work
from storage.clock import DAY_NS
from storage.enrolment import EPOCH
from storage.errors import BadFile, UsageError
from storage.files import state_file
from storage.state.store import StateStore
from study.researcher.documents import write_closing
from tests.fakes.hostile.values import damaged
from tests.fakes.narrowing import present
from tests.fakes.studies.documents import SIGNING, STRANGER, bundle
from tests.fakes.studies.participants import JOINED_NS, STUDY, join_study, newer_version, no_packing

ROOT = Path(__file__).resolve().parents[2]
LAST = dt.date(2026, 5, 14)


def closing(last_day: dt.date = LAST) -> Closing:
    return Closing(study=STUDY, study_version=1, bundle=bundle().digest, date=(last_day - EPOCH).days)


def signed(**changes: object) -> bytes:
    return write_closing(msgspec.structs.replace(closing(), **changes), SIGNING)


def test_the_day_of_the_closing_is_the_last_one() -> None:
    """On it the study is in force; on the next it is over, lots are no longer hidden, and `status` says why."""
    folder, _ = join_study()
    with Outbox(folder.outbox) as outbox:
        assert take_closing(signed(), outbox)
        assert not take_closing(signed(), outbox)
    assert end_closed_study(folder)
    assert not end_closed_study(folder)
    (before,) = all_statuses(JOINED_NS + 10 * DAY_NS)
    (after,) = all_statuses(JOINED_NS + 11 * DAY_NS)
    assert (before.standing, before.phase, before.closed_on) == (Membership.IN_FORCE, None, "2026-05-14")
    assert (after.standing, after.phase, after.closed_on) == (Membership.OVER, None, "2026-05-14")
    assert "  closed by the researchers on 2026-05-14, which is your last day" in status_lines(after)


def test_nothing_but_the_end_of_this_study_is_taken() -> None:
    """Forged, damaged, of another study or bundle: refused, and nothing is stored; the control: the true one."""
    folder, _ = join_study()
    hostile = [
        write_closing(closing(), STRANGER),
        signed(study="other"),
        signed(bundle=bytes(32)),
        *(damaged(random.Random(seed), signed()) for seed in range(100)),
    ]
    with Outbox(folder.outbox) as outbox:
        for raw in hostile:
            with pytest.raises(BadFile):
                take_closing(raw, outbox)
        assert outbox.fact(CLOSED) is None
        assert take_closing(signed(), outbox)


def test_an_older_end_does_not_close_a_newer_version() -> None:
    folder, _ = join_study()
    newer = newer_version()
    with Outbox(folder.outbox) as outbox:
        assert take_closing(signed(), outbox)
        assert take_bundle(newer, outbox) == 2
        assert not end_closed_study(folder)
        with pytest.raises(BadFile, match="a newer one has taken the place of"):
            take_closing(signed(), outbox)
        assert take_closing(signed(study_version=2, bundle=read_bundle(newer).digest), outbox)


def test_the_first_end_is_final() -> None:
    folder, _ = join_study()
    with Outbox(folder.outbox) as outbox:
        take_closing(signed(), outbox)
        assert not take_closing(signed(date=closing().date + 5), outbox)
    end_closed_study(folder)
    found = present(enrolment_in_force())
    assert (found.closed_on, found.last_day) == (LAST, LAST)


def test_an_outbox_that_somebody_wrote_into_ends_nothing() -> None:
    folder, enrolment = join_study()
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact(CLOSED, write_closing(closing(), STRANGER))
    with pytest.raises(BadFile):
        end_closed_study(folder)
    assert enrolment_in_force() == enrolment
    done = work(JOINED_NS, pack=no_packing, sender=("true",))
    assert (done.ended, done.faults) == ([], ["close: BadFile"] * 2)


def test_an_end_before_day_one_and_one_of_a_study_that_was_left() -> None:
    folder, enrolment = join_study()
    with Outbox(folder.outbox) as outbox:
        take_closing(signed(date=(enrolment.first_day - EPOCH).days - 1), outbox)
    with StateStore(state_file()) as state:
        state.save_enrolment(None)
        assert not end_closed_study(folder)
        state.save_enrolment(enrolment)
    assert end_closed_study(folder)
    (status,) = all_statuses(JOINED_NS + 2 * DAY_NS)
    assert (status.standing, status.day) == (Membership.OVER, 1)


def test_the_hourly_work_ends_what_its_sender_found(tmp_path: Path) -> None:
    """Also where it was cut off behind the sender; it says so once."""
    join_study()
    found = tmp_path / "closing"
    found.write_bytes(signed())
    script = (
        "from pathlib import Path; from participant.delivery.outbox import CLOSED, Outbox\n"
        f"with Outbox(Path(sys.argv[1])) as outbox: outbox.save_fact(CLOSED, Path({str(found)!r}).read_bytes())"
    )
    sender = (sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script}")
    done = work(JOINED_NS, pack=no_packing, sender=sender)
    assert done.ended == [STUDY]
    assert work(JOINED_NS, pack=no_packing, sender=("true",)).ended == []


@pytest.mark.parametrize("alone", [False, True])
def test_by_a_file(tmp_path: Path, alone: bool) -> None:
    folder, _ = join_study()

    def given(raw: bytes) -> Path:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        path.write_bytes(raw) if alone else write_container(path, [raw])
        return path

    with Outbox(folder.outbox) as outbox:
        forged = receive_file(outbox, given(write_closing(closing(), STRANGER)))
        assert (forged.closed, forged.refused) == (False, 1)
        found = receive_file(outbox, given(signed()))
        assert (found.closed, found.refused) == (True, 0)


def test_a_new_version_does_not_open_it_again() -> None:
    folder, _ = join_study()
    with Outbox(folder.outbox) as outbox:
        take_closing(signed(), outbox)
    end_closed_study(folder)
    newer = newer_version()
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact(BUNDLE, newer)
        assert outbox.fact(AGREED) != newer
    answer_again(pending_bundle(), ("aggregates",), "en", JOINED_NS + DAY_NS)
    assert present(enrolment_in_force()).closed_on == LAST
    with pytest.raises(UsageError):
        pending_bundle()
