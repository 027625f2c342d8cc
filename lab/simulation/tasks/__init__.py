"""People with a task in a program: what they want, the ways that do it, and the ways that look right and do not.

Trouble here comes from the program and a wrong idea of it, not from a script of gestures: a button that does nothing
yet, a value that is refused, an error that returns. Imports `lab.simulation` and `demo.virtual_desktop` only. Begin
with `task`, what a program offers, and `task_file`, which reads it from a file in `programs/data`; `stuck` and `calm`
act tasks out, `plan` puts them in order for a session, and `registry` lists the programs.
"""

__all__ = ["acting", "plan", "registry", "task", "task_file"]
