"""Settings: from file and command line, and errors that name the nearest key."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.config import from_mapping, known_keys, load_settings, settings_hash, with_value
from daemon.limits import ORDERED, RANGES
from detectors.embedded import MODEL
from storage.errors import UsageError
from storage.paths import config_file
from storage.settings import Settings


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    """A missing file is not an error."""
    assert load_settings(tmp_path / "none.toml") == Settings()


def test_a_file_and_overrides_change_what_they_name(tmp_path: Path) -> None:
    """The command line wins over the file; everything else stays."""
    path = tmp_path / "settings.toml"
    path.write_text('[policy]\ncooldown_s = 10\nquiet_start_s = 5\n[fence]\nexcluded_apps = ["signal"]\n')
    settings = load_settings(path, ["policy.quiet_start_s=0", "fence.excluded_titles=bank, tax"])
    assert settings.policy.cooldown_s == 10.0
    assert settings.policy.quiet_start_s == 0.0
    assert settings.fence.excluded_apps == ("signal",)
    assert settings.fence.excluded_titles == ("bank", "tax")
    assert settings.capture == Settings().capture


def test_a_mistyped_key_names_the_nearest_one() -> None:
    """An unknown key is refused, with the key that was probably meant."""
    with pytest.raises(UsageError, match=r"did you mean fence\.excluded_apps"):
        from_mapping({"fence": {"exclude_apps": ["x"]}}, where="file")


@pytest.mark.parametrize(
    ("key", "text", "wanted"),
    [
        ("policy.cooldown_s", "soon", "a number from 0 to 1e+09, not 'soon'"),
        ("policy.offers_per_hour", "-1", "a whole number from 0 "),
        ("policy.offers_per_hour", "1.5", "a whole number from 0 "),
        ("fence.cover_unknown_browsers", "1", "true or false, not '1'"),
        ("x", "1", ""),
    ],
)
def test_values_that_do_not_fit_are_refused(key: str, text: str, wanted: str) -> None:
    """A value of the wrong kind is an error, not a default; it says where it stood and what would fit."""
    with pytest.raises(UsageError) as caught:
        with_value(Settings(), key, text, where="here")
    assert caught.value.what.startswith("here: ")
    assert wanted in caught.value.what
    assert "kairos config show" in caught.value.remedy


@pytest.mark.parametrize(
    "text", ["policy = 3", "[policy]\ncooldown_s = true", "not toml", "[fence]\nexcluded_apps=[1]"]
)
def test_a_broken_file_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    """The error says which file."""
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"settings\.toml"):
        load_settings(path)


def test_settings_survive_a_round_trip_through_a_session() -> None:
    """The first row of a session gives the settings back."""
    settings = with_value(Settings(), "policy.cooldown_s", "12", where="--set")
    assert from_mapping(json.loads(json.dumps(asdict(settings))), where="row") == settings
    assert settings_hash(settings) != settings_hash(Settings())


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


@pytest.mark.parametrize(("low", "high"), ORDERED)
def test_two_ends_of_one_range_may_meet_and_not_cross(low: str, high: str, tmp_path: Path) -> None:
    """Where they cross both are named, with the remedy."""
    load_settings(tmp_path / "none", [f"{low}=0.5", f"{high}=0.5"])
    with pytest.raises(UsageError, match=rf"--set: {low} \(0\.5\) is greater than {high} \(0\.4\)") as caught:
        load_settings(tmp_path / "none", [f"{low}=0.5", f"{high}=0.4"])
    assert f"lower {low} or raise {high}" in caught.value.remedy


def test_a_crossed_file_is_named_and_can_be_mended_with_config_set(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever edited the file by hand is not locked out of the command that mends it, one value after the other."""
    config_file().parent.mkdir(parents=True)
    config_file().write_text(
        "[policy]\nthreshold_min = 0.99\nthreshold_max = 0.3\ninterrupt_busy_s = 1\n", encoding="utf-8"
    )
    with pytest.raises(UsageError, match=r"settings\.toml: policy\.threshold_min"):
        load_settings(overrides=["policy.threshold_min=0.2"])
    assert main(["config", "set", "policy.threshold_max", "0.4"]) == 2
    assert "config set: policy.threshold_min (0.99) is greater" in capsys.readouterr().err
    assert main(["config", "set", "policy.threshold_min", "0.2"]) == 0
    assert main(["config", "set", "policy.interrupt_break_s", "0.5", "--json"]) == 0
    assert load_settings().policy.threshold_min == 0.2


def test_every_key_is_known_by_its_table() -> None:
    """Keys are written as table.key."""
    assert "policy.quiet_start_s" in known_keys()
    assert all(key.count(".") == 1 for key in known_keys())


@pytest.mark.parametrize("key", sorted(key for key, (low, _) in RANGES.items() if low > 0))
@pytest.mark.parametrize("value", ["0", "1e300", "nan"])
def test_numbers_that_would_stop_the_engine_are_refused(key: str, value: str) -> None:
    """What is divided by or looped over has a least and a most, from the command line and from a session alike."""
    with pytest.raises(UsageError, match=key):
        with_value(Settings(), key, value, where="--set")
    table, _, name = key.partition(".")
    with pytest.raises(UsageError, match=key):
        from_mapping({table: {name: 0}}, where="row")


@pytest.mark.parametrize("key", ["policy.exploration", "policy.threshold", "policy.arm_probability"])
def test_a_share_lies_between_nothing_and_all(key: str) -> None:
    """Probabilities end at 1, and both ends are allowed."""
    for value in ("0", "1"):
        with_value(Settings(), key, value, where="--set")
    with pytest.raises(UsageError, match=key):
        with_value(Settings(), key, "1.5", where="--set")
