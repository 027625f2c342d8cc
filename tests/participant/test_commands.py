"""Taking part on the terminal: `kairos study join`, `consent`, `status`, `review`, `leave` and `work`."""

import os
import pty
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from participant.commands.membership import view_lines
from participant.delivery.outbox import Outbox, ParcelState
from participant.documents.invitation import read_invitation
from participant.documents.keys import key_words
from participant.documents.names import digest_of
from participant.membership.describe import choose_language, describe_bundle
from participant.membership.folder import joined_folder, studies_folder
from participant.membership.status import enrolment_in_force
from storage.study_text import WORDS_NOTE, can_join
from study.researcher.documents import write_bundle, write_invitation
from tests.fakes.sessions.killed import REACHED_THE_END
from tests.fakes.studies.documents import CONSENT, PARTICIPANT, PLAN, SIGNING, invitation, invitation_bytes, point
from tests.fakes.studies.participants import join_study, newer_version, pack_rows, sign_for_leaving, try_all


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "001.kairos-invitation"
    path.write_bytes(invitation_bytes())
    return str(path)


def test_who_joins_is_told_when_parcels_leave_unseen(run: Any, file: str) -> None:
    """Before they answer, and in the review of the first week; the control: not where they chose to be asked."""
    told = "looked at or not"
    shown = " ".join(describe_bundle(read_invitation(invitation_bytes()).bundle).facts)
    assert "In the first 7 days only your agreement is sent" in shown
    assert told in shown
    assert run("join", file, "--agree", "aggregates").code == 0
    assert told in run("review").out
    assert told not in run("review", "--mode", "ask").out


def test_joining_shows_who_asks_for_what_before_anything_is_made(run: Any, file: str) -> None:
    refused = run("join", file)
    assert refused.code == 2
    assert "--agree aggregates,categories,questions" in refused.err
    assert not studies_folder().exists()
    joined = run("join", file, "--agree", "aggregates,questions")
    assert joined.code == 0
    document = read_invitation(invitation_bytes()).bundle.consent["en"]
    wanted = {" ".join(key_words(SIGNING.public)), WORDS_NOTE, f"SHA-256 {document.sha256.hex()}", "broker.example.org"}
    wanted |= {"Help in spreadsheets (version 1)", "Ada Example <ada@example.org>", "Board of Example, 2026-17"}
    wanted |= {"7 days: nothing is offered", "What is sent, and how to leave.", "Be asked questions"}
    assert [shown for shown in wanted if shown not in joined.err] == []
    assert f"as {PARTICIPANT}" in joined.out
    assert enrolment_in_force() is not None


def test_what_is_shown_does_not_tell_the_arm() -> None:
    views = [
        describe_bundle(read_invitation(write_invitation(invitation(arm=arm), SIGNING)).bundle, "en") for arm in (0, 1)
    ]
    assert views[0] == views[1]
    assert "hidden until the end" in views[0].phases[1]
    assert [choice.code for choice in views[0].choices] == ["aggregates", "categories", "questions"]
    assert not can_join(views[0], ())


def test_a_consent_text_cannot_act_on_the_terminal() -> None:
    """Whatever comes from a study is visible text."""
    text = "# Study\n\nWhat\x0bis\tsent\x85here.\r\nMore.\n"
    raw = write_bundle(PLAN, {"en": text}, SIGNING)
    view = describe_bundle(read_invitation(write_invitation(_with_bundle(raw), SIGNING)).bundle, "en")
    assert view.text == text
    assert all(line.isprintable() for line in view_lines(view))


def _with_bundle(raw: bytes) -> Any:
    return msgspec.structs.replace(invitation(), bundle=raw)


