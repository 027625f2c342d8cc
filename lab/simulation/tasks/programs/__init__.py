"""The programs with tasks; `registry` lists them all.

`app_program` shows the applications of `apps` in a toolkit, one module each here; `debian` has programs of Debian.
"""
