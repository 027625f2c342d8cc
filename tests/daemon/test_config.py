"""Settings: from file and command line, and errors that name the nearest key."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from daemon.commands import main
from daemon.config import RANGES, from_mapping, known_keys, load_settings, settings_hash, with_value
from storage.errors import UsageError
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
    ("key", "text"),
    [("policy.cooldown_s", "soon"), ("policy.offers_per_hour", "-1"), ("policy.offers_per_hour", "1.5"), ("x", "1")],
)
def test_values_that_do_not_fit_are_refused(key: str, text: str) -> None:
    """A value of the wrong kind is an error, not a default."""
    with pytest.raises(UsageError):
        with_value(Settings(), key, text)


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
    settings = with_value(Settings(), "policy.cooldown_s", "12")
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
    assert "did you mean" in capsys.readouterr().err


def test_every_key_is_known_by_its_table() -> None:
    """Keys are written as table.key."""
    assert "policy.quiet_start_s" in known_keys()
    assert all(key.count(".") == 1 for key in known_keys())


@pytest.mark.parametrize("key", sorted(key for key, (low, _) in RANGES.items() if low > 0))
@pytest.mark.parametrize("value", ["0", "1e300", "nan"])
def test_numbers_that_would_stop_the_engine_are_refused(key: str, value: str) -> None:
    """What is divided by or looped over has a least and a most, from the command line and from a session alike."""
    with pytest.raises(UsageError, match=key):
        with_value(Settings(), key, value)
    table, _, name = key.partition(".")
    with pytest.raises(UsageError, match=key):
        from_mapping({table: {name: 0}}, where="row")


@pytest.mark.parametrize("key", ["policy.exploration", "policy.threshold", "policy.arm_probability"])
def test_a_share_lies_between_nothing_and_all(key: str) -> None:
    """Probabilities end at 1, and both ends are allowed."""
    for value in ("0", "1"):
        with_value(Settings(), key, value)
    with pytest.raises(UsageError, match=key):
        with_value(Settings(), key, "1.5")
