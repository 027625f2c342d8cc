"""The study file: an honest one passes, and whatever a study may not have is refused by the name of the setting."""

from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest

from participant.documents.keys import READING_KIND, SIGNING_KIND, format_public
from participant.documents.plan import (
    MAX_FILE_BYTES,
    Measure,
    Plan,
    PolicyChange,
    Sent,
    StudyOutcome,
    parse_plan,
    read_plan,
)
from storage.enrolment import QuestionPlan
from storage.errors import BadFile
from storage.settings import PolicySettings, setting_infos
from tests.fakes.studies.documents import PLAN, RECEIPTS, RESEARCHER, SIGNING

END = "\n[[stopping]]"
SIGNING_TEXT = format_public(SIGNING_KIND, SIGNING.public)
RECEIPTS_TEXT = format_public(SIGNING_KIND, RECEIPTS.public)
READER_TEXT = format_public(READING_KIND, RESEARCHER.public)
POLICY = 'policy = { name = "silent" }'
TRIAL = "exploration = 0.5"

CA = """\
-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUMNXlLCjYODFonzV4GqsuxBz85YYwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKRXhhbXBsZSBDQTAgFw0yNjExMjMwMTAwNTNaGA8yMTI2MTAz
MDAxMDA1M1owFTETMBEGA1UEAwwKRXhhbXBsZSBDQTBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABDU/UONqKTXYbiUPhPFdCrpSs00aw+9wJjnEtmHhGE9/VPxwLje/
yn8mdwQoQY6/xc1LfmXEpDSUG7dtSFX59tujUzBRMB0GA1UdDgQWBBTABc6e9dLy
YN1O4ahVfmRIx9YU8zAfBgNVHSMEGDAWgBTABc6e9dLyYN1O4ahVfmRIx9YU8zAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCa/3XfcY85U9Un3MoV
S6MB6gLdOPe+d7v3geO5wScHDwIgLG/bsriuOzBEbpYkFLvuzkfHPq6syF2uFHQR
2FHGBzQ=
-----END CERTIFICATE-----
"""
"""A certificate of nobody's, whose private key was thrown away."""

