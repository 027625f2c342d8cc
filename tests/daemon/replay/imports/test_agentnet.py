"""Import of AgentNet recordings: clocks, coordinates, keys and changes become ours, and the session replays."""

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture.keys import GRID_NS
from daemon.replay.imports.agentnet import scene
from daemon.replay.imports.agentnet.importer import MAX_TREE_BYTES, import_recording
from daemon.replay.imports.agentnet.input import (
    MAX_VALUES,
    AgentNetKeys,
    EventLine,
    InputReader,
    Timeline,
    UnreadableLines,
    decode_lines,
)
from daemon.replay.imports.agentnet.scene import Tree, read_elements, read_focus
from daemon.replay.imports.agentnet.spool import RecordSpool
from daemon.replay.replay import replay
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import (
    Box,
    Elements,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    Record,
    SessionStart,
    Switch,
    SwitchName,
    is_derived,
)
from storage.session.log import SessionReader
from storage.session.verify import verify
from storage.settings import Settings
from tests.fakes.sessions.agentnet import BASE_S, MARKER, SCREEN, event, write_lines, write_recording
from tests.fakes.sessions.session_sample import listing


def sources(folder: Path) -> list[Record]:
    with SessionReader(folder) as reader:
        return [row for row in reader if not is_derived(row)]


def of(kind: type[Any], rows: list[Record]) -> list[Any]:
    return [row for row in rows if isinstance(row, kind)]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("agentnet")
    imported = import_recording(write_recording(base / "recording", scale=1.5), base / "sessions", Settings())
    assert any("1.5 times" in problem for problem in imported.problems)
    return imported.folder


def test_it_replays_like_our_own(session: Path) -> None:
    replayed = replay(session, check=True)
    assert (replayed.identical, replayed.reason) == (True, None)
    assert replayed.estimates > 0
    assert replayed.decisions > 0
    report = verify(session)
    assert (report.ok, report.problems, report.lost_s, report.frames) == (True, (), 0.0, 3)
    start = sources(session)[0]
    assert isinstance(start, SessionStart)
    assert (start.recording, start.imported_from) == (True, "AgentNet recording recording")


def test_clocks_are_aligned(session: Path) -> None:
    """The video begins as stated in the metadata: 0.25 s after the first event, which is session time 0."""
    rows = sources(session)
    assert of(InputEvent, rows)[0].t_ns == 0
    assert [frame.t_ns for frame in of(Frame, rows)] == [round(s * NS_PER_S) for s in (0.25, 5.25, 15.25)]
    press = next(row for row in of(InputEvent, rows) if row.kind is EventKind.BUTTON_DOWN)
    assert press.t_ns == round(2.25 * NS_PER_S)
    assert [row.at_ns for row in rows] == sorted(row.at_ns for row in rows)