def test_the_language_is_that_of_the_person(monkeypatch: pytest.MonkeyPatch, run: Any, tmp_path: Path) -> None:
    raw = write_bundle(PLAN, {"en": CONSENT, "de": "# Hilfe\n\nWas gesendet wird.\n"}, SIGNING)
    path = tmp_path / "mine"
    path.write_bytes(write_invitation(_with_bundle(raw), SIGNING))
    bundle = read_invitation(path.read_bytes()).bundle
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert choose_language(bundle) == "en"
    monkeypatch.setenv("LANG", "de_AT.UTF-8")
    assert choose_language(bundle) == "de"
    assert choose_language(bundle, "en") == "en"
    assert "there is: de, en" in run("join", str(path), "--language", "fr", "--agree", "aggregates").err
    joined = run("join", str(path), "--language", "de", "--agree", "aggregates")
    assert "Was gesendet wird." in joined.err
    assert run("consent", "--json").json["answers"][0]["language"] == "de"


@pytest.mark.parametrize(
    ("typed", "code", "switches"),
    [("y\nn\nyes\ny\n", 0, ["aggregates", "questions"]), ("y\nn\nn\nn\n", 1, None), ("\n\n\n", 1, None), ("", 1, None)],
)
def test_a_terminal_asks_switch_by_switch(file: str, typed: str, code: int, switches: list[str] | None) -> None:
    child, terminal = pty.fork()
    if child == 0:
        signal.alarm(30)  # a question more than answers would wait for ever
        try:
            from daemon.cli.main import main

            sys.stdin, sys.stdout = (os.fdopen(0), os.fdopen(1, "w"))
            sys.stderr = os.fdopen(2, "w")
            os._exit(main(["study", "join", file]))
        finally:
            os._exit(REACHED_THE_END)
    os.write(terminal, typed.encode() + 6 * b"\x04")
    shown = b""
    with suppress(OSError):  # the other end is closed
        while part := os.read(terminal, 65536):
            shown += part
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == code, shown.decode()
    enrolment = enrolment_in_force()
    assert (enrolment is not None) == (switches is not None)
    if switches is not None:
        assert f"Take part with: {', '.join(switches)}?".encode() in shown


def test_status_tells_the_day_and_hides_the_phase(run: Any, file: str) -> None:
    assert run("status").out == "You take part in no study.\n"
    run("join", file, "--agree", "aggregates")
    pack_rows(joined_folder("sheets"))
    (study,) = run("status", "--json").json["studies"]
    wanted = {"study": "sheets", "title": "Help in spreadsheets", "standing": "in force", "day": 0, "days": 28}
    wanted |= {"phase": None, "switches": ["aggregates"], "mode": "ask", "asks_again": False}
    wanted |= {"held": 1, "ready": 1, "received": 0}
    assert {name: study[name] for name in wanted} == wanted
    out = run("status").out
    assert "the quiet time before day 1 of 28, phase: hidden until the study is over" in out
    assert "parcels: 1 held, 1 on their way, 0 received" in out


def test_review_shows_the_bytes_that_are_sent(run: Any) -> None:
    folder, _ = join_study()
    try_all(folder)
    pack_rows(folder, [point(1), point(2)], [point(3)])
    looked = run("review", "--bytes", "--json").json
    assert [len(parcel["rows"]) for parcel in looked["parcels"]] == [2, 1]
    assert run("review", "--json").json["released"] == 0
    with Outbox(folder.outbox) as outbox:
        assert outbox.parcels(ParcelState.READY)[-1].n == 0
    printed = run("review", "--leave-out", "1.2", "--send", "--bytes", "--json").json
    assert (printed["left_out"], printed["released"]) == (1, 2)
    assert [len(parcel["rows"]) for parcel in printed["parcels"]] == [1, 1]
    sent = try_all(folder)
    assert [bytes.fromhex(parcel["bytes"]) for parcel in printed["parcels"]] == sent
    assert [parcel["sha256"] for parcel in printed["parcels"]] == [digest_of(raw).hex() for raw in sent]
    assert printed["parcels"][0]["sha256"] != looked["parcels"][0]["sha256"]
    assert run("review").out == "No parcel waits.\n"


