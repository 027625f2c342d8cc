"""How Sphinx builds the pages: `packaging/build-docs.sh`.

The source folder is the root of the repository, so that links between docs/, README and the others are the same files
whether they are read as Markdown or as pages. Nothing is fetched, neither now nor when the pages are read.
"""

import json
from pathlib import Path
from typing import Any

project = "Kairos"
author = "the Kairos developers"
project_copyright = ""

extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "*.md",
    "detectors/models/*.md",
    "lab/docs/*.md",
    "lab/logs/README.md",
    "study/docs/*.md",
]
exclude_patterns = [".*", "build", "dist", "demo-out", "tests"]

myst_heading_anchors = 4
language = "en"

html_theme = "furo"
html_title = "Kairos"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = True
html_theme_options = {"top_of_page_buttons": []}

EXCERPTS = "excerpts.js"
"""What the page of the search finds its excerpts in: a browser fetches no page from a folder."""

_FETCH = """const pages = {pages};
window.fetch = async (url) => {{
  const page = pages[url.replace(/^[.][/]/, "").replace(/[.]html$/, "")] ?? "";
  return {{ text: () => `<div role="main">${{page}}</div>` }};
}};
"""


def setup(app: Any) -> None:
    """Have Sphinx write the pages once more, as a script of the page of the search."""
    bodies: dict[str, str] = {}

    def keep(app: Any, name: str, _template: str, context: dict[str, Any], doctree: object) -> None:
        if doctree is not None:
            bodies[name] = context["body"]
        elif name == "search":
            app.add_js_file(EXCERPTS)

    def write(app: Any, failure: object) -> None:
        if failure is not None or app.builder.format != "html":
            return
        script = _FETCH.format(pages=json.dumps(bodies).replace("</", "<\\/"))
        Path(app.outdir, "_static", EXCERPTS).write_text(script, encoding="utf-8")

    app.connect("html-page-context", keep)
    app.connect("build-finished", write)
