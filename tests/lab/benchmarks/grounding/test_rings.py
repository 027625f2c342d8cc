"""What the rings of demos come to: each seed counts, and what went wrong is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from demo.command import DemoSpec
from lab.benchmarks.grounding import rings
from lab.benchmarks.grounding.benchmark import Attempt, points_hit
from lab.benchmarks.grounding.pictures import LEAST, measure_pictures
from storage.errors import EnvironmentFault

RING = {"step": 1, "name": "Edit", "ring": [1, 2, 30, 20], "control": [1, 2, 30, 20], "on_control": True}
OFFER = {"page": "general/undo_history", "title": "Undone"}
DEMO: dict[str, Any] = {"ring": RING, "offers": [OFFER], "stuck_kind": "undo_loop", "steps_shown_ms": None}


@pytest.fixture(autouse=True)
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is seen of a ring stands for its judgement."""
    monkeypatch.setattr(rings, "see_ring", lambda _, ring: ring)
    monkeypatch.setattr(rings, "_judged", lambda _folder, _page, ring: ring)


def results(*found: Any) -> Any:
    """Return what stands for playing and judging demos: these results, one after the other."""
    left = list(found)

    def play(_: DemoSpec, look: Callable[[Any, Any], None]) -> Any:
        result = left.pop(0)
        if isinstance(result, Exception):
            raise result
        if result["ring"] is not None:
            look(None, result["ring"])
        return result

    return play


def test_each_seed_is_a_line_and_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On the control, elsewhere, no ring, no step with a control, no offer, a program that did not come up."""
    found = [
        DEMO,
        DEMO | {"ring": RING | {"ring": [90, 2, 30, 20], "on_control": False}},
        DEMO | {"ring": RING | {"ring": None, "on_control": False}},
        DEMO | {"ring": RING | {"step": None, "on_control": False}},
        DEMO | {"ring": None, "offers": []},
        EnvironmentFault("it did not come up", remedy="wait"),
    ]
    monkeypatch.setattr(rings, "play", results(*found))
    monkeypatch.setattr(rings, "assess", lambda _, result: result)
    report = rings.measure_rings(["calc"], range(1, 7), out=tmp_path)
    (bar,) = report.criteria
    assert (bar.name, bar.ok) == ("ring_on_the_control_in_calc", False)
    assert bar.value == pytest.approx(1 / 6, abs=0.001)
    assert [round_["why"] for round_ in report.rounds] == [
        "",
        "elsewhere",
        "no ring",
        "no step names a control in sight",
        "nothing was offered",
        "it did not come up",
    ]
    assert 'on "Edit", ring 30x20+1+2, control 30x20+1+2' in report.text[0]
    assert "MISSED (elsewhere), ring 30x20+90+2" in report.text[1]


@pytest.mark.parametrize(("slowest", "ok"), [(280.0, True), (320.0, False)])
def test_the_steps_are_on_the_card_soon_after_the_click(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, slowest: float, *, ok: bool
) -> None:
    out = RING | {"name": "Cancel", "way_out": True}
    shown = [DEMO | {"steps_shown_ms": ms} for ms in (100.0, slowest, 900.0, None)]
    monkeypatch.setattr(rings, "play", results(*shown[:-1], shown[-1] | {"ring": out}))
    monkeypatch.setattr(rings, "assess", lambda _, result: result)
    report = rings.measure_rings(["calc"], range(1, 5), out=tmp_path)
    bar = report.criteria[0]
    assert (bar.name, bar.value, bar.ok) == ("steps_shown_after_the_click", slowest, ok)
    assert report.text[0].endswith("steps after 100 ms")
    assert 'on "Cancel", which closes the dialog in front, ring 30x20+1+2' in report.text[3]


def test_pictures_are_judged_at_each_scale_and_beside_the_control(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that were moved away must miss; without the extra it says what to install."""
    hits = [True] * 7 + [False] * 3
    attempts = [
        Attempt(subject="form", scale=scale, name=str(number), hit=hit and scale == 1, lower=False)
        for scale in (1, 2)
        for number, hit in enumerate(hits)
    ]
    assert [(bar.value, bar.ok) for bar in points_hit(attempts, "by_picture", LEAST)] == [
        (0.7, True),
        (0.0, False),
        (0.0, True),
    ]
    moved = [Attempt(subject="form", scale=1, name="x", hit=True, lower=True)]
    assert not list(points_hit(moved, "by_picture", LEAST))[-1].ok
    monkeypatch.setattr("lab.benchmarks.grounding.pictures.is_installed", lambda: False)
    with pytest.raises(EnvironmentFault, match="cannot be read off pictures"):
        measure_pictures([1])
