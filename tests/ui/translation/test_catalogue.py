"""The catalogues: complete, in agreement with their sources, and compiled."""

import re
import string
from pathlib import Path

import pytest

from storage.translation import Language
from tests.ui.translation.catalogue import (
    Catalogue,
    compile_catalogue,
    find_faults,
    find_sources,
    read_catalogue,
    write_catalogue,
)
from ui.translation.language import FOLDER

FILES = sorted(FOLDER.glob("kairos_*.ts"))
SOURCES = find_sources()


def test_german_is_there_and_there_is_much_to_say() -> None:
    """Otherwise the tests below would look at nothing."""
    assert FOLDER / "kairos_de.ts" in FILES
    assert len(SOURCES) > 500
    assert {"Show me", "Pause for 1 hour", "No offer: Kairos is paused.", "Undoing again and again", "once"} <= set(
        SOURCES
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_sentence_is_translated_and_none_is_left_over(file: Path) -> None:
    """To bring a catalogue up to date: python -m tests.ui.translation.catalogue."""
    assert find_faults(read_catalogue(file), SOURCES) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_compiled_catalogue_is_that_of_its_source(file: Path, tmp_path: Path) -> None:
    """Both are committed, so that a fresh copy speaks at once; a changed translation compiles to something else."""
    compiled = file.with_suffix(".qm")
    compile_catalogue(file, tmp_path / "again.qm")
    assert (tmp_path / "again.qm").read_bytes() == compiled.read_bytes()
    text = file.read_text(encoding="utf-8")
    changed = re.sub(r"(<translation>)(\w)", r"\1X\2", text, count=1)
    assert changed != text
    (tmp_path / "changed.ts").write_text(changed, encoding="utf-8")
    compile_catalogue(tmp_path / "changed.ts", tmp_path / "changed.qm")
    assert (tmp_path / "changed.qm").read_bytes() != compiled.read_bytes()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_sentence_can_be_filled_in_the_same_values(file: Path) -> None:
    """No translation falls back to English for want of a value."""
    for source, translation in read_catalogue(file).translations.items():
        for template in (source, translation):
            values = _values(source)
            if values:
                assert Language().say(template, values), template


def _values(source: str) -> dict[str, object]:
    values: dict[str, object] = {}
    for _, name, how, _ in string.Formatter().parse(source):
        if name is not None:
            values[name] = 3 if how or isinstance(values.get(name), int) else "word"
    return values


@pytest.mark.parametrize(
    ("translations", "fault"),
    [
        ({}, "not translated: 'Open {name}'"),
        ({"Open {name}": "{name} öffnen", "Shut": "Zu"}, "nothing shows: 'Shut'"),
        ({"Open {name}": "{nahme} öffnen"}, "places differ: 'Open {name}'"),
        ({"Open {name}": "{name} ö&ffnen"}, "key (&) differs: 'Open {name}'"),
    ],
)
def test_each_fault_is_named(translations: dict[str, str], fault: str) -> None:
    assert find_faults(Catalogue("de", translations), {"Open {name}": ("ui/window.py",)}) == [fault]


def test_a_catalogue_is_kept_as_it_was_and_new_sentences_are_marked(tmp_path: Path) -> None:
    file = tmp_path / "kairos_xx.ts"
    known = Catalogue("xx", {"a < b & “c”\nd": "ä < b & „c“\nd"}, ("0", "1", "2"))
    write_catalogue(file, known, {"a < b & “c”\nd": ("ui/a.py",), "new": ("ui/a.py", "ui/b.py")})
    assert read_catalogue(file) == known
    assert '<translation type="unfinished"></translation>' in file.read_text(encoding="utf-8")
