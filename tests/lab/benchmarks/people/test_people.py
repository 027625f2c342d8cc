"""The benchmark on people's recordings: each layout from a few hand-made rows, and the figures on known results."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.benchmarks.people import benchmark
from lab.benchmarks.people.benchmark import JudgedPrefix, Watched, bars_of, offer_rate, run, score, trouble_prefixes
from lab.people import balabit, essays, miniwob
from lab.people.desk import Demo, Recording, ScreenChange, frames_of
from lab.people.layouts import APPS, TROUBLE_TASK, Layout, TroubleMoment, sources_in
from storage.errors import BadFile
from storage.records import Box, EventKind, Focus, Frame, InputEvent, KeyClass

S = 1_000_000_000
HEADER = "record timestamp,client timestamp,button,state,x,y\n"
MOUSE = HEADER + "".join(
    f"0,{t},{button},{state},{x},{y}\n"
    for t, button, state, x, y in (
        (0.0, "NoButton", "Move", 100, 100),
        (0.02, "NoButton", "Move", 130, 140),
        (0.5, "Left", "Pressed", 130, 140),
        (0.6, "Left", "Released", 130, 140),
        (1.0, "NoButton", "Move", 65535, 65535),
        (2.0, "Scroll", "Down", 130, 140),
        (2.01, "Scroll", "Down", 130, 140),
    )
)


def inputs(recording: Recording) -> list[InputEvent]:
    return [record for _, record in recording.sources if isinstance(record, InputEvent)]


def frames(recording: Recording) -> list[Frame]:
    return [record for _, record in recording.sources if isinstance(record, Frame)]


def node(ref: int, left: int, top: int, text: str = "", *children: dict[str, Any], **more: object) -> dict[str, Any]:
    about = {"tag": "DIV", "ref": ref, "left": left, "top": top, "width": 60, "height": 20, "text": text}
    return {**about, "children": list(children), "classes": "", "bgColor": "", "fgColor": "", **more}


def page(*fields: dict[str, Any]) -> dict[str, Any]:
    return node(1, 0, 0, "", *fields, width=160, height=210)


def demo_of(*states: tuple[float, dict[str, Any] | None, dict[str, Any]], file: str = "a_d1.json.gz") -> dict[str, Any]:
    """Return one demo of states: milliseconds, act and page."""
    return {"file": file, "demo": {"states": [{"time": t, "action": act, "dom": dom} for t, act, dom in states]}}


EMPTY, FILLED = page(node(2, 10, 10), node(3, 10, 60)), page(node(2, 10, 10, "a"), node(3, 10, 60))
WORK = [
    demo_of(
        (0, None, EMPTY),
        (100, {"type": "mousedown", "x": 20, "y": 20, "timing": 1}, EMPTY),
        (101, {"type": "mousedown", "x": 20, "y": 20, "timing": 3}, EMPTY),
        (180, {"type": "mouseup", "x": 20, "y": 20, "timing": 1}, EMPTY),
        (900, {"type": "keydown", "keyCode": 65, "timing": 1}, EMPTY),
        (910, {"type": "keypress", "keyCode": 97, "timing": 1}, FILLED),
        (1500, {"type": "keydown", "keyCode": 17, "timing": 1}, FILLED),
        (1600, {"type": "keydown", "keyCode": 90, "timing": 1}, FILLED),
    )
]


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") as file:
        file.write(content)
    return path


def edits(*parts: tuple[object, ...]) -> str:
    return essays.EDIT.join(essays.FIELD.join(map(str, part)) for part in parts)


TYPED = edits(("a", 1_600_000_000_000), ("b", 200), ("\0", 300), ("c", 400), ("\2", 0, "x", 900), ("\0", 0, 2, 700))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "balabit/user1/session_1.csv.gz", MOUSE)
    lines = [{"student_id": "p", "exercise_id": "e", "keystrokes": text} for text in (TYPED, TYPED[:20])]
    write(tmp_path / "essays/log.json.gz", "\n".join(map(json.dumps, lines)))
    write(tmp_path / f"miniwob/{TROUBLE_TASK}/A1.json.gz", json.dumps(WORK))
    marks = tmp_path / "miniwob/alaska_trouble.jsonl"
    marks.write_text(json.dumps({"assignment": "A1", "file": "a_d1.json.gz", "rule": "R1", "at_s": 0.5}))
    return tmp_path


def test_a_mouse_session_keeps_the_pointer_and_invents_only_answers(folder: Path) -> None:
    path = folder / "balabit/user1/session_1.csv.gz"
    all_answered, none = (balabit.read(path, "program", unanswered=share) for share in (0.0, 1.0))
    kinds = [event.kind for event in inputs(none)]
    assert kinds == [EventKind.MOTION, EventKind.BUTTON_DOWN, EventKind.BUTTON_UP, EventKind.SCROLL]
    assert (inputs(none)[0].path, inputs(none)[0].count, inputs(none)[-1].dy) == (50, 2, -2)
    assert inputs(none) == inputs(all_answered)
    assert len(frames(all_answered)) == len(frames(none)) + 1
    assert all_answered.person == "user1"


def test_an_essay_is_rebuilt_edit_by_edit(folder: Path) -> None:
    submission = essays.read_submissions(folder / "essays/log.json.gz")[0]
    recording = essays.read(submission, "one", "program")
    classes = [event.key_class for event in inputs(recording) if event.kind is EventKind.KEY]
    assert classes == [
        *(KeyClass.CHARACTER, KeyClass.CHARACTER, KeyClass.BACKSPACE, KeyClass.CHARACTER),
        *(KeyClass.NAVIGATION, KeyClass.CHARACTER, KeyClass.BACKSPACE),
    ]
    assert sum(event.kind is EventKind.BUTTON_DOWN for event in inputs(recording)) == 1
    assert recording.end_ns == 2_500_000_000
    assert frames(recording)


def test_a_page_changes_where_its_elements_do(folder: Path) -> None:
    """Acts count once, control makes undo of Z, the changed field alone is in the frame, and a cover ends the task."""
    recording = miniwob.read(folder / f"miniwob/{TROUBLE_TASK}/A1.json.gz", "firefox")
    kinds = [(event.kind, event.key_class) for event in inputs(recording)]
    assert kinds == [
        (EventKind.BUTTON_DOWN, None),
        (EventKind.BUTTON_UP, None),
        (EventKind.KEY, KeyClass.CHARACTER),
        (EventKind.KEY, KeyClass.MODIFIER),
        (EventKind.KEY, KeyClass.UNDO),
    ]
    new, changed, cover = frames(recording)
    assert new.changed == cover.changed
    assert changed.changed == (Box(0, 128, 128, 32),)
    assert len({frame.digest for frame in (new, changed, cover)}) == 3
    focus = recording.sources[0][1]
    assert isinstance(focus, Focus)
    assert focus.app == "firefox"


def read_all(folder: Path) -> None:
    for source in sources_in(folder):
        source.read("program", 0.05)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("balabit/u/s.csv.gz", HEADER + "0,x,Left,Pressed,1,1\n"),
        ("balabit/u/s.csv.gz", "a,b\n"),
        ("essays/log.json.gz", '{"student_id": 3}'),
        ("essays/log.json.gz", json.dumps({"student_id": "p", "exercise_id": "e", "keystrokes": "\2\x1fx\x1fy\x1fz"})),
        ("miniwob/t/a.json.gz", '{"no": 1}'),
        ("miniwob/t/a.json.gz", json.dumps([{"file": "f", "demo": {"states": [{"time": 0, "dom": {}}]}}])),
        ("miniwob/t/a.json.gz", "[" * 100_000),
    ],
)
def test_a_foreign_file_is_refused_by_name(tmp_path: Path, name: str, content: str) -> None:
    """Whatever is wrong in it."""
    path = write(tmp_path / name, content)
    with pytest.raises(BadFile, match=r"s\.csv|log|a\.json"):
        read_all(tmp_path)
    path.write_bytes(b"not packed")
    with pytest.raises(BadFile):
        read_all(tmp_path)


def test_changes_close_to_each_other_are_one_frame() -> None:
    changes = [ScreenChange(round(t * S), (Box(x, 5, 10, 10),), name) for t, x, name in ((1, 0, "a"), (1.1, 70, "b"))]
    later = [ScreenChange(round(1.2 * S), (Box(200, 40, 10, 10),), "c"), ScreenChange(3 * S, (Box(0, 0, 1, 1),), "d")]
    found = [(frame.t_ns, frame.changed, frame.digest) for frame in frames_of([*later, *changes])]
    assert found == [
        (1 * S, (Box(0, 0, 64, 32),), "a"),
        (round(1.5 * S), (Box(64, 0, 64, 32), Box(192, 32, 64, 32)), "c"),
        (3 * S, (Box(0, 0, 64, 32),), "d"),
    ]


def test_dead_clicks_on_a_page_bring_an_offer_and_answered_ones_none(tmp_path: Path) -> None:
    """The control of the whole path: the same clicks, on a page that answers each time and on one that never does."""

    def clicks(*, answered: bool) -> str:
        states: list[tuple[float, dict[str, Any] | None, dict[str, Any]]] = [(0.0, None, EMPTY)]
        for n in range(12):
            x, y = 20 + 10 * (n % 2), 20 + 40 * (n % 3)
            now = page(node(2, 10, 10, str(n)), node(3, 10, 60 + 3 * n)) if answered else EMPTY
            for kind, after in (("mousedown", 0), ("mouseup", 80)):
                act = {"type": kind, "x": x, "y": y, "timing": 1}
                states.append((3000.0 + 2500 * n + after, act, now))
        states.append((60_000.0, None, EMPTY))
        return json.dumps([demo_of(*states)])

    offers = {}
    for answered in (True, False):
        path = write(tmp_path / f"miniwob/task/{answered}.json.gz", clicks(answered=answered))
        offers[answered] = run(miniwob.read(path, "program"), "evidence").offers
    assert [topic for _, topic in offers[False]][:1] == ["dead_clicks"]
    assert offers[True] == ()


def judged(t_s: float, need: float, *, abstained: bool = False) -> JudgedPrefix:
    return JudgedPrefix(end_ns=round(t_s * S), fraction=1.0, help_need=need, abstained=abstained)


def watched(
    person: str, hours: float, offers: int = 0, *prefixes: JudgedPrefix, demos: tuple[Demo, ...] = ()
) -> Watched:
    times = tuple((n * S, "dead_clicks") for n in range(offers))
    task = TROUBLE_TASK if demos else ""
    return Watched(
        name=person, person=person, task=task, seconds=3600 * hours, offers=times, prefixes=prefixes, demos=demos
    )


def test_rates_are_of_all_hours_and_the_most_of_people_seen_long_enough() -> None:
    rate = offer_rate([watched("a", 2.0, 1, judged(1, 0.2)), watched("a", 1.0), watched("b", 0.25, 1)])
    assert (rate.people, rate.recordings, rate.offers, rate.hours) == (2, 3, 2, 3.25)
    assert rate.an_hour == pytest.approx(2 / 3.25)
    assert rate.most == pytest.approx(1 / 3)
    assert rate.upper > rate.an_hour
    assert rate.need == (0.2, 0.2, 0.2)
    assert offer_rate([watched("a", 10.0)]).upper == pytest.approx(0.369, abs=0.001)


def test_prefixes_near_a_moment_are_in_trouble_or_left_out() -> None:
    demos = (Demo(file="x", start_ns=0, end_ns=60 * S), Demo(file="y", start_ns=61 * S, end_ns=99 * S))
    times = (5, 15, 20, 25, 35, 41, 70)
    one = watched("a", 0.1, 0, *(judged(t, t / 100) for t in times), demos=demos)
    truth, need, of = trouble_prefixes([one], {"x": [TroubleMoment(file="x", rule="R1", at_s=20.0)]})
    assert need.tolist() == [0.05, 0.2, 0.25, 0.41, 0.7]
    assert truth.tolist() == [False, True, True, False, False]
    assert np.unique(of).tolist() == [1, 2]


def test_each_program_name_has_its_rows_and_the_form_its_bars(folder: Path) -> None:
    result = score(folder, detector="evidence", workers=1)
    assert [(row.data, row.app) for row in result.rows] == [
        (data, app) for app in APPS for data in (*(layout.value for layout in Layout), "flight form")
    ]
    assert all(row.rate.offers == 0 for row in result.rows)
    names = {bar.name for bar in result.bars}
    assert {"essays_program", "balabit_firefox", "miniwob_program", "trouble_auc_firefox"} <= names
    assert not any(bar.name.startswith("balabit_") for bar in bars_of(result.rows, 0.15))


def test_what_was_sent_twice_counts_once(folder: Path) -> None:
    """The longer one of two submissions that begin with the same keystroke."""
    (only,) = essays.read_submissions(folder / "essays/log.json.gz")
    assert only.keystrokes == TYPED


def test_bars_are_missed_where_somebody_is_disturbed_too_often(folder: Path) -> None:
    """One person with two offers an hour, in recordings without any otherwise."""
    sources = [source for source in sources_in(folder) if source.layout is Layout.ESSAYS]
    rows = list(benchmark.rows_of(sources, [watched("a", 1.0, 2)], {}, "program"))
    assert [(bar.name, bar.ok) for bar in bars_of(rows, 0.05)] == [
        ("essays_program", False),
        ("essays_person_program", False),
    ]
