"""A form with a name and a password, drawn with GTK 4 as a program of its own, by the system's Python.

`/usr/bin/python3 tests/fakes/desktop/gtk4_form.py KIND [kept]`: "entry" is a password entry, "shown" one that shows its
text, and "hidden" an entry that hides it: only its label says that it is one. With the keyboard it is magenta, with
"kept" always.
"""

import sys

import gi  # not among our dependencies: it comes with the system's Python

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gtk  # noqa: E402  # only after the version is chosen

STYLE = ".secret:focus-within, .secret:focus-within text { background: #ff00ff; color: #ff00ff }"
KEPT = ".secret, .secret text { background: #ff00ff; color: #ff00ff }"


def _field(kind: str) -> Gtk.Widget:
    if kind == "hidden":
        return Gtk.Entry(visibility=False)
    field = Gtk.PasswordEntry(show_peek_icon=True)
    if kind == "shown":
        field.get_delegate().set_visibility(True)
    return field


def _open(application: Gtk.Application, kind: str) -> None:
    style = Gtk.CssProvider()
    style.load_from_data((KEPT if sys.argv[2:] == ["kept"] else STYLE).encode())
    Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), style, Gtk.STYLE_PROVIDER_PRIORITY_USER)
    rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12, margin_top=40, margin_start=40, margin_end=40)
    secret = _field(kind)
    secret.add_css_class("secret")
    name = Gtk.Entry()
    label = Gtk.Label(label="_Password", use_underline=True, mnemonic_widget=secret)
    for item in (Gtk.Label(label="Name"), name, label, secret, Gtk.Button(label="Log in")):
        rows.append(item)
    window = Gtk.ApplicationWindow(application=application, title="Login", child=rows)
    window.set_default_size(500, 300)
    window.present()
    name.grab_focus()


if __name__ == "__main__":
    program = Gtk.Application(application_id="org.example.LoginForm")
    program.connect("activate", _open, sys.argv[1])
    sys.exit(program.run(sys.argv[:1]))
