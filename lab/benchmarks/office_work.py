"""Scripted work in real programs, over and over: what opens them, and what hands do there."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands
from demo.virtual_desktop.sample_text import figure, sentence
from storage.clock import NS_PER_S, SystemClock

_START_S = 90.0
_OFFICE = ("soffice", "--norestore", "--nologo", "--nofirststartwizard")
_CHROMIUM = (
    *("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
_PAGE = """<title>form</title><p><input autofocus> <button onclick="said.textContent = 'Saved'">Save</button></p>
<p><input type=checkbox> <select><option>one<option>two</select></p><p role=status id=said></p>"""

Act = Callable[[Hands], None]


def open_program(desktop: VirtualDesktop, folder: Path, program: str) -> int:
    """Start one of `PROGRAMS`, and return the number of its process once its window is there."""
    if program == "chromium":
        page = folder / "page.html"
        page.write_text(_PAGE, encoding="utf-8")
        process = desktop.spawn([*_CHROMIUM, f"--user-data-dir={folder / 'profile'}", str(page)], program)
        desktop.windows.wait(title="form", timeout_s=_START_S)
    else:
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        process = desktop.spawn([*_OFFICE, profile, f"--{program}"], program)
        window = desktop.windows.wait(title=f"LibreOffice {program.capitalize()}", timeout_s=_START_S)
        desktop.windows.maximise(window)
    return process.pid


def work(hands: Hands, program: str, clock: SystemClock, seconds: float) -> None:
    """Work in one of `PROGRAMS` for so long."""
    until_ns = clock.now_ns() + int(seconds * NS_PER_S)
    while True:
        for act in _ACTS[program]:
            if clock.now_ns() >= until_ns:
                return
            act(hands)
            hands.wait(hands.about(0.6))


def _chords(*keys: str) -> Act:
    """Return an act of chords with a moment between them."""

    def act(hands: Hands) -> None:
        for key in keys:
            hands.chord(key)
            hands.wait(hands.about(0.5))

    return act


_ACTS: Mapping[str, Sequence[Act]] = {
    "writer": (
        lambda hands: hands.text(sentence(hands.rng)),
        _chords("ctrl+b", "ctrl+b", "Return"),
        lambda hands: hands.click(600, 450),
        _chords("ctrl+z", "ctrl+y"),
        _chords("ctrl+h", "Tab", "Escape"),
    ),
    "calc": (
        lambda hands: hands.text(figure(hands.rng)),
        _chords("Return"),
        lambda hands: hands.text(figure(hands.rng)),
        _chords("Tab", "ctrl+z", "ctrl+y"),
        lambda hands: hands.click(500, 420),
        _chords("ctrl+1", "Escape"),
    ),
    "chromium": (
        lambda hands: hands.text(sentence(hands.rng)),
        _chords("Tab", "Return", "Tab", "space", "Tab", "Down", "Up"),
        _chords("shift+Tab", "shift+Tab", "shift+Tab", "ctrl+a"),
    ),
}

PROGRAMS = tuple(_ACTS)
