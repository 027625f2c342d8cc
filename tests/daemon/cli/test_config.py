"""`kairos config`: showing and changing settings."""

import json
from pathlib import Path

import pytest

from daemon.cli.main import main
from detectors.need_threshold import MODEL
from storage.errors import UsageError
from storage.files import config_file
from storage.settings_file import load_settings


def test_config_set_keeps_comments_and_shows_the_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`kairos config set` changes one line of the file; `show` prints what is in force."""
    main(["config", "path", "--json"])
    path = Path(json.loads(capsys.readouterr().out)["path"])
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n[policy]\n# why\ncooldown_s = 10.0\n")
    assert main(["config", "set", "fence.excluded_apps", "signal,element"]) == 0
    assert "# mine" in path.read_text()
    assert "# why" in path.read_text()
    capsys.readouterr()
    main(["config", "show", "--json"])
    shown = json.loads(capsys.readouterr().out)["settings"]
    assert shown["fence"]["excluded_apps"] == ["signal", "element"]
    assert shown["policy"]["cooldown_s"] == 10.0
    assert main(["config", "set", "fence.exclude_apps", "x"]) == 2
    told = capsys.readouterr().err
    assert "did you mean fence.excluded_apps" in told
    assert "config set: there is no setting 'fence.exclude_apps'" in told  # and not of an option that nobody typed


def test_config_set_refuses_a_detector_or_policy_that_cannot_be_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what `kairos run` would, and writes nothing; what can be loaded is written, also beside what cannot."""
    nowhere = tmp_path / "none.onnx"
    for key, name, code in (
        ("detector.name", str(nowhere), 4),
        ("detector.name", "nope", 2),
        ("policy.name", "nope", 2),
    ):
        assert main(["config", "set", key, name]) == code
        told = capsys.readouterr().err
        assert name in told
        assert f"Set {key} to " in told
    assert main(["config", "set", "detector.name", "os:getcwd"]) == 2
    assert "detector.name: the factory does not take what it is called with" in capsys.readouterr().err
    assert not config_file().exists()
    assert main(["config", "set", "policy.name", "silent"]) == 0
    config_file().write_text('[detector]\nname = "nope"\n')
    assert main(["config", "set", "policy.cooldown_s", "5"]) == 0
    assert main(["config", "set", "detector.name", "evidence"]) == 0
    assert load_settings().detector.name == "evidence"


def test_a_model_file_set_by_a_relative_name_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written names it in full; what names no file is written as it is typed."""
    (tmp_path / "mine.onnx").write_bytes(MODEL.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main(["config", "set", "detector.name", "mine.onnx"]) == 0
    assert load_settings().detector.name == str(tmp_path / "mine.onnx")
    assert main(["config", "set", "detector.name", "evidence"]) == 0
    assert load_settings().detector.name == "evidence"
    assert main(["config", "set", "storage.sessions_dir", "days"]) == 0
    assert load_settings().storage.sessions_dir == str(tmp_path / "days")
    (tmp_path / "days").write_text("no folder")
    assert main(["sessions", "list"]) == 2


def test_crossed_values_are_named_and_can_be_corrected_with_config_set(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever edited the file by hand can correct it with the command, one value after the other."""
    config_file().parent.mkdir(parents=True)
    config_file().write_text(
        "[policy]\nbackoff_s = 99.0\nbackoff_max_s = 30.0\ninterrupt_busy_s = 1\n", encoding="utf-8"
    )
    with pytest.raises(UsageError, match=r"settings\.toml: policy\.backoff_s"):
        load_settings(overrides=["policy.backoff_s=20"])
    assert main(["config", "set", "policy.backoff_max_s", "40"]) == 2
    assert "config set: policy.backoff_s (99) is greater" in capsys.readouterr().err
    assert main(["config", "set", "policy.backoff_s", "20"]) == 0
    assert main(["config", "set", "policy.interrupt_break_s", "0.5", "--json"]) == 0
    assert load_settings().policy.backoff_s == 20.0
