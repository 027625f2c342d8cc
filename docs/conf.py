"""How Sphinx builds the pages: `packaging/build-docs.sh`.

The source folder is the root of the repository, so that links between docs/, README and the others are the same files
whether they are read as Markdown or as pages. Nothing is fetched, neither now nor when the pages are read.
"""

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
html_show_search_summary = False  # a browser may not fetch a page for it from a folder
html_theme_options = {"top_of_page_buttons": []}
