"""LibreOffice with tasks: each is a program of behaviors (`lab.simulation.programs`) and wrong ideas of it.

Spreadsheet, slides and text. Begin with `office_tasks`, what they share as programs with tasks; windows, menus and
search are in `lab.simulation.programs.office`.
"""
