"""What is published is exactly the root packages: these names are plain, so they are guarded."""

import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"daemon", "ui", "detectors", "policies", "storage", "lab", "studies"}
DISTRIBUTION = "kairos-assistant"
NOT_SOURCE = ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "demo-out")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the names of all files in a wheel built from a copy of this tree."""
    source = tmp_path_factory.mktemp("wheel") / "source"
    copytree(ROOT, source, ignore=NOT_SOURCE)
    (source / "lab" / "logs" / "train").mkdir(parents=True, exist_ok=True)
    (source / "lab" / "logs" / "train" / "some.jsonl.xz").touch()
    (source / "lab" / "sample" / "one" / "session").mkdir(parents=True, exist_ok=True)
    (source / "lab" / "sample" / "one" / "session" / "screen-000.mp4").touch()
    built = subprocess.run(
        [sys.executable, "-c", "from setuptools import build_meta; print(build_meta.build_wheel('dist'))"],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(source / "dist" / built.stdout.split()[-1]) as archive:
        return archive.namelist()


def test_wheel_holds_exactly_the_root_packages(wheel: list[str]) -> None:
    """The wheel's top-level names are our packages and its own metadata, nothing else."""
    top = {name.split("/")[0] for name in wheel}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES
    assert len(top - PACKAGES) == 1


def test_wheel_leaves_tests_and_packaging_out(wheel: list[str]) -> None:
    """Neither tests nor packaging files are published, at no depth."""
    assert [name for name in wheel if {"tests", "packaging", "docs"} & set(Path(name).parts)] == []


def test_wheel_leaves_simulated_sessions_out(wheel: list[str]) -> None:
    """Packed and filmed sessions are for those who train and judge, from the source tree."""
    assert [name for name in wheel if {"logs", "sample"} & set(Path(name).parts) or name.endswith(".xz")] == []


def test_wheel_holds_the_compiled_catalogues(wheel: list[str]) -> None:
    """An installed Kairos speaks every language of this tree, without a build."""
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ui/translation/data").glob("*.qm")}
    assert "ui/translation/data/kairos_de.qm" in there
    assert there <= set(wheel)


def test_wheel_holds_every_module(wheel: list[str]) -> None:
    """Each module of the tree is in the wheel, with the marker of typed packages and the licence."""
    modules = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "__pycache__" not in path.parts
    }
    assert modules <= set(wheel)
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel)
    assert {"detectors/models/embedded.onnx", "detectors/models/MODEL.md"} <= set(wheel)
    assert {"participant/documents/data/words.txt", "study/researcher/data/study.toml"} <= set(wheel)
    assert "study/researcher/data/consent.en.md" in wheel
    assert [name for name in wheel if name.endswith("/LICENSE")]


def test_packaging_folder_is_no_package() -> None:
    """`packaging/` never becomes importable: it would hide the well-known distribution of that name."""
    assert list((ROOT / "packaging").rglob("__init__.py")) == []
    found = subprocess.run(
        [sys.executable, "-c", "import packaging.version; print(packaging.__file__)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert not Path(found.stdout.strip()).is_relative_to(ROOT / "packaging")


def test_no_other_distribution_owns_our_names() -> None:
    """No installed distribution brings a package with one of our plain root names."""
    owners = metadata.packages_distributions()
    foreign = {name: set(owners.get(name, [])) - {DISTRIBUTION} for name in PACKAGES}
    assert {name: found for name, found in foreign.items() if found} == {}


def test_distribution_and_command_have_their_own_names() -> None:
    """The distribution is not called kairos (that name is another project's); the command is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    assert set(project["scripts"]) == {"kairos"}
