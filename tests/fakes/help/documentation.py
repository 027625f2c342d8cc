"""A tiny documentation folder in each format, and an index of it."""

from pathlib import Path

from daemon.help.library.documentation import Documentation, own_documentation
from daemon.help.library.index import IndexReport, LibraryIndex
from storage.files import library_file

HTML = """<!DOCTYPE html><html><head><title>Freezing rows</title><script>steal()</script></head><body>
<meta itemprop="keywords" content="headers, keeping in sight"><h1>Freezing rows</h1>
<p>Rows &amp; columns can stay in sight.</p>
<ol><li><p>Select the row below.</p></li>
<li><p>Choose <span class="menuitem">View - Freeze Rows</span>.</p></li></ol>
<p>See <a href="split.html">splitting</a>.</p></body></html>"""

SPLIT = """<html><title>Splitting a window</title><h1>2.1. Splitting a window</h1>
<p>Use <span class="guimenu">View</span> → <span class="guimenuitem">Split Window</span>.</p></html>"""

MALLARD = """<page xmlns="http://projectmallard.org/1.0/" id="merge"><info><title>sorted</title></info>
<title>Merging branches</title><steps>
<item><p>Open <guiseq><gui>File</gui><gui>New comparison</gui></guiseq>.</p></item>
<item><p>Press <gui>Merge All</gui>.</p></item></steps><p>See <link xref="freeze"/>.</p></page>"""

DOCBOOK = """<?xml version="1.0"?><!DOCTYPE article PUBLIC "x" "y" [<!ENTITY app "Painter">]><article>
<articleinfo><title>Manual</title></articleinfo><title>Cropping with &app;</title><para>Cut edges away.</para>
<procedure>
<step><para>Choose <menuchoice><guimenu>Image</guimenu><guimenuitem>Crop</guimenuitem></menuchoice>.</para>
</step>
<step><para>Press Enter.</para></step></procedure></article>"""

MARKDOWN = """# Rotating a picture
keywords: tilt, horizon

Level a **horizon**, see [cropping](crop.docbook).

1. Choose **Tools > Rotate**.
2. Drag a corner <script>steal()</script> of the frame.
"""

MANUAL = """.TH PAINT 1 "2024"
.SH NAME
paint \\- draw pictures
.SH DESCRIPTION
\\fBpaint\\fR draws with \\-\\-fullscreen.
"""

PAGES = {
    "freeze.html": HTML,
    "split.html": SPLIT,
    "merge.page": MALLARD,
    "crop.docbook": DOCBOOK,
    "rotate.md": MARKDOWN,
    "paint.1": MANUAL,
}


def write_documentation(folder: Path) -> Documentation:
    """Write a page in each format; return the folder as documentation of the program "painter"."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return own_documentation(folder, "painter")


def index_of(data: Path, documentation: Documentation) -> IndexReport:
    with LibraryIndex.open(library_file(data)) as index:
        return index.add(documentation)
