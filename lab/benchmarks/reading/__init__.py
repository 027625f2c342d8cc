"""What reading the commands of real programs takes: the same capture, sense and adapter as in the daemon.

Begin with `benchmark`. May import `daemon.capture`, `demo.virtual_desktop` and `lab.measure`.
"""
