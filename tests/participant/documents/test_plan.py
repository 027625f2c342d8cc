"""The study file: an honest one passes, and whatever a study may not have is refused by the name of the setting."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest

from participant.documents.keys import READING_KIND, SIGNING_KIND, format_public
from participant.documents.plan import MAX_FILE_BYTES, Measure, Plan, PolicyChange, Sent, StudyOutcome, parse_plan
from storage.enrolment import QuestionPlan
from storage.errors import BadFile
from storage.settings import PolicySettings, setting_infos
from study.researcher.documents import phase_on, read_plan
from tests.fakes.studies.documents import PLAN, RECEIPTS, RESEARCHER, SIGNING

SIGNING_TEXT = format_public(SIGNING_KIND, SIGNING.public)
RECEIPTS_TEXT = format_public(SIGNING_KIND, RECEIPTS.public)
READER_TEXT = format_public(READING_KIND, RESEARCHER.public)
DATA = Path(__file__).parent / "data"
CA = (DATA / "authority.pem").read_text()
"""A certificate of nobody's, whose private key was thrown away."""


def _hostile(text: str) -> str:
    for mark, key in {"@SIGNING@": SIGNING_TEXT, "@RECEIPTS@": RECEIPTS_TEXT, "@READER@": READER_TEXT}.items():
        text = text.replace(mark, key)
    return text


HOSTILE: dict[str, Sequence[str]] = tomllib.loads(_hostile((DATA / "hostile.toml").read_text()))
HOSTILE |= {
    "a number of 400 digits": ("days = 28", f"days = {'9' * 400}", "days: "),
    "a title of pages": ('"Help in spreadsheets"', f'"{"x" * 5000}"', "title: wants one line"),
    "depth": ("format = 1", f"format = 1\nx = {'[' * 20_000}", "not a valid study file: it is nested too deeply"),
    "a name of a hundred parts": (
        "format = 1",
        f"format = 1\n{'a.' * 20_000}a = 1",
        "a name in it has a hundred parts",
    ),
    "digits without end": ("format = 1", f"format = {'9' * 5_000}", "not a valid study file"),
    "size": ("format = 1", f"format = 1\n#{'x' * MAX_FILE_BYTES}", "is larger than 64 kB"),
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
    trial = parse_plan(PLAN).phases[1]
    assert trial.policy_in("help").values() == {
        "name": "utility",
        "exploration": 0.5,
        "offers_per_hour": 3,
        "offers_per_day": 10,
    }
    assert trial.policy_in("control").values() == {"name": "silent"}


def test_days_are_counted_from_one() -> None:
    plan = parse_plan(PLAN)
    phases = {day: phase.name if (phase := phase_on(plan, day)) else None for day in (0, 1, 7, 8, 28, 29)}
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
    assert len(found) == 9
    assert all(kind.__struct_config__.forbid_unknown_fields for kind in found)


def test_a_file_is_read_with_its_limits(tmp_path: Path) -> None:
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
