"""`kairos models` as a person meets it: what it prints, what it writes, and its exit codes."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.cli import sessions
from daemon.cli.main import main
from detectors.mllm.presets import PRESETS
from detectors.mllm.probing import samples
from storage.files import config_file, sent_file, sessions_folder
from storage.sent.log import SentLog
from storage.settings import ModelSettings, Settings
from storage.settings_file import write_value
from tests.fakes.mllm.chat_server import FakeChatServer, running
from tests.fakes.mllm.sent_requests import picture, request
from tests.fakes.mllm.server import Act, say

KEY = "sk-a-key-that-nobody-may-ever-see"


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(samples, "HEIGHT", 520)
    with running(FakeChatServer(context=8192)) as address:
        yield address


def run_text(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["models", *words]) == code
    return capsys.readouterr().out


def run_json(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run_text(capsys, *words, "--json", code=code))
    return answer


def switch_on(**chosen: object) -> None:
    settings = Settings(local_model=ModelSettings(**chosen))  # type: ignore[arg-type]  # values of several kinds
    for name in chosen:
        write_value(config_file(), f"local_model.{name}", settings)


def test_the_list_names_every_preset_and_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    """With everything off, without a network, and without making a file."""
    facts = run_json(capsys, "list")
    assert {preset["name"] for preset in facts["presets"]} == PRESETS.keys()
    assert facts["tiers"] == {"local": {"on": False, "preset": ""}, "strong": {"on": False, "preset": ""}}
    text = run_text(capsys, "list")
    for preset in PRESETS.values():
        assert preset.name in text
        assert preset.note in text
    assert "the key OPENAI_API_KEY (not set)" in text
    assert not sent_file().exists()


def test_a_key_is_reported_as_set_and_never_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the list and by the doctor, in words and as JSON."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DISPLAY", "")
    switch_on(preset="openai", send_screens=True)
    main(["doctor", "--json"])
    doctor = capsys.readouterr().out
    everything = run_text(capsys, "list") + json.dumps(run_json(capsys, "list")) + doctor
    assert KEY not in everything
    assert "the key OPENAI_API_KEY (set)" in everything
    line = next(check for check in json.loads(doctor)["checks"] if check["name"] == "local model")
    assert (line["ok"], line["needed"]) == (True, False)
    assert "key OPENAI_API_KEY found" in line["says"]
    assert "pictures of your screen go there" in line["says"]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("probe", "lama-server"), 2, "did you mean llama-server"),
        (("test", "mlx"), 2, "--url"),
        (("test", "openrouter"), 2, "--model"),
        (("test", "strong"), 2, "is off"),
        (("probe",), 2, "no model is on"),
        (("probe", "openai"), 3, "OPENAI_API_KEY"),
        (("test", "llama-server", "--url", "http://127.0.0.1:1/v1"), 3, "start the server"),
        (("probe", "llama-server", "--url", "http://127.0.0.1:1/v1"), 3, "start the server"),
        (("test", "llama-server", "--url", "ftp://x"), 2, "neither https nor http"),
        (("test", "llama-server", "--pictures", "0"), 2, "1 to 32"),
        (("sent", "--show", "7"), 2, "there is no request 7"),
        (("sent", "--forget", "seven"), 2, "the word all"),
        (("sent", "--forget", "9" * 30), 2, "the word all"),
        (("sent", "--out", "x"), 2, "--show ID"),
    ],
)
def test_an_error_names_its_remedy(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, says: str
) -> None:
    """Usage is 2, no server and no key are 3; with --json there is one object all the same."""
    assert main(["models", *words, "--json"]) == code
    output = capsys.readouterr()
    assert says in output.err
    facts = json.loads(output.out)
    assert set(facts) == {"error", "remedy", "said"}
    assert says in f"{facts['error']} {facts['remedy']}"


@pytest.mark.parametrize("command", ["probe", "test"])
@pytest.mark.parametrize(
    ("act", "says", "remedy"),
    [
        (say(b"<html>a page</html>"), "answers with a web page", "check address and path"),
        (say(b"<html>blocked</html>", status=403), "answers with a web page", "firewall"),
        (say(b"error code: 1020", status=403), "forbids this request", "country"),
        (say(b"", status=308), "sends requests on to another address", "https in place of http"),
        (say(b"\x1f\x8b", headers={"Content-Encoding": "gzip"}), "compresses its answers", "turn compression off"),
        (say(b"", status=401), "did not take the key", "it wants a key: say with key_name"),
        (say(b'{"error": "no vision"}'), "takes no pictures", "a model with vision"),
        (say(b'{"error": {"code": 404, "message": "x"}}'), "knows no model", "give --model"),
        (say(b'{"error": "context window exceeded"}'), "a context too short for one picture", "a longer context"),
    ],
)
def test_a_refusal_is_named_with_its_remedy(
    capsys: pytest.CaptureFixture[str], command: str, act: Act, says: str, remedy: str
) -> None:
    """Whatever the status says; nothing that the server wrote is shown."""
    with running(act) as address:
        assert main(["models", command, "llama-server", "--url", address, "--model", "pretender", "--json"]) == 3
    facts = json.loads(capsys.readouterr().out)
    assert says in facts["error"]
    assert remedy in facts["remedy"]
    assert "1020" not in str(facts)


def test_probe_then_test_then_what_was_sent(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> None:
    """The whole way of somebody who tries a server: found out, remembered, asked, and shown to the byte."""
    (probed,) = run_json(capsys, "probe", "llama-server", "--url", url, "--model", "pretender")["probe"]
    assert (probed["schema_mode"], probed["pictures_max"], probed["context_tokens"]) == ("json_schema", 32, 8192)
    switch_on(preset="llama-server", url=url, model="pretender")
    assert run_json(capsys, "list")["tiers"]["local"]["verdict"]["pictures_max"] == 32
    (tested,) = run_json(capsys, "test")["test"]
    assert tested["answers"]["need"]["choice"] in ("yes", "no")
    assert "means nothing" in run_text(capsys, "test", "local", "--pictures", "3")
    sent = run_json(capsys, "sent")
    assert sent["count"] == len(sent["entries"]) >= 6
    newest = sent["entries"][0]
    assert (newest["purpose"], newest["pictures"], newest["outcome"], newest["session"]) == ("test", 3, "ok", None)
    out, folder = tmp_path / "body.json", tmp_path / "pictures"
    shown = run_text(capsys, "sent", "--show", str(newest["id"]), "--out", str(out), "--pictures", str(folder))
    assert "it is what was sent, to the byte" in shown
    assert hashlib.sha256(out.read_bytes()).hexdigest() == newest["digest"]
    assert out.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in sorted(folder.iterdir())] == [f"picture-0{n}.jpg" for n in (1, 2, 3)]
    assert main(["models", "sent", "--show", str(newest["id"]), "--out", str(out)]) == 2  # nothing is overwritten
    capsys.readouterr()
    assert run_json(capsys, "sent", "--verify") == {"ok": True, "checked": sent["count"], "not_kept": 0, "problems": []}
    with SentLog() as log:
        log.connection.execute("UPDATE parts SET text = CAST('{' || text AS BLOB) WHERE request = 1 AND n = 0")
        log.connection.commit()
    assert [each["id"] for each in run_json(capsys, "sent", "--verify", code=1)["problems"]] == [1]
    assert "NOT what was sent" in run_text(capsys, "sent", "--show", "1", code=1)
    assert run_json(capsys, "sent", "--forget", "1") == {"forgotten": 1}
    assert run_json(capsys, "sent", "--verify")["ok"]
    assert run_json(capsys, "sent", "--forget", "all")["forgotten"] == sent["count"] - 1
    assert run_text(capsys, "sent").startswith("Nothing was sent")


def test_requests_without_their_pictures_are_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Shown and verified for what they are; neither body nor pictures can be written out."""
    with SentLog() as log:
        bare = log.begin(replace(request(picture(1)), stores_pictures=False, stores_texts=False))
        whole = log.begin(request(picture(1)))
    assert run_json(capsys, "sent", "--verify") == {"ok": True, "checked": 1, "not_kept": 1, "problems": []}
    output = run_text(capsys, "sent", "--verify")
    assert f"Request {whole} is what was sent" in output
    assert "1 cannot be rebuilt: of its pictures and of your words only the SHA-256 was kept" in output
    output = run_text(capsys, "sent", "--show", str(bare))
    assert "was not agreed to" in output
    assert "to the byte" not in output
    assert picture(1).digest[:12] in output
    assert "[text " in output
    assert "what is it?" not in output
    for option, name in (("--out", "body.json"), ("--pictures", "pictures")):
        assert main(["models", "sent", "--show", str(bare), option, str(tmp_path / name)]) == 2
        assert "only the SHA-256 was kept" in capsys.readouterr().err
        assert not (tmp_path / name).exists()


