"""What the hands do reaches the program, and what the log says is what they did."""

import itertools
import json
import random
import string
from pathlib import Path

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import open_display, poll
from storage.clock import SystemClock

pytestmark = pytest.mark.display

TEXT = string.ascii_letters + string.digits + string.punctuation + " end\nnext\n"


def test_typed_text_arrives_whole_and_is_logged(desktop: VirtualDesktop, tmp_path: Path) -> None:
    notes = Path(desktop.env["HOME"]) / "notes.txt"
    notes.touch()
    desktop.spawn(["mousepad", str(notes)], "mousepad")
    window = desktop.windows.wait("mousepad", "notes.txt")
    clock = SystemClock()
    log = ScriptLog(tmp_path / "script.jsonl", clock)
    display = open_display(desktop.env)
    try:
        hands = Hands(display, log, random.Random(1), clock)
        hands.click(window.box.x + 200, window.box.y + 200)
        poll(desktop.windows.active, what="activating the window")
        hands.text(TEXT, rate=60)
        hands.chord("ctrl+s")
        hands.pause(1.1, "test")
        poll(lambda: len(notes.read_text()) >= len(TEXT), what="saving")
    finally:
        log.close()
        display.close()
    assert notes.read_text() == TEXT
    lines = [json.loads(line) for line in (tmp_path / "script.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines if line["kind"] in {"button", "break"}] == ["button", "break"]
    keys = [line["keys"] for line in lines if line["kind"] == "key"]
    assert len(keys) == len(TEXT) + 1
    assert keys[-1] == "Control_L+s"
    assert all(one["t_ns"] <= other["t_ns"] for one, other in itertools.pairwise(lines))


def test_a_key_that_the_layout_does_not_have_is_refused(bare_desktop: VirtualDesktop, tmp_path: Path) -> None:
    """A character without a key raises instead of typing something else."""
    clock = SystemClock()
    log = ScriptLog(tmp_path / "script.jsonl", clock)
    try:
        hands = Hands(bare_desktop.display, log, random.Random(1), clock)
        with pytest.raises(ValueError, match="no key for"):
            hands.text("\N{SNOWMAN}")
    finally:
        log.close()
