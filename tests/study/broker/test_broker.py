"""The broker: what is written holds when it is tried, and the check sees what does not hold."""

import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from participant.commands.study import register
from storage.errors import BadFile, EnvironmentFault, UsageError
from study.broker.check import check_configuration
from study.broker.configuration import BrokerFolder, own_authority, put_authority
from study.researcher.documents import read_plan
from study.researcher.folder import StudyFolder
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.studies.collected_study import fill_in


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("broker")
    study = StudyFolder.create(base / "first")
    fill_in(study.path, arms=False)
    _, pem = own_authority(base / "out" / "tls", "broker.example.org")
    assert put_authority(study.path / "study.toml", pem)
    study.sign()
    study.invite(3)
    return base


@pytest.fixture
def base(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


@pytest.fixture
def run(base: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run_broker(*words: str) -> Answer:
        words = ("study", "broker", str(base / "first"), "--out", str(base / "out"), *words, "--json")
        return run_command(register, capsys, *words)

    return run_broker


def test_everything_written_is_private_and_writing_again_changes_nothing(run: Any, base: Path) -> None:
    """But for people invited since; the collector's password stays."""
    first = run("--self-signed")
    assert (first.code, first.json["people"], first.json["authority_added"]) == (0, 3, False)
    assert first.json["changed"] == ["acl", "mosquitto.conf", "passwords"]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (base / "out").rglob("*")}
    assert {name for name, mode in modes.items() if mode == 0o700} == {"data", "tls"}
    assert {mode for name, mode in modes.items() if name not in {"data", "tls"}} == {0o600}
    assert stat.S_IMODE((base / "first" / "keys" / "collector.password").stat().st_mode) == 0o600
    assert run().json["changed"] == []
    StudyFolder(base / "first").invite(2)
    again = run()
    assert (again.json["people"], again.json["changed"]) == (5, ["passwords"])


def test_all_limits_hold_when_tried(run: Any) -> None:
    """With a real mosquitto."""
    answer = run("--self-signed", "--check")
    assert [check["what"] for check in answer.json["checks"] if not check["holds"]] == []
    assert (answer.code, len(answer.json["checks"])) == (0, 23)


def test_the_check_sees_what_does_not_hold(run: Any, base: Path) -> None:
    """The control: an access file that lets people write everywhere, older TLS, anybody."""
    run("--self-signed")
    out = BrokerFolder(base / "out")
    with out.acl.open("a") as file:
        file.write("pattern readwrite kairos/v1/first/#\n")
    conf = out.conf.read_text()
    conf = conf.replace("tls_version tlsv1.3", "tls_version tlsv1.2")
    out.conf.write_text(conf.replace("anonymous false", "anonymous true"))
    broken = {result.what for result in check_configuration(base / "first", out) if not result.holds}
    assert broken >= {
        "TLS 1.2 is refused",
        "nobody gets in without a login",
        "a parcel reaches the collector alone",
        "a receipt reaches one person alone",
        "nobody sends in another's name",
        "nobody answers in the collector's place",
        "nor changes the signed study",
    }
    assert "nor with a wrong password" not in broken


def test_a_configuration_that_mosquitto_refuses_is_said_so(run: Any, base: Path) -> None:
    run("--self-signed")
    out = BrokerFolder(base / "out")
    out.conf.write_text(out.conf.read_text() + "no_such_setting 1\n")
    with pytest.raises(EnvironmentFault, match="does not start with this configuration"):
        check_configuration(base / "first", out)


def test_the_authority_stands_in_the_broker_table_and_nothing_else_changes(base: Path, tmp_path: Path) -> None:
    study = StudyFolder.create(tmp_path / "second").path / "study.toml"
    before = study.read_text()
    pem = (base / "out" / "tls" / "ca.pem").read_text()
    assert put_authority(study, pem)
    assert not put_authority(study, pem)
    assert read_plan(study).broker.ca is not None
    added = f'ca = """\n{pem.strip()}\n"""\n'
    assert study.read_text().replace(added, "") == before
    other = pem.replace("MII", "MIJ", 1)
    with pytest.raises(UsageError, match="another authority"):
        put_authority(study, other)
    study.write_text(before.replace("[broker]", "[ broker ]"))
    with pytest.raises(BadFile, match="table of its own"):
        put_authority(study, pem)


def test_a_broker_needs_a_certificate(run: Any, base: Path) -> None:
    shutil.rmtree(base / "out")
    for words in ((), ("--certificate", "x"), ("--certificate", "x", "--key", "y"), ("--self-signed", "--key", "y")):
        assert run(*words).code == 2
    certificate, key = base / "cert.pem", base / "key.pem"
    for path in (certificate, key):
        path.write_text("x")
    assert run("--certificate", str(certificate), "--key", str(key)).code == 0
    assert f"certfile {certificate}" in (base / "out" / "mosquitto.conf").read_text()
    assert list((base / "out" / "data").iterdir()) == []
