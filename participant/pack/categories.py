"""What kind of program an application is: the only thing about it that travels, and only if the person agreed."""

from functools import cache
from importlib.resources import files

from participant.documents.rows import Category

_TABLE = "categories.txt"


@cache
def _table() -> tuple[dict[str, Category], tuple[tuple[str, Category], ...]]:
    """Return whole names, and the beginnings of names (written with `*` at their end), the longest first."""
    whole: dict[str, Category] = {}
    begins: dict[str, Category] = {}
    for line in (files("participant.documents") / "data" / _TABLE).read_text(encoding="ascii").splitlines():
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        category, _, names = entry.partition(":")
        for name in names.split():
            if name.endswith("*"):
                begins[name[:-1]] = Category(category)
            else:
                whole[name] = Category(category)
    return whole, tuple(sorted(begins.items(), key=lambda item: (-len(item[0]), item[0])))


def category_of(app: str) -> Category:
    """Return the category of an application, by its window class; `OTHER` if the table does not list it."""
    name = app.casefold()
    whole, begins = _table()
    found = whole.get(name)
    if found is not None:
        return found
    return next((category for start, category in begins if name.startswith(start)), Category.OTHER)
