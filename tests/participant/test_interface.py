"""Taking part by window and tray: both end in the commands of `kairos study`, and what was shown is what goes."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.runtime import run as app
from daemon.runtime.study.actions import StudyActions
from daemon.runtime.study.work import has_study
from participant.delivery.outbox import Outbox, ParcelState
from participant.documents.names import digest_of
from participant.membership.folder import joined_folder, studies_folder
from participant.membership.leaving import leave, tidy
from participant.membership.status import enrolment_in_force
from storage.clock import SystemClock
from storage.files import state_folder
from storage.ports import StudyReply, StudyRequest
from storage.study_text import StudyConsentAnswer, StudyInvitationView
from storage.translation import ENGLISH, Language
from tests.fakes.studies.documents import invitation_bytes
from tests.fakes.studies.participants import STUDY, join_study, pack_rows, sign_for_leaving, try_all


@pytest.mark.parametrize("switches", [None, ("aggregates", "questions")])
def test_the_window_asks_in_the_place_of_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switches: tuple[str, ...] | None
) -> None:
    """It is shown what the terminal would be; its answer counts, and without one nothing is joined."""
    shown: list[StudyInvitationView] = []

    def ask(describe: Callable[[Language], StudyInvitationView]) -> StudyConsentAnswer | None:
        shown.append(describe(ENGLISH))
        return None if switches is None else StudyConsentAnswer(switched_on=switches)

    monkeypatch.setattr(app, "ask_study_consent", ask)
    file = tmp_path / "001.kairos-invitation"
    file.write_bytes(invitation_bytes())
    assert main(["study", "join", str(file), "--window"]) == (1 if switches is None else 0)
    assert [view.title for view in shown] == ["Help in spreadsheets"]
    assert studies_folder().exists() is (switches is not None)
    if switches is not None:
        enrolment = enrolment_in_force()
        assert enrolment is not None
        assert enrolment.questions is not None
    assert main(["study", "join", str(file), "--window", "--agree", "aggregates"]) == 2


def states() -> list[str]:
    with Outbox(joined_folder(STUDY).outbox) as outbox:
        return [parcel.state.value for parcel in outbox.parcels()][1:]


def joined_with(parcels: int) -> list[str]:
    folder, _ = join_study(now_wall_ns=SystemClock().wall_ns())
    for _ in range(parcels):
        pack_rows(folder)
    with Outbox(joined_folder(STUDY).outbox) as outbox:
        return [digest_of(parcel.raw).hex() for parcel in outbox.parcels(ParcelState.HELD)]


def test_what_was_packed_after_the_look_is_not_let_go(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor anything, if what was shown has changed; control: after one more look it goes."""
    shown = joined_with(2)
    pack_rows(joined_folder(STUDY))
    review = ["study", "review", "--send", "--json"]
    assert main([*review, "--through", "ab" * 32]) == 2
    assert main(["study", "review", "--through", shown[1]]) == 2
    assert states() == ["held"] * 3
    assert main([*review, "--through", shown[1]]) == 0
    assert states() == ["ready", "ready", "held"]
    assert main(review) == 0
    assert states() == ["ready", "ready", "held"]
    assert main(review[:2]) == 0
    assert main(review) == 0
    assert states() == ["ready"] * 3
    capsys.readouterr()


def test_the_tray_looks_sends_pauses_and_leaves() -> None:
    shown = joined_with(1)
    replies: list[StudyReply] = []
    actions = StudyActions(replies.append)

    async def ask(request: StudyRequest, through: str = "") -> StudyReply:
        count = len(replies)
        actions.start(request, through)
        while len(replies) == count:  # noqa: ASYNC110  # a child ends
            await asyncio.sleep(0.01)
        return replies[-1]

    async def body() -> None:
        looked = await ask(StudyRequest.REVIEW)
        assert [parcel.sha256 for parcel in looked.parcels] == shown
        assert looked.mode == "ask"
        assert "help could have been offered" in looked.parcels[0].rows[0]
        pack_rows(joined_folder(STUDY))
        assert (await ask(StudyRequest.SEND, looked.parcels[-1].sha256)).released == 1
        assert states() == ["ready", "held"]
        assert (await ask(StudyRequest.HOLD)).mode == "hold"
        assert states() == ["held", "held"]
        left = await ask(StudyRequest.LEAVE)
        assert (left.done, left.told) == (True, True)

    asyncio.run(asyncio.wait_for(body(), 60))
    assert enrolment_in_force() is None
    assert not has_study(state_folder())  # nothing had been sent


def test_there_is_work_until_a_leaving_is_signed_for() -> None:
    assert not has_study(state_folder())
    folder, _ = join_study(now_wall_ns=SystemClock().wall_ns())
    assert has_study(state_folder())
    try_all(folder, SystemClock().wall_ns())
    leave(STUDY, keep=False)
    assert has_study(state_folder())
    sign_for_leaving(folder)
    tidy(folder)
    assert not has_study(state_folder())
