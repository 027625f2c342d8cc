"""LibreOffice with tasks: each is a program of behaviors (`evaluation.simulation.programs`) and wrong ideas of it.

Spreadsheet, slides and text; what they share is `evaluation.simulation.programs.office`.
"""
