"""What went wrong is said in the language of the window, wherever it happened: here, or in a command of ours."""

import ast
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from daemon.history.timeline.reader import forget_report
from daemon.preferences.trial import models_state, trial_result
from daemon.purge.purge import preview
from daemon.purge.span import of_day
from daemon.runtime.study.actions import reply_of
from detectors.mllm.presets import PRESETS
from storage.clock import SystemClock, local_time
from storage.errors import BadFile, KairosError, UsageError, os_words
from storage.ports import StudyRequest
from storage.preferences import ModelsState, PresetRow, TierRow, Trouble
from storage.session.log import SessionReader
from storage.settings import Settings
from storage.settings_file import read_file, with_value
from storage.timeline import TimelineTrouble
from storage.translation import Sentence, current_language, phrase, read_sentence, sentence_facts, tr, translatable
from tests.fakes.narrowing import as_a, present
from tests.ui.translation.catalogue import ROOT
from ui.translation.language import speak
from ui.views.forget import view_forget, view_trouble
from ui.views.settings import view_tier, view_trial
from ui.views.settings import view_trouble as view_setting_trouble
from ui.views.study import view_reply
from ui.views.text import view_fault

KINDS = {"UsageError", "EnvironmentFault", "BadFile"}

SHOWN = (
    "storage/settings_file.py",
    "daemon/preferences",
    "daemon/purge",
    "daemon/models/tiers.py",
    "daemon/cli/models/tiers.py",
    "daemon/cli/models/trial.py",
    "detectors/embedded.py",
    "detectors/model_file.py",
    "detectors/mllm/client/address.py",
    "detectors/mllm/client/endpoint.py",
    "detectors/mllm/client/keys.py",
    "detectors/mllm/client/transport.py",
    "storage/db/codec.py",
    "storage/db/connection.py",
    "storage/files.py",
    "storage/plugins.py",
    "storage/session/heartbeat.py",
    "storage/session/log.py",
    "storage/session/retention.py",
    "storage/session/video.py",
    "storage/state",
    "participant/membership/leaving.py",
    "participant/delivery/outbox.py",
    "participant/delivery/review.py",
    "participant/membership/status.py",
    "participant/commands/review.py",
)
"""Where faults come from that tray, notices and windows show; others are shown by the command line alone."""


def files() -> list[Path]:
    found = [ROOT / name for name in SHOWN]
    return [file for path in found for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]


def bare(source: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS):
            continue
        words = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "remedy")]
        for word in words:
            parts = (word.body, word.orelse) if isinstance(word, ast.IfExp) else (word,)
            if any(isinstance(part, (ast.Constant, ast.JoinedStr, ast.BinOp)) for part in parts):
                yield node.lineno


def test_faults_that_windows_show_can_all_be_translated() -> None:
    assert len(files()) > 35
    assert {file.name: found for file in files() if (found := list(bare(file.read_text())))} == {}


@pytest.mark.parametrize(
    "line", ['raise BadFile("no")', 'raise UsageError(f"{a}", remedy=b)', 'BadFile(a, remedy="c")']
)
def test_a_planted_fault_is_found(line: str) -> None:
    assert list(bare(f"\n{line}\n")) == [2]
    assert list(bare('raise BadFile(translatable("{a}", a=a), remedy=translatable("b"))')) == []


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    assert speak("de") == "de"
    yield
    speak("en")


def fault_of(path: Path, text: str) -> KairosError:
    path.write_text(text)
    with pytest.raises(KairosError) as found:
        read_file(path)
    return found.value


def test_what_is_wrong_with_settings_is_said_in_german(german: None, tmp_path: Path) -> None:
    """A file that cannot be used, and a value that was refused; the command line goes on in English."""
    path = tmp_path / "settings.toml"
    wrong = fault_of(path, "[policy]\noffers_per_hour = 'many'\n")
    assert str(wrong).startswith(f"{path}: policy.offers_per_hour wants a whole number from 0 to ")
    shown = view_setting_trouble(Trouble(what=wrong.what, remedy=wrong.remedy))
    assert shown.startswith(f"{path}: policy.offers_per_hour erwartet eine ganze Zahl von 0 bis 10.000, nicht 'many'. ")
    assert shown.endswith("Was es bedeutet: docs/settings.md; was gilt: kairos config show.")
    nested = fault_of(path, "\0")
    assert view_fault(nested.what, nested.remedy).startswith(f"{path} ist keine gültige Einstellungsdatei: ")
    with pytest.raises(UsageError) as refused:
        with_value(Settings(), "interface.corner", "middle", where="")
    assert "interface.corner erwartet eines von bottom-right, " in view_fault(refused.value.what)


