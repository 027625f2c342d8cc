"""`kairos report`: one page that stands alone, says what the log says, and is escaped."""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from daemon.cli.report import PAGE_NAME, register
from daemon.history.decisions import masked_studies
from daemon.history.report import read_session, report_page, state_shares
from policies.gates import REASONS
from storage.clock import NS_PER_S
from storage.messages import PHASES, STATES
from storage.records import Offer, Record, SessionStart, Switch, SwitchName, Window, phase_of
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.detectors.questions import study_row
from tests.fakes.narrowing import present
from tests.fakes.sessions.derived_session import number_anew, stuck_rows, write_session

Report = Callable[..., Answer]


class Outside(HTMLParser):
    """Notes what a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "img", "iframe", "link", "object"}:
            self.found.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "src"}:
                (self.links if (value or "").startswith("#") else self.found).append(value or "")


@pytest.fixture
def report(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: run_command(register, capsys, "report", "--sessions", str(tmp_path / "s"), *arguments)


@pytest.fixture(scope="module")
def rows() -> list[Record]:
    return stuck_rows()


def test_a_page_says_when_what_was_estimated_offered_and_answered(
    report: Report, tmp_path: Path, rows: list[Record]
) -> None:
    """Its figures are those of the log; every offer has its row, to which the timeline leads."""
    folder = write_session(rows, tmp_path / "s")
    answer = report(folder.name, "--json")
    assert answer.code == 0
    page = Path(answer.json["page"])
    assert page == tmp_path / PAGE_NAME
    assert page.stat().st_mode & 0o777 == 0o600
    (facts,) = answer.json["sessions"]
    offers = [row for row in rows if isinstance(row, Offer)]
    work_s = sum(row.end_ns - row.start_ns for row in rows if isinstance(row, Window)) / NS_PER_S
    assert (facts["offers"], sum(facts["answers"].values())) == (len(offers), len(offers))
    assert facts["work_s"] == pytest.approx(work_s, abs=0.1)
    assert sum(facts["state_shares"].values()) == pytest.approx(1.0, abs=0.001)
    text = page.read_text()
    assert text.count("<tr id='s0-o") == len(offers) > 0
    assert REASONS["at_break"] in text
    for state in facts["state_shares"]:
        assert STATES[state] in text
    assert sum(facts["phase_shares"].values()) == pytest.approx(1.0, abs=0.001)
    assert set(facts["phase_shares"]) == {PHASES[present(phase_of(state))] for state in facts["state_shares"]}
    outside = Outside()
    outside.feed(text)
    assert outside.found == []
    assert {link.removeprefix("#") for link in outside.links} <= set(outside.ids)
    assert "default-src 'none'" in text


def test_several_sessions_are_one_page(report: Report, tmp_path: Path, rows: list[Record]) -> None:
    """With their figures side by side; one named twice counts once."""
    first, second = (write_session(rows, tmp_path / "s") for _ in range(2))
    answer = report(first.name, second.name, str(first), "--out", "both.html")
    assert answer.out == f"The page of 2 sessions is {tmp_path / 'both.html'}\n"
    text = (tmp_path / "both.html").read_text()
    assert [text.count(f">Session {path.name}<") for path in (first, second)] == [1, 1]
    assert "The sessions" in text


def test_only_a_report_is_overwritten(report: Report, tmp_path: Path, rows: list[Record]) -> None:
    """Somebody's own file stays."""
    folder = write_session(rows, tmp_path / "s")
    (tmp_path / "mine.html").write_text("my page")
    refused = report(folder.name, "--out", "mine.html")
    assert refused.code == 2
    assert (tmp_path / "mine.html").read_text() == "my page"
    assert report(folder.name).code == report(folder.name).code == 0


def test_a_folder_that_is_made_for_a_page_is_for_this_user_alone(
    report: Report, tmp_path: Path, rows: list[Record]
) -> None:
    before = os.umask(0)
    try:
        report(write_session(rows, tmp_path / "s").name, "--out", "new/page.html")
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "new", tmp_path / "new/page.html")] == [0o700, 0o600]


def test_a_name_that_is_markup_stays_text(tmp_path: Path, rows: list[Record]) -> None:
    """Names of programs come from elsewhere."""
    evil = "<script>alert(1)</script>"
    changed = [replace(row, app=evil) if isinstance(row, Offer) else row for row in rows]
    text = report_page([read_session(write_session(changed, tmp_path))], note=evil)
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_a_study_that_hides_its_lots_hides_them_here_too(tmp_path: Path, rows: list[Record]) -> None:
    """Where it cannot be read who takes part in what, every study hides them; control: nobody takes part."""
    study = study_row(None, study="s", masked_until_wall_ns=2**62)
    folder = write_session(number_anew([rows[0], study, *rows[1:]]), tmp_path / "s")
    state = tmp_path / "state.db"
    assert REASONS["not_enough"].removeprefix("No offer: ") in report_page(
        [read_session(folder, studies=masked_studies(state))]
    )
    state.write_bytes(b"no database")
    hidden = report_page([read_session(folder, studies=masked_studies(state))])
    assert REASONS["not_enough"].removeprefix("No offer: ") not in hidden


def test_a_session_in_which_nothing_happened_has_a_page(tmp_path: Path, rows: list[Record]) -> None:
    """Without plots of nothing."""
    first = rows[0]
    assert isinstance(first, SessionStart)
    empty = read_session(write_session([first], tmp_path))
    assert state_shares([empty]) == []
    text = report_page([empty])
    assert "Nothing was seen in it." in text
    assert not re.search("NaN|nan", text)


def test_a_session_without_estimates_has_no_empty_plot_of_need(tmp_path: Path, rows: list[Record]) -> None:
    """The page says so instead; control: with estimates there is a plot and no such sentence."""
    says = "Nothing was estimated in this session."
    at = rows[0].at_ns
    paused = [
        Switch(name=SwitchName.PAUSED, on=on, by="person", at_ns=at + after_s * NS_PER_S)
        for on, after_s in ((True, 2), (False, 9))
    ]
    without = report_page([read_session(write_session(number_anew([rows[0], *paused]), tmp_path / "without"))])
    whole = report_page([read_session(write_session(rows, tmp_path / "whole"))])
    assert (says in without, says in whole) == (True, False)
    assert without.count("<svg") == 1  # what was going on: not watched
