"""Text read off the picture of a window that says nothing of its controls. Needs the extra "ocr".

Begin with `reading`, which starts `child` for each picture and ends it.
"""

__all__ = ["reading"]
