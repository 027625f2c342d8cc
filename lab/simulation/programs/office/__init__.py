"""LibreOffice with tasks: spreadsheet, slides and text, driven by keys, clicks and the boxes of their controls.

Begin with `document`, what the three share.
"""

__all__ = ["files"]
