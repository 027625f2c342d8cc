"""The files that LibreOffice is started with: texts, workbooks and slides made up by seed, and a quiet profile.

Flat OpenDocument files, written by hand, so that they can be saved without a question; now and then plain text or
comma-separated values, where saving asks whether to keep the format. Such files are opened with a named filter, because
no script answers a question at the start.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from demo.virtual_desktop.sample_text import figure, heading, item, labels, sentence

File = tuple[Path, Sequence[str]]
"""A document's path, and what the command line needs before it."""

SHAPE_SPOTS = ((0.16, 0.74), (0.39, 0.74), (0.61, 0.74), (0.84, 0.74))
"""Where the shapes of each slide are, as parts of its width and height."""

MONTHS = ("Item", "January", "February", "March", "April", "May", "June", "July")
"""The heads of a sheet's columns."""

_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in (
        *((name, name) for name in ("office", "text", "style", "table", "presentation")),
        *(("draw", "drawing"), ("svg", "svg-compatible"), ("fo", "xsl-fo-compatible")),
    )
)
_SETTINGS = (
    ("/org.openoffice.Office.Common/Misc", "ShowTipOfTheDay", "false"),
    ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
    ("/org.openoffice.Setup/Product", "ooSetupLastVersion", "7.4"),
    ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", "false"),
    ("/org.openoffice.Office.Calc/Input", "ReplaceCellsWarning", "false"),
)
_NAMESPACES = (
    'xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
_TEXT_STYLES = (
    '<office:styles><style:style style:name="Heading_20_1" style:display-name="Heading 1" style:family="paragraph">'
    '<style:paragraph-properties fo:margin-top="0.4cm" fo:margin-bottom="0.2cm"/>'
    '<style:text-properties fo:font-size="16pt" fo:font-weight="bold"/></style:style>'
    '<style:style style:name="Text_20_body" style:display-name="Text Body" style:family="paragraph">'
    '<style:paragraph-properties fo:margin-bottom="0.2cm"/></style:style></office:styles>'
)
_COLOURS = ("#e8a33d", "#7fb77e", "#c65b7c", "#9a86c8", "#d9d36b", "#cfcfcf")
_PAGE_STYLE = (
    '<style:page-layout style:name="P"><style:page-layout-properties fo:page-width="28cm" fo:page-height="15.75cm" '
    'style:print-orientation="landscape"/></style:page-layout>'
)
_MASTER = (
    '<office:master-styles><style:master-page style:name="Default" style:page-layout-name="P"/></office:master-styles>'
)
_WIDTH_CM, _HEIGHT_CM = 28.0, 15.75
_SHAPE_SIZE = (4.6, 3.2)
_OUTLINES = {
    "rectangle": "M 0 0 L 21600 0 21600 21600 0 21600 0 0 Z N",
    "ellipse": "U 10800 10800 10800 10800 0 360 Z N",
    "diamond": "M 10800 0 L 21600 10800 10800 21600 0 10800 10800 0 Z N",
}
_PLAIN_SHARE, _LABELLED_SHARE = 0.2, 0.3


def write_profile(folder: Path) -> None:
    """Write a profile without tips and news at the start."""
    (folder / "user").mkdir(parents=True)
    items = "".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in _SETTINGS
    )
    (folder / "user" / "registrymodifications.xcu").write_text(f"<oor:items {_NAMESPACES}>{items}</oor:items>")


def write_text(folder: Path, rng: random.Random) -> File:
    """Write some dozen chapters, sometimes as plain text."""
    name = rng.choice(("notes", "minutes", "report", "letter", "plan", "guide"))
    chapters = [(heading(rng), _paragraphs(rng)) for _ in range(rng.randint(24, 32))]
    if rng.random() < _PLAIN_SHARE:
        path = folder / f"{name}.txt"
        path.write_text("\n".join("\n".join((title, *texts)) for title, texts in chapters))
        return path, ("--infilter=Text (encoded):UTF8,LF,,,",)
    body = "".join(
        f'<text:h text:style-name="Heading_20_1" text:outline-level="1">{escape(title)}</text:h>'
        + "".join(f'<text:p text:style-name="Text_20_body">{escape(text)}</text:p>' for text in texts)
        for title, texts in chapters
    )
    return _write(folder / f"{name}.fodt", "text", _TEXT_STYLES, f"<office:text>{body}</office:text>")


