"""Generated hostile input; each variant follows from its family and its seed alone.

Begin reading in `families`. About half of a family's variants are valid input with a few things changed, since nonsense
from the first byte on is refused by the first check and tries nothing else.
"""
