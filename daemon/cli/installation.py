"""Which way Kairos was installed, and so how it is mended, upgraded and removed. Starts nothing and asks no network."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DISTRIBUTION = "kairos-assistant"
DEBIAN_PREFIX = Path("/opt/kairos")
DPKG_LIST = Path("/var/lib/dpkg/info/kairos-assistant.list")
SOURCE = Path(__file__).resolve().parents[2]
"""The folder that holds our packages: `site-packages`, or a checkout."""


class Way(StrEnum):
    """How Kairos came onto this machine; the values stand in `kairos doctor --json`."""

    DEB = "deb"
    PIPX = "pipx"
    UV = "uv"
    CHECKOUT = "checkout"
    VENV = "venv"
    PYTHON = "python"
    """Into a Python that is nobody's environment."""


_LABELS = {
    Way.DEB: "Debian package",
    Way.PIPX: "pipx",
    Way.UV: "uv tool",
    Way.CHECKOUT: "source checkout",
    Way.VENV: "virtual environment",
    Way.PYTHON: "straight into Python",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A way, the folder it is in, and the commands that mend, upgrade and remove it; none touches a home folder."""

    way: Way
    place: Path
    version: str
    mend: str
    upgrade: str
    remove: str

    @property
    def says(self) -> str:
        """Return the way and the place as a person would say them."""
        return f"{_LABELS[self.way]}, version {self.version}, in {self.place}"


def find_installation(
    prefix: Path | None = None,
    base_prefix: Path | None = None,
    *,
    dpkg_list: Path = DPKG_LIST,
    source: Path = SOURCE,
) -> Installation:
    """Return how the running Kairos was installed: by the marks that installers leave in their environments.

    `prefix` and `base_prefix` are those of the interpreter, by default the running one; `dpkg_list` is there while
    dpkg has the package, and a checkout has `pyproject.toml` in `source`.
    """
    prefix, base_prefix = prefix or Path(sys.prefix), base_prefix or Path(sys.base_prefix)
    python = f"{prefix}/bin/python -m pip"

    def make(way: Way, place: Path, mend: str, upgrade: str, remove: str) -> Installation:
        return Installation(way=way, place=place, version=_version(), mend=mend, upgrade=upgrade, remove=remove)

    if prefix == DEBIAN_PREFIX and dpkg_list.exists():
        return make(
            Way.DEB,
            prefix,
            f"sudo apt install --reinstall ./{DISTRIBUTION}_VERSION_amd64.deb",
            f"sudo apt install ./{DISTRIBUTION}_VERSION_amd64.deb, with the newer file",
            f"sudo apt remove {DISTRIBUTION}",
        )
    if (prefix / "pipx_metadata.json").exists():
        return make(
            Way.PIPX,
            prefix,
            f"pipx reinstall {DISTRIBUTION}",
            f"pipx upgrade {DISTRIBUTION}, or for a file: pipx install --force FILE.whl",
            f"pipx uninstall {DISTRIBUTION}",
        )
    if (prefix / "uv-receipt.toml").exists():
        return make(
            Way.UV,
            prefix,
            f"uv tool upgrade --reinstall {DISTRIBUTION}",
            f"uv tool upgrade {DISTRIBUTION}",
            f"uv tool uninstall {DISTRIBUTION}",
        )
    if (source / "pyproject.toml").exists():
        return make(
            Way.CHECKOUT,
            source,
            f"run {source}/run again: it installs what is missing",
            f"git -C {source} pull; the next {source}/run sets up what changed",
            f"delete the folder {source}",
        )
    return make(
        Way.PYTHON if prefix == base_prefix else Way.VENV,
        prefix,
        f"{python} install --force-reinstall {DISTRIBUTION}",
        f"{python} install --upgrade {DISTRIBUTION}",
        f"{python} uninstall {DISTRIBUTION}",
    )


def add_extra(installation: Installation, extra: str) -> str:
    """Return what adds one of the extras, such as `ocr`, to an installation."""
    wanted = f"'{DISTRIBUTION}[{extra}]'"
    match installation.way:
        case Way.DEB:
            return f"the Debian package cannot take extras; instead of it: pipx install {wanted}"
        case Way.PIPX:
            return f"pipx install --force {wanted}"
        case Way.UV:
            return f"uv tool install --force {wanted}"
        case Way.CHECKOUT:
            return f"cd {installation.place} && .venv/bin/python -m pip install --editable '.[{extra}]'"
        case _:
            return f"{installation.place}/bin/python -m pip install {wanted}"


def _version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"
