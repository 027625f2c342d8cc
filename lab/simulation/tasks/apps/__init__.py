"""Applications made for simulated people: forms, logins, searches, wizards, tables, each with its own ways to fail.

What an application does is decided here, in the process that plays the session, so that its answers are known without
looking at the screen. `views` show it in Qt, GTK or a browser. Begin with `model`; `server` connects the two; every
other module is one application. Imports nothing of the desktop.
"""

__all__ = ["catalog", "login", "model", "server", "settings", "signup", "snippets", "stock", "wizard"]
