"""What the programs of the scenes share: pieces of calm work and attempts in vain, by name, as their files say.

A file in `programs/data` holds, beside what `demo.acts` reads: `calm` and `in_vain` (acts, by the kind of scene),
`fluent` (an act that is done before), `begin` (steps before that), `files` in the person's folder (with `lines` of a
`line`, or a `text`), `once` (what is drawn for the whole scene), and how the program is started.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from demo.acts import Act, ActPlayer
from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.clock import NS_PER_S
from storage.records import Box

DATA = Path(__file__).parent / "programs" / "data"


class SceneProgram(Protocol):
    """A program in which scenes are played."""

    in_vain: Mapping[str, Act]
    """One attempt in vain, for each kind of trouble."""
    calm: Mapping[str, Act]
    """One piece of calm work, for each kind of look-alike."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it and wait until it takes input."""

    def begin(self, seconds: float) -> None:
        """Work fluently for so long, before trouble begins."""


def work_fluently(user: DemoUser, seconds: float, piece: Act) -> None:
    """Do a piece of calm work again and again for about `seconds`."""
    user.log.write("phase", name="fluent")
    end_ns = user.clock.now_ns() + int(seconds * NS_PER_S)
    while user.clock.now_ns() < end_ns:
        piece()
        user.read(0.5, 1.5)


class WindowScenes:
    """Scenes in one window of one program, played by its file."""

    def __init__(
        self,
        user: DemoUser,
        name: str,
        *,
        command: Sequence[str] = (),
        app: str = "",
        size: tuple[int, int] | None = None,
        values: Mapping[str, str] | None = None,
        verbs: Mapping[str, Callable[[str], object]] | None = None,
    ) -> None:
        """Let `user` play the scenes of a file; `values` differ between programs that share one."""
        self._user, self._hands, self._rng = user, user.hands, user.rng
        looks: Mapping[str, Callable[[str], object]] = {
            "up_and_down": lambda _: scroll_up_and_down(user),
            "look_back": lambda _: look_back_once(user),
            "read_twice": lambda _: read_twice(user),
        }
        self.acts = ActPlayer(user, DATA / f"{name}.toml", {**looks, **(verbs or {})})
        facts = self.acts.facts
        self.acts.values |= {key: self._rng.choice(words) for key, words in facts.get("once", {}).items()}
        self.acts.values |= values or {}
        self.in_vain: Mapping[str, Act] = {kind: self.acts.act(act) for kind, act in facts["in_vain"].items()}
        self.calm: Mapping[str, Act] = {kind: self.acts.act(act) for kind, act in facts["calm"].items()}
        self._command = [*(command or facts.get("command", ()))]
        self._app = app or facts.get("app", "")
        self._size = size

    def open(self, desktop: VirtualDesktop) -> None:
        """Write the files, start the program in the person's folder, and place its window somewhere.

        Raises:
            EnvironmentFault: it is not installed, or its window did not come.
        """
        self.write_files(desktop)
        desktop.spawn(self._command, self._app, cwd=desktop.directory / "home")
        self.place(desktop, desktop.windows.wait(self._app, timeout_s=60))

    def write_files(self, desktop: VirtualDesktop) -> None:
        """Write what the file says into the person's folder."""
        for name, content in self.acts.facts.get("files", {}).items():
            path = desktop.directory / "home" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [self.acts.fill(content["line"]) for _ in range(self.acts.count(content.get("lines", "0")))]
            path.write_text(content.get("text", "").lstrip() or "".join(f"{line}\n" for line in lines))

    def place(self, desktop: VirtualDesktop, window: WindowInfo) -> None:
        """Place the window somewhere, of its own size or the one that is wanted, and wait until it is in front."""
        width, height = self._size or (window.box.w, window.box.h)
        box = Box(self._rng.randint(100, 500), self._rng.randint(50, 140), width, height)
        window = desktop.windows.place(window, box)
        self.acts.box = window.box
        poll(lambda: desktop.windows.is_active(window), what=f"activating {window.app}")

    def begin(self, seconds: float) -> None:
        """Work fluently."""
        self.acts.run(self.acts.facts.get("begin", ()))
        work_fluently(self._user, seconds, self.acts.act(self.acts.facts["fluent"]))


def scroll_up_and_down(user: DemoUser) -> None:
    """Look for a passage further down, a view at a time, and on the same views on the way back up."""
    steps = [user.rng.randint(2, 4) for _ in range(user.rng.randint(2, 3))]
    for step in [*(-step for step in steps), *reversed(steps)]:
        user.hands.scroll(step)
        user.read(1.0, 2.5)


def look_back_once(user: DemoUser) -> None:
    """Read on for some views, and look at the one before once more."""
    for step in [-3] * user.rng.randint(2, 4):
        user.hands.scroll(step)
        user.read(3.0, 6.0)
    user.hands.scroll(3)
    user.read(1.5, 3.5)
    user.hands.scroll(-3)


def read_twice(user: DemoUser) -> None:
    """Read some views, go back to where they began, read them once more, and go on."""
    views = user.rng.randint(3, 5)
    for _ in range(2):
        for _ in range(views):
            user.read(2.0, 4.0)
            user.hands.scroll(-3)
        user.hands.scroll(3 * views)
    user.hands.scroll(-3 * views)
