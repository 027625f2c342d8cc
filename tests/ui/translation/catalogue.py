"""Finds every sentence that people see, and keeps the catalogues of their translations in Qt's own format.

`python -m tests.ui.translation.catalogue` puts new sentences into every catalogue, takes those out that are no longer
shown, keeps what is translated, and compiles the `.ts` files (to be edited, also in Qt Linguist) to `.qm` (to be
loaded). To add a language, name its code: `python -m tests.ui.translation.catalogue fr`.

Two things are sentences: the first argument of `tr`, `translatable` and `phrase`, and the texts of `TABLES`, which the
command line and reports show in English too. Names and help of settings come from what declares them, texts of codes
from `TEXTS`, general help from its pages.
"""

import ast
import re
import string
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

from storage.settings import Settings, setting_infos
from ui.translation.language import CONTEXT, FOLDER, PLURAL_FORM
from ui.views.settings import english_label

ROOT = Path(__file__).parents[3]
"""The folder that holds the packages."""

FOLDERS = ("storage", "ui", "policies", "detectors", "daemon", "participant")
"""Where `tr`, `translatable` and `phrase` are looked for."""

MARKERS = ("tr", "translatable", "phrase")

TEXTS = ("storage/data/consent.toml", "storage/data/messages.toml", "storage/data/study.toml")
"""Files of nothing but sentences."""

PAGES = "daemon/help/library/data"
"""Our own pages of help, about no program in particular: their titles and steps are sentences."""

PRESETS = "detectors/mllm/data/presets.toml"
"""Kinds of model servers; the note of each is a sentence."""

_TITLE = re.compile(r"^# (.*)$", re.MULTILINE)
_STEP = re.compile(r"^\d+\. (.*)$", re.MULTILINE)

GATES = "policies/gates/"
REASONS = ("REASONS", "reasons")
"""Where the reasons of decisions are: in `REASONS`, and in the `reasons` of each gate; not every module has both."""

TABLES: dict[str, tuple[str, ...]] = {
    "daemon/capture/backend.py": ("_LIMITS",),
    "daemon/purge/purge.py": ("NOT_REACHED", "STUDY_NOT_REACHED", "KEPT"),
    "daemon/history/decisions.py": ("ASKED_SENTENCE", "MASKED_SENTENCE"),
}
"""By module: the names whose texts are sentences."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A call that the search cannot read: where, and what is wrong."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class UnreadableSourcesError(Exception):
    """Some sentence is not written as one constant, so that nobody could translate it."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = faults


@cache
def find_sources(root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """Return every sentence with the files that it stands in, in the order of files and lines.

    Raises:
        UnreadableSourcesError: `tr` or `translatable` gets something else than a constant where it must have one.
    """
    found: dict[str, dict[str, None]] = {}
    faults: list[Fault] = []
    for file in _files(root):
        name = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        for sentence in _sentences(text, name, faults):
            found.setdefault(sentence, {})[name] = None
    if root == ROOT:
        for sentence in _settings():
            found.setdefault(sentence, {})["storage/settings.py"] = None
        for preset in tomllib.loads((root / PRESETS).read_text(encoding="utf-8")).values():
            found.setdefault(preset["note"], {})[PRESETS] = None
    for file in sorted((root / PAGES).glob("*.md")):
        for sentence in _page(file.read_text(encoding="utf-8")):
            found.setdefault(sentence, {})[file.relative_to(root).as_posix()] = None
    if faults:
        raise UnreadableSourcesError(faults)
    return {sentence: tuple(files) for sentence, files in found.items()}


def _files(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        texts = (root / name for name in TEXTS if name.startswith(f"{folder}/") and (root / name).exists())
        yield from sorted([*(root / folder).rglob("*.py"), *texts])


def _sentences(text: str, name: str, faults: list[Fault]) -> Iterator[str]:
    if name in TEXTS:
        yield from _leaves(tomllib.loads(text))
    elif any(f"{marker}(" in text for marker in MARKERS) or _tables_of(name):
        tree = ast.parse(text, name)
        yield from _marked(tree, name, faults)
        yield from _tables(tree, _tables_of(name))


def _settings() -> Iterator[str]:
    for table in fields(Settings):
        yield from filter(None, (table.metadata["title"], table.metadata["about"]))
    for key, info in setting_infos().items():
        yield from (english_label(key), info.help)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _leaves(inner)


def _page(text: str) -> Iterator[str]:
    for found in (*_TITLE.findall(text), *_STEP.findall(text)):
        yield found.replace("**", "")


def _tables_of(name: str) -> tuple[str, ...]:
    return REASONS if name.startswith(GATES) else TABLES.get(name, ())


def _marked(tree: ast.Module, name: str, faults: list[Fault]) -> Iterator[str]:
    """Yield the sentences of calls. `tr` may get a name, which stands for a sentence that is marked elsewhere."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKERS):
            continue
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
        elif node.func.id != "tr" or isinstance(first, (ast.JoinedStr, ast.BinOp)) or first is None:
            faults.append(Fault(name, node.lineno, f"{node.func.id} needs one constant sentence"))
        elif isinstance(first, ast.IfExp):
            for branch in (first.body, first.orelse):
                if isinstance(branch, ast.Constant) and isinstance(branch.value, str):
                    yield branch.value


def _tables(tree: ast.Module, names: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts of values that are given to these names, wherever they stand in the module."""
    missing = set(names)
    for node in ast.walk(tree):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        found = {target.id for target in targets if isinstance(target, ast.Name)} & set(names)
        if found and isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            missing -= found
            yield from _texts(node.value)
    if missing and names != REASONS:
        raise LookupError(f"no table named {', '.join(sorted(missing))}")


def _texts(node: ast.expr) -> Iterator[str]:
    """Yield the texts of an expression: values of a mapping, items of a sequence, arguments of a call."""
    match node:
        case ast.Constant(value=str() as text) if text:
            yield text
        case ast.Dict():
            for value in node.values:
                yield from _texts(value)
        case ast.Tuple() | ast.List():
            for value in node.elts:
                yield from _texts(value)
        case ast.Call():
            for value in (*node.args, *(keyword.value for keyword in node.keywords)):
                yield from _texts(value)


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
