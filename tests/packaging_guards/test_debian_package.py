"""What the Debian package puts on a desktop: read here in a moment, proved by packaging/prove-deb.sh on a real root."""

import re
import subprocess
import tomllib
from configparser import ConfigParser
from pathlib import Path
from shutil import which
from xml.etree import ElementTree as ET

import pytest

from daemon.capture.evdev import service as service_module
from daemon.runtime.core import STOP_LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
DEB = ROOT / "packaging" / "deb"
ENTRY = "kairos.desktop"
KEPT = ("sessions and what was learned", "settings", "cache", "autostart entry")


def _read(name: str) -> ConfigParser:
    """Read a file of sections; keys keep their case, and one that stands twice is an error."""
    parser = ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way
    parser.read_string((DEB / name).read_text(encoding="utf-8"))
    return parser


def test_the_menu_starts_the_command_and_shows_the_icon() -> None:
    """Without the command (removed, say) the entry does nothing."""
    menu = _read(ENTRY)["Desktop Entry"]
    assert (menu["Exec"], menu["TryExec"], menu["Icon"]) == ("kairos run", "kairos", "kairos")


def test_no_package_brings_an_autostart_entry() -> None:
    """It is off until chosen, and `kairos autostart` alone writes one."""
    recipe = (ROOT / "packaging" / "build-deb.sh").read_text(encoding="utf-8")
    assert "applications/kairos.desktop" in recipe
    assert "autostart" not in recipe


def test_actions_of_the_menu_are_commands() -> None:
    """Each action is declared, has its section, and runs a command that there is."""
    entry = _read(ENTRY)
    names = [name for name in entry["Desktop Entry"]["Actions"].split(";") if name]
    assert [f"Desktop Action {name}" for name in names] == entry.sections()[1:]
    commands = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in names:
        assert f"### `{entry[f'Desktop Action {name}']['Exec']}`" in commands


@pytest.mark.skipif(which("desktop-file-validate") is None, reason="desktop-file-utils is not installed")
def test_the_entry_is_valid() -> None:
    """By the desktop's own validator, where there is one."""
    done = subprocess.run(["desktop-file-validate", str(DEB / ENTRY)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_unit_waits_longer_than_the_watchdog_and_stays_off() -> None:
    """It is stopped in order, tried again only where that helps, and enabled by nobody but its user."""
    unit = _read("kairos.service")
    service = unit["Service"]
    assert service["ExecStart"] == "/usr/bin/kairos run"
    assert float(service["TimeoutStopSec"]) > STOP_LIMIT_S
    assert (service["Restart"], service["KillMode"]) == ("on-failure", "mixed")
    assert service["RestartPreventExitStatus"].split() == ["2", "3", "4"]
    assert service["NoNewPrivileges"] == "yes"
    assert {"MemoryMax", "CPUWeight", "Nice"} <= set(service)
    assert unit["Unit"]["PartOf"] == "graphical-session.target"
    scripts = "".join((DEB / name).read_text(encoding="utf-8") for name in ("postinst", "prerm", "postrm"))
    assert re.findall(r"systemctl ([a-z-]+)", scripts) == ["daemon-reload", "try-restart", "disable"]
    assert "deb-systemd-helper" not in scripts


def test_the_input_service_may_read_devices_and_nothing_else() -> None:
    """It runs as nobody in particular, without network, files of users or capabilities, and systemd finds it safe."""
    service = _read("kairos-input.service")["Service"]
    assert service["ExecStart"].split()[-1] == service_module.__name__
    assert (service["DynamicUser"], service["SupplementaryGroups"]) == ("yes", "input")
    assert (service["DevicePolicy"], service["DeviceAllow"]) == ("closed", "char-input r")
    assert (service["PrivateNetwork"], service["RestrictAddressFamilies"]) == ("yes", "AF_UNIX")
    assert (service["ProtectHome"], service["ProtectSystem"], service["CapabilityBoundingSet"]) == ("yes", "strict", "")
    assert service_module.SOCKET.split("/")[2] == service["RuntimeDirectory"]
    if which("systemd-analyze") is not None:
        argv = ["systemd-analyze", "security", "--offline=true", "--threshold=15", str(DEB / "kairos-input.service")]
        assert subprocess.run(argv, capture_output=True, check=False).returncode == 0


def test_the_metainfo_is_well_formed_and_names_entry_and_licence() -> None:
    """Software centres find the menu entry, and its licence is the project's."""
    (path,) = DEB.glob("*.metainfo.xml")
    root = ET.parse(path).getroot()  # noqa: S314  # our own file
    assert f"{root.findtext('id')}.metainfo.xml" == path.name
    assert (root.findtext("launchable"), root.findtext("icon")) == (ENTRY, "kairos")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert root.findtext("project_license") == project["license"]
    ET.parse(DEB / "kairos.svg")  # noqa: S314  # our own file


def test_the_version_comes_from_the_project_alone() -> None:
    """No file of the recipe spells a version; those that need one have it filled in."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    files = [*DEB.iterdir(), ROOT / "packaging" / "build-deb.sh"]
    assert [path.name for path in files if path.is_file() and version in path.read_text(encoding="utf-8")] == []
    (metainfo,) = DEB.glob("*.metainfo.xml")
    for path in (DEB / "control.in", metainfo):
        assert "@VERSION@" in path.read_text(encoding="utf-8")


def test_what_stays_is_told_alike_everywhere() -> None:
    """At removal, on the manual page and in the documentation."""
    told = r"~/\.[A-Za-z0-9./-]*kairos[a-z.]*"
    places = set(re.findall(told, (DEB / "postrm").read_text(encoding="utf-8")))
    assert len(places) == len(KEPT)
    for path in (DEB / "man-extra", ROOT / "docs" / "installation.md"):
        assert places <= set(re.findall(told, path.read_text(encoding="utf-8")))


def test_each_lintian_override_has_its_reason() -> None:
    """A tag is overridden below a comment that says why, and only for what lies in /opt, or a script calls."""
    reason = False
    for line in (DEB / "lintian-overrides").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            reason = True
        elif line:
            assert reason, line
            assert "opt/" in line or "maintainer-script-calls-systemctl" in line, line
        else:
            reason = False


@pytest.mark.parametrize(("action", "lines"), [("remove", 6), ("purge", 0), ("upgrade", 0)])
def test_removal_says_what_stays_and_touches_nothing(action: str, lines: int) -> None:
    """The last script of the package prints at removal, and only then; nothing in it deletes."""
    done = subprocess.run(["sh", str(DEB / "postrm"), action], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == lines
    scripts = {name: (DEB / name).read_text(encoding="utf-8") for name in ("postinst", "prerm", "postrm")}
    deleting = [line.strip() for text in scripts.values() for line in text.splitlines() if re.search(r"\brm -", line)]
    assert deleting == ["find /opt/kairos/lib -type d -name __pycache__ -prune -exec rm -rf {} +"]
