"""Real browsers: what a page says, and what is clicked in it, is understood in Chromium and in Firefox."""

from pathlib import Path

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows
from storage.clock import SystemClock
from storage.records import ControlAct, DialogSeen, MessageClass, MessageSeen, Record, Sense
from tests.fakes.browsers.programs import CHROMIUM
from tests.fakes.desktop.painter import Painter, capturing

pytestmark = [pytest.mark.display, pytest.mark.slow]

PAGE = """<title>scene</title><style>button { height: 40px; width: 300px; display: block; margin: 4px }</style>
<button onclick="1">idle</button>
<button onclick="alert('Wrong alert words')">alert</button>
<button onclick="confirm('Really delete it?')">confirm</button>
<button onclick="native.showModal()">native</button>
<button onclick="aria.hidden = false; ok.focus()">aria</button>
<button onclick="told.textContent = 'Error: no such file'">filled</button>
<button onclick="state.textContent = 'Saving failed'">status</button>
<button onclick="add()">added</button>
<dialog id=native><p>Could not open the dialog file</p><button onclick="native.close()">Close</button></dialog>
<div id=aria role=alertdialog aria-label=Trouble hidden><p>The server refused</p>
<button id=ok onclick="aria.hidden = true">OK</button></div>
<div id=told role=alert></div><div id=state role=status></div>
<script>
function add() {
  const note = document.createElement("div");
  note.setAttribute("role", "alert");
  note.textContent = "Error: added later";
  document.body.append(note);
}
function place() {  // the title says where the buttons are
  const left = window.mozInnerScreenX ?? screenX, top = window.mozInnerScreenY ?? screenY + outerHeight - innerHeight;
  const box = one => one.getBoundingClientRect();
  document.title = "at " + [...document.querySelectorAll("body > button")].map(one => one.textContent + ":" +
    Math.round(left + box(one).x + 150) + "," + Math.round(top + box(one).y + 20)).join(" ");
}
addEventListener("load", () => setTimeout(place, 2000));
</script>"""


START_S = 90.0
HELD_S = 0.09
PERSON_S = 2.5


class Page:
    """The page in a browser, and where its buttons are."""

    def __init__(self, desktop: VirtualDesktop, folder: Path, painter: Painter, browser: str) -> None:
        page, profile = folder / "page.html", folder / "profile"
        page.write_text(PAGE)
        profile.mkdir()
        if browser == "chromium":
            argv = [*CHROMIUM, f"--user-data-dir={profile}", str(page)]
        else:
            argv = [browser, "--no-remote", "--profile", str(profile), page.as_uri()]
        desktop.spawn(argv, browser)
        windows = Windows(painter.display)
        windows.wait(title="at idle", timeout_s=START_S)
        SystemClock().sleep_s(8.0)  # until it has come to rest
        places = windows.wait(title="at idle").title.split()[1:9]
        self._points = {name: tuple(map(int, at.split(","))) for name, at in (place.split(":") for place in places)}
        self._painter = painter

    def click(self, name: str) -> None:
        x, y = self._points[name]
        self._painter.move(x - 5, y)
        SystemClock().sleep_s(0.2)
        self._painter.click(x, y, held_s=HELD_S)
        SystemClock().sleep_s(PERSON_S)

    def leave(self, key: str) -> None:
        self._painter.key(key)
        SystemClock().sleep_s(PERSON_S)


def summary(records: list[Record]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for row in records:
        if isinstance(row, ControlAct) and row.what == "pressed":
            found.append(("pressed", row.name or ""))
        elif isinstance(row, DialogSeen):
            found.append(("dialog", row.about, row.text or ""))
        elif isinstance(row, MessageSeen):
            found.append(("message", row.about, row.text or ""))
    return found


@pytest.mark.parametrize("browser", ["chromium", "firefox-esr"])
def test_what_a_page_says_is_understood(
    desktop: VirtualDesktop, painter: Painter, tmp_path: Path, browser: str
) -> None:
    """Each button is an act with what came of it; a button that says nothing leaves the act alone (the control)."""
    error, question = str(MessageClass.ERROR), str(MessageClass.QUESTION)
    dialogs: dict[str, tuple[str, tuple[str, ...]]] = {
        "alert": ("Escape", ("dialog", error, "Wrong alert words")),
        "confirm": ("Escape", ("dialog", question, "Really delete it?")),
        "native": ("Escape", ("dialog", error, "Could not open the dialog file")),
        "aria": ("Return", ("dialog", error, "The server refused")),
    }
    messages: dict[str, tuple[str, ...]] = {
        "filled": ("message", error, "Error: no such file"),
        "status": ("message", error, "Saving failed"),
        "added": ("message", error, "Error: added later"),
    }
    came: dict[str, list[tuple[str, ...]]] = {}
    with capturing(desktop, controls=True) as capture:
        capture.until(lambda: capture.of(Sense), "the sense")
        page = Page(desktop, tmp_path, painter, browser)
        page.click("idle")  # the first click wakes what was not asked before
        for name in ("idle", *dialogs, *messages):
            since = len(capture.records)
            page.click(name)
            came[name] = summary(capture.of(Record)[since:])
            if name in dialogs:
                page.leave(dialogs[name][0])
    if browser == "chromium":  # of its own dialogs it says the title, and what the page asks where it is quick enough
        for name in ("alert", "confirm"):
            pressed, (kind, about_it, text) = came.pop(name)
            assert (pressed, kind) == (("pressed", name), "dialog")
            _, about, words = dialogs.pop(name)[1]
            assert (about_it, text) in (
                (str(MessageClass.OTHER), "This page says"),
                (about, f"This page says\n{words}"),
            )
    expected: dict[str, list[tuple[str, ...]]] = {"idle": [("pressed", "idle")]}
    expected |= {name: [("pressed", name), dialog] for name, (_, dialog) in dialogs.items()}
    expected |= {name: [("pressed", name), message] for name, message in messages.items()}
    assert came == expected
