"""A window that says on its output which of its shortcuts was used, or which key typed; F12 ends a round.

Run as a program: `python -m tests.fakes.desktop.shortcut_probe`, or with "gtk3" or "gtk4" by the system's Python.
"""

import sys

SHORTCUTS = {
    "undo": "Z",
    "redo": "Y",
    "copy": "C",
    "cut": "X",
    "paste": "V",
    "find": "F",
    "save": "S",
    "select_all": "A",
}
TITLE = "Shortcuts"


def say(word: str) -> None:
    print(word, flush=True)


def show_in_qt() -> None:
    from PySide6.QtGui import QKeySequence, QShortcut
    from PySide6.QtWidgets import QApplication, QWidget

    application = QApplication([])
    window = QWidget()
    window.setWindowTitle(TITLE)
    for name, keys in {**{name: f"Ctrl+{key}" for name, key in SHORTCUTS.items()}, "end": "F12"}.items():
        QShortcut(QKeySequence(keys), window, lambda name=name: say(name))
    QShortcut(QKeySequence("Ctrl+Shift+Z"), window, lambda: say("redo"))
    window.show()
    application.exec()


def show_in_gtk(version: str) -> None:
    import gi  # not among our dependencies: it comes with the system's Python

    gi.require_version("Gtk", version)
    from gi.repository import Gtk

    triggers = {name: f"<Control>{key.lower()}" for name, key in SHORTCUTS.items()} | {"end": "F12"}

    def activate(application: Gtk.Application) -> None:
        window = Gtk.ApplicationWindow(application=application, title=TITLE)
        window.set_default_size(300, 200)
        for name, keys in triggers.items():
            action = gi.repository.Gio.SimpleAction.new(name.replace("_", "-"), None)
            action.connect("activate", lambda *_, name=name: say(name))
            application.add_action(action)
            application.set_accels_for_action(f"app.{name.replace('_', '-')}", [keys])
        window.present()

    application = Gtk.Application()
    application.connect("activate", activate)
    application.run([])


if __name__ == "__main__":
    if sys.argv[1:]:
        show_in_gtk({"gtk3": "3.0", "gtk4": "4.0"}[sys.argv[1]])
    else:
        show_in_qt()
