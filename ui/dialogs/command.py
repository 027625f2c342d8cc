"""What a command of ours prints that changes nothing, in a window: for sentences that name it."""

import sys

from PySide6.QtCore import QProcess
from PySide6.QtGui import QFontDatabase

from storage.translation import tr
from ui.dialogs.window import AskedWindow
from ui.views.timeline import READING
from ui.widgets import make_text_frame, make_wide_button

COMMAND = (sys.executable, "-m", "daemon.cli.main")
ACROSS, DOWN = 96, 26  # characters
MOST_CHARACTERS = 100_000


class CommandWindow(AskedWindow):
    """Runs the command in a process of its own, which ends with the window."""

    def __init__(self, title: str, words: str) -> None:
        """Lay the window out, hidden; show it with `appear`. `words` are those of the command, after `kairos`."""
        super().__init__(title)
        self._text = make_text_frame(tr(READING), title)
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPointSizeF(self.font().pointSizeF())  # as large as the person has text
        self._text.setFont(fixed)
        self.column.addWidget(self._text, 1)
        self.add_buttons(make_wide_button(tr("&Close"), "close", "primary", self.accept, default=True))
        self.resize(ACROSS * self.fontMetrics().averageCharWidth(), DOWN * self.fontMetrics().height())
        self._process = QProcess(self)
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.setWorkingDirectory("/")
        self._process.finished.connect(self._show)
        self._process.errorOccurred.connect(self._show)
        self._process.start(COMMAND[0], [*COMMAND[1:], *words.split()])

    def _show(self) -> None:
        said = bytes(self._process.readAll().data()).decode(errors="replace")
        said = said[:MOST_CHARACTERS] + "\n…" * (len(said) > MOST_CHARACTERS)
        self._text.setPlainText(said or self._process.errorString())

    def done(self, result: int) -> None:
        """Close, and end the command."""
        self._process.blockSignals(True)
        self._process.kill()
        self._process.waitForFinished()
        super().done(result)
