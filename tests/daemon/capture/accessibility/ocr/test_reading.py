"""Texts of a picture come from a child that is limited, late at most once, and not trusted."""

import asyncio
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from daemon.capture.accessibility.ocr import child
from daemon.capture.accessibility.ocr.reading import COMMAND, MAX_BYTES, is_installed, read_texts
from daemon.capture.control_source import ControlList
from storage.records import Box, ControlRole

PICTURE = np.zeros((20, 40, 3), np.uint8)
PLACE = Box(100, 200, 40, 20)
TAKES = "import sys; sys.stdin.buffer.read();"


def read(code: str, *, areas: Sequence[Box] = (PLACE,), limit_s: float = 20.0) -> ControlList | None:
    command = (sys.executable, "-S", "-c", TAKES + code)
    return asyncio.run(read_texts(PICTURE, PLACE, areas, command=command, limit_s=limit_s))


def answering(*lines: object) -> str:
    return f"print({json.dumps(json.dumps(lines))})"


def test_lines_of_a_picture_are_texts_at_their_place_on_the_desktop() -> None:
    """Without those that are uncertain, empty, outside of the picture, or in no place that was asked for."""
    found = read(
        answering(
            ["Save as\u202e", 0.9, 2, 3, 10, 5],
            ["unsure", 0.2, 2, 3, 10, 5],
            [" ", 0.9, 2, 3, 10, 5],
            ["outside", 0.9, 2, 18, 10, 50],
            ["elsewhere", 0.9, 30, 3, 8, 5],
        ),
        areas=(Box(100, 200, 20, 20),),
    )
    assert found is not None
    assert [(control.role, control.name, control.box) for control in found.controls] == [
        (ControlRole.TEXT, "Save as", Box(102, 203, 10, 5))
    ]
    assert not found.complete


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(7)",
        "print('no json')",
        "print('{}')",
        answering(["text", 0.9, 1, 1, 1]),
        answering([5, 0.9, 1, 1, 1, 1]),
        f"print('[' + '1,' * {MAX_BYTES} + '1]')",
        "print('[' * 500_000)",
    ],
)
def test_a_child_that_fails_or_answers_anything_else_gives_nothing(code: str) -> None:
    """Control: one that answers as it should gives a list. Of an object nothing is taken."""
    found = read(code)
    assert found is None or found.controls == ()
    assert read(answering(["text", 0.9, 1, 1, 5, 5])) is not None


def test_a_child_that_says_too_much_is_not_listened_to_the_end(tmp_path: Path) -> None:
    """It is killed long before its time is over, and little of it is held in memory."""
    marker = tmp_path / "pid"
    code = f"import os; open({str(marker)!r}, 'w').write(str(os.getpid()))\nwhile True: os.write(1, b'1' * 65536)"
    tracemalloc.start()
    try:
        assert read(code, limit_s=3600.0) is None
        assert tracemalloc.get_traced_memory()[1] < 8 * MAX_BYTES
    finally:
        tracemalloc.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


def test_a_child_that_is_late_is_killed(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    code = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    assert read(code, limit_s=5.0) is None  # on a busy machine a Python needs a while until it has written that
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


def test_a_child_whose_reader_is_cancelled_is_killed(tmp_path: Path) -> None:
    """As by a pause."""
    marker = tmp_path / "pid"
    code = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    command = (sys.executable, "-S", "-c", TAKES + code)

    async def test() -> None:
        task = asyncio.ensure_future(read_texts(PICTURE, PLACE, (PLACE,), command=command, limit_s=50.0))
        while not (marker.exists() and marker.read_text()):  # noqa: ASYNC110  # a process, no task
            await asyncio.sleep(0.02)  # another process writes it
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(test())
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


def test_a_child_gets_no_address_of_the_desktop() -> None:
    """Nor a home folder or a token: the picture alone."""
    found = read("import json, os; print(json.dumps([[' '.join(sorted(os.environ)), 0.9, 1, 1, 5, 5]]))")
    assert found is not None
    told = set(found.controls[0].name.split())
    assert {"ORT_DISABLE_TELEMETRY"} <= told <= {"LC_ALL", "OMP_NUM_THREADS", "LC_CTYPE", "ORT_DISABLE_TELEMETRY"}


def test_the_child_limits_itself_before_it_reads() -> None:
    """Memory, processor time, no file, and a lower priority."""
    code = (
        "from daemon.capture.accessibility.ocr import child; import os, resource as r; child._models = lambda: None;"
        "child.main();"
        "print(os.nice(0), *(r.getrlimit(k)[1] for k in (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_FSIZE, r.RLIMIT_CORE)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    nice, *limits = map(int, done.stdout.split())
    assert nice == os.nice(0) + child.NICE
    assert limits == [child.MEMORY_BYTES, child.CPU_S, 0, 0]


def test_without_the_extra_the_child_says_so_and_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "find_spec", lambda _: None)
    monkeypatch.setattr(child, "limit_self", lambda *_, **__: None)
    monkeypatch.setattr(os, "nice", lambda _: 0)  # else all tests after this one get less of the machine
    assert child.main() == child.NOT_INSTALLED


def test_words_that_stand_far_apart_are_two_texts() -> None:
    """As titles of menus that were taken for one line."""
    corners = [[[x, 0], [x + 30, 0], [x + 30, 10], [x, 10]] for x in (0, 34, 100)]
    words = [(text, 0.9, box) for text, box in zip(("Save", "as", "Edit"), corners, strict=True)]
    assert [line[0] for line in child._texts(words)] == ["Save as", "Edit"]


@pytest.mark.slow
@pytest.mark.skipif(not is_installed(), reason="the extra ocr is not installed")
def test_a_real_picture_is_read() -> None:
    """Control: an empty picture holds nothing."""
    cv2 = pytest.importorskip("cv2")
    picture = np.full((120, 400, 3), 255, np.uint8)
    empty = picture.copy()
    cv2.putText(picture, "Insert rows", (20, 70), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2)
    place = Box(0, 0, 400, 120)
    found = asyncio.run(read_texts(picture, place, (place,), command=COMMAND, limit_s=120.0))
    assert found is not None
    assert [control.name for control in found.controls] == ["Insert rows"]
    nothing = asyncio.run(read_texts(empty, place, (place,), command=COMMAND, limit_s=120.0))
    assert nothing is not None
    assert nothing.controls == ()
