"""Whether people's words find the commands of programs, and what is made for that.

Imports `daemon.help` and `lab.measure`. `vectors` makes the file of `daemon.help.meaning`.
"""
