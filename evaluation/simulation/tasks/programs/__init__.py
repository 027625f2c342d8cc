"""The programs with tasks; `registry` lists them all.

`app_program` shows the applications of `apps` in a toolkit; other modules are programs of the distribution.
"""