HOSTILE: dict[str, tuple[str, str, str]] = {
    # tables that no study has
    "fence": (END, "\n[fence]\nexcluded_apps = []\n[[stopping]]", "fence: a study cannot set this"),
    "consent": (END, "\n[consent]\nrecording = true\n[[stopping]]", "consent: a study cannot set this"),
    "storage": (END, '\n[storage]\nsessions_dir = "/tmp"\n[[stopping]]', "storage: a study cannot set this"),
    "a local model": (END, '\n[local_model]\npreset = "ollama"\n[[stopping]]', "local_model: a study cannot set"),
    "a strong model": (END, '\n[strong_model]\nurl = "https://x"\n[[stopping]]', "strong_model: a study cannot set"),
    "capture": (END, "\n[capture]\nactive_fps = 60\n[[stopping]]", "capture: a study cannot set this"),
    "a detector": (END, '\n[detector]\nname = "os:getcwd"\n[[stopping]]', "detector: a study cannot set this"),
    "policy at the top": (END, "\n[policy]\nexploration = 1\n[[stopping]]", "policy: a study cannot set this"),
    "a second address": ("format = 1", 'format = 1\nupload = "https://x"', "upload: a study cannot set this"),
    # settings that would widen what the person allowed
    "no quiet start": (POLICY, 'policy = { name = "silent", quiet_start_s = 0 }', "phases[0].policy.quiet_start_s"),
    "no cool-down": (POLICY, 'policy = { name = "silent", cooldown_s = 0 }', "phases[0].policy.cooldown_s: a study"),
    "no break": (POLICY, 'policy = { name = "silent", break_s = 0.1 }', "phases[0].policy.break_s: a study cannot"),
    "more offers an hour": ("offers_per_hour = 3", "offers_per_hour = 5", "phases[1].policy.offers_per_hour: a study"),
    "more offers a day": ("offers_per_day = 10", "offers_per_day = 13", "phases[1].policy.offers_per_day: a study may"),
    "more offers in an arm": (
        'arms.control = { name = "silent" }',
        'arms.control = { name = "silent", offers_per_day = 13 }',
        "phases[1].arms.control.offers_per_day",
    ),
    "a policy from elsewhere": (POLICY, 'policy = { name = "os:getcwd" }', "phases[0].policy.name: there is no"),
    "another name of a policy": (POLICY, 'policy = { name = "default" }', "phases[0].policy.name"),
    "a fence in a phase": (POLICY, f"{POLICY}\nfence.excluded_apps = []", "phases[0].fence: a study cannot set this"),
    "sending recordings": ('"questions"]', '"questions", "recordings"]', "sends[3]: there is no 'recordings'"),
    "a broker without TLS": ("port = 8883", "port = 8883\ntls = false", "broker.tls: a study cannot set this"),
    "a broker's password": ("port = 8883", 'port = 8883\npassword = "x"', "broker.password: a study cannot set this"),
    # wrong types
    "days as text": ("days = 28", 'days = "28"', "days: wants a whole number, got a text"),
    "days as a fraction": ("days = 28", "days = 28.0", "days: wants a whole number, got a number"),
    "a version that is true": ("version = 1", "version = true", "version: wants a whole number, got true or false"),
    "a title as a list": ('title = "Help in spreadsheets"', 'title = ["a"]', "title: wants a text, got a list"),
    "phases as a table": ('[[phases]]\nname = "baseline"\ndays = 7\n', "[phases]\n", "not a valid study file"),
    "a date": ("days = 28", "days = 2026-11-23", "days: wants a whole number"),
    "questions as texts": ("[[questions]]", "[questions_]\n[[questions_.x]]", "questions_: a study cannot set this"),
    "a share as text": (TRIAL, 'exploration = "half"', "phases[1].policy.exploration: wants a number, got a text"),
    # wrong ranges
    "no days": ('"baseline"\ndays = 7', '"baseline"\ndays = 0', "phases[0].days"),
    "days without end": ("days = 28", "days = 10000", "days: wants a whole number <= 366"),
    "days that do not add up": ("days = 28", "days = 29", "days: is 29, and the phases add up to 28"),
    "deletion after a month": ("purge_days = 7", "purge_days = 30", "purge_days: wants a whole number <= 7"),
    "exploration above 1": (TRIAL, "exploration = 1.5", "phases[1].policy.exploration: wants a number <= 1.0"),
    "exploration below 0": (TRIAL, "exploration = -0.1", "phases[1].policy.exploration: wants a number >= 0.0"),
    "exploration that is no number": (TRIAL, "exploration = nan", "phases[1].policy.exploration"),
    "exploration without end": (TRIAL, "exploration = inf", "phases[1].policy.exploration"),
    "a number of 400 digits": ("days = 28", f"days = {'9' * 400}", "days: "),
    "negative offers": ("offers_per_hour = 3", "offers_per_hour = -1", "phases[1].policy.offers_per_hour"),
    "prompts without end": ("random_per_day = 4", "random_per_day = 7", "prompts.random_per_day"),
    "prompts that do not fit into a day": ("apart_minutes = 45", "apart_minutes = 135", "prompts.apart_minutes"),
    "prompts too close": ("apart_minutes = 45", "apart_minutes = 44", "prompts.apart_minutes"),
    "prompts that never come": (
        "random_per_day = 4\napart_minutes = 45\nevent_probability = 0.25",
        "random_per_day = 0",
        "prompts: never asks",
    ),
    "a port beyond the last": ("port = 8883", "port = 65536", "broker.port"),
    "stopping always": ("above = 0.5", "above = 0.0", "stopping[0].above"),
    "another format": ("format = 1", "format = 2", "format: "),
    "four questions": (
        "[prompts]",
        "".join(f'[[questions]]\ncode = "{code}"\ntext = "?"\nchoices = ["1", "2"]\n' for code in "cd") + "[prompts]",
        "questions: ",
    ),
    "one choice": ('choices = ["No", "Yes"]', 'choices = ["No"]', "questions[1].choices"),
    "six choices": ('choices = ["No", "Yes"]', 'choices = ["1", "2", "3", "4", "5", "6"]', "questions[1].choices"),
    # twice
    "a phase twice": ('name = "trial"', 'name = "baseline"', "phases.name: holds baseline twice"),
    "a question twice": ('code = "bad_moment"', 'code = "stuck"', "questions.code: holds stuck twice"),
    "a choice twice": ('choices = ["No", "Yes"]', 'choices = ["No", "No"]', "questions[1].choices: holds No twice"),
    "an arm twice": ('arms = ["help", "control"]', 'arms = ["help", "control", "help"]', "arms: holds help twice"),
    "arms that are the same": (
        'arms = ["help", "control"]',
        'arms = ["help", "control", "more"]',
        "arms: more and help",
    ),
    "something sent twice": ('"questions"]', '"questions", "questions"]', "sends: holds questions twice"),
    "a reader twice": (f'readers = ["{READER_TEXT}"', f'readers = ["{READER_TEXT}", "{READER_TEXT}"', "keys.readers"),
    "one key for two ends": (RECEIPTS_TEXT, SIGNING_TEXT, "keys.receipts: must differ"),
    "a name twice": ("version = 1", "version = 1\nversion = 2", "not a valid study file"),
    # names that lead elsewhere
    "a path as name": ('name = "sheets"', 'name = "../../etc"', "name: wants a text of small letters"),
    "a topic as name": ('name = "sheets"', 'name = "a/#"', "name: wants a text of small letters"),
    "a wildcard as name": ('name = "sheets"', 'name = "+"', "name: wants a text of small letters"),
    "a name with a line break": ('name = "sheets"', 'name = "sheets\\n"', "name: wants a text of small letters"),
    "a name without end": ('name = "sheets"', f'name = "{"a" * 33}"', "name: wants a text of small letters"),
    "an arm as a path": ('arms = ["help", "control"]', 'arms = ["../x", "control"]', "arms[0]: wants a text of small"),
    "a code with words": ('code = "stuck"', 'code = "What he said"', "questions[0].code: wants a text of small"),
    "an arm that is none": ("arms.control", "arms.other", "phases[1].arms: there is no arm other"),
    # addresses
    "an address for a host": ('"broker.example.org"', '"https://broker.example.org/x"', "broker.host: wants the name"),
    "a login for a host": ('"broker.example.org"', '"me@broker.example.org"', "broker.host: wants the name"),
    "a port in a host": ('"broker.example.org"', '"broker.example.org:1883"', "broker.host: wants the name"),
    "look-alike letters in a host": (
        '"broker.example.org"',
        '"br\u043eker.example.org"',
        "broker.host: wants the name",
    ),
    "an empty host": ('"broker.example.org"', '""', "broker.host"),
    "text in the scope of an address": (
        '"broker.example.org"',
        '"::1%x\\nallow_anonymous true"',
        "broker.host: wants the name",
    ),
    "a certificate of other letters": ("port = 8883", 'port = 8883\nca = "\u00e9"', "broker.ca: wants a certificate"),
    "an empty certificate": ("port = 8883", 'port = 8883\nca = ""', "broker.ca: wants a certificate"),
    "no certificate": ("port = 8883", 'port = 8883\nca = "rubbish"', "broker.ca: wants a certificate"),
    # texts that people are shown
    "a NUL in a title": ('"Help in spreadsheets"', '"Help\\u0000"', "title: wants one line"),
    "two lines in a title": ('"Help in spreadsheets"', '"Help\\nClick here"', "title: wants one line"),
    "a title that runs backwards": ('"Help in spreadsheets"', '"\\u202Epleh"', "title: wants one line"),
    "an escape sequence in a title": ('"Help in spreadsheets"', '"\\u001b[2J"', "title: wants one line"),
    "an empty title": ('"Help in spreadsheets"', '""', "title: wants one line"),
    "a title of pages": ('"Help in spreadsheets"', f'"{"x" * 5000}"', "title: wants one line"),
    "an invisible question": ('"Was this a bad moment to ask?"', '"\\u200b"', "questions[1].text: wants one line"),
    "a choice of pages": ('["No", "Yes"]', f'["No", "{"x" * 31}"]', "questions[1].choices[1]: wants one line"),
    "nobody to write to": ('"Ada Example <ada@example.org>"', '"Ada"', "contact: wants an address"),
    # keys
    "a key of the other kind": (SIGNING_TEXT, READER_TEXT, "keys.signing: wants a public key"),
    "a key that is cut off": (READER_TEXT, READER_TEXT[:-1], "keys.readers[0]: wants a public key"),
    "a key that anybody can open": (READER_TEXT, f"x25519:{'A' * 43}", "keys.readers[0]: is no public key"),
    "a key that signs anything": (SIGNING_TEXT, f"ed25519:{'A' * 43}", "keys.signing: is no public key"),
    "a private key too": ("[keys]", '[keys]\nprivate = "x"', "keys.private: a study cannot set this"),
    # what does not go together
    "exploration where nothing is explored": (
        POLICY,
        'policy = { name = "silent", exploration = 0.5 }',
        "phases[0].policy.exploration: means nothing",
    ),
    "questions that are not sent": (', "questions"]', "]", "questions: are asked exactly if"),
    "categories alone": ('"aggregates", ', "", "sends: categories are part of the aggregates"),
    "an outcome that is none": ('outcome = "recovered"', 'outcome = "clicks"', "outcome: is one of"),
    "an answer to no question": (
        'outcome = "recovered"',
        'outcome = "answer:hint"',
        "outcome: there is no such question",
    ),
    # the file
    "no title": ('title = "Help in spreadsheets"\n', "", "title: is missing"),
    "no phases": (PLAN[PLAN.index("[[phases]]") : PLAN.index("[[questions]]")], "", "phases: is missing"),
    "no TOML": ("format = 1", "format : 1", "not a valid study file"),
    "depth": ("format = 1", f"format = 1\nx = {'[' * 20_000}", "not a valid study file: it is nested too deeply"),
    "a name of a hundred parts": (
        "format = 1",
        f"format = 1\n{'a.' * 20_000}a = 1",
        "a name in it has a hundred parts",
    ),
    "a NUL in the file": ("format = 1", "format = 1\0", "not a valid study file"),
    "digits without end": ("format = 1", f"format = {'9' * 5_000}", "not a valid study file"),
    "size": ("format = 1", f"format = 1\n#{'x' * MAX_FILE_BYTES}", "is larger than 64 kB"),
    "a setting that writes to the terminal": ("format = 1", 'format = 1\n"\\u001b[2J" = 1', "?[2J: a study cannot set"),
    "a setting with a name of pages": (
        "format = 1",
        f"format = 1\n{'x' * 9000} = 1",
        "xxx...: a study cannot set this",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_study_file_is_refused_by_name(case: str) -> None:
    """The error names the setting and stays short, whatever the file holds."""
    old, new, expected = HOSTILE[case]
    assert PLAN.count(old) >= 1
    with pytest.raises(BadFile) as caught:
        parse_plan(PLAN.replace(old, new, 1), where="hostile.toml")
    assert "hostile.toml" in caught.value.what
    assert expected in caught.value.what
    assert len(caught.value.what) < 400
    assert caught.value.what.isprintable()


def test_there_are_more_than_fifty() -> None:
    """As many as the page on threats says."""
    assert len(HOSTILE) > 50


def test_the_honest_file_passes() -> None:
    """The control of all those: unchanged it is read, and means what it says."""
    plan = parse_plan(PLAN)
    assert (plan.name, plan.days, plan.arms) == ("sheets", 28, ("help", "control"))
    assert plan.signing_key == SIGNING.public
    assert plan.receipts_key == RECEIPTS.public
    assert plan.reader_keys[0] == RESEARCHER.public
    assert plan.outcome == StudyOutcome.RECOVERED
    assert plan.sends == (Sent.AGGREGATES, Sent.CATEGORIES, Sent.QUESTIONS)
    assert plan.stopping[0].measure is Measure.BAD_MOMENTS
    assert parse_plan(PLAN.replace("\n", "\r\n")) == plan
    assert parse_plan(PLAN.replace('"recovered"', '"answer:stuck"')).outcome == "answer:stuck"
    assert parse_plan(PLAN.replace('"broker.example.org"', '"2001:db8::1"')).broker.host == "2001:db8::1"
    assert parse_plan(PLAN.replace("port = 8883", f'port = 8883\nca = """{CA}"""')).broker.ca == CA


def test_random_prompts_fit_into_the_hours_in_which_people_are_asked() -> None:
    """What passes is what the daemon takes: the longest distance for each number, and not a minute more."""

    def plan(per_day: int, minutes: int) -> Plan:
        text = PLAN.replace("random_per_day = 4", f"random_per_day = {per_day}")
        return parse_plan(text.replace("apart_minutes = 45", f"apart_minutes = {minutes}"))

    for per_day in range(1, 7):
        longest = 9 * 60 // per_day - 1  # a minute is for waiting
        assert plan(per_day, longest).prompts is not None
        QuestionPlan(blocks=per_day, apart_s=longest * 60.0).check()
        with pytest.raises(BadFile, match=r"prompts\.apart_minutes"):
            plan(per_day, longest + 1)
    assert plan(0, 720).prompts is not None


def test_a_phase_changes_what_it_names_and_nothing_else() -> None:
    """An arm of its own replaces the policy; what is not named stays the person's."""
    trial = parse_plan(PLAN).phases[1]
    assert trial.policy_in("help").values() == {
        "name": "utility",
        "exploration": 0.5,
        "offers_per_hour": 3,
        "offers_per_day": 10,
    }
    assert trial.policy_in("control").values() == {"name": "silent"}


def test_days_are_counted_from_one() -> None:
    """The first and the last day of each phase, and what lies outside."""
    plan = parse_plan(PLAN)
    phases = {day: phase.name if (phase := plan.phase_on(day)) else None for day in (0, 1, 7, 8, 28, 29)}
    assert phases == {0: None, 1: "baseline", 7: "baseline", 8: "trial", 28: "trial", 29: None}


def test_a_study_can_change_six_settings_of_the_policy_and_no_more_than_they_allow() -> None:
    """The white list, field by field: everything else of the settings is out of reach."""
    names = {*PolicyChange.__struct_fields__}
    assert names == {"name", "exploration", "arm_probability", "threshold", "offers_per_hour", "offers_per_day"}
    infos = setting_infos()
    assert {f"policy.{name}" for name in names} <= infos.keys()
    hints = get_type_hints(PolicyChange)
    assert get_args(hints["name"]) == infos["policy.name"].choices
    for name in ("exploration", "arm_probability", "threshold"):
        assert (infos[f"policy.{name}"].low, infos[f"policy.{name}"].high) == (0, 1)
    most = PolicySettings()
    parse_plan(
        PLAN.replace("offers_per_hour = 3", f"offers_per_hour = {most.offers_per_hour}").replace(
            "offers_per_day = 10", f"offers_per_day = {most.offers_per_day}"
        )
    )


def test_every_table_refuses_what_it_does_not_declare() -> None:
    """Also tables that are added to the study file later."""

    def tables(kind: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
        return {kind}.union(
            *(
                tables(part)
                for hint in get_type_hints(kind).values()
                for part in (
                    hint,
                    *get_args(hint),
                    *(inner for argument in get_args(hint) for inner in get_args(argument)),
                )
                if isinstance(part, type) and issubclass(part, msgspec.Struct)
            )
        )

    found = tables(Plan)
    assert len(found) == 8
    assert all(kind.__struct_config__.forbid_unknown_fields for kind in found)


def test_a_file_is_read_with_its_limits(tmp_path: Path) -> None:
    """What is larger, no UTF-8 or no plain file is refused by its name."""
    path = tmp_path / "study.toml"
    path.write_text(PLAN)
    assert read_plan(path).name == "sheets"
    path.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(BadFile, match="larger than 64 kB"):
        read_plan(path)
    path.write_bytes(b"\xff")
    with pytest.raises(BadFile, match="not UTF-8"):
        read_plan(path)
    with pytest.raises(BadFile, match="not a plain file"):
        read_plan(tmp_path)
