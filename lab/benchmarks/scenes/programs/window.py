"""What scenes in one window share: a place on the screen, and points within the window."""

from collections.abc import Mapping, Sequence

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.scenes.acting import Act
from storage.records import Box


class WindowScenes:
    """Scenes in one window of one program."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        self._user = user
        self._hands = user.hands
        self._rng = user.rng
        self._box = Box(0, 0, 0, 0)
        self.in_vain: Mapping[str, Act] = {}
        self.calm: Mapping[str, Act] = {}

    def start(
        self, desktop: VirtualDesktop, argv: Sequence[str], app: str, *, size: tuple[int, int] | None = None
    ) -> None:
        """Start the program in the home folder, wait for its window and place it somewhere, of its own size or `size`.

        Raises:
            EnvironmentFault: it is not installed, or its window did not come.
        """
        desktop.spawn(argv, app, cwd=desktop.directory / "home")
        self.place(desktop, desktop.windows.wait(app, timeout_s=60), size)

    def place(self, desktop: VirtualDesktop, window: WindowInfo, size: tuple[int, int] | None) -> None:
        """Place the window somewhere, and wait until it is in front."""
        width, height = size or (window.box.w, window.box.h)
        box = Box(self._rng.randint(100, 500), self._rng.randint(50, 140), width, height)
        window = desktop.windows.place(window, box)
        self._box = window.box
        poll(lambda: desktop.windows.is_active(window), what=f"activating {window.app}")

    def click(self, x: int, y: int) -> None:
        """Click at a point of the window."""
        self._hands.click(self._box.x + x, self._box.y + y)

    def fluent(self, seconds: float, piece: Act) -> None:
        """Do a piece of calm work again and again for about `seconds`."""
        self._user.log.write("phase", name="fluent")
        end_ns = self._user.clock.now_ns() + int(seconds * 1e9)
        while self._user.clock.now_ns() < end_ns:
            piece()
            self._user.read(0.5, 1.5)
