"""Work in Mousepad, a plain text editor: writing notes fluently, and five ways of getting stuck in it.

As root Mousepad shows a banner that pushes the text down; nothing in its file points at a line more exactly than that.
"""

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import heading, sentence
from demo.virtual_desktop.windows import poll
from demo.work import ScriptedWork
from storage.clock import SystemClock
from storage.records import Box


class MousepadWork(ScriptedWork):
    """Notes in a text file."""

    app = "mousepad"

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Mousepad with a file of two lines, at a size and place of the seed's choice."""
        rng = self._rng
        path = desktop.directory / "home" / "notes.txt"
        path.write_text(f"{heading(rng)}\n{sentence(rng)}\n")
        desktop.spawn(["mousepad", str(path)], "mousepad")
        window = desktop.windows.wait("mousepad", "notes.txt", timeout_s=60)
        wanted = Box(rng.randint(420, 600), rng.randint(90, 190), rng.randint(1180, 1260), rng.randint(740, 820))
        self.acts.box = desktop.windows.place(window, wanted).box
        poll(lambda: desktop.windows.is_active(window), what="activating Mousepad")
        SystemClock().sleep_s(0.5)  # the first layout after a resize is not announced by anything
