"""Pages and plots of the benchmarks: nothing is loaded from outside, and whatever is shown is shown as text."""

import math
import re

import numpy as np
import pytest

from daemon.figures.intervals import Interval
from daemon.figures.page import html_table, page, paragraph
from daemon.figures.svg import Axis, Bar, Line, Mark, PlotSpan, bar_plot, legend, line_plot, rounded_up, span_plot
from lab.measure.report import Confusion, page_of
from tests.fakes.ui.parsed_page import ParsedPage

EVIL = "<script>alert('x')</script>"
ONE = Interval(value=0.5, low=0.25, high=0.75)


@pytest.mark.parametrize(
    "html",
    [
        page(EVIL, [paragraph(EVIL)]),
        html_table((EVIL,), [(EVIL,)]),
        page_of(EVIL, [Confusion((EVIL, "b"), np.eye(2, dtype=np.int64))]),
        legend([EVIL]),
        bar_plot([Bar(name=EVIL, figure=ONE)], title=EVIL),
        span_plot([(EVIL, [PlotSpan(start=0.1, end=0.2, hint=EVIL, link=EVIL), PlotSpan(start=0.3, end=0.4)])], Axis()),
        line_plot(
            EVIL,
            [Line(name=EVIL, points=[(0.0, 0.0)], hints=[EVIL])],
            Axis(label=EVIL, ticks=[(0.0, EVIL)]),
            Axis(label=EVIL),
            marks=[Mark(2.0, 1.0, EVIL, highlighted=True)],
            legend=True,
        ),
    ],
    ids=["page", "table", "confusion", "legend", "bars", "spans", "lines"],
)
def test_names_are_shown_as_text(html: str) -> None:
    assert "script" not in ParsedPage(html).opened
    assert "&lt;script&gt;" in html


def test_code_stands_out_and_is_text_all_the_same() -> None:
    for html in (paragraph("see `a <b>` and ` alone"), html_table(("a",), [("see `a <b>` and ` alone",)])):
        assert "see <code>a &lt;b&gt;</code> and ` alone" in html


def test_a_page_may_load_nothing() -> None:
    html = page("Title", [paragraph("text")])
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', html)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";") if rule.strip())
    assert rules.pop("default-src") == "'none'"
    assert all("http" not in sources and "*" not in sources for sources in rules.values())
    assert not rules.keys() & {"script-src", "connect-src", "frame-src"}
    assert html.index("Content-Security-Policy") < html.index("<title>")
    assert not {"script", "link", "iframe", "img", "object"} & set(ParsedPage(html).opened)


def test_an_axis_ends_a_little_above_what_it_shows() -> None:
    assert [rounded_up(value) for value in (0.0, 0.93, 1.0, 12.0, 480.0)] == [1.0, 1.0, 1.0, 15.0, 500.0]


def test_a_span_with_a_link_lies_above_those_without_and_can_be_hit() -> None:
    spans = [PlotSpan(start=0.5, end=0.5, link="e1"), PlotSpan(start=0.0, end=1.0, colour="grey")]
    html = span_plot([("day", spans)], Axis(), size=(80, 250))
    assert html.index("fill='grey'") < html.index("href='#e1'")
    widths = [float(width) for width in re.findall(r"<rect [^>]*width='([\d.]+)'", html)]
    assert widths == [250.0, 4.0]


def test_a_bar_without_an_interval_has_no_whisker_of_its_own() -> None:
    html = bar_plot([Bar(name="a", figure=Interval(value=0.5, low=math.nan, high=math.nan))], end=1.0)
    assert "nan" not in html


def test_points_beyond_the_axis_are_drawn_at_its_end() -> None:
    """With an arrow behind the name, so that nobody takes the place for the value."""
    plot = line_plot("t", [], Axis(), Axis(), marks=[Mark(7.0, 0.5, "far", highlighted=False)], size=(100, 100))
    assert "cx='152.0'" in plot
    assert "far \u2192" in plot


def test_names_of_points_cover_neither_each_other_nor_a_point() -> None:
    """Many lie near zero; those at one place have one name, and none leaves the plot."""
    near = [(0.0, 0.0, "silent"), (0.0, 0.0, "never (bare)"), (5.3, 0.0, "random"), (10.6, 0.0, "idle timer (bare)")]
    far = [(58.6, 0.25, "always"), (63.9, 0.25, "always (bare)")]
    marks = [Mark(x, y, name, highlighted=False) for x, y, name in near + far]
    html = line_plot("", [], Axis(high=60.0), Axis(), marks=marks)
    found = re.findall(r"<text x='([\d.]+)' y='([\d.]+)' text-anchor='(\w+)' style=[^>]*>([^<]*)</text>", html)
    assert sorted(name for *_, name in found) == [
        "always",
        "always (bare) \u2192",
        "idle timer (bare)",
        "random",
        "silent, never (bare)",
    ]
    places = []
    for x, y, anchor, name in found:
        left = float(x) - 6.6 * len(name) * (anchor == "end")
        places.append((left, left + 6.6 * len(name), float(y) - 4))
    points = [
        (float(x) - 5, float(x) + 5, float(y)) for x, y in re.findall(r"<circle cx='([\d.]+)' cy='([\d.]+)'", html)
    ]
    for number, (left, right, level) in enumerate(places):
        assert level <= 52 + 300
        for begin, end, other in [*places[:number], *points]:
            assert abs(level - other) >= 10 or begin >= right or left >= end


def test_names_of_more_points_than_there_is_room_for_stay_inside_the_plot() -> None:
    marks = [Mark(0.5 + number / 1000, 0.5, f"point {number}", highlighted=False) for number in range(80)]
    html = line_plot("", [], Axis(), Axis(), marks=marks)
    levels = [float(y) for y in re.findall(r"<text x='[\d.]+' y='(-?[\d.]+)' text-anchor='\w+' style=", html)]
    assert len(levels) == len(marks)
    assert all(52 <= level - 4 <= 52 + 300 for level in levels)
