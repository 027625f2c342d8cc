"""What people call a program, by the entries of the desktop's menu."""

from pathlib import Path

import pytest

from daemon.history import program_names
from daemon.history.program_names import program_name

ENTRIES = {
    "libreoffice-calc.desktop": "[Desktop Entry]\nName=LibreOffice Calc\n[Desktop Action New]\nName=New\n",
    "org.xfce.mousepad.desktop": "[Desktop Entry]\nType=Application\nName=Mousepad\nName[de]=Texteditor\n",
    "gimp.desktop": "[Desktop Entry]\nName = GNU Image \x1b[31mProgram\n",
    "nameless.desktop": "[Desktop Entry]\nExec=x\n",
}


@pytest.fixture(autouse=True)
def _menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "share/applications"
    folder.mkdir(parents=True)
    for name, text in ENTRIES.items():
        (folder / name).write_text(text)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "share"))
    program_names._entries.cache_clear()
    program_names._name_of.cache_clear()


@pytest.mark.parametrize(
    ("app", "name"),
    [
        ("libreoffice-calc", "LibreOffice Calc"),
        ("Mousepad", "Mousepad"),
        ("org.xfce.mousepad", "Mousepad"),
        ("gimp-2.10", "GNU Image ?[31mProgram"),
        ("nameless", ""),
        ("unknown", ""),
        ("", ""),
    ],
)
def test_a_program_has_the_name_of_its_entry(app: str, name: str) -> None:
    """Without version and domain; what a terminal would act on is taken out, and one without an entry has none."""
    assert program_name(app) == name


def test_a_name_in_the_language_of_the_interface_comes_first() -> None:
    assert program_names._name_of("mousepad", "de") == "Texteditor"
    assert program_names._name_of("libreoffice-calc", "de") == "LibreOffice Calc"
