"""The pages are built without a warning and fetch nothing; needs the extra `docs` (packaging/build-docs.sh)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//|url\([\"']?(?:https?:)?//|@import"
)


def build(source: Path, out: Path) -> subprocess.CompletedProcess[str]:
    options = ("--quiet", "--fail-on-warning", "--keep-going", "--fresh-env", "--nitpicky")
    folders = ("--conf-dir", str(ROOT / "docs"), "--doctree-dir", str(out / "trees"), str(source), str(out / "pages"))
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *options, *folders], cwd=source, capture_output=True, text=True, check=False
    )


def test_the_pages_are_built_and_fetch_nothing(tmp_path: Path) -> None:
    built = build(ROOT, tmp_path)
    assert (built.returncode, built.stderr) == (0, "")
    pages = tmp_path / "pages"
    names = {page.relative_to(pages).with_suffix("").as_posix() for page in pages.rglob("*.html")}
    assert names >= {"docs/index", "docs/first-steps", "docs/privacy", "docs/commands", "README", "search"}
    files = [path for path in pages.rglob("*") if path.suffix in {".html", ".css"}]
    assert [path.name for path in files if FETCHED.search(path.read_text(encoding="utf-8"))] == []
    assert "Search.setIndex(" in (pages / "searchindex.js").read_text(encoding="utf-8")
    assert "Stop watching for a while" in (pages / "_static" / "excerpts.js").read_text(encoding="utf-8")
    named = [page.name for page in pages.rglob("*.html") if "excerpts.js" in page.read_text(encoding="utf-8")]
    assert named == ["search.html"]


def test_what_would_be_fetched_is_found() -> None:
    """The control of the pattern; a link that somebody follows is no fetch."""
    assert FETCHED.search('<link rel="stylesheet" href="https://fonts.example/x.css">')
    assert FETCHED.search('<script async src="//cdn.example/x.js">')
    assert FETCHED.search("body { background: url('https://example/x.png') }")
    assert not FETCHED.search('<a href="https://example">there</a> <img src="_images/x.png">')


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ("", ""),
        ("[gone](gone.md)", "gone.md"),
        ("[nowhere](#nowhere)", "nowhere"),
        ("![no picture](pictures/none.png)", "image file not readable"),
        ("[old heading](other.md#old)", "old"),
        ("<!-- a page in no list -->", "isn't included in any toctree"),
    ],
)
def test_a_broken_page_is_refused(tmp_path: Path, planted: str, said: str) -> None:
    """The control: a link, an anchor or a picture that is not there, and a page that no list of contents has."""
    docs = tmp_path / "source" / "docs"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text(f"# Pages\n\n{planted}\n\n```{{toctree}}\nother\n```\n")
    (docs / "other.md").write_text("# Other\n\n## New\n")
    if "no list" in planted:
        (docs / "alone.md").write_text("# Alone\n")
    built = build(docs.parent, tmp_path)
    assert (built.returncode == 0) is (said == "")
    assert said in built.stderr
