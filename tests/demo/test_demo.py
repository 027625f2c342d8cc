"""The demo is the main job from end to end; one run of it belongs to every test run."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from demo.command import DemoSpec, failure_of, render_result

KAIROS = [sys.executable, "-m", "daemon.cli.main"]
FIELDS = {
    "failure",
    *("session", "screenshot", "app", "seed", "stuck_kind", "fluent_s", "stuck_onset_s", "offers", "false_offers"),
    *("feedback", "frames", "events", "cpu_percent_of_core", "rss_mb", "mb_per_hour", "settings"),
}
OFFER = {
    "at_s": 80.0,
    "delay_from_onset_s": 5.0,
    "at_break": True,
    "state": "frustration",
    "help_need": 0.9,
    "reason": "You opened menus.",
    "title": "Looking for a command?",
    "topic": "menu_wandering",
    "page": "general/what_for",
    "answer": "accepted",
}


def run_demo(out: Path, *options: str) -> dict[str, Any]:
    done = subprocess.run(
        [*KAIROS, "demo", "--json", "--out", str(out), *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert set(result) >= FIELDS
    return result


def is_identical(session: str) -> bool:
    done = subprocess.run(
        [*KAIROS, "replay", session, "--check", "--json"], capture_output=True, text=True, check=False
    )
    return done.returncode == 0 and json.loads(done.stdout)["sessions"][0]["identical"] is True


def plan(*, fluent_only: bool = False) -> DemoSpec:
    return DemoSpec(app="mousepad", seed=1, fluent_only=fluent_only, out=Path())


@pytest.mark.parametrize(
    ("offers", "false", "failure"),
    [
        ([OFFER], 0, ""),
        ([], 0, "0 offers"),
        ([OFFER, OFFER], 0, "2 offers"),
        ([OFFER, OFFER | {"topic": "asked", "answer": None}], 0, ""),
        ([OFFER], 1, "false"),
        ([OFFER | {"at_break": False}], 0, "break"),
        ([OFFER | {"delay_from_onset_s": 31.0}], 0, "30 s"),
        ([OFFER | {"answer": "ignored"}], 0, "accepted"),
        ([OFFER | {"answer": None}], 0, "accepted"),
    ],
)
def test_a_run_went_well_only_if_all_of_the_promise_was_kept(
    offers: list[dict[str, Any]], false: int, failure: str
) -> None:
    """One offer, when needed, soon, at a break, accepted: anything else is a failure, and named."""
    found = failure_of(plan(), offers, false)
    assert failure in found
    assert bool(found) == bool(failure)


def test_fluent_work_went_well_only_without_an_offer() -> None:
    """In fluent work any offer is one too many."""
    assert not failure_of(plan(fluent_only=True), [], 0)
    assert "fluent" in failure_of(plan(fluent_only=True), [OFFER], 1)


def test_the_summary_names_what_was_offered_and_where_things_are() -> None:
    result = {
        **dict.fromkeys(FIELDS),
        "app": "calc",
        "seed": 2,
        "fluent_s": 60.0,
        "stuck_onset_s": 75.0,
        "stuck_kind": "undo_loop",
        "offers": [OFFER],
        "ok": True,
        "failure": None,
        "session": "/s",
        "screenshot": "/p.png",
        "steps_screenshot": "/s.png",
        "report": "/report.html",
    }
    text = render_result(result)
    for words in (
        "Looking for a command?",
        "accepted",
        "/s",
        "/p.png",
        "/s.png",
        "/report.html",
        "5.0 s after onset",
        "the question what they look for",
        "It went as it should",
    ):
        assert words in text
    asked = render_result(result | {"offers": [OFFER | {"topic": "asked", "page": "command/1", "at_break": False}]})
    assert "asked for help at 80.0 s, which brought a command of the program" in asked
    assert "not at a break" not in asked
    failed = result | {"ok": False, "failure": "the offer was late"}
    assert render_result(failed).endswith("It did NOT go as it should: the offer was late.")


@pytest.mark.display
def test_the_main_job_in_mousepad(tmp_path: Path) -> None:
    result = run_demo(tmp_path / "demo")
    assert result["fluent_s"] >= 60
    assert result["false_offers"] == 0
    assert result["feedback"] == "accepted"
    offered, asked = result["offers"]  # what they looked for, and what they then said
    assert (offered["answer"], offered["page"]) == ("accepted", "general/what_for")
    assert (asked["topic"], asked["page"].partition("/")[0]) == ("asked", "command")
    for name in ("screenshot", "steps_screenshot"):
        assert Path(result[name]).read_bytes().startswith(b"\x89PNG")
    assert "Simulated: a scripted person" in Path(result["report"]).read_text()
    assert is_identical(result["session"])


@pytest.mark.display
@pytest.mark.slow
def test_the_main_job_on_the_screen_of_tigervnc(tmp_path: Path) -> None:
    result = run_demo(tmp_path / "demo", "--desktop", "xvnc", "--seed", "2")
    assert (result["false_offers"], result["feedback"]) == (0, "accepted")


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("app", ["mousepad", "calc"])
def test_fluent_work_is_left_alone(app: str, tmp_path: Path) -> None:
    """Nearly two minutes of fluent work, with everything a hasty judge could take for trouble: no offer."""
    result = run_demo(tmp_path / "demo", "--app", app, "--fluent-only")
    assert result["offers"] == []
    assert result["stuck_onset_s"] is None
    assert is_identical(result["session"])
