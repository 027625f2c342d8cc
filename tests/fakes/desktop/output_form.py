"""An editor with an output beside it, in Qt, which cannot be written to: `python -m tests.fakes.desktop.output_form`.

F5 runs what is written and ends with an error, F6 with none.
"""

import sys

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit, QSplitter

ERROR = "NameError: name 'tax' is not defined: marker-output"

if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    application.setApplicationName("outputform")
    window = QMainWindow()
    window.setWindowTitle("Output form")
    parts, code, output = QSplitter(), QPlainTextEdit(), QPlainTextEdit()
    output.setReadOnly(True)
    parts.addWidget(code)
    parts.addWidget(output)
    window.setCentralWidget(parts)

    def run(ending: str) -> None:
        output.appendPlainText(f"running\n{ending}")

    QShortcut(QKeySequence("F5"), window).activated.connect(lambda: run(f"{ERROR}\nExit code: 1"))
    QShortcut(QKeySequence("F6"), window).activated.connect(lambda: run("total 9.75\nExit code: 0"))
    window.resize(700, 400)
    window.show()
    code.setFocus()
    sys.exit(application.exec())
