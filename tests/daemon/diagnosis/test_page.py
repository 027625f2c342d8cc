"""The page of a diagnosis: whatever is shown is shown as text, in the order of the questions, and loads nothing."""

import re
from dataclasses import replace

from daemon.diagnosis.episodes import Ending, Place, PlaceKind, ShortStep
from daemon.diagnosis.page import diagnosis_page
from daemon.diagnosis.rendering import as_json, render_diagnosis
from daemon.diagnosis.sessions import UnreadableSession
from daemon.diagnosis.summary import Diagnosis, Summary
from daemon.diagnosis.wording import TITLE, step_text
from daemon.help.library.general import general_pages
from storage.plain_text import visible_html
from tests.fakes.detectors.trouble import DAY_S, NOON_S, found_episode, found_session
from tests.fakes.ui.parsed_page import ParsedPage

EVIL = "<script>alert('x')</script>\x1b[2J"


def diagnosis(name: str = "Bold", days: int = 3, *, few: bool = False) -> Diagnosis:
    """Return a diagnosis of some days, in which everything that comes from outside is `name`."""
    summary = Summary()
    for day in range(0 if few else days):
        about = {"place": Place(kind=PlaceKind.CONTROL, role=name, name=name), "ending": Ending.HELP_SOUGHT}
        evidence = "undo_bursts" if name == "Bold" else name
        steps = (ShortStep(at_s=-2.0, verb=name, detail=name, role=name, name=name),)
        one = found_episode(NOON_S + day * DAY_S, app=name, evidence=evidence, steps=steps, offers=1, **about)
        summary.add(found_session(one, one, day=day, session=name, input_s={name: 3600.0}, shipped=False))
    summary.add(UnreadableSession(session=name, problem=name))
    return summary.diagnosis(since=0.0, until=NOON_S)


def test_nothing_from_outside_becomes_part_of_the_page() -> None:
    html = diagnosis_page(diagnosis(EVIL))
    assert "script" not in ParsedPage(html).opened
    assert html.count("&lt;script&gt;") > 10
    assert "\x1b" not in html
    assert all(line.isprintable() for line in render_diagnosis(diagnosis(EVIL)))


def test_a_page_stands_alone() -> None:
    page = ParsedPage(diagnosis_page(diagnosis()))
    assert not {"script", "link", "iframe", "img", "object"} & set(page.opened)
    assert page.links == {f"#e{number}" for number in range(6)}
    assert {link.removeprefix("#") for link in page.links} <= page.ids


def test_questions_are_answered_in_their_order() -> None:
    html = diagnosis_page(diagnosis())
    assert re.findall(r"<h2>([^<]*)</h2>", html) == [
        "Where do I get stuck?",
        "In which programs?",
        "What comes back?",
        "After what did it end?",
        "How much time?",
        "When?",
        "What this rests on, and what it cannot know",
        "Left out",
    ]
    assert f"<title>{TITLE}</title>" in html
    assert "as estimated" not in html
    phases = diagnosis_page(replace(diagnosis(), phases_s={"problem_solving": 36.0}))
    assert "as estimated" in phases
    assert "<td>Problem solving</td><td>36 s</td>" in phases
    assert "because" not in html.lower()
    assert html.count("<details") == 6 + 1
    assert "<code>kairos library search Bold --app Bold</code>" in html
    fitting = [known.page for known in general_pages() if diagnosis().recurring[0].evidence in known.evidence]
    assert f"<summary>{fitting[0].title}</summary><ol><li>{visible_html(fitting[0].steps[0].text)}</li>" in html


def test_the_terminal_says_the_same() -> None:
    lines = list(render_diagnosis(diagnosis()))
    heads = [line for line in lines if line and not line.startswith(" ")]
    assert heads[2:8] == [
        "Where",
        "In which programs: episodes an hour of input, with 95 % intervals",
        "What comes back",
        "After what it ended",
        "Time spent",
        "Session Bold was left out: Bold",
    ]
    assert any("6 times on 3 days" in line and "then: help sought (6)" in line for line in lines)


def test_scripts_get_every_figure() -> None:
    found = as_json(diagnosis())
    assert [(episode["session"], episode["place_name"]) for episode in found["episodes"]] == [
        ("Bold", "the Bold “Bold”")
    ] * 6
    assert [(spot["times"], spot["days"], spot["recurs"]) for spot in found["spots"]] == [(6, 3, True)]
    assert found["programs"][0]["rate"].keys() == {"value", "low", "high"}
    assert found["unreadable"] == ({"session": "Bold", "problem": "Bold"},)
    assert len(found["limits"]) >= 3


def test_steps_read_as_sentences() -> None:
    """What was typed is in no log, only how much."""
    steps = [
        ShortStep(at_s=0.0, verb="type", count=12, role="entry", name="Search"),
        ShortStep(at_s=0.0, verb="type", count=1),
        ShortStep(at_s=0.0, verb="key", detail="undo", count=3),
        ShortStep(at_s=0.0, verb="click", role="menu_item", name="Bold"),
        ShortStep(at_s=0.0, verb="double_click"),
        ShortStep(at_s=0.0, verb="scroll", detail="down", count=4),
        ShortStep(at_s=0.0, verb="switch_app", detail="firefox"),
        ShortStep(at_s=0.0, verb="wait", detail="12.0"),
    ]
    assert [step_text(step) for step in steps] == [
        "typed 12 characters in the entry “Search”",
        "typed 1 character",
        "pressed undo, 3 times",
        "clicked the menu item “Bold”",
        "double-clicked",
        "scrolled down",
        "went to firefox",
        "waited 12.0 s",
    ]


def test_without_episodes_the_page_says_so() -> None:
    html = diagnosis_page(diagnosis(few=True))
    assert "There are no sessions to look at." in html
    assert "Where do I get stuck?" not in html


def test_dark_and_narrow_are_provided_for() -> None:
    html = diagnosis_page(diagnosis())
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport" content="width=device-width' in html
    assert all(int(width) <= 368 for width in re.findall(r"<svg width='(\d+)'", html))
