"""A real editor on a virtual desktop: somebody asks, the card has the steps of a page, the ring is on their control.

With a model on, its answer streams to the card, and the ring follows its steps.
"""

import asyncio
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daemon.replay.replay import replay
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.windows import WindowInfo, Windows, poll
from storage.db.codec import encode
from storage.ports import SPOTLIGHT_TITLE
from storage.records import Box, HelpAnswer, HelpFound, NeedReport, Offer, Record
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.session.log import list_sessions
from tests.fakes.help.beside_editor import beside_editor, elements_of, is_ringed, rows_of
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.reply_builders import TEXT_REPLY_BUILDERS
from tests.fakes.mllm.server import FakeServer, Received, pour
from tests.fakes.ui.interface_process import press

ASKED = "count how often a word stands"
"""No command of the editor does that."""

COUNT = """# Count how often a word stands in the text

1. Choose **Search > Find**.
2. Type the word.
3. Click **Next**.
"""
NEAR_PX = 12
"""By how much the ring may be larger than its control, on each side."""


def rows_with(kairos: DaemonProcess, kind: type[Record] = Offer) -> list[Record] | None:
    """Return the rows once they hold one of a kind; they are written a moment after it is shown."""
    rows = rows_of(kairos)
    return rows if any(isinstance(row, kind) for row in rows) else None


def ring_of(windows: Windows) -> Box | None:
    strips: list[WindowInfo] = [window for window in windows.list_all() if window.title == SPOTLIGHT_TITLE]
    boxes = [strip.box for strip in strips if min(strip.box.w, strip.box.h) < 2 * NEAR_PX]
    if not boxes:
        return None
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.w for box in boxes), max(box.y + box.h for box in boxes)
    return Box(left, top, right - left, bottom - top)


def surrounds(ring: Box, control: Box) -> bool:
    """Tell whether the ring lies around a control and no wider than `NEAR_PX`; below it there may be its label."""
    right, bottom = ring.x + ring.w - control.x - control.w, ring.y + ring.h - control.y - control.h
    near = range(NEAR_PX + 1)
    return bottom >= 0 and all(gap in near for gap in (control.x - ring.x, control.y - ring.y, right))


def control_of(rows: list[Record], name: str) -> Box:
    """Return where a control was when it was read last; the session holds names, as its consent says."""
    return next(element.box for element in reversed(elements_of(rows)) if element.name == name)


pytestmark = pytest.mark.display


def test_a_page_of_help_and_its_ring_on_a_desktop(tmp_path: Path) -> None:
    """A dialog that comes in front is to be closed before the first step."""
    with beside_editor(tmp_path, {}, COUNT) as (desktop, kairos, windows):

        def is_around(name: str) -> bool:
            ring = ring_of(windows)  # its four sides do not come up in one moment
            return ring is not None and surrounds(ring, control_of(rows_of(kairos), name))

        def is_around_what_closes() -> bool:
            rows = rows_of(kairos)
            known = {element.name for element in elements_of(rows)}
            return "Cancel" in known and is_ringed(windows, control_of(rows, "Cancel"))

        assert kairos.command("ask", ASKED)["state"] == "watching"
        poll(lambda: windows.card() or None, what="the card")
        poll(lambda: ring_of(windows), what="the ring")
        rows = poll(lambda: rows_with(kairos), what="the offer in the session")
        assert [row.by for row in rows if isinstance(row, NeedReport)] == ["asked"]
        found = [row for row in rows if isinstance(row, HelpFound)][-1]
        assert (found.asked, found.general, found.steps, found.checked) == (True, False, 3, True)
        assert [row.page_id for row in rows if isinstance(row, Offer)] == [found.page_id]
        poll(lambda: is_around("Search") or None, what="the ring around the menu")
        press(desktop, "Control_L", "l")
        windows.wait(title="Go To")
        poll(lambda: is_around_what_closes() or None, what="the ring around what closes the dialog")
        press(desktop, "Escape")
        poll(lambda: is_around("Search") or None, what="the ring around the menu again")
        assert kairos.command("pause")["state"] == "paused"
        poll(lambda: ring_of(windows) is None or None, what="no ring while paused")
    (tmp_path / "state" / "kairos" / "library.db").unlink()
    result = replay(list_sessions(kairos.sessions)[-1], check=True)
    assert result.identical, result.reason


@dataclass(slots=True)
class Helper:
    """A server that knows which control to name: it finds its number in the list that it is sent, and writes slowly."""

    control: str
    asked: list[str] = field(default_factory=list)
    pictures: int = 0

    async def __call__(self, server: FakeServer, received: Received) -> None:
        parts = json.loads(received.body)["messages"][1]["content"]
        self.pictures += sum(part["type"] == "image_url" for part in parts)
        words = "\n".join(part.get("text", "") for part in parts)
        self.asked.append(words)
        number = re.search(rf'^(\d+)\. [a-z ]+ "{self.control}"', words, re.MULTILINE)
        answer = {
            "text": "The editor can look for a word, and put another one in its place.",
            "steps": [
                {"text": f"Open the {self.control} menu.", "element": int(number[1]) if number else 0},
                {"text": "Choose what to look for there.", "element": 0},
            ],
            "pages": [1],
            "goal": "find a word in the text",
        }
        text = json.dumps(answer)
        pieces = TEXT_REPLY_BUILDERS[0].stream([text[at : at + 8] for at in range(0, len(text), 8)])
        await pour(pieces, gap_s=0.03)(server, received)
        await asyncio.sleep(0)


def test_a_model_s_answer_streams_to_the_card_and_moves_the_ring(tmp_path: Path) -> None:
    helper = Helper("Edit")
    with running(helper) as url:
        model = {"local_model.preset": "llama-server", "local_model.url": url, "local_model.on_battery": "true"}
        with beside_editor(tmp_path, model, COUNT) as (desktop, kairos, windows):
            kairos.command("ask", ASKED)
            poll(lambda: windows.card() or None, what="the card")
            rows = poll(lambda: rows_with(kairos, HelpAnswer), what="the answer in the session", timeout_s=30)
            edit = control_of(rows, "Edit")
            poll(lambda: ((ring := ring_of(windows)) and surrounds(ring, edit)) or None, what="the ring")
            (usage,) = kairos.command("status")["models"]
            desktop.screenshot(tmp_path / "answer.png")
    (row,) = [answer for answer in rows if isinstance(answer, HelpAnswer)]
    assert (row.trouble, row.steps, row.tied, row.pictures, row.tier) == (None, 2, 1, 1, "local")
    assert b"word" not in encode(row)
    assert (usage["tier"], usage["asked"], usage["answered"]) == ("local", 1, 1)
    assert helper.pictures == 1
    assert 'Page 1: "Count how often a word stands in the text"' in helper.asked[0]
    assert f'The person asks: "{ASKED}"' in helper.asked[0]
    with SentLog(tmp_path / "state" / "kairos" / "sent.db") as log:
        (entry,) = SentLogReader(log).newest(10)
    assert (entry.purpose, entry.outcome) == ("help", "ok")
    result = replay(list_sessions(kairos.sessions)[-1], check=True)
    assert result.identical, result.reason
