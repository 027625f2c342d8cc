"""Pages that commands write: one HTML file each, without scripts and without anything from outside.

May import nothing but the standard library, so that every command can write one. Begin with `page`; `svg` draws the
plots, `intervals` says how well a figure is known. All text is escaped here, so callers hand over plain text.
"""

__all__ = ["page", "svg"]
