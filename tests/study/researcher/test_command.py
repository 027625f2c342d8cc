"""`kairos study create`, `check`, `sign` and `invite`: from nothing to invitations, and what they refuse."""

import base64
import fcntl
import os
import shutil
import stat
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest

from participant.documents.bundle import read_bundle
from participant.documents.invitation import read_invitation
from participant.documents.keys import Sealed, key_words, open_sealed, parse_public, read_reader_key, read_signing_key
from participant.documents.signed import decode
from study.researcher.allocation import open_allocation
from study.researcher.folder import StudyFolder, reader_context
from study.researcher.participants import Participant, hash_login
from tests.fakes.studies.collected_study import fill_in


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a study with two arms that was signed; made once, because words take a hard hash."""
    folder = StudyFolder.create(tmp_path_factory.mktemp("study") / "first")
    fill_in(folder.path)
    folder.sign()
    return folder.path


@pytest.fixture
def signed(study: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(study, tmp_path / "first"))


def modes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def test_a_new_study_is_private_and_says_what_is_missing(run: Any, tmp_path: Path) -> None:
    """Whatever the umask is; the study file is valid from the start, and nothing is signed before it is filled in."""
    before = os.umask(0)
    try:
        created = run("create", "first")
    finally:
        os.umask(before)
    assert created.code == 0
    folder = tmp_path / "first"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    found = modes(folder)
    keys = {f"keys/{name}.key": 0o600 for name in ("signing", "receipts", "reader")}
    keys |= {"keys": 0o700, "keys/participants": 0o700}
    assert {name: mode for name, mode in found.items() if name.startswith("keys")} == keys
    words = " ".join(key_words(read_signing_key(folder / "keys" / "signing.key").public))
    assert words in created.out
    assert words in (folder / "consent.en.md").read_text()
    assert "next: fill in study.toml" in created.out
    checked = run("check", "first", "--json")
    assert checked.code == 1
    assert not checked.json["ok"]
    assert len([what for what in checked.json["missing"] if what.startswith("study.toml, line")]) == 4
    assert len([what for what in checked.json["missing"] if what.startswith("consent.en.md, line")]) == 4
    refused = run("sign", "first")
    assert refused.code == 4
    assert "not ready to be signed: study.toml, line" in refused.err
    assert not (folder / "signed").exists()


def test_each_setting_of_a_new_study_has_a_comment() -> None:
    blocks = (files("study.researcher") / "data" / "study.toml").read_text().split("\n\n")
    alone = [block.splitlines()[:2] for block in blocks if "=" in block and "#" not in block]
    assert alone == [["[[questions]]", 'code = "hint"'], ["[[questions]]", 'code = "bad_moment"']]


def test_nothing_is_overwritten(run: Any, tmp_path: Path) -> None:
    run("create", "first")
    before = (tmp_path / "first" / "keys" / "signing.key").read_bytes()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("first", "file", "link"):
        answer = run("create", name)
        assert (answer.code, "exists already" in answer.err) == (2, True)
    for name in ("..", ".", "First", "a b", "1st", "x" * 33, "first/"):
        assert run("create", name).code == 2
    assert (tmp_path / "first" / "keys" / "signing.key").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "xdg") == ["file", "first", "link"]


def test_a_folder_that_cannot_be_made_leaves_nothing(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", Mock(side_effect=OSError(28, "No space left on device")))
        answer = run("create", "first")
    assert (answer.code, "No space left" in answer.err) == (3, True)
    assert run("create", "nowhere/first").code == 3
    assert [path.name for path in tmp_path.iterdir() if path.name != "xdg"] == []


def test_check_says_what_a_study_does(run: Any, signed: Path) -> None:
    answer = run("check", "first")
    assert answer.code == 0
    assert "28 days, 2 arms, 3 questions" in answer.out
    assert "next: kairos study sign first" in answer.out
    assert run("check", "first", "--json").json["advice"] == []
    text = (signed / "study.toml").read_text()
    text = text.replace('"utility", exploration = 0.5', '"utility"')
    text = text.replace('arms = ["help", "control"]', 'arms = ["all"]')
    (signed / "study.toml").write_text(text.replace('arms.control = { name = "silent" }', ""))
    assert "nothing is left to chance" in run("check", "first").out


def test_check_names_what_is_wrong(run: Any, signed: Path) -> None:
    """A setting that no study has, another study's key, a missing consent text, no study at all."""
    honest = (signed / "study.toml").read_text()
    (signed / "study.toml").write_text(f"{honest}\n[fence]\nexcluded_apps = []\n")
    answer = run("check", "first")
    assert (answer.code, "fence: a study cannot set this" in answer.err) == (4, True)
    run("create", "second")
    theirs = (signed.parent / "second" / "study.toml").read_text()
    for name in ("signing", "receipts", "readers"):
        own, other = (next(line for line in text.splitlines() if line.startswith(name)) for text in (honest, theirs))
        (signed / "study.toml").write_text(honest.replace(own, other))
        answer = run("check", "first")
        assert (answer.code, f"missing: keys.{name}" in answer.out) == (1, True)
    (signed / "study.toml").write_text(honest)
    (signed / "consent.en.md").unlink()
    assert run("check", "first").code == 4
    for words in (("check", "nowhere"), ("sign", "nowhere"), ("invite", "nowhere", "--count", "1")):
        assert run(*words).code == 2


