"""Settings: read from file and command line, checked by what is declared of them."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from storage.errors import EnvironmentFault, UsageError
from storage.settings import Settings, setting_infos
from storage.settings_file import from_mapping, load_settings, read_file, settings_hash, with_value, write_value

INFOS = setting_infos()


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml") == Settings()


def test_a_folder_that_is_closed_is_no_missing_file(tmp_path: Path) -> None:
    """Else Kairos would watch without what is excluded."""
    (tmp_path / "kairos").write_text("")
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        read_file(tmp_path / "kairos" / "settings.toml")


def test_a_file_and_overrides_change_what_they_name(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[policy]\ncooldown_s = 10\nquiet_start_s = 5\n[fence]\nexcluded_apps = ["signal"]\n')
    settings = load_settings(path, ["policy.quiet_start_s=0", "fence.excluded_titles=bank, tax"])
    assert settings.policy.cooldown_s == 10.0
    assert settings.policy.quiet_start_s == 0.0
    assert settings.fence.excluded_apps == ("signal",)
    assert settings.fence.excluded_titles == ("bank", "tax")
    assert settings.capture == Settings().capture


def test_a_mistyped_key_names_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"did you mean fence\.excluded_apps"):
        from_mapping({"fence": {"exclude_apps": ["x"]}}, where="file")


@pytest.mark.parametrize("text", ["bank, tax", '["bank", "tax"]', " [ 'bank','tax', ]"])
def test_a_list_is_taken_as_it_is_said_and_as_it_stands_in_the_file(text: str) -> None:
    """With commas, or as TOML: taken apart at its commas alone, such a list would exclude nothing."""
    assert with_value(Settings(), "fence.excluded_titles", text, where="here").fence.excluded_titles == ("bank", "tax")


@pytest.mark.parametrize(
    ("key", "text", "wanted"),
    [
        ("fence.excluded_titles", '["bank", "tax"', 'not \'["bank", "tax"\''),
        ("fence.excluded_titles", "[1, 2]", "not a list"),
        ("policy.cooldown_s", "soon", "a number from 0 to 31,622,400, not 'soon'"),
        ("policy.offers_per_hour", "-1", "a whole number from 0 "),
        ("policy.offers_per_hour", "1.5", "a whole number from 0 "),
        *((f"policy.{name}", "1.5", "from 0 to 1, not") for name in ("exploration", "threshold", "arm_probability")),
        ("fence.cover_unknown_browsers", "1", "true or false, not '1'"),
        ("help.model", "sometimes", "one of off, on-request, on-acceptance, ahead, not 'sometimes'"),
        ("x", "1", ""),
    ],
)
def test_values_that_do_not_fit_are_refused(key: str, text: str, wanted: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_value(Settings(), key, text, where="here")
    assert caught.value.what.startswith("here: ")
    assert wanted in caught.value.what
    assert "kairos config show" in caught.value.remedy


@pytest.mark.parametrize(
    "text", ["policy = 3", "[policy]\ncooldown_s = true", "not toml", "[fence]\nexcluded_apps=[1]"]
)
def test_a_broken_file_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"settings\.toml"):
        load_settings(path)


ODD_FILES = {
    "brackets": "x = " + "[" * 100_000,
    "tables": "x = " + "{a=" * 50_000,
    "deep key": "[policy]\ncooldown_s." + ".".join("a" * 20_000) + " = 1",
    "deep quoted key": "[policy]\n" + ".".join(["'a'"] * 20_000) + " = 1",
    "many long keys": "\n".join(".".join([f"k{number}"] * 90) + " = 1" for number in range(500)),
    "deep header": "[" + ".".join("a" * 20_000) + "]",
    "deep value": f"[policy]\ncooldown_s = {'[' * 150}{']' * 150}",
    "digits": "[policy]\ncooldown_s = " + "9" * 5_000,
    "hexadecimal": "[policy]\noffers_per_day = 0x" + "f" * 5_000,
    "long name": "[policy]\n" + "a" * 200_000 + " = 1",
    "long table": "[" + "b" * 200_000 + "]\nx = 1",
    "long text": '[policy]\ncooldown_s = "' + "c" * 200_000 + '"',
    "long address": '[strong_model]\nurl = "https://h.example/' + "Aa" * 50_000 + "sk-" * 30_000 + '?"',
    "NUL": '[storage]\nsessions_dir = "a\\u0000b"',
    "NUL in a list": '[fence]\nexcluded_apps = ["a\\u0000b"]',
    "size": "#" * 300_000,
    "not UTF-8": "\udcff = 1",
}


@pytest.mark.parametrize("text", ODD_FILES.values(), ids=ODD_FILES)
def test_an_odd_file_is_refused_in_a_few_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UsageError) as refused:
        load_settings(path)
    assert refused.value.what.startswith(str(path))
    assert len(refused.value.what) < len(str(path)) + 300


def test_what_is_no_plain_file_is_no_settings_file(tmp_path: Path) -> None:
    """A pipe would never end; a folder is none. A link to a plain file is one."""
    pipe, folder, link, target = (tmp_path / name for name in ("pipe", "folder", "link", "target"))
    os.mkfifo(pipe)
    folder.mkdir()
    for wrong in (pipe, folder):
        with pytest.raises(UsageError, match="not a plain file"):
            load_settings(wrong)
    target.write_text("[policy]\ncooldown_s = 3\n")
    link.symlink_to(target)
    assert load_settings(link).policy.cooldown_s == 3.0


def test_a_setting_is_written_beside_whatever_lies_in_the_way(tmp_path: Path) -> None:
    """A pipe by the name of the new file is no reason to wait, and a file that cannot take the key is left alone."""
    path = tmp_path / "settings.toml"
    os.mkfifo(path.with_suffix(".new"))
    write_value(path, "policy.cooldown_s", with_value(Settings(), "policy.cooldown_s", "7", where="--set"))
    assert load_settings(path).policy.cooldown_s == 7.0
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("policy = 3\n")
    with pytest.raises(UsageError, match=r"policy\.cooldown_s cannot be written into it"):
        write_value(path, "policy.cooldown_s", Settings())
    assert path.read_text() == "policy = 3\n"


def test_a_link_stays_one_and_is_no_missing_file_where_it_leads_nowhere(tmp_path: Path) -> None:
    """Who keeps such files in a folder of their own, maybe on another disk, has excluded what stands there."""
    path, own = tmp_path / "settings.toml", tmp_path / "own" / "kairos.toml"
    path.symlink_to(own)
    for gone in (own, path):
        path.unlink()
        path.symlink_to(gone)
        with pytest.raises(EnvironmentFault):
            load_settings(path)
    path.unlink()
    path.symlink_to(own)
    own.parent.mkdir()
    own.write_text("")
    write_value(path, "policy.cooldown_s", with_value(Settings(), "policy.cooldown_s", "10", where="here"))
    assert (path.is_symlink(), load_settings(path).policy.cooldown_s) == (True, 10)
    assert [file.name for file in own.parent.iterdir()] == [own.name]


def test_settings_survive_a_round_trip_through_a_session() -> None:
    settings = with_value(Settings(), "policy.cooldown_s", "12", where="--set")
    assert from_mapping(json.loads(json.dumps(asdict(settings))), where="row") == settings
    assert settings_hash(settings) != settings_hash(Settings())


@pytest.mark.parametrize(("low", "high"), [(info.key, info.at_most) for info in INFOS.values() if info.at_most])
def test_two_ends_of_one_range_may_meet_and_not_cross(low: str, high: str, tmp_path: Path) -> None:
    load_settings(tmp_path / "none", [f"{low}=0.5", f"{high}=0.5"])
    with pytest.raises(UsageError, match=rf"--set: {low} \(0\.5\) is greater than {high} \(0\.4\)") as caught:
        load_settings(tmp_path / "none", [f"{low}=0.5", f"{high}=0.4"])
    assert f"lower {low} or raise {high}" in caught.value.remedy


def test_every_setting_declares_a_default_that_fits() -> None:
    assert "policy.quiet_start_s" in INFOS
    tables = asdict(Settings())
    assert list(INFOS) == [f"{table}.{name}" for table, values in tables.items() for name in values]
    for key, info in INFOS.items():
        table, _, name = key.partition(".")
        assert from_mapping({table: {name: info.default}}, where="default") == Settings()
        assert getattr(getattr(Settings(), table), name) == info.default
        assert info.at_most == "" or info.at_most in INFOS
        assert all(f"`{choice}`" in info.help for choice in info.choices)


def test_the_ranges_that_keep_the_engine_running_are_declared() -> None:
    hour, day, year = 3600, 86_400, 366 * 86_400
    declared = {
        (1, 600): "help.model_deadline_s",
        (0.01, 60): "capture.active_fps capture.passive_fps",
        (0, hour): (
            "capture.input_recent_s capture.ring_s capture.still_repeat_s fence.settle_s policy.break_wait_s "
            "storage.flush_s window.away_s"
        ),
        (0, 10): "capture.drain_s",
        (50, 300): "interface.text_percent",
        (0.1, 1000): "capture.motion_per_s policy.acceptance_weight",
        (16, 8192): "capture.store_width",
        (1, 100): "capture.jpeg_quality",
        (1, hour): "window.planned_s",
        (1, 1024): "window.slots",
        (1e-6, 1 - 1e-6): "detector.base_rate",
        (0, 600): "local_model.deadline_s strong_model.deadline_s",
        (0, 1024): "local_model.frames strong_model.frames",
        (0, 1_000_000): (
            "local_model.dollars_per_day storage.keep_days storage.keep_gb storage.max_session_mb "
            "strong_model.dollars_per_day"
        ),
        (0, day): (
            "policy.benefit_s policy.cost_false_s policy.interrupt_break_s policy.interrupt_busy_s "
            "policy.quiet_start_s policy.stale_s"
        ),
        (0, 10_000): "policy.offers_per_day policy.offers_per_hour",
        (0, year): "policy.backoff_max_s policy.backoff_s policy.cooldown_s policy.novelty_s policy.snooze_s",
        (0.1, day): "interface.offer_visible_s policy.evidence_half_life_s",
        (0.01, 1): "policy.acceptance",
        (0.1, 10_000): "policy.learning_half_life_days",
        (0.1, hour): "policy.break_s",
        (0, 1): "policy.arm_probability policy.exploration policy.threshold",
        (1, day): "storage.video_file_s",
        (0, 100_000_000): "storage.min_free_mb",
        (0, 23): "interface.evening_review_hour interface.quiet_from_hour interface.quiet_until_hour",
    }
    ranges = {key: (info.low, info.high) for key, info in INFOS.items() if (info.low, info.high) != (0, 1e9)}
    assert ranges == {key: span for span, keys in declared.items() for key in keys.split()}
    assert all(info.high < 1e9 for info in INFOS.values() if info.kind is float)
    assert {(info.key, info.at_most) for info in INFOS.values() if info.at_most} == {
        ("capture.passive_fps", "capture.active_fps"),
        ("policy.backoff_s", "policy.backoff_max_s"),
        ("policy.interrupt_break_s", "policy.interrupt_busy_s"),
    }


@pytest.mark.parametrize("key", sorted(key for key, info in INFOS.items() if info.low > 0))
@pytest.mark.parametrize("value", ["0", "1e300", "nan"])
def test_numbers_that_would_stop_the_engine_are_refused(key: str, value: str) -> None:
    with pytest.raises(UsageError, match=key):
        with_value(Settings(), key, value, where="--set")
    table, _, name = key.partition(".")
    with pytest.raises(UsageError, match=key):
        from_mapping({table: {name: 0}}, where="row")


ADDRESSES = (
    "https://h.example:8443/v1",
    "http://[::1]:11434/v1",
    "https://h.example/openai/deployments/gpt-4o-mini-2024-07-18/v1",
    "https://my-resource-name-eastus2.openai.azure.com/openai/v1",
    "https://gateway.ai.cloudflare.com/v1/0123456789abcdef0123456789abcdef/my-gateway/openai",
    "https://skill-and-patterns.example/hf-inference/models",
    "https://hf-inference-2026.example.com/sk-learn-service-2026/v1",
    "https://h.example/openai/deployments/MyCompanyGpt4oDeployment2024Prod/v1",
)


@pytest.mark.parametrize(
    "url",
    [
        "http://ada:sesame@box.lan/v1",
        "https://h.example/v1?key=sesame",
        "https://h/#sesame",
        "https://h.example/v1;token=sesame",
        "https://h.example/v1%3Fkey=sesame",
        "https://ada%3Asesame%40h.example/v1",
        "https://h.example/sk-sesame0123456789abcdef/v1",
        "https://gsk_sesame0123456789abcdef.h.example/v1",
        "https://h.example/eyJsesameUzI1NiJ9.eyJzdWIiOiIxIn0.abc/v1",
        "https://h.example/hooks/sesameT00xB11yC22zD33wE44v/v1",
    ],
)
def test_an_address_with_a_secret_in_it_is_refused_and_not_quoted(tmp_path: Path, url: str) -> None:
    """In the file, by a command and with --set; the address alone is taken (control)."""
    path = tmp_path / "settings.toml"
    path.write_text(f'[strong_model]\nurl = "{url}"\n')
    ways: tuple[Callable[[], Settings], ...] = (
        lambda: load_settings(path),
        lambda: with_value(Settings(), "strong_model.url", url, where=""),
        lambda: load_settings(tmp_path / "none", [f"local_model.url={url}"]),
    )
    for wrong in ways:
        with pytest.raises(UsageError, match="holds more than an address") as refused:
            wrong()
        assert "sesame" not in f"{refused.value.what} {refused.value.remedy}"
        assert "key_name" in str(refused.value.remedy)
    for alone in ADDRESSES:
        path.write_text(f'[strong_model]\nurl = "{alone}"\n')
        assert load_settings(path).strong_model.url == alone
