"""A form with a name and a password, drawn with Qt: `python -m tests.fakes.desktop.password_form [kept]`.

The field with the keyboard is magenta, so that a search of pictures finds it wherever it was not covered. With "kept"
it is so while it holds a text, and a button after it shows that text, or hides it again.
"""

import sys

from PySide6.QtWidgets import QApplication, QFormLayout, QLineEdit, QPushButton, QWidget

MAGENTA = "{ background: #ff00ff; color: #ff00ff }"


def _add_reveal(rows: QFormLayout, secret: QLineEdit) -> None:
    reveal = QPushButton("Show")
    reveal.setCheckable(True)
    modes = {True: QLineEdit.EchoMode.Normal, False: QLineEdit.EchoMode.Password}
    reveal.toggled.connect(lambda on: secret.setEchoMode(modes[on]))
    rows.addRow(reveal)
    secret.textChanged.connect(lambda text: secret.setStyleSheet(f"QLineEdit {MAGENTA}" if text else ""))


if __name__ == "__main__":
    is_kept = sys.argv[1:] == ["kept"]
    application = QApplication(sys.argv[:1])
    application.setApplicationName("loginform")
    form = QWidget()
    form.setWindowTitle("Login")
    marked = "" if is_kept else f" QLineEdit#secret:focus {MAGENTA}"
    form.setStyleSheet("QLineEdit { min-height: 40px }" + marked)
    rows = QFormLayout(form)
    name, secret, button = QLineEdit(), QLineEdit(), QPushButton("Log in")
    secret.setObjectName("secret")
    secret.setEchoMode(QLineEdit.EchoMode.Password)
    rows.addRow("Name", name)
    rows.addRow("Password", secret)
    if is_kept:
        _add_reveal(rows, secret)
    rows.addRow(button)
    form.resize(500, 300)
    form.show()
    name.setFocus()
    sys.exit(application.exec())
