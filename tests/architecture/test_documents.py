"""Documents that name tests: the maps of promises and of threats, and the examples of what to add."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROMISES = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
THREATS = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def all_test_names() -> set[str]:
    files = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in files for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)}


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of the rows of a page's tables, without heads."""
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return [cells for cells in lines if cells[0] not in ("promise", "what holds", "to add")]


def test_every_promise_names_tests_that_exist() -> None:
    """No promise without a test, and no test that is gone."""
    named = [re.findall(r"`(test_\w+)`", cells[-1]) for cells in rows_of(PROMISES)]
    assert len(named) >= 20
    assert all(named)
    assert {name for names in named for name in names} - all_test_names() == set()


def test_every_line_about_a_threat_names_tests_that_exist() -> None:
    """Every source of harm has its table, and what no test proves stands apart, without one."""
    proven, _, unproven = THREATS.partition("\n## Not yet proven\n")
    tables = [rows_of(section) for section in proven.split("\n## ")[1:]]
    named = [re.findall(r"`(test_\w+)`", cells[-1]) for rows in tables for cells in rows]
    assert len(tables) == 7
    assert all(tables)
    assert all(named)
    assert {name for names in named for name in names} - all_test_names() == set()
    assert "\n- " in unproven
    assert "`test_" not in unproven


def promises_without_a_row(readme: str) -> set[str]:
    """Return the bold sentences of "What you can rely on" that begin no row of the map of promises."""
    section = readme.partition("## What you can rely on")[2].partition("\n## ")[0]
    points = [point for point in section.split("\n- ")[1:] if point.strip()]
    bold = [re.match(r"\*\*(.+?)\*\*", point, re.DOTALL) for point in points]
    assert all(bold), "every point begins with its promise in bold"
    found = {" ".join(match[1].split()).rstrip(".,") for match in bold if match}
    assert len(found) >= 8
    promised = [cells[0].lower() for cells in rows_of(PROMISES)]
    return {text for text in found if not any(row.startswith(text.lower()[:14]) for row in promised)}


def test_every_promise_of_the_readme_has_its_row() -> None:
    """No sentence that people rely on is without its tests."""
    assert promises_without_a_row(README) == set()


def test_a_promise_without_a_row_is_found() -> None:
    """The control: one more promise in the README, also one that is broken over two lines, has no row."""
    head = "## What you can rely on\n\n"
    more = README.replace(head, f"{head}- **It never sleeps.** Ever.\n- **It makes\n  coffee,** too.\n")
    assert promises_without_a_row(more) == {"It never sleeps", "It makes coffee"}


def test_every_recipe_is_a_test_and_names_what_exists() -> None:
    """The nine recipes lead to test files, and to the files in which one line is added."""
    rows = rows_of(CONTRIBUTING)
    assert len(rows) == 9
    paths = {
        path for cells in rows for cell in cells for path in re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)`", cell)
    }
    assert sum(path.startswith("tests/") for path in paths) == 9
    assert {path for path in paths if not (ROOT / path).exists()} == set()
