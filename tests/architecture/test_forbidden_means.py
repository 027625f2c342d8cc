"""What no source of ours may use: formats that run code when they are read, and switches that are the person's own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("daemon", "ui", "detectors", "policies", "storage", "demo", "participant", "lab", "study")
RUN_CODE = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
ACCESSIBILITY = "org.a11y"
OPENS = re.compile(
    r"webbrowser|QDesktopServices|openUrl|OpenExternalLinks\(True|LinksAccessible|TextBrowserInteraction|xdg-open"
    r"|shell=True|os\.system\(|QTextBrowser|setHtml\("
)


def sources(*rooms: str) -> Iterator[tuple[str, str]]:
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def reads_pickles(text: str) -> bool:
    """Tell whether a source imports a format that runs code, or lets numpy read one."""
    if not any(name in text for name in (*RUN_CODE, "allow_pickle")):
        return False
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import) and any(alias.name.partition(".")[0] in RUN_CODE for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in RUN_CODE:
            return True
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            return not (isinstance(node.value, ast.Constant) and node.value.value is False)
    return False


def test_no_source_reads_a_format_that_runs_code() -> None:
    """No file from outside can bring code along, because nothing of ours would run it."""
    assert [name for name, text in sources(*ROOMS) if reads_pickles(text)] == []


@pytest.mark.parametrize(
    "text", ["import pickle", "from marshal import loads", "import os, shelve", "np.load(path, allow_pickle=True)"]
)
def test_a_format_that_runs_code_would_be_seen(text: str) -> None:
    """The control: each way to read one is found."""
    assert reads_pickles(text)


def test_the_accessibility_switch_of_the_desktop_is_touched_in_one_place() -> None:
    """Where the choice is applied, and on our own virtual desktops, where the search finds it (the control)."""
    named = [name for name, text in sources(*ROOMS[:5]) if f"{ACCESSIBILITY}.Status" in text]
    assert named == ["daemon/capture/accessibility/atspi/switch.py"]
    adapter = [name for name, text in sources(*ROOMS[:5]) if ACCESSIBILITY in text]
    assert all(name.startswith("daemon/capture/accessibility/atspi/") for name in adapter)
    users = [name for name, text in sources(*ROOMS) if "AccessibilitySwitch(" in text]
    assert users == ["daemon/capture/accessibility/choice.py"]
    reader = "lab/benchmarks/grounding/subjects.py"  # hears what a pointer reached, on virtual desktops alone
    own = [name for name, text in sources("demo", "lab") if ACCESSIBILITY in text]
    assert own == ["demo/virtual_desktop/desktop.py", reader]
    assert [name for name, text in sources("demo", "lab") if f"{ACCESSIBILITY}.Status" in text] == own[:1]


def test_words_of_a_model_are_neither_run_nor_opened() -> None:
    """Nothing of the product opens an address, makes one that can be clicked, or gives a shell a text."""
    assert [name for name, text in sources(*ROOMS[:7]) if OPENS.search(text)] == []


@pytest.mark.parametrize("text", ["webbrowser.open(x)", "run(x, shell=True)", "label.setOpenExternalLinks(True)"])
def test_what_opens_or_runs_a_text_would_be_seen(text: str) -> None:
    """The control."""
    assert OPENS.search(text)


def test_only_our_own_help_is_shown_as_more_than_plain_text() -> None:
    """The help of settings alone, which stands in their declaration; no label guesses what a text is."""
    assert [name for name, text in sources("ui") if "TextFormat.RichText" in text] == ["ui/settings/row.py"]
    assert [name for name, text in sources("ui") if re.search("TextFormat.(Auto|Markdown)Text", text)] == []