def test_review_in_words_shows_the_same_bytes(run: Any) -> None:
    folder, _ = join_study()
    pack_rows(folder)
    out = run("review", "--bytes").out
    with Outbox(folder.outbox) as outbox:
        (held,) = outbox.parcels(ParcelState.HELD)
    hexadecimal = "".join(line.strip() for line in out.splitlines() if set(line.strip()) <= set("0123456789abcdef"))
    assert bytes.fromhex(hexadecimal) == held.raw
    assert "1.1  Day 9, 10:00: a moment at which help could have been offered" in out


def test_only_what_an_earlier_look_showed_is_let_go(run: Any) -> None:
    """What was packed since stays, also where nothing was ever shown; the control: after one more look it goes."""
    folder, _ = join_study()
    try_all(folder)
    pack_rows(folder)
    never = run("review", "--send", "--json").json
    assert (never["released"], never["unseen"], never["parcels"]) == (0, 1, [])
    assert "not let go, since you were not shown it: 1 parcel; kairos study review" in run("review", "--send").out
    assert [parcel["n"] for parcel in run("review", "--json").json["parcels"]] == [1]
    pack_rows(folder)
    sent = run("review", "--send", "--json").json
    assert (sent["released"], sent["unseen"], [parcel["n"] for parcel in sent["parcels"]]) == (1, 1, [1])
    assert run("review", "--send", "--json").json["released"] == 0
    run("review")
    assert run("review", "--send", "--json").json["released"] == 1


def test_leaving_says_what_becomes_of_what_was_sent(run: Any) -> None:
    folder, _ = join_study()
    assert run("leave", "--json").json == {"study": "sheets", "sent": 0, "told": True, "keep": False, "answered": False}
    folder, _ = join_study()
    try_all(folder)
    assert "is to be deleted" in run("leave").out
    assert "left; the researchers have not signed for it yet" in run("status").out
    assert run("leave").code == 0
    assert run("review").code == 2
    assert "goes out" in run("leave", "sheets").out
    sign_for_leaving(folder)
    left = run("leave", "sheets")
    assert (left.code, "have signed for that" in left.out, "goes out" in left.out) == (0, True, False)


def test_leaving_a_study_without_its_key_exits_with_1(run: Any) -> None:
    folder, _ = join_study()
    try_all(folder)
    folder.key.unlink()
    left = run("leave")
    assert left.code == 1
    assert f"Write to Ada Example <ada@example.org> that {PARTICIPANT} left." in left.out
    assert "could not be told" in run("status").out


def test_consent_prints_every_answer_with_its_digests(run: Any) -> None:
    folder, _ = join_study()
    found = run("consent", "--json").json
    document = read_invitation(invitation_bytes()).bundle
    (answer,) = found["answers"]
    assert answer["text_sha256"] == document.consent["en"].sha256.hex()
    assert answer["bundle_sha256"] == document.digest.hex()
    assert answer["sends"] == ["aggregates", "categories", "questions"]
    out = run("consent").out
    assert answer["text_sha256"] in out
    assert " ".join(key_words(SIGNING.public)) in out
    assert folder.consent.read_bytes().count(b"\n") > 10


def test_work_where_nothing_is_joined(run: Any) -> None:
    lists = ("packed", "sent", "ended", "left", "damaged", "faults", "said")
    assert run("work", "--json").json == {"busy": False, **{name: [] for name in lists}}
    assert not studies_folder().exists()


def test_a_new_version_is_answered_on_the_terminal(run: Any) -> None:
    """`join --again`, which takes no invitation."""
    folder, _ = join_study()
    assert run("join", "--again", "--agree", "aggregates").code == 2
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact("bundle", newer_version())
    assert "kairos study join --again" in run("status").out
    answered = run("join", "--again", "--agree", "aggregates")
    assert "The study has changed." in answered.err
    assert answered.out == "agreed to version 2 of sheets\n"
    assert len(run("consent", "--json").json["answers"]) == 2
    assert run("join", "--again", "file").code == 2
    assert run("join").code == 2
