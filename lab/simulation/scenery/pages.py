"""Local pages: templates in `data`, filled and written to a file."""

from collections.abc import Mapping
from pathlib import Path

_DATA = Path(__file__).parent / "data"


def fill_page(template: str, values: Mapping[str, str], path: Path) -> None:
    """Write a page of `data` to `path`, with what stands between at signs replaced by its value."""
    page = (_DATA / template).read_text()
    for name, value in values.items():
        page = page.replace(f"@{name}@", value)
    path.write_text(page)
