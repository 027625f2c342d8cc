"""`kairos mine`: what it says, and a change that is made and taken back."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli import mine
from storage.clock import DAY_NS, NS_PER_S, SystemClock
from storage.files import config_file, sessions_folder, state_folder
from storage.records import FeedbackKind
from storage.settings_file import read_file
from storage.testing import SessionBuilder
from tests.fakes.commands.command_line import Answer, run_command

Mine = Callable[..., Answer]


@pytest.fixture
def run_mine(capsys: pytest.CaptureFixture[str]) -> Mine:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    return lambda *words: run_command(mine.register, capsys, "mine", *words)


def write_offers(count: int, answer: FeedbackKind) -> Path:
    """Write a session of three days ago in which offers came and were answered alike."""
    session = SessionBuilder(wall_ns=SystemClock().wall_ns() - 3 * DAY_NS)
    for _ in range(count):
        session.wait(1800).offer(app="writer")
        session.wait(5).answer(answer)
    return session.end().write(sessions_folder())


def test_twelve_offers_are_too_few_to_tell(run_mine: Mine) -> None:
    """For a person and for a script; there is nothing to change, nor to take back."""
    write_offers(12, FeedbackKind.DISMISSED)
    answer = run_mine()
    assert answer.code == 0
    assert "right          too few to tell: 12 offers of which it is known" in answer.out
    assert "Nothing is proposed: too few to tell whether offers were right." in answer.out
    found = run_mine("--json").json
    assert found["right"] == {"count": 0, "total": 12, "share": None}
    assert "nothing to change" in run_mine("--apply").err
    assert "nothing to take back" in run_mine("--undo").err


def test_a_proposal_is_tried_made_and_taken_back(run_mine: Mine) -> None:
    """The settings are as before, to the value; what was changed by hand since stays."""
    write_offers(30, FeedbackKind.DISMISSED)
    answer = run_mine("--try")
    assert "right          0 %" in answer.out
    assert "Proposed: policy.how_often = rarely, because most offers were not needed." in answer.out
    assert "Proposed: watch writer no more" in answer.out
    assert "often          0 offers; missed too few to tell: 0" in answer.out
    before = read_file(config_file())
    assert "policy.how_often is now: rarely" in run_mine("--apply").out
    after = read_file(config_file())
    assert (after.policy.how_often, after.fence.excluded_apps) == ("rarely", ("writer",))
    assert "an earlier change is still there" in run_mine("--apply").err
    assert "policy.how_often is again: now and then" in run_mine("--undo").out
    assert read_file(config_file()) == before
    assert not (state_folder() / mine.TAKEN).exists()
    run_mine("--apply")
    config_file().write_text(config_file().read_text().replace('"rarely"', '"often"'))
    undone = run_mine("--undo", "--json").json
    assert list(undone["taken_back"]) == ["fence.excluded_apps"]
    assert undone["stays"] == {"policy.how_often": "often"}
    assert read_file(config_file()).policy.how_often == "often"


def test_programs_that_were_added_by_hand_since_stay(run_mine: Mine) -> None:
    """What the change had added goes, and no more; where it is gone already, that is said."""
    write_offers(30, FeedbackKind.DISMISSED)
    run_mine("--apply")
    mine._write({mine.EXCLUDED: ["writer", "mail"], mine.HOW_OFTEN: "often"})
    answer = run_mine("--undo")
    assert "fence.excluded_apps is again: mail" in answer.out
    assert "policy.how_often was changed since, and stays: often" in answer.out
    assert read_file(config_file()).fence.excluded_apps == ("mail",)
    mine._write({mine.HOW_OFTEN: "now and then"})
    run_mine("--apply")
    mine._write({mine.EXCLUDED: ["mail"]})
    assert "fence.excluded_apps was changed since, and stays: mail" in run_mine("--undo").out
    assert read_file(config_file()).fence.excluded_apps == ("mail",)


def test_the_same_days_give_the_same_figures(run_mine: Mine) -> None:
    """Sessions of a day that is over are a set that later ones do not change."""
    folder = write_offers(25, FeedbackKind.ACCEPTED)
    day = f"{folder.name[:4]}-{folder.name[4:6]}-{folder.name[6:8]}"
    assert run_mine("--json").json["right"]["count"] == 25
    assert run_mine("--until", day, "--json").json["offers"] == 0
    assert run_mine("--last", "1d", "--json").json["offers"] == 0
    SessionBuilder(wall_ns=SystemClock().wall_ns() - NS_PER_S).wait(1).end().write(sessions_folder())
    assert run_mine("--json").json["sessions"] == 1


def test_what_is_mistyped_or_damaged_is_told(run_mine: Mine) -> None:
    """Before anything is changed."""
    assert "is no day" in run_mine("--until", "yesterday").err
    state_folder().mkdir(parents=True, exist_ok=True)
    for content in (
        "damaged",
        "[]",
        json.dumps({"policy.how_often": {}}),
        json.dumps({mine.EXCLUDED: {"before": 1, "set": 2}}),
    ):
        (state_folder() / mine.TAKEN).write_text(content)
        assert "cannot be read" in run_mine("--undo").err
