"""Set-up asks the system for nothing it has, says what to do when it cannot help, and does nothing twice."""

import os
import re
import runpy
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LISTS = sorted((ROOT / "packaging").glob("debian-*.txt"))
LINE = re.compile(r"(?P<names>[a-z0-9][a-z0-9+.-]*( \| [a-z0-9][a-z0-9+.-]*)*) +# \S.*")


class Machine:
    """A pretended Debian: `dpkg-query` knows the given packages, `apt-get` writes down how it is called."""

    def __init__(self, folder: Path, *, installed: str, apt_works: bool = True) -> None:
        self.root = folder / "kairos"
        self.calls = folder / "calls"
        self.calls.touch()
        self._tools = folder / "tools"
        self._tools.mkdir()
        (self.root / "packaging").mkdir(parents=True)
        (self.root / ".venv").mkdir()
        (self.root / "pyproject.toml").touch()
        (self.root / "packaging" / "lock.txt").write_text("# product dev\na==1 \\\n    --hash=sha256:0\n# dev\nb==2\n")
        (self.root / "packaging" / "debian-run.txt").write_text("liba | liba-new # one or the other\nlibb # always\n")
        self._tool("dpkg-query", f"printf '%s\\n' {installed}")
        self._tool("apt-cache", f'echo "$0 $*" | sed "s|.*/||" >>"{self.calls}"; exit 1')
        self._tool("apt-get", f'echo "apt-get $*" >>"{self.calls}"\nexit {0 if apt_works else 100}')

    def _tool(self, name: str, body: str) -> None:
        path = self._tools / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def set_up(self, call: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", f'set -euo pipefail; ROOT={self.root}; source "{ROOT}/packaging/setup.sh"; {call}'],
            env={"PATH": f"{self._tools}:{os.environ['PATH']}", "HOME": str(self.root)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_system_package_says_why_it_is_wanted(path: Path) -> None:
    """Each line of a package list is a name, or alternatives, and a reason."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines
    assert [line for line in lines if not LINE.fullmatch(line)] == []


def test_the_set_for_a_desktop_is_shared_libraries_alone() -> None:
    """A person's desktop gets no program from us, only libraries."""
    lines = (ROOT / "packaging" / "debian-run.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith(("lib", "#"))] == []


def test_what_reads_the_microphone_is_offered_once_and_nothing_stops_without_it(tmp_path: Path) -> None:
    """The Debian package recommends the same; `kairos doctor` names it where it is missing."""
    machine = Machine(tmp_path, installed="'installed liba'", apt_works=False)
    speech = ROOT / "packaging" / "debian-speech.txt"
    (machine.root / "packaging" / speech.name).write_bytes(speech.read_bytes())
    told = [machine.set_up("offer_packages 'thinking aloud' speech; echo goes on") for _ in range(2)]
    assert [(done.returncode, done.stdout) for done in told] == [(0, "goes on\n")] * 2
    assert "pulseaudio-utils" in told[0].stderr
    assert "going on without thinking aloud" in told[0].stderr
    assert told[1].stderr == ""
    assert "offer_packages" in (ROOT / "run").read_text(encoding="utf-8")
    assert "pulseaudio-utils" in (ROOT / "packaging" / "deb" / "control.in").read_text(encoding="utf-8")


def test_nothing_is_installed_where_nothing_is_missing(tmp_path: Path) -> None:
    """An alternative name counts as the package itself, and a complete machine is left alone."""
    machine = Machine(tmp_path, installed="'installed liba-new' 'installed libb'")
    done = machine.set_up("need_packages Kairos run")
    assert (done.returncode, done.stderr, machine.calls.read_text()) == (0, "", "")


def test_only_what_is_missing_is_named(tmp_path: Path) -> None:
    """A package that was removed but left its settings behind is missing; one that is there is not asked for."""
    machine = Machine(tmp_path, installed="'config-files liba' 'installed libb'", apt_works=False)
    done = machine.set_up("need_packages Kairos run")
    assert done.returncode == 3
    assert done.stderr.rstrip().endswith("apt-get install --no-install-recommends liba")


def test_a_person_who_is_not_root_is_told_the_one_line(tmp_path: Path) -> None:
    """Without rights and without a terminal to ask on, nothing is run and the line to run is printed."""
    machine = Machine(tmp_path, installed="'installed liba'")
    done = machine.set_up("is_root() { return 1; }; need_packages Kairos run")
    assert done.returncode == 3
    assert "sudo apt-get install --no-install-recommends libb" in done.stderr
    assert machine.calls.read_text() == ""


def test_a_failed_installation_names_the_way_out(tmp_path: Path) -> None:
    """When apt cannot install (offline, say), set-up stops with status 3 and says what to do."""
    machine = Machine(tmp_path, installed="'installed liba'", apt_works=False)
    done = machine.set_up("is_root() { return 0; }; need_packages Kairos run")
    assert done.returncode == 3
    assert machine.calls.read_text().count("apt-get") == 2
    assert "apt-get install --no-install-recommends libb" in done.stderr


@pytest.mark.parametrize("spared", ["", "CI=true; "])
def test_apt_fetches_its_lists_once_and_is_asked_about_packages_of_two_names_alone(tmp_path: Path, spared: str) -> None:
    """Each question takes apt a third of a second. Only a machine of CI is spared the waits for its disk."""
    machine = Machine(tmp_path, installed="")
    done = machine.set_up(f"is_root() {{ :; }}; {spared}need_packages Kairos run; need_packages more run")
    assert done.returncode == 0, done.stderr
    calls = machine.calls.read_text().splitlines()
    asked = [call.split()[-1] for call in calls if call.startswith("apt-cache")]
    assert set(asked) == {"liba", "liba-new"}
    installing = [call for call in calls if call.startswith("apt-get")]
    assert [call.split()[-1] for call in installing] == ["update", "libb", "libb"]
    assert all(("unsafe-io" in call) == bool(spared) for call in installing)


def test_a_stamp_is_enough_for_the_second_start(tmp_path: Path) -> None:
    """With a valid stamp nothing is looked at; when a list or pyproject.toml changes the stamp is void."""
    machine = Machine(tmp_path, installed="'installed liba' 'installed libb'")
    counted = f"need_python() {{ echo python >>{machine.calls}; }}; set_up Kairos '' run"
    for expected in ("python\n", "python\n"):
        assert machine.set_up(counted).returncode == 0
        assert machine.calls.read_text() == expected
    (machine.root / "pyproject.toml").write_text("changed\n")
    assert machine.set_up(counted).returncode == 0
    assert machine.calls.read_text() == "python\npython\n"


def test_a_moved_folder_is_set_up_again(tmp_path: Path) -> None:
    """A stamp made in another folder is void, because an environment cannot be moved."""
    machine = Machine(tmp_path, installed="'installed liba' 'installed libb'")
    counted = f"need_python() {{ echo python >>{machine.calls}; }}; set_up Kairos '' run"
    assert machine.set_up(counted).returncode == 0
    machine.root = machine.root.rename(tmp_path / "elsewhere")
    assert machine.set_up(counted).returncode == 0
    assert machine.calls.read_text() == "python\npython\n"


def test_the_lock_holds_what_our_distributions_ask_for() -> None:
    """Each package in one version for a platform, within our ranges, with hashes, and without an address."""
    text = (ROOT / "packaging" / "lock.txt").read_text(encoding="utf-8")
    assert "://" not in text
    blocks = re.findall(r"^# (.*)\n([^#]+)", text, re.MULTILINE)
    assert all("--hash=sha256:" in block for _, block in blocks)
    locked = {
        which: {Requirement(block.split(" \\")[0]).name for sets, block in blocks if which in sets.split()}
        for which in ("product", "lab", "study", "dev")
    }
    versions = {Requirement(block.split(" \\")[0]).name: block.split()[0].partition("==")[2] for _, block in blocks}
    for file, which in (("", "product"), ("lab/", "lab"), ("study/", "study")):
        project = tomllib.loads((ROOT / f"{file}pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = project.get("optional-dependencies", {}).get("dev", [])
        for wanted, name in [*((line, which) for line in project["dependencies"]), *((line, "dev") for line in extras)]:
            asked = Requirement(wanted)
            if not asked.name.startswith("kairos-"):
                assert canonicalize_name(asked.name) in locked[name], asked.name
                assert asked.specifier.contains(versions[canonicalize_name(asked.name)]), asked.name


def test_renewing_the_lock_says_what_changed_also_files_of_a_version_that_stays() -> None:
    """A file that is put under a published version later is what somebody must look at."""
    changes = runpy.run_path(str(ROOT / "packaging" / "renew-lock"))["changes"]
    lock = (ROOT / "packaging" / "lock.txt").read_text(encoding="utf-8")
    assert changes(lock, lock) == []
    old = "# product\na==1 \\\n    --hash=sha256:0\n# dev\nb==2 \\\n    --hash=sha256:1 \\\n    --hash=sha256:2\n"
    assert changes(old, old.replace("# product", "# product dev")) == []
    assert changes(old, old.replace("b==2", "b==3").replace("a==1", "c==1")) == [
        "a: 1 -> gone",
        "b: 2 -> 3",
        "c: new -> 1",
    ]
    assert changes(old, old.replace("sha256:2", "sha256:3")) == ["b 2: 1 files added, 1 taken away: look at them"]


@pytest.mark.parametrize(
    ("arguments", "which", "lists"),
    [
        (["demo"], "", ["run", "desktop", "demo"]),
        (["demo", "--app", "calc"], "", ["run", "desktop", "demo"]),
        (["demo", "--seed", "3", "--app", "web"], "", ["run", "desktop", "demo", "demo-web"]),
        (["demo", "--app=writer", "--json"], "", ["run", "desktop", "demo", "demo-writer"]),
        (["bench", "demos", "--app", "web"], "lab", ["run", "desktop", "demo"]),
        (["train"], "lab", ["run", "desktop", "demo"]),
        (["simulate"], "lab", ["run", "desktop", "demo", "simulate"]),
        (["study", "create"], "study", []),
        (["run"], "", ["run"]),
        (["doctor"], "", []),
    ],
)
def test_a_command_gets_its_distribution_and_programs(
    tmp_path: Path, arguments: list[str], which: str, lists: list[str]
) -> None:
    """A demo gets the program that it plays in, and no other command does; every list that is asked for is there."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "setup.sh").write_text('set_up() { shift; printf "%s\\n" "$@"; exit; }\n')
    (tmp_path / "run").write_bytes((ROOT / "run").read_bytes())
    done = subprocess.run(["bash", tmp_path / "run", *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [which, *lists]
    assert {f"debian-{name}" for name in lists} <= {path.stem for path in LISTS}


@pytest.mark.parametrize(
    ("which", "wanted", "stamps"),
    [
        ("", [""], {""}),
        ("docs", [""], {"", "docs"}),
        ("lab", ["", "/lab"], {"", "lab"}),
        ("study", ["", "/study"], {"", "study"}),
        ("dev", ["", "/lab", "/study"], {"", "lab", "study", "dev"}),
    ],
)
def test_only_the_distributions_that_are_needed_are_installed(
    tmp_path: Path, which: str, wanted: list[str], stamps: set[str]
) -> None:
    """`./run` installs the product alone, `./test` all three, after which none is installed again for a command.

    Fetched are the packages that the lock names for them, with their hashes; linking our own folders fetches nothing.
    """
    machine = Machine(tmp_path, installed="'installed liba'")
    python = machine.root / ".venv" / "bin" / "python"
    python.parent.mkdir()
    python.write_text(
        f'#!/bin/sh\necho "$*" >>"{machine.calls}"\n'
        'for each; do [ "$last" = --requirement ] && grep -o "^[a-z]==." "$each" >>'
        f'"{machine.calls}"; last=$each; done\n'
        "exit 0\n"
    )
    python.chmod(0o755)
    (machine.root / ".venv" / ".kairos-root").write_text(str(machine.root))
    done = machine.set_up(f"find_python() {{ echo {python}; }}; makes_environments() {{ :; }}; need_python '{which}'")
    assert done.returncode == 0, done.stderr
    _, fetching, *fetched, linking = machine.calls.read_text().splitlines()
    assert "--require-hashes" in fetching
    assert fetched == {"": ["a==1"], "dev": ["a==1", "b==2"]}.get(which, [])
    assert "--no-deps --no-build-isolation" in linking
    installed = [word for word in linking.split() if word.startswith("--editable=")]
    assert installed == [f"--editable={machine.root}{name}" for name in wanted]
    written = (machine.root / ".venv").glob(".kairos-python-*")
    assert {path.name.removeprefix(".kairos-python-") for path in written} == stamps
