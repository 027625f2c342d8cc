"""Every sentence that somebody sees is found, and no text reaches a widget beside the translation."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.help.library.general import general_pages
from tests.ui.translation.catalogue import FOLDERS, ROOT, UnreadableSourcesError, find_sources

SHOWS_FIRST = {
    "setText",
    "setWindowTitle",
    "setToolTip",
    "setAccessibleName",
    "setAccessibleDescription",
    "setPlaceholderText",
    "setTitle",
    "setStatusTip",
    "setWhatsThis",
    "setHeaderLabels",
    "setInformativeText",
    "setPrefix",
    "setSuffix",
    "setSpecialValueText",
    "addAction",
    "addItem",
    "addItems",
    "addMenu",
    "addRow",
    "insertItem",
    "showMessage",
    "QAction",
    "QCheckBox",
    "QGroupBox",
    "QLabel",
    "QMenu",
    "QPushButton",
    "QRadioButton",
    "Prose",
    "TickBox",
    "NoticeView",
    "make_button",
    "make_small",
    "make_wide_button",
}
"""Calls whose first arguments are shown as they are."""

SHOWS_SECOND = {"addTab", "setTabText", "setTabToolTip", "setItemText", "drawText", "Entry"}
NAMES = {"Kairos"}
"""What reads the same in every language."""


def untranslated(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        shown = node.args[:1] if name in SHOWS_FIRST else node.args[1:] if name in SHOWS_SECOND else []
        for argument in shown:
            if any(_has_words(text) for text in _literals(argument)):
                yield f"{file.name}:{node.lineno}: {name}"


def _literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Call():
            return
        case ast.Constant(value=str() as text):
            yield text
        case ast.IfExp():
            yield from (*_literals(node.body), *_literals(node.orelse))
        case ast.JoinedStr() | ast.BinOp() | ast.List() | ast.Tuple() | ast.BoolOp():
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.expr):
                    yield from _literals(part)


def _has_words(text: str) -> bool:
    for name in NAMES:
        text = text.replace(name, "")
    return sum(letter.isalpha() for letter in text) > 1


def test_no_text_reaches_a_widget_untranslated() -> None:
    files = sorted((ROOT / "ui").rglob("*.py"))
    assert len(files) > 30
    assert [found for file in files for found in untranslated(file)] == []


@pytest.mark.parametrize(
    "line",
    [
        'button.setText("Go on")',
        'QPushButton("Go on")',
        'label.setText(f"{count} rows")',
        'tabs.addTab(page, "Rows")',
        'label.setText("a row" if one else tr("rows"))',
        'Entry(Action.QUIT, "Go on", enabled=True)',
    ],
)
def test_a_planted_text_is_found(tmp_path: Path, line: str) -> None:
    file = tmp_path / "window.py"
    file.write_text(f"{line}\n")
    assert len(list(untranslated(file))) == 1
    file.write_text('label.setText(tr("Go on"))\nlabel.setText(f"Kairos: {title}")\nlabel.setText("\\u2039")\n')
    assert list(untranslated(file)) == []


def test_every_line_of_our_own_help_is_a_sentence() -> None:
    """As the card gets it; pages of programs are shown in their own language."""
    pages = [page.page for page in general_pages()]
    lines = {line for page in pages for line in (page.title, *(step.text for step in page.steps))}
    assert len(lines) > 80
    assert lines <= set(find_sources())


def tree(root: Path, text: str) -> Path:
    for name in FOLDERS:
        (root / name).mkdir()
    (root / "ui" / "window.py").write_text(text)
    return root


def test_sentences_of_calls_constants_and_tables_are_found(tmp_path: Path) -> None:
    root = tree(
        tmp_path, 'A = translatable("One")\nB = tr("Two") + tr("One") + tr("Three" if x else "Four")\nC = tr(A)\n'
    )
    (root / "daemon/history").mkdir()
    (root / "daemon/history/decisions.py").write_text(
        'ASKED_SENTENCE = Text(label="Five", advice="Six")\nMASKED_SENTENCE = ""\nOTHER = "Seven"\n'
    )
    (root / "storage/data").mkdir()
    (root / "storage/data/messages.toml").write_text('[states]\na = "Eight"\n[seen.b]\nvariants = [["Nine", "One"]]\n')
    assert find_sources(root) == {
        "Five": ("daemon/history/decisions.py",),
        "Six": ("daemon/history/decisions.py",),
        "Eight": ("storage/data/messages.toml",),
        "Nine": ("storage/data/messages.toml",),
        "One": ("storage/data/messages.toml", "ui/window.py"),
        "Two": ("ui/window.py",),
        "Three": ("ui/window.py",),
        "Four": ("ui/window.py",),
    }


@pytest.mark.parametrize("call", ['tr(f"{a} rows")', 'tr("a" + b)', "translatable(A)", "tr()"])
def test_what_nobody_could_translate_is_an_error(tmp_path: Path, call: str) -> None:
    with pytest.raises(UnreadableSourcesError, match=r"ui/window.py:2: .* needs one constant sentence"):
        find_sources(tree(tmp_path, f"\nX = {call}\n"))


def test_a_table_that_is_gone_is_an_error(tmp_path: Path) -> None:
    """Its sentences would silently no longer be translated."""
    root = tree(tmp_path, "")
    (root / "daemon/history").mkdir()
    (root / "daemon/history/decisions.py").write_text("RENAMED = 1\n")
    with pytest.raises(LookupError, match="ASKED_SENTENCE"):
        find_sources(root)
