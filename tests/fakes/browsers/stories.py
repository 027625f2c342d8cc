"""What is done with real browsers on a stage: the same scripts drive the tests and the recording of scenes.

A label says what a window really is: "ordinary" ones show no private page, "private" ones and what belongs to them do,
"program" ones belong to the browser as a whole while a private window is open.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from demo.virtual_desktop.windows import poll
from tests.fakes.browsers.programs import Browser, Chromium, Firefox
from tests.fakes.browsers.stage import MARK, ORDINARY, PAGE, PANEL, POPUP, VIDEO, BrowserStage

HOSTILE: Sequence[str] = (
    f"New Tab - {MARK}",
    f"{MARK} - Chromium",
    f"{MARK} — Mozilla Firefox",
    f"{MARK} — Mozilla Firefox — Mozilla Firefox",
    "Mozilla Firefox",
    "Chromium",
    "New Tab",
    "New Tab - Chromium",
    f"{MARK} — Mozilla Firefox" + " " * 400,
    f"{MARK} — Mozilla Firefox" + "\N{NO-BREAK SPACE}" * 200,
    f"{MARK} — Mozilla Firefox\N{RIGHT-TO-LEFT OVERRIDE}",
    f"\N{RIGHT-TO-LEFT OVERRIDE}xoferiF allizoM — {MARK}",
    f"\N{RIGHT-TO-LEFT ISOLATE}{MARK} — Mozilla Firefox",
    f"{MARK} — Mozilla Firefox\0",
    f"{MARK} — Mozilla Firefox\n",
    f"{MARK} — Mozilla Firefox\x1b",
    f"{MARK} — Mozilla Firefox\x7f\x01",
    f"{MARK} — Mozilla Firefox\u2028\u2029",
    f"{MARK} — Mozilla Firefox\u200b\u2060\ufeff",
    f"{MARK} — Mozilla Firefox\ud800",
    f"{MARK} " + "x" * 5000,
    f"{MARK} " + "x" * 5000 + " — Mozilla Firefox",
    f"{MARK} " + "\N{PILE OF POO}" * 2500 + " — Mozilla Firefox",
    f"{MARK} " + "a\N{COMBINING ACUTE ACCENT}" * 2000 + " — Mozilla Firefox - Chromium",
)
"""Titles by which a page might make its private window look like an ordinary one."""


def open_ordinary(stage: BrowserStage, browser: Browser, name: str = "plain") -> None:
    with stage.opening("ordinary", f"{name} page"):
        browser.open(stage.pages.url(name, ORDINARY, f"{name} page"))
        stage.pages.wait(name, "shown")


def open_private(stage: BrowserStage, browser: Browser, title: str, act: str = "none", then: str | int = "") -> str:
    """Open a private page, in a new window where the browser makes one; return its name."""
    name = f"{MARK}-{title.replace(' ', '-')}"
    with stage.opening("private", title if act == "none" else ""):
        url = stage.pages.url(name, PAGE, f"{title} {MARK}", act=act, then=then, titles=HOSTILE)
        browser.open(url, private=True)
        stage.pages.wait(name, "shown")
        stage.window(title)
    stage.shown(PAGE)
    return name


def hostile_titles(stage: BrowserStage, name: str, title: str) -> None:
    stage.click(title)
    stage.pages.wait(name, "click")
    for number in range(len(HOSTILE)):
        stage.hands.key("t")
        stage.pages.wait(name, f"key {number + 1}")
        stage.frame()


def firefox_windows(stage: BrowserStage) -> None:
    pages, hands = stage.pages, stage.hands
    firefox = Firefox(stage.desktop)
    open_ordinary(stage, firefox)
    stage.shown(ORDINARY)
    popup = pages.url(f"{MARK}-popup", POPUP, f"popped {MARK}")
    opener = open_private(stage, firefox, "opener", "popup", popup)
    with stage.opening("private", "popped"):
        stage.click("opener")
        pages.wait(opener, "click")
        pages.wait(f"{MARK}-popup", "shown")
    stage.shown(POPUP)
    stage.close("popped")
    with stage.opening("private"):
        box = stage.front("opener").box
        hands.menu(box.x + 300, box.y + 300)
        stage.popup()
    hands.key("Escape")
    stage.front("opener")
    with stage.opening("private", "Page Info"):
        hands.chord("Control_L", "i")
        stage.window("Page Info")
    stage.close("Page Info")
    for act, dialog in (("file", "File Upload"), ("alert", ""), ("print", "")):
        name = open_private(stage, firefox, f"{act} dialog", act)
        with stage.opening("private", dialog):
            stage.click(f"{act} dialog")
            if act != "print":
                poll(lambda: stage.pages.count(name, "click") or dialog, what="a click")  # noqa: B023
            if dialog:
                stage.window(dialog)
        stage.frame()
        hands.key("Escape")
        if dialog:
            stage.desktop.windows.wait_gone(title=dialog)


def firefox_panels(stage: BrowserStage) -> None:
    """Watch a private video in a panel with its window minimised; open what belongs to the program as a whole."""
    pages, hands = stage.pages, stage.hands
    firefox = Firefox(stage.desktop)
    open_ordinary(stage, firefox)
    film = open_private(stage, firefox, "film", "video", VIDEO)
    pages.wait(film, "playing")
    stage.front("film")
    with stage.opening("private", "Picture-in-Picture"):
        hands.chord("Control_L", "Shift_L", "bracketright")
        stage.window("Picture-in-Picture")
    stage.shown(VIDEO)
    minimised = stage.minimise("film")
    stage.shown(VIDEO)
    stage.front("plain page")
    stage.shown(VIDEO)
    with stage.opening("program", "Library"):
        hands.chord("Control_L", "Shift_L", "o")
        stage.window("Library")
    stage.close("Library")
    stage.front("plain page")
    with stage.opening("program", "Console"):
        hands.chord("Control_L", "Shift_L", "j")
        stage.window("Console")
    stage.close("Console")
    stage.close("Picture-in-Picture")
    stage.restore(minimised)
    stage.shown(PAGE)
    stage.close("film")
    stage.front("plain page")
    stage.shown(ORDINARY)


def firefox_titles(stage: BrowserStage) -> None:
    firefox = Firefox(stage.desktop)
    open_ordinary(stage, firefox)
    name = open_private(stage, firefox, "first")
    hostile_titles(stage, name, "first")
    plain = stage.pages.url("changing", ORDINARY, "changing page", titles=[t.replace(MARK, "pear") for t in HOSTILE])
    with stage.opening("ordinary", "changing page"):
        firefox.open(plain)
        stage.pages.wait("changing", "shown")
    hostile_titles(stage, "changing", "changing page")


def chromium_windows(stage: BrowserStage) -> None:
    pages, hands = stage.pages, stage.hands
    chromium = Chromium(stage.desktop)
    open_ordinary(stage, chromium)
    stage.shown(ORDINARY)
    open_private(stage, chromium, "New Tab - x")
    stage.close("New Tab - x")
    popup = pages.url(f"{MARK}-popup", POPUP, f"popped {MARK}")
    opener = open_private(stage, chromium, "opener", "popup", popup)
    with stage.opening("private", "popped"):
        stage.click("opener")
        pages.wait(opener, "click")
        pages.wait(f"{MARK}-popup", "shown")
    stage.shown(POPUP)
    stage.close("popped")
    with stage.opening("private"):
        box = stage.front("opener").box
        hands.menu(box.x + 300, box.y + 300)
        stage.popup()
    hands.key("Escape")
    stage.front("opener")
    with stage.opening("private"):
        hands.chord("Control_L", "Shift_L", "i")
        stage.capture.clock.sleep_s(3)
        stage.frame()
    stage.close("opener")
    for number, host in enumerate(("127.0.0.1", "crx_x.localhost")):
        name = f"{MARK}-app-{number}"
        with stage.opening("private", f"application {number}"):
            chromium.app(pages.url(name, PANEL, f"application {number} {MARK}", host=host), private=True)
            pages.wait(name, "shown")
        stage.shown(PANEL)
        stage.close(f"application {number}")


def chromium_dialogs(stage: BrowserStage) -> None:
    hands, chromium = stage.hands, Chromium(stage.desktop)
    open_ordinary(stage, chromium)
    for act in ("file", "alert", "print"):
        open_private(stage, chromium, f"{act} dialog", act)
        with stage.opening("private", "Open File" if act == "file" else ""):
            stage.click(f"{act} dialog")
            if act == "file":
                stage.window("Open File")
            else:
                stage.capture.clock.sleep_s(2)
        stage.frame()
        hands.key("Escape")
        if act == "file":
            stage.desktop.windows.wait_gone(title="Open File")
        stage.close(f"{act} dialog")


def chromium_panels(stage: BrowserStage) -> None:
    pages, chromium = stage.pages, Chromium(stage.desktop)
    open_ordinary(stage, chromium)
    for act, colour in (("video", VIDEO), ("document", PANEL)):
        name = open_private(stage, chromium, f"{act} panel", act, colour)
        if act == "video":
            pages.wait(name, "playing")
        with stage.opening("private"):
            stage.click(f"{act} panel")
            pages.wait(name, "pip")
            stage.shown(colour)
        minimised = stage.minimise(f"{act} panel {MARK} - Chromium")
        stage.shown(colour)
        stage.front("plain page")
        stage.shown(colour)
        stage.restore(minimised)
        stage.close(f"{act} panel {MARK} - Chromium")
    stage.front("plain page")
    stage.shown(ORDINARY)


def chromium_titles(stage: BrowserStage) -> None:
    chromium = Chromium(stage.desktop)
    open_ordinary(stage, chromium)
    name = open_private(stage, chromium, "first")
    hostile_titles(stage, name, "first")


def chromium_begun_private(stage: BrowserStage) -> None:
    chromium = Chromium(stage.desktop)
    open_private(stage, chromium, "begun")


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A script and what it shows: `colours` are those of private pages, `proves` whether ordinary ones are recorded."""

    play: Callable[[BrowserStage], None]
    colours: Sequence[int] = (PAGE,)
    proves: bool = False


STORIES: Mapping[str, Story] = {
    "firefox_windows": Story(play=firefox_windows, colours=(PAGE, POPUP), proves=True),
    "firefox_panels": Story(play=firefox_panels, colours=(PAGE, VIDEO), proves=True),
    "firefox_titles": Story(play=firefox_titles, proves=True),
    "chromium_windows": Story(play=chromium_windows, colours=(PAGE, POPUP, PANEL)),
    "chromium_dialogs": Story(play=chromium_dialogs),
    "chromium_panels": Story(play=chromium_panels, colours=(PAGE, VIDEO, PANEL)),
    "chromium_titles": Story(play=chromium_titles),
    "chromium_begun_private": Story(play=chromium_begun_private),
}