def test_what_cannot_be_read_is_said_in_german(german: None, tmp_path: Path) -> None:
    with pytest.raises(BadFile) as missing, SessionReader(tmp_path / "gone"):
        pass
    said = view_trouble(TimelineTrouble(what=missing.value.what, remedy=missing.value.remedy)).text
    assert "lässt sich nicht" in said or "ist keine" in said
    assert tr(os_words(PermissionError(13, "x"))) == "Keine Berechtigung"
    broken = tmp_path / "sessions" / "20260101-000000-abcd"
    broken.mkdir(parents=True)
    (broken / "session.db").write_bytes(b"no database")
    report = forget_report(
        preview(of_day(local_time(SystemClock().wall_ns()).date()), broken.parent, tmp_path / "state" / "state.db")
    )
    assert len(report.problems) == 1
    parts = dict(view_forget(report).parts)
    assert parts[tr("This could not be read, and stays")][0].endswith(
        f"Zum Löschen: kairos sessions delete {broken.name}"
    )


def test_what_a_command_of_ours_says_is_said_in_german(german: None) -> None:
    fault = BadFile(
        translatable("{path} is damaged: {why}", path="/f", why=phrase("Permission denied")),
        remedy=translatable("leave the study: kairos study leave"),
    )
    facts = json.loads(json.dumps(fault.facts()))
    assert (facts["error"], facts["remedy"]) == (
        "/f is damaged: Permission denied",
        "leave the study: kairos study leave",
    )
    expected = "/f ist beschädigt: Keine Berechtigung. Verlassen Sie die Studie: kairos study leave."
    assert view_reply(reply_of(StudyRequest.HOLD, 4, json.dumps(facts).encode())).text == expected
    assert view_trial(trial_result("local_model", facts)) == f"Es funktioniert nicht: {expected}"
    state = models_state(facts)
    assert view_setting_trouble(present(state.trouble)) == expected
    assert "antwortet nicht" not in view_reply(reply_of(StudyRequest.HOLD, 4, b"")).text
    assert view_reply(reply_of(StudyRequest.HOLD, 4, b"")).text.startswith("Der Befehl hat nicht geantwortet.")


def test_what_has_no_translation_is_quoted(german: None) -> None:
    """So words of a plug-in never stand between ours as if they were ours; in English they need no marks."""
    assert view_fault("a plug-in failed", "ask its author") == (
        "Auf Englisch: „a plug-in failed“. Auf Englisch: „ask its author“."
    )
    speak("en")
    assert view_fault("a plug-in failed", "kairos doctor") == "A plug-in failed. kairos doctor."


def test_every_note_of_a_preset_is_german(german: None) -> None:
    for preset in PRESETS.values():
        row = PresetRow(
            name=preset.name,
            remote=preset.remote,
            address="",
            model="",
            price_in=None,
            price_out=None,
            note=preset.note,
        )
        tier = TierRow(table="local_model", preset=preset.name)
        shown = view_tier(ModelsState(presets=(row,), tiers=(tier,)), tier)
        assert tr(preset.note)[1:] in shown
        assert tr(preset.note) != preset.note


def test_a_sentence_that_a_command_says_must_make_its_own_text() -> None:
    made = as_a(Sentence, translatable("{path} is {what}", path="/f", what=phrase("damaged")))
    facts = json.loads(json.dumps(sentence_facts(made)))
    back = as_a(Sentence, read_sentence(str(made), facts))
    assert (back.source, back) == (made.source, made)
    assert isinstance(pickle.loads(pickle.dumps(made)), Sentence)  # noqa: S301  # made here
    other = facts | {"values": {"path": "/g", "what": "damaged"}}
    deep: object = "x"
    for _ in range(9):
        deep = {"source": "{a}", "values": {"a": deep}}
    for wrong in (
        other,
        deep,
        {},
        [],
        None,
        3,
        {"source": "{path.__class__}", "values": {"path": "/f"}},
        {"source": "{"},
    ):
        assert type(read_sentence(str(made), wrong)) is str, wrong
    assert current_language().code == "en"
