"""Which documentation is found on a machine, and which page belongs to which program."""

import gzip
from pathlib import Path

import pytest

from daemon.help.context import HelpContext
from daemon.help.library import HelpLibrary
from daemon.help.library.documentation import (
    Documentation,
    app_of_page,
    find_documentation,
    missing_packages,
    page_id_of,
    target_of,
)
from daemon.help.programs import program_of
from tests.fakes.help.documentation import index_of


def put(path: Path, content: bytes = b"x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.fixture
def share(tmp_path: Path) -> Path:
    put(tmp_path / "libreoffice/help/en-US/text/scalc/a.html")
    put(tmp_path / "gimp/2.0/help/en/a.html")
    put(tmp_path / "help/C/meld/index.page")
    put(tmp_path / "help/C/old/index.docbook")
    put(tmp_path / "doc/libreoffice-help-en-us/changelog.Debian.gz", gzip.compress(b"libreoffice (4:7.4.7-1) stable"))
    put(tmp_path / "doc/gimp-help-en/changelog.Debian.gz", b"damaged")
    put(tmp_path / "man/man1/mousepad.1.gz")
    put(tmp_path / "man/man1/ls.1.gz")
    put(tmp_path / "applications/mousepad.desktop", b"[Desktop Entry]\nExec=/usr/bin/mousepad %U\n")
    put(tmp_path / "applications/other.desktop", b"[Desktop Entry]\nExec=\n")
    return tmp_path


def test_documentation_of_installed_programs_is_found_with_versions(share: Path) -> None:
    found = {package.name: (package.app, package.label) for package in find_documentation(share)}
    assert found == {
        "libreoffice": ("libreoffice", "LibreOffice Help 7.4"),
        "gimp": ("gimp", "GIMP Help"),
        "mallard/meld": ("meld", "Meld Help"),
        "docbook/old": ("old", "Old Help"),
        "man/mousepad": ("mousepad", "mousepad manual page"),
    }


def test_packages_are_named_for_programs_without_their_help(share: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("soffice", "gimp"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    bare = tmp_path / "bare"
    assert [package.package for package in missing_packages(bare, str(programs))] == [
        "libreoffice-help-en-us",
        "gimp-help-en",
    ]
    assert missing_packages(share, str(programs)) == ()
    assert missing_packages(bare, str(tmp_path)) == ()


def test_steps_of_a_shared_page_are_those_of_the_program(tmp_path: Path) -> None:
    page = (
        '<h1>Zoom</h1><p><span class="switch">'
        '<span class="WRITER">Choose <span class="menuitem">View - Page</span>.</span>'
        '<span class="CALC">Choose <span class="menuitem">View - Sheet</span>.</span></span></p>'
    )
    put(tmp_path / "text/shared/zoom.html", page.encode())
    office = Documentation(name="libreoffice", app="libreoffice", folder=tmp_path / "text", label="x")
    index_of(tmp_path, office)
    with HelpLibrary.open(tmp_path) as library:
        found = {
            app: library.search_program(HelpContext(app=app, words="zoom"), 1, least=0.0)[0].page.steps[0].controls
            for app in ("libreoffice-writer", "libreoffice-calc")
        }
    assert found == {"libreoffice-writer": ("View", "Page"), "libreoffice-calc": ("View", "Sheet")}


def test_links_lead_to_ids_of_pages() -> None:
    office = Documentation(name="libreoffice", app="libreoffice", folder=Path("/x"), label="x")
    meld = Documentation(name="mallard/meld", app="meld", folder=Path("/x"), label="x")
    assert page_id_of(office, "scalc/a.html") == "libreoffice/scalc/a"
    assert target_of(office, "scalc/b.html", "en-US/text/scalc/a.html#x") == "libreoffice/scalc/a"
    assert target_of(meld, "b.page", "a#section") == "mallard/meld/a"
    assert [
        target_of(meld, "b.page", address) for address in ("#x", "b", "../../etc/passwd", "/etc/passwd", "javascript:x")
    ] == [""] * 5


def test_nothing_is_found_on_a_bare_machine(tmp_path: Path) -> None:
    assert find_documentation(tmp_path) == ()


def test_pages_of_a_suite_belong_to_its_programs() -> None:
    office = Documentation(name="libreoffice", app="libreoffice", folder=Path("/x"), label="x")
    apps = [app_of_page(office, path) for path in ("scalc/guide/a.html", "shared/01/a.html", "swriter/a.html")]
    assert apps == ["libreoffice-calc", "libreoffice", "libreoffice-writer"]


def test_the_help_of_the_desktop_is_about_its_file_manager_and_its_settings(tmp_path: Path) -> None:
    """Its folder is named as no window's program is."""
    folder = tmp_path / "help/C/gnome-help"
    folder.mkdir(parents=True)
    for name in ("files-copy", "power-suspend"):
        (folder / f"{name}.page").write_text(f"<page><title>{name}</title><p>Do it.</p></page>", encoding="utf-8")
    (found,) = find_documentation(tmp_path)
    assert (found.app, found.language) == ("gnome-control-center", "en")
    assert app_of_page(found, "files-copy.page") == program_of("org.gnome.Nautilus")
    assert {program_of(app) for app in ("gnome-control-center", "org.gnome.Settings")} == {
        app_of_page(found, "power-suspend.page")
    }