def write_workbook(folder: Path, rng: random.Random, *, rows: int, sheets: int) -> File:
    """Write sheets of labels and values; a single sheet as comma-separated values."""
    name = rng.choice(("budget", "stock", "costs", "figures", "list", "survey"))
    if sheets == 1:
        path = folder / f"{name}.csv"
        path.write_text("\n".join(",".join(row) for row in _values(rng, rows)))
        return path, ("--infilter=CSV:44,34,76,1",)
    tables = "".join(
        f'<table:table table:name="{title}">{_table(_values(rng, rows))}</table:table>'
        for title in rng.sample(("North", "South", "Old", "New", "Summer", "Winter"), sheets)
    )
    return _write(folder / f"{name}.fods", "spreadsheet", "", f"<office:spreadsheet>{tables}</office:spreadsheet>")


def write_slides(folder: Path, rng: random.Random) -> File:
    """Write slides with a title, some lines and four shapes each."""
    name = rng.choice(("talk", "slides", "lecture", "pitch", "review", "tour"))
    shapes = "".join(
        f'<style:style style:name="g{number}" style:family="graphic"><style:graphic-properties draw:fill="solid" '
        f'draw:fill-color="{colour}" draw:textarea-vertical-align="middle"/></style:style>'
        for number, colour in enumerate(_COLOURS)
    )
    frames = "".join(
        f'<style:style style:name="{kind}" style:family="presentation"><style:graphic-properties draw:fill="none" '
        f'draw:stroke="none"/><style:text-properties fo:font-size="{size}pt"/></style:style>'
        for kind, size in (("title", 36), ("outline", 22))
    )
    styles = f"<office:automatic-styles>{_PAGE_STYLE}{shapes}{frames}</office:automatic-styles>{_MASTER}"
    slides = "".join(_slide(rng, number) for number in range(rng.randint(14, 20)))
    return _write(
        folder / f"{name}.fodp", "presentation", styles, f"<office:presentation>{slides}</office:presentation>"
    )


def _write(path: Path, kind: str, styles: str, body: str) -> File:
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {_SPACES} office:version="1.3" '
        f'office:mimetype="application/vnd.oasis.opendocument.{kind}">{styles}'
        f"<office:body>{body}</office:body></office:document>"
    )
    return path, ()


def _paragraphs(rng: random.Random) -> list[str]:
    return [" ".join(sentence(rng) for _ in range(rng.randint(4, 9))) for _ in range(rng.randint(3, 4))]


def _values(rng: random.Random, rows: int) -> list[list[str]]:
    names = labels(rng)
    return [list(MONTHS), *([rng.choice(names), *(figure(rng) for _ in MONTHS[1:])] for _ in range(rows))]


def _table(values: Sequence[Sequence[str]]) -> str:
    return "".join(f"<table:table-row>{''.join(_cell(value) for value in row)}</table:table-row>" for row in values)


def _cell(value: str) -> str:
    kind = 'office:value-type="string"' if value[0].isalpha() else f'office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {kind}><text:p>{value}</text:p></table:table-cell>"


def _slide(rng: random.Random, number: int) -> str:
    lines = "".join(f"<text:p>{sentence(rng)}</text:p>" for _ in range(rng.randint(2, 4)))
    shapes = "".join(_shape(rng, spot) for spot in SHAPE_SPOTS)
    return (
        f'<draw:page draw:name="slide{number}" draw:master-page-name="Default">'
        f"{_frame('title', 0.6, 2.4, f'<text:p>{heading(rng)} {number + 1}</text:p>')}"
        f"{_frame('outline', 3.6, 5.2, lines)}{shapes}</draw:page>"
    )


def _frame(kind: str, top: float, height: float, words: str) -> str:
    return (
        f'<draw:frame presentation:class="{kind}" presentation:style-name="{kind}" svg:x="1.4cm" svg:y="{top}cm" '
        f'svg:width="25.2cm" svg:height="{height}cm"><draw:text-box>{words}</draw:text-box></draw:frame>'
    )


def _shape(rng: random.Random, spot: tuple[float, float]) -> str:
    (width, height), kind = _SHAPE_SIZE, rng.choice(sorted(_OUTLINES))
    words = f"<text:p>{item(rng)}</text:p>" if rng.random() < _LABELLED_SHARE else ""
    left, top = spot[0] * _WIDTH_CM - width / 2, spot[1] * _HEIGHT_CM - height / 2
    return (
        f'<draw:custom-shape draw:style-name="g{rng.randrange(len(_COLOURS))}" svg:x="{left:.2f}cm" '
        f'svg:y="{top:.2f}cm" svg:width="{width}cm" svg:height="{height}cm">{words}'
        f'<draw:enhanced-geometry svg:viewBox="0 0 21600 21600" draw:type="{kind}" '
        f'draw:enhanced-path="{_OUTLINES[kind]}"/></draw:custom-shape>'
    )