def test_keys_that_signing_does_not_take_may_be_kept_elsewhere(run: Any, signed: Path) -> None:
    assert run("invite", "first", "--count", "1").code == 0
    for name in ("reader", "receipts"):
        (signed / "keys" / f"{name}.key").unlink()
    assert run("check", "first").code == 0
    assert run("sign", "first").code == 0
    refused = run("invite", "first", "--count", "1")
    assert (refused.code, "keys/reader.key" in refused.err) == (4, True)


def test_what_was_signed_is_the_study_with_its_consent(run: Any, signed: Path) -> None:
    path = signed / "signed" / "first-1.kairos-study"
    bundle = read_bundle(path.read_bytes())
    assert bundle.plan_text == (signed / "study.toml").read_text()
    assert bundle.consent["en"].text == (signed / "consent.en.md").read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = run("sign", "first", "--json")
    assert (again.code, again.json["new"], again.json["sha256"]) == (0, False, bundle.digest.hex())
    (signed / "consent.en.md").write_text(bundle.consent["en"].text + "\nOne more thing.\n")
    refused = run("sign", "first")
    assert (refused.code, "raise version" in refused.err) == (4, True)
    (signed / "study.toml").write_text(bundle.plan_text.replace("version = 1", "version = 2"))
    assert run("sign", "first", "--json").json["version"] == 2
    names = sorted(path.name for path in (signed / "signed").iterdir())
    assert names == ["first-1.kairos-study", "first-2.kairos-study"]
    assert read_bundle(path.read_bytes()) == bundle


def test_each_invitation_is_one_person_s(run: Any, signed: Path) -> None:
    answer = run("invite", "first", "--count", "12", "--json")
    paths = [Path(path) for path in answer.json["invitations"]]
    assert [path.name[:4] for path in paths] == [f"{number:03d}-" for number in range(1, 13)]
    invited = [read_invitation((signed.parent / path).read_bytes()) for path in paths]
    for secrets in ("participant", "password", "join_key", "readers"):
        assert len({getattr(participant.invitation, secrets) for participant in invited}) == 12
    lines = (signed / "participants.jsonl").read_bytes().splitlines()
    listed = [msgspec.json.decode(line, type=Participant) for line in lines]
    reader = read_reader_key(signed / "keys" / "reader.key")
    for number, (one, known) in enumerate(zip(invited, listed, strict=True), 1):
        who = one.invitation.participant
        assert (known.number, known.participant, known.study_version) == (number, who, 1)
        assert parse_public("x25519", known.reader) == one.invitation.readers[0]
        sealed = (signed / "keys" / "participants" / f"{who}.sealed").read_bytes()
        private = open_sealed(decode(sealed, Sealed, what="key"), reader, bound_to=reader_context("first", who))
        assert type(reader)(private).public == one.invitation.readers[0]
        salt = known.login.split("$")[3]
        assert known.login == hash_login(one.password, base64.b64decode(salt))
    secret = {mode for name, mode in modes(signed).items() if "." in name and not name.endswith((".toml", ".md"))}
    assert secret == {0o600}


def test_arms_are_balanced_and_only_the_sealed_list_names_them(run: Any, signed: Path) -> None:
    for count in ("5", "1", "18"):
        assert run("invite", "first", "--count", count).code == 0
    folder = StudyFolder(signed)
    raw = (signed / "allocation.sealed").read_bytes()
    arms = open_allocation(raw, folder.reader_key(), study="first").arms_by_participant()
    paths = sorted((signed / "invitations").iterdir())
    invited = [read_invitation(path.read_bytes()) for path in paths]
    assert {participant.invitation.participant: participant.arm for participant in invited} == arms
    assert [participant.invitation.participant for participant in invited] == list(arms)
    assert abs(sum(arm == "help" for arm in arms.values()) - 12) <= 1
    # The list is read by its values: a random name or key may hold "help" among its letters.
    listed = [msgspec.json.decode(line) for line in (signed / "participants.jsonl").read_bytes().splitlines()]
    said = {str(value) for participant in listed for value in participant.values()}
    assert set(arms) <= said
    assert not {"help", "control"} & said
    assert not [word for word in (b"help", b"control") if word in raw]
    assert len({path.stat().st_size for path in paths}) == 1