def test_keys_of_a_recording_have_no_exact_time(session: Path, tmp_path: Path) -> None:
    """Their times are rounded as those of our own capture; those of clicks, the control, are not."""
    lines = [event(n / 7, "press", name="a") for n in range(1, 30)]
    lines += [event(5 + n / 7, "click", x=5, y=5, button="left", pressed=n % 2 == 0) for n in range(1, 7)]
    folder = write_recording(tmp_path / "recording")
    (folder / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = of(InputEvent, sources(import_recording(folder, tmp_path / "sessions", Settings()).folder))
    rows += of(InputEvent, sources(session))
    exact = {row.kind for row in rows if row.t_ns % GRID_NS}
    assert EventKind.KEY not in exact
    assert EventKind.BUTTON_DOWN in exact
    assert sum(row.count for row in rows if row.key_class is KeyClass.CHARACTER) >= 29


def test_positions_of_a_high_dpi_recorder_fit_the_stated_screen(session: Path) -> None:
    rows = sources(session)
    press = next(row for row in of(InputEvent, rows) if row.kind is EventKind.BUTTON_DOWN)
    assert (press.x, press.y, press.button) == (310, 230, "left")
    assert [frame.changed for frame in of(Frame, rows)] == [(SCREEN,), (Box(192, 96, 128, 32),), (Box(0, 0, 64, 32),)]
    assert {frame.size for frame in of(Frame, rows)} == {(320, 240)}
    (seen,) = of(Elements, rows)
    assert [(element.role, element.name, element.box) for element in seen.elements] == [
        ("window", "Editor", Box(0, 0, 320, 240)),
        ("button", "Save", Box(20, 20, 60, 20)),
    ]
    assert seen.app == "browser"


def test_applications_and_keys(session: Path) -> None:
    rows = sources(session)
    assert [(row.app, row.window) for row in of(Focus, rows)] == [("editor", 1), ("browser", 2)]
    assert of(Focus, rows)[0].t_ns == 0
    keys = [row.key_class for row in of(InputEvent, rows) if row.kind is EventKind.KEY]
    assert keys == [KeyClass.MODIFIER, KeyClass.UNDO] * 4 + [KeyClass.CHARACTER]
    (scroll,) = [row for row in of(InputEvent, rows) if row.kind is EventKind.SCROLL]
    assert (scroll.dy, scroll.count) == (3, 3)


def test_names_of_keys_and_values_of_controls_are_not_taken_over(session: Path, tmp_path: Path) -> None:
    """A marker that is a key's name and a control's value stands in the recording, and nowhere in the session."""
    marked = [MARKER.encode(), json.dumps(MARKER)[1:-1].encode()]
    stored = b"".join(path.read_bytes() for path in session.iterdir())
    assert not any(marker in stored for marker in marked)
    recording = write_recording(tmp_path / "recording", video=False)
    assert any(marker in (recording / "events.jsonl").read_bytes() for marker in marked)
    assert any(marker in (recording / "a11y.jsonl").read_bytes() for marker in marked)


def test_without_a_video_there_are_no_frames_and_no_names(tmp_path: Path) -> None:
    folder = write_recording(tmp_path / "recording", video=False)
    imported = import_recording(folder, tmp_path / "sessions", Settings())
    rows = sources(imported.folder)
    assert of(Frame, rows) == []
    assert {element.name for element in of(Elements, rows)[0].elements} == {None}
    assert imported.problems == ("there is no video: the session has no frames",)
    for name in ("top_window.jsonl", "a11y.jsonl", "metadata.json"):
        (folder / name).unlink()
    imported = import_recording(folder, tmp_path / "sessions", Settings())
    assert verify(imported.folder).ok
    assert replay(imported.folder, check=True).identical
    assert any("metadata.json is missing" in problem for problem in imported.problems)


@pytest.mark.parametrize(
    ("beyond", "x"),
    [(lambda n: n >= 150, 630), (lambda n: n < 150, 630), (lambda n: n % 20 == 0, 315)],
    ids=["at the end", "at the beginning", "everywhere"],
)
def test_a_change_of_resolution_is_not_taken_for_high_dpi(
    tmp_path: Path, beyond: Callable[[int], bool], x: int
) -> None:
    """Positions beyond the screen at one end alone are left as they are; the control has them everywhere."""
    folder = write_recording(tmp_path / "r", video=False)
    presses = [
        event(2 + n / 20, "click", x=630 if beyond(n) else 200, y=100, button="left", pressed=True) for n in range(300)
    ]
    write_lines(folder / "events.jsonl", presses)
    imported = import_recording(folder, tmp_path / "sessions", Settings())
    assert max(row.x or 0 for row in of(InputEvent, sources(imported.folder))) == x
    assert any("its resolution changed" in problem for problem in imported.problems) == (x == 630)
    assert any("2 times the stated" in problem for problem in imported.problems) == (x == 315)


def test_unreadable_lines_are_counted_not_fatal(tmp_path: Path) -> None:
    folder = write_recording(tmp_path / "r", video=False)
    good = (folder / "events.jsonl").read_text()
    bad = [
        "{broken",
        "[1, 2]",
        '{"time_stamp": "noon", "action": "move", "x": 1, "y": 1}',
        '{"time_stamp": 1, "action": "move", "x": 1, "y": 1}',
        '{"time_stamp": 1e300, "action": "move", "x": 1, "y": 1}',
        '{"time_stamp": NaN, "action": "move", "x": 1, "y": 1}',
        '{"time_stamp": 150001, "action": "move", "x": 1e12, "y": 1}',
        '{"time_stamp": 150001, "action": "move"}',
        '{"time_stamp": 150001, "action": "click", "x": 1, "y": 1}',
        '{"time_stamp": 150001, "action": "dance"}',
        '{"time_stamp": 150001, "action": "press", "name": 7}',
        '{"time_stamp": 150001, "action": "press", "name": "' + "x" * 100_000 + '"}',
        "[" * 50_000,
        "\0\0\0",
    ]
    clean = import_recording(folder, tmp_path / "sessions", Settings())
    (folder / "events.jsonl").write_text(good + "\n".join(bad) + "\n\n")
    (folder / "a11y.jsonl").write_text("[]\n{}\n")
    imported = import_recording(folder, tmp_path / "sessions", Settings())
    assert verify(imported.folder).events == verify(clean.folder).events
    problems = "\n".join(imported.problems)
    assert f"events.jsonl: {len(bad)} lines could not be read" in problems
    assert "a11y.jsonl: 2 lines could not be read, the first is line 1" in problems
    assert "dance" not in problems


def test_a_line_of_too_many_values_is_not_decoded() -> None:
    parts = {"large": MAX_VALUES - 10, "too large": MAX_VALUES}
    for name, count in parts.items():
        line = b'{"time_stamp":1,"axtree":[' + b"[]," * (count // 2) + b'{"role":"b","name":"x"}]}'
        unreadable = UnreadableLines("a11y.jsonl")
        assert len(list(decode_lines([line], Tree, unreadable))) == (name == "large")
        assert bool(unreadable.problems()) == (name == "too large")


def test_a_hostile_tree_takes_little_memory(tmp_path: Path) -> None:
    """A line as long as one may be, of empty lists or of one wide text, is no reason to need a gigabyte."""
    code = (
        "import re, sys, pathlib\n"
        "from daemon.replay.imports.agentnet import importer\n"
        "from daemon.replay.imports.agentnet.input import Timeline, UnreadableLines\n"
        "from daemon.replay.imports.agentnet.scene import read_elements\n"
        "from storage.records import Box\n"
        "def peak():\n"
        "    return int(re.search(r'VmHWM:\\s*(\\d+)', pathlib.Path('/proc/self/status').read_text())[1]) >> 10\n"
        "before = peak()\n"
        "lines = importer._lines(pathlib.Path(sys.argv[1]), importer.MAX_TREE_BYTES)\n"
        "list(read_elements(lines, timeline=Timeline(base_s=0.0), screen=Box(0, 0, 9, 9), factor=1.0, named=True,\n"
        "              unreadable=UnreadableLines('x')))\n"
        "print(peak() - before)\n"
    )
    path = tmp_path / "a11y.jsonl"
    head = b'{"time_stamp":1,"axtree":['
    long = MAX_TREE_BYTES - 100
    lists = b"[]," * (long // 3) + b"0"
    text = b'{"role":"b","Name":"' + "\N{SNOWMAN WITHOUT SNOW}\N{GRINNING FACE}".encode() + b"x" * long + b'"}'
    path.write_bytes(b"\n".join(head + body + b"]}" for body in (lists, text, lists)))
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 150  # MiB


def test_a_recording_is_sorted_without_being_held_in_memory(tmp_path: Path) -> None:
    """Its records go to disk one by one and come back by time, group and line; the control holds them all."""
    count = 8_000
    lines = [(n, EventLine(time_stamp=float((n * 7) % count), action="press", name="a")) for n in range(count)]

    def reader() -> InputReader:
        return InputReader(timeline=Timeline(base_s=0.0), scroll=1, mac=False, unreadable=UnreadableLines("x"))

    def sort_on_disk() -> None:
        with RecordSpool(tmp_path / "spool.db") as spool:
            spool.add(1, reader().read(lines))
            spool.add(0, [(5 * NS_PER_S, Switch(name=SwitchName.PAUSED, on=True, by="person"))])
            last_ns, read = -1, 0
            for t_ns, record in spool.read():  # nothing is held here either
                assert t_ns >= last_ns
                assert (record.KIND == "switch") == (read == 5)  # its group comes first among those of its time
                last_ns, read = t_ns, read + 1
        assert read == count + 1
        assert not (tmp_path / "spool.db").exists()

    def peak(work: Callable[[], object]) -> int:
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    held = peak(lambda: list(reader().read(lines)))
    assert peak(sort_on_disk) < held / 2


def test_a_recording_paused_more_often_than_anybody_does_is_refused() -> None:
    """Every picture of its video would be compared with every pause."""
    reader = InputReader(timeline=Timeline(base_s=0.0), scroll=1, mac=False, unreadable=UnreadableLines("x"))
    lines = (EventLine(time_stamp=n / 10, action=("pause", "resume")[n % 2]) for n in range(2_010))
    with pytest.raises(BadFile, match="paused more than 1000 times"):
        list(reader.read(enumerate(lines)))


def test_a_recording_that_names_ever_new_programs_is_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "MAX_APPS", 3)
    names = ("a", "b", "c", "d", "a", "e", "b")
    lines = (json.dumps({"time_stamp": n, "top_window_name": name}).encode() for n, name in enumerate(names))
    unreadable = UnreadableLines("x")
    found = read_focus(lines, timeline=Timeline(base_s=0.0), screen=SCREEN, unreadable=unreadable)
    assert [focus.app for focus in found] == ["a", "b", "c", "a", "b"]
    assert unreadable.problems() == ["x: 2 lines could not be read, the first is line 4"]


def test_a_recording_of_too_many_files_is_refused(tmp_path: Path) -> None:
    """The recorder writes a handful."""
    folder = write_recording(tmp_path / "r", video=False)
    for number in range(1_000):
        (folder / f"{number}").touch()
    with pytest.raises(BadFile, match="more files"):
        import_recording(folder, tmp_path / "sessions", Settings())


def test_what_is_no_recording_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir(mode=0o700)
    spoils: dict[str, Callable[[Path], object]] = {
        "events": lambda folder: (folder / "events.jsonl").unlink(),
        "no events": lambda folder: [(folder / name).write_text("") for name in ("events.jsonl", "metadata.json")],
        "link": lambda folder: (folder / "element.jsonl").symlink_to("/etc/passwd"),
        "pipe": lambda folder: os.mkfifo(folder / "element.jsonl"),
        "deep": lambda folder: (folder / "metadata.json").write_text("[" * 100_000),
        "list": lambda folder: (folder / "metadata.json").write_text("[]"),
        "large": lambda folder: (folder / "metadata.json").write_text(" " * (2 << 20)),
        "play-list": lambda folder: (folder / "screen.mp4").write_text("ffconcat version 1.0\nfile x.mp4\n"),
    }
    for name, spoil in spoils.items():
        folder = write_recording(tmp_path / name, video=False)
        spoil(folder)
        before = listing(tmp_path)
        with pytest.raises(BadFile):
            import_recording(folder, sessions, Settings())
        assert listing(tmp_path) == before, name


@pytest.mark.parametrize(
    ("keys", "mac", "wanted"),
    [
        (["a"], False, KeyClass.CHARACTER),
        (["space"], False, KeyClass.CHARACTER),
        (["Key.enter"], False, KeyClass.ENTER),
        (["Backspace"], False, KeyClass.BACKSPACE),
        (["page_down"], False, KeyClass.NAVIGATION),
        (["Page Down"], False, KeyClass.NAVIGATION),
        (["left"], False, KeyClass.NAVIGATION),
        (["f1"], False, KeyClass.HELP),
        (["f5"], False, KeyClass.FUNCTION),
        (["caps_lock"], False, KeyClass.MODIFIER),
        (["alt_gr", "q"], False, KeyClass.CHARACTER),
        (["ctrl_l", "alt_gr", "q"], False, KeyClass.CHARACTER),
        (["ctrl_l", "z"], False, KeyClass.UNDO),
        (["ctrlleft", "Z"], False, KeyClass.UNDO),
        (["Key.ctrl_r", "\x1a"], False, KeyClass.UNDO),
        (["ctrl_l", "shift", "Z"], False, KeyClass.REDO),
        (["ctrl_l", "y"], False, KeyClass.REDO),
        (["ctrl", "c"], False, KeyClass.COPY),
        (["ctrl", "\x16"], False, KeyClass.PASTE),
        (["shift", "insert"], False, KeyClass.PASTE),
        (["ctrl", "k"], False, KeyClass.SHORTCUT),
        (["alt_l", "f"], False, KeyClass.MENU),
        (["cmd", "z"], False, KeyClass.UNDO),
        (["Key.f10"], False, KeyClass.MENU),
        (["alt", "backspace"], False, KeyClass.UNDO),
        (["alt", "backspace"], True, KeyClass.BACKSPACE),
        (["alt_l", "tab"], False, KeyClass.SHORTCUT),
        (["shift", "delete"], False, KeyClass.CUT),
        (["shift", "delete"], True, KeyClass.DELETE),
        (["cmd", "z"], True, KeyClass.UNDO),
        (["ctrl", "z"], True, KeyClass.SHORTCUT),
        (["alt", "z"], True, KeyClass.CHARACTER),
        (["cmd", "shift", "z"], True, KeyClass.REDO),
        (["$Unknown (255)$"], False, KeyClass.OTHER),
    ],
)
def test_names_become_classes(keys: list[str], mac: bool, wanted: KeyClass) -> None:
    reader = AgentNetKeys(mac=mac)
    assert [reader.press(key) for key in keys][-1] is wanted
    for key in keys:
        reader.release(key)
    assert reader.press("z") is KeyClass.CHARACTER


def test_trees_of_all_dialects_give_controls() -> None:
    trees: list[dict[str, object]] = [
        {"AXRole": "AXButton", "AXTitle": "OK", "AXFrame": "{'x': 1.0, 'y': 2.0, 'w': 30.0, 'h': 10.0, 'type': 'r'}"},
        {"AXRole": "AXWindow", "AXFrame": {"x": 0, "y": 0, "w": 9, "h": 9}, "AXChildren": [{"AXRole": "AXText"}]},
        {"name": "OK", "friendly_class_name": "button", "screencoord": "(5, 6)", "size": "(7, 8)", "children": []},
        {"ControlType": "TextControl", "BoundingRectangle": {"left": 900, "top": 0, "right": 990, "bottom": 9}},
        {"ControlType": "TextControl", "BoundingRectangle": {"left": None, "top": 0, "right": 9, "bottom": 9}},
    ]
    deep: dict[str, object] = {}
    for _ in range(400):
        deep = {"Children": [deep]}
    lines = [json.dumps({"time_stamp": 1.0, "a11y_tree": root}).encode() for root in [*trees, deep]]
    unreadable = UnreadableLines("element.jsonl")
    timeline = Timeline(base_s=0.0)
    found = list(read_elements(lines, timeline=timeline, screen=SCREEN, factor=1.0, named=True, unreadable=unreadable))
    assert [(element.role, element.box, element.name) for seen in found for element in seen.elements] == [
        ("button", Box(1, 2, 30, 10), "OK"),
        ("window", Box(0, 0, 9, 9), None),
        ("button", Box(5, 6, 7, 8), "OK"),
    ]
    assert unreadable.problems() == []


@given(
    st.lists(
        st.tuples(
            st.floats(0, 5), st.sampled_from(["move", "scroll", "click", "press"]), st.integers(0, 300), st.booleans()
        ),
        max_size=60,
    )
)
def test_no_event_that_counts_is_lost_by_merging(found: list[tuple[float, str, int, bool]]) -> None:
    found.sort(key=lambda line: line[0])
    raw = [
        json.dumps(event(at, action, x=x, y=x, dx=0, dy=1, pressed=down, button="left", name="a")).encode()
        for at, action, x, down in found
    ]
    unreadable = UnreadableLines("events.jsonl")
    reader = InputReader(timeline=Timeline(base_s=BASE_S), scroll=1, mac=False, unreadable=unreadable)
    records = list(reader.read(decode_lines(raw, EventLine, unreadable)))
    events_read = [record for _, record in records if isinstance(record, InputEvent)]
    assert sum(record.count for record in events_read) == len(found)
    single = [record for record in events_read if record.kind not in (EventKind.MOTION, EventKind.SCROLL)]
    assert len(single) == sum(action in ("click", "press") for _, action, _, _ in found)
    assert [record.t_ns for record in events_read] == sorted(record.t_ns for record in events_read)
    assert unreadable.problems() == []


def test_motion_is_merged_and_counted(session: Path) -> None:
    motion = [row for row in of(InputEvent, sources(session)) if row.kind is EventKind.MOTION]
    assert len(motion) <= 13
    assert sum(row.count for row in motion) == 101
    assert sum(row.path for row in motion) >= 220


def test_positions_that_fit_stay_as_they_are(tmp_path: Path) -> None:
    """Control of the high-DPI test: nothing is divided where nothing exceeds the screen."""
    imported = import_recording(write_recording(tmp_path / "r", video=False), tmp_path / "sessions", Settings())
    press = next(row for row in of(InputEvent, sources(imported.folder)) if row.kind is EventKind.BUTTON_DOWN)
    assert (press.x, press.y) == (310, 230)
    assert not any("times the stated" in problem for problem in imported.problems)


def test_a_pause_moves_later_pictures(tmp_path: Path) -> None:
    """While a recording is paused the video stands still; what comes after it is that much later."""
    reader = InputReader(timeline=Timeline(base_s=0.0), scroll=1, mac=False, unreadable=UnreadableLines("x"))
    lines = [(2.0, "pause"), (5.0, "resume"), (8.0, "pause"), (9.5, "resume")]
    records = list(reader.read((n, EventLine(time_stamp=at, action=action)) for n, (at, action) in enumerate(lines)))
    spans = reader.pauses
    assert spans == [(2 * NS_PER_S, 5 * NS_PER_S), (8 * NS_PER_S, round(9.5 * NS_PER_S))]
    assert [record.on for _, record in records if isinstance(record, Switch)] == [True, False, True, False]
    moments = [Timeline(base_s=0.0).of_video(round(s * NS_PER_S), spans) / NS_PER_S for s in (1, 2, 4, 5, 6)]
    assert moments == [1, 5, 7, 9.5, 10.5]


def test_a_window_without_a_name_is_nothing_in_front() -> None:
    """The recorder writes null for it."""
    lines = [b'{"time_stamp": 5, "top_window_name": null}', b"x"]
    unreadable = UnreadableLines("top_window.jsonl")
    (focus,) = read_focus(lines, timeline=Timeline(base_s=0.0), screen=SCREEN, unreadable=unreadable)
    assert (focus.app, focus.t_ns) == ("", 5 * NS_PER_S)
    assert unreadable.problems() == ["top_window.jsonl: 1 lines could not be read, the first is line 2"]
