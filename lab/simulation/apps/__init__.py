"""Applications made for simulated people: forms, logins, searches, wizards, tables, each with its own ways to fail.

What an application does is decided here, in the process that plays the session, so that its answers are known without
looking at the screen; it is shown in Qt (`qt`, a process of its own) or in a browser. Begin with `model`; `server`
connects the two, `app_program` operates one, and every other module is one application.
"""