def test_deleting_a_session_deletes_what_it_sent(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """`kairos sessions delete` takes its requests along and leaves those of another session."""
    from storage.session.log import SessionWriter

    folders = [sessions_folder() / name for name in ("20261121-143002-9f3a", "20261121-150000-1234")]
    for folder in folders:
        SessionWriter(folder).close()
        with SentLog() as log:
            log.begin(request(picture(1), session=str(folder.resolve())))
    monkeypatch.setattr(sessions, "_confirmed", lambda count: True)
    assert main(["sessions", "delete", folders[0].name]) == 0
    capsys.readouterr()
    (left,) = run_json(capsys, "sent")["entries"]
    assert left["session"] == folders[1].name
    assert run_json(capsys, "sent", "--verify")["ok"]


def test_switching_a_model_on_prints_what_is_sent(capsys: pytest.CaptureFixture[str]) -> None:
    """At the moment of the choice, on stderr; other settings say nothing of it."""
    output = []
    for key, value in (("preset", "gemini"), ("send_screens", "true"), ("preset", "")):
        assert main(["config", "set", f"strong_model.{key}", value, "--json"]) == 0
        printed = capsys.readouterr()
        assert json.loads(printed.out)["settings"]
        output.append(printed.err)
    assert "nothing is sent" in output[0]
    assert "generativelanguage.googleapis.com (without billing Google may use what is sent" in output[1]
    assert "nothing is sent" in output[2]
    assert main(["config", "set", "policy.cooldown_s", "5"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("number", ["0", "-1", "9" * 30, "one"])
def test_a_number_that_no_request_has_is_wrong_usage(number: str) -> None:
    """However large it is."""
    with pytest.raises(SystemExit) as caught:
        main(["models", "sent", "--show", number])
    assert caught.value.code == 2


def test_a_target_that_fails_does_not_prevent_the_others(capsys: pytest.CaptureFixture[str], url: str) -> None:
    """Both are reported, and the status is that of the failure."""
    switch_on(preset="llama-server", url=url, model="pretender")
    write_value(config_file(), "strong_model.preset", Settings(strong_model=ModelSettings(preset="openai")))
    first, second = run_json(capsys, "test", code=3)["test"]
    assert "answers" in first
    assert "OPENAI_API_KEY" in second["error"]
