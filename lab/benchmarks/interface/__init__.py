"""How soon what people see of Kairos is there, and what it costs: timeline, card, tray, settings, and their thread.

Imports `demo.virtual_desktop`. Begin with `benchmark`. `inside` is loaded by the
measured Kairos, `paint_watch` sees its windows as the X server does, and `day` writes a simulated day.
"""
