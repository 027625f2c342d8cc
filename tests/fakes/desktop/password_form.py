"""A form with a name and a password, drawn with Qt: `python -m tests.fakes.desktop.password_form`.

The field with the keyboard is magenta, so that a search of pictures finds it wherever it was not covered.
"""

import sys

from PySide6.QtWidgets import QApplication, QFormLayout, QLineEdit, QPushButton, QWidget

if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    application.setApplicationName("loginform")
    form = QWidget()
    form.setWindowTitle("Login")
    form.setStyleSheet("QLineEdit { min-height: 40px } QLineEdit#secret:focus { background: #ff00ff; color: #ff00ff }")
    rows = QFormLayout(form)
    name, secret, button = QLineEdit(), QLineEdit(), QPushButton("Log in")
    secret.setObjectName("secret")
    secret.setEchoMode(QLineEdit.EchoMode.Password)
    rows.addRow("Name", name)
    rows.addRow("Password", secret)
    rows.addRow(button)
    form.resize(500, 300)
    form.show()
    name.setFocus()
    sys.exit(application.exec())
