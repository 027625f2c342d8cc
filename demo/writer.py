"""Work in LibreOffice Writer: writing a text fluently, and five ways of getting stuck in it."""

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.work import ScriptedWork, start_office


class WriterWork(ScriptedWork):
    """A letter or a note of a club."""

    app = "writer"

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Writer with an empty text."""
        self.acts.box = start_office(desktop, "writer").box