def test_invitations_are_to_what_was_signed(run: Any, signed: Path, tmp_path: Path) -> None:
    """Before that there are none; arms cannot change after the first."""
    run("create", "second")
    assert "was not signed yet" in run("invite", "second", "--count", "3").err
    assert run("invite", "first", "--count", "3").code == 0
    text = (signed / "study.toml").read_text().replace("version = 1", "version = 2")
    (signed / "study.toml").write_text(text)
    assert "has changed since it was signed" in run("invite", "first", "--count", "1").err
    (signed / "study.toml").write_text(text.replace('"help", "control"', '"control", "help"'))
    refused = run("sign", "first")
    assert (refused.code, "changes the arms or the outcome" in refused.err) == (4, True)
    assert len(list((signed / "invitations").iterdir())) == 4


def test_invitations_to_a_study_of_another_key_are_refused(run: Any, signed: Path) -> None:
    """A signing key from the wrong backup would sign invitations that nobody can join with; nothing is written."""
    run("create", "second")
    (signed / "keys" / "signing.key").unlink()
    shutil.copy2(signed.parent / "second" / "keys" / "signing.key", signed / "keys" / "signing.key")
    refused = run("invite", "first", "--count", "3")
    assert (refused.code, "another key than keys/signing.key" in refused.err) == (4, True)
    assert not (signed / "allocation.sealed").exists()


@pytest.mark.parametrize("count", ["0", "-1", "x", "10001", "9" * 5000, "٣"])
def test_a_count_that_is_none_is_wrong_usage(count: str, run: Any) -> None:
    with pytest.raises(SystemExit) as caught:
        run("invite", "first", "--count", count)
    assert caught.value.code == 2


def test_one_command_at_a_time_changes_a_study(run: Any, signed: Path) -> None:
    """A second one says so and changes nothing."""
    descriptor = os.open(signed, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        answer = run("invite", "first", "--count", "3")
        assert (answer.code, "another command is changing" in answer.err) == (3, True)
    finally:
        os.close(descriptor)
    assert run("invite", "first", "--count", "3").code == 0


def test_a_damaged_list_of_arms_invites_nobody(run: Any, signed: Path) -> None:
    """A new list beside the old one would break the balance unseen."""
    run("invite", "first", "--count", "3")
    (signed / "allocation.sealed").write_bytes(b"damaged")
    refused = run("invite", "first", "--count", "3")
    assert refused.code == 4
    assert len(list((signed / "invitations").iterdir())) == 3


def test_a_login_is_hashed_as_mosquitto_does() -> None:
    """A line that `mosquitto_passwd` 2.0.11 wrote for the password 0123456789abcdef."""
    salt = "KfWkM6I5E4GUIDVt"
    digest = "iQpag7K2Y+U2P5hp6E2sLEvJaQl9rEMrVtHMHMaG5l9sVhtn8nnDvnyoFvkxYEtGL+1zh4xq0jS9jV6psKbPaA=="
    assert hash_login("0123456789abcdef", base64.b64decode(salt)) == f"$7$101${salt}${digest}"


def test_no_secret_is_printed(run: Any, signed: Path) -> None:
    """Neither passwords nor private keys nor arms; the control finds them where they are."""
    answers = [run("create", "third"), run("check", "first"), run("sign", "first", "--json")]
    answers += [run("invite", "first", "--count", "2"), run("invite", "first", "--count", "2", "--json")]
    printed = "".join(answer.out + answer.err for answer in answers)
    invited = [read_invitation(path.read_bytes()) for path in (signed / "invitations").iterdir()]
    keys = [path.read_text().split()[-1] for path in (signed / "keys").glob("*.key")]
    assert len(keys) == 3
    assert not [word for word in (*keys, *(participant.password for participant in invited)) if word in printed]
    assert "control" not in "".join(answer.out + answer.err for answer in answers[3:])
    named = sum(participant.invitation.participant in printed for participant in invited)
    assert named == 2  # the control: ids of the last command
