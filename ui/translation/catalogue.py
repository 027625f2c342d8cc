"""Reads and writes catalogues in Qt's own format: `.ts` to be edited, also in Qt Linguist, and `.qm` to be loaded.

`python -m ui.translation.catalogue` puts new sentences into every catalogue, takes those out that are no longer shown,
keeps what is translated, and compiles. To add a language, name its code: `python -m ui.translation.catalogue fr`.
"""

import string
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from ui.translation.language import CONTEXT, FOLDER, PLURAL_FORM
from ui.translation.sources import find_sources

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The translations into one language, by their source; `plural_forms` are the answers to `PLURAL_FORM`."""

    code: str
    translations: Mapping[str, str]
    plural_forms: tuple[str, ...] = ()


def read_catalogue(file: Path) -> Catalogue:
    """Read a `.ts` file of ours; what is marked as unfinished is left out."""
    root = ET.parse(file).getroot()  # noqa: S314  # a file of this repository
    found: dict[str, str] = {}
    plurals: tuple[str, ...] = ()
    for message in root.iter("message"):
        source, translation = message.findtext("source", ""), message.find("translation")
        if translation is None or translation.get("type") is not None:
            continue
        if message.get("numerus") == "yes":
            plurals = tuple(form.text or "" for form in translation.iter("numerusform"))
        elif translation.text:
            found[source] = translation.text
    return Catalogue(root.get("language", ""), found, plurals)


def write_catalogue(file: Path, catalogue: Catalogue, sources: Mapping[str, Sequence[str]]) -> None:
    """Write a `.ts` file: every source with its translation, or marked as unfinished; nothing else."""
    forms = catalogue.plural_forms or ("0", "1")
    lines = [
        f'<TS version="2.1" language="{catalogue.code}" sourcelanguage="en">',
        "<context>",
        f"    <name>{CONTEXT}</name>",
        '    <message numerus="yes">',
        f"        <source>{PLURAL_FORM}</source>",
        "        <extracomment>The form of “{count:click|clicks}” for a number: 0 is the first.</extracomment>",
        "        <translation>",
        *(f"            <numerusform>{escape(form)}</numerusform>" for form in forms),
        "        </translation>",
        "    </message>",
    ]
    for source, files in sources.items():
        translation = catalogue.translations.get(source, "")
        unfinished = "" if translation else ' type="unfinished"'
        lines += [
            "    <message>",
            *(f'        <location filename="../../../{name}"/>' for name in files),
            f"        <source>{escape(source)}</source>",
            f"        <translation{unfinished}>{escape(translation)}</translation>",
            "    </message>",
        ]
    lines += ["</context>", "</TS>", ""]
    file.write_text(HEAD + "\n".join(lines), encoding="utf-8")


def compile_catalogue(file: Path, compiled: Path) -> None:
    """Compile a `.ts` file with Qt's own tool, which comes with PySide6.

    Raises:
        subprocess.CalledProcessError: the tool refuses the file.
    """
    command = [str(Path(sys.executable).parent / "pyside6-lrelease"), "-silent", str(file), "-qm", str(compiled)]
    subprocess.run(command, check=True, capture_output=True)


def places(sentence: str) -> set[str]:
    """Return the names of the places in a sentence."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def find_faults(catalogue: Catalogue, sources: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is wrong with a catalogue: what is missing, what nothing shows any more, places that differ."""
    found = [f"not translated: {source!r}" for source in sources if source not in catalogue.translations]
    for source, translation in catalogue.translations.items():
        if source not in sources:
            found.append(f"nothing shows: {source!r}")
        elif places(source) != places(translation):
            found.append(f"places differ: {source!r}")
        elif ("&" in source) != ("&" in translation):
            found.append(f"key (&) differs: {source!r}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Bring the catalogues up to date; returns 1 if something is still to be translated."""
    sources = find_sources()
    files = [*FOLDER.glob("kairos_*.ts"), *(FOLDER / f"kairos_{code}.ts" for code in arguments)]
    missing = 0
    for file in sorted(set(files)):
        code = file.stem.removeprefix("kairos_")
        known = read_catalogue(file) if file.exists() else Catalogue(code, {})
        kept = {source: text for source, text in known.translations.items() if source in sources}
        catalogue = Catalogue(code, kept, known.plural_forms)
        write_catalogue(file, catalogue, sources)
        compile_catalogue(file, file.with_suffix(".qm"))
        faults = find_faults(catalogue, sources)
        missing += len(faults)
        print(f"{file.name}: {len(sources)} sentences, {len(faults)} to do")
        for fault in faults:
            print(f"  {fault}")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
