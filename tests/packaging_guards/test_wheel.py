"""Each of the three distributions publishes its own root packages alone: their names are plain, so they are guarded."""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from shutil import copytree, ignore_patterns
from zipfile import ZipFile

import pytest

from daemon.cli.main import ELSEWHERE
from lab import commands as lab_commands
from study import commands as study_commands

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = "kairos-assistant"
DISTRIBUTIONS = {
    PRODUCT: (".", {"daemon", "ui", "detectors", "policies", "storage", "demo", "participant"}),
    "kairos-lab": ("lab", {"lab"}),
    "kairos-study": ("study", {"study"}),
}
"""The folder of each distribution's `pyproject.toml`, and the packages that it publishes."""
EVERY = sorted(DISTRIBUTIONS)
NOT_SOURCE = ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "demo-out")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
HEAVIEST = {PRODUCT: 13_000_000, "kairos-lab": 3_000_000, "kairos-study": 3_000_000}
"""Bytes of a wheel: the product's has 13 MB, of which 11 are vectors of words. A data set of the laboratory is more."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    source = tmp_path_factory.mktemp("wheels") / "source"
    copytree(ROOT, source, ignore=NOT_SOURCE)
    for planted in ("lab/logs/train/some.jsonl.xz", "lab/sample/one/session/screen-000.mp4"):
        (source / planted).parent.mkdir(parents=True, exist_ok=True)
        (source / planted).touch()
    wheels = {}
    for name, (folder, _) in DISTRIBUTIONS.items():
        out = source.parent / name
        done = subprocess.run(
            [sys.executable, "-c", BUILD, out], cwd=source / folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        (wheels[name],) = out.glob("*.whl")
    return wheels


@pytest.fixture(scope="module")
def contents(built: Mapping[str, Path]) -> dict[str, list[str]]:
    return {name: ZipFile(wheel).namelist() for name, wheel in built.items()}


def strangers(names: list[str], packages: set[str]) -> list[str]:
    """Return what a wheel holds beside its own packages and metadata, or in them of tests, pictures and recordings."""
    elsewhere = {"tests", "packaging", "docs", "logs", "sample", "__pycache__"}
    return [
        name
        for name in names
        if not (name.split("/")[0] in packages or name.split("/")[0].endswith(".dist-info"))
        or elsewhere & set(Path(name).parts)
        or name.endswith((".xz", ".mp4", ".png", ".ts", ".pyc"))
    ]


@pytest.mark.parametrize("name", EVERY)
def test_a_wheel_holds_its_own_packages_alone(name: str, contents: Mapping[str, list[str]]) -> None:
    """Nothing of the other distributions, tests, packaging, pictures, simulated sessions or texts to translate."""
    packages = DISTRIBUTIONS[name][1]
    assert strangers(contents[name], packages) == []
    assert {path.split("/")[0] for path in contents[name]} > packages


@pytest.mark.parametrize(
    "planted",
    [
        "lab/commands.py",
        "study/__init__.py",
        "tests/test_one.py",
        "daemon/tests/test_one.py",
        "demo/docs/pictures/card.png",
        "conftest.py",
        "storage/logs/train/some.jsonl.xz",
    ],
)
def test_control_a_stranger_in_a_wheel_is_found(planted: str, contents: Mapping[str, list[str]]) -> None:
    """What should not be there is named, and that alone."""
    assert strangers([*contents[PRODUCT], planted], DISTRIBUTIONS[PRODUCT][1]) == [planted]


@pytest.mark.parametrize("name", EVERY)
def test_a_wheel_is_small(name: str, built: Mapping[str, Path]) -> None:
    """No data set slips in under a name that nobody thought of."""
    assert built[name].stat().st_size < HEAVIEST[name]


@pytest.mark.parametrize("name", EVERY)
def test_a_wheel_holds_every_module_and_all_data(name: str, contents: Mapping[str, list[str]]) -> None:
    """Each module of the tree and each file of data is there, with the marker of typed packages and the licence."""
    packages = DISTRIBUTIONS[name][1]
    tree = {
        path.relative_to(ROOT).as_posix()
        for package in packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wanted = {path for path in tree if path.endswith(".py") or {"data", "models"} & set(Path(path).parts[:-1])}
    wanted = {path for path in wanted if not path.endswith(".ts")} | {f"{package}/py.typed" for package in packages}
    assert wanted - set(contents[name]) == set()
    assert [path for path in contents[name] if path.endswith("/LICENSE")]


def test_the_product_brings_model_words_and_catalogues(contents: Mapping[str, list[str]]) -> None:
    """An installed Kairos detects, names its invitations and speaks every language of this tree, without a build."""
    catalogues = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ui/translation/data").glob("*.qm")}
    assert "ui/translation/data/kairos_de.qm" in catalogues
    wanted = {"detectors/models/embedded.onnx", "detectors/models/MODEL.md", "participant/documents/data/words.txt"}
    assert (catalogues | wanted) - set(contents[PRODUCT]) == set()


TRY = """
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
from daemon.cli.main import main
def tried(words):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            return main(words), said.getvalue()
        except SystemExit as ended:
            return ended.code, said.getvalue()
print(json.dumps({words: tried(words.split()) for words in sys.argv[2:]}))
"""


@pytest.mark.parametrize("added", [None, "kairos-lab", "kairos-study"])
def test_a_command_of_a_missing_distribution_names_it(
    added: str | None, built: Mapping[str, Path], tmp_path: Path
) -> None:
    """The product alone has the demo and a participant's side; others are listed only where they are installed."""
    for name in (PRODUCT, added):
        if name is not None:
            ZipFile(built[name]).extractall(tmp_path)
    own = ["run --help", "demo --help", "study join --help", "study leave --help", "study receive --help"]
    others = {"bench --help": "kairos-lab", "train --help": "kairos-lab", "study create --help": "kairos-study"}
    done = subprocess.run(  # with the standard library alone beside them
        [sys.executable, "-I", "-S", "-B", "-c", TRY, tmp_path, "--help", "study --help", *own, *others],
        capture_output=True,
        text=True,
        check=True,
    )
    tried = json.loads(done.stdout)
    for words in own:
        assert tried[words][0] == 0, words
    for words, name in others.items():
        code, said = tried[words]
        _, listed = tried["study --help" if words.startswith("study ") else "--help"]
        command = words.split()[-2]
        assert (f"\n    {command} " in listed) == (name == added), words
        assert code == (0 if name == added else 3), words
        assert (f"comes with the distribution {name}, which is not installed" in said) != (name == added), words


def test_the_table_of_commands_elsewhere_is_complete() -> None:
    """A command that the lab or the study adds is among those that say what to install."""
    commands, actions = (argparse.ArgumentParser().add_subparsers() for _ in range(2))
    lab_commands.register(commands)
    assert set(ELSEWHERE["lab"]) == set(commands.choices)
    study_commands.register(actions)
    assert set(ELSEWHERE["study"]) == {f"study {action}" for action in actions.choices}


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
    foreign = {
        package: set(owners.get(package, [])) - {name}
        for name, (_, packages) in DISTRIBUTIONS.items()
        for package in packages
    }
    assert {package: found for package, found in foreign.items() if found} == {}


def test_distributions_and_command_have_their_own_names() -> None:
    """The distribution is not called kairos (that name is another project's); the command is, and one brings it."""
    for name, (folder, _) in DISTRIBUTIONS.items():
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert project["name"] == name
        assert set(project.get("scripts", ())) == ({"kairos"} if name == PRODUCT else set())
