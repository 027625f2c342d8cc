"""What the system says of a process: its program, its sandbox, and what Tk's windows are called."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from daemon.capture.programs.processes import (
    LONGEST_HANG_NS,
    NO_PROCESS,
    Process,
    is_any_hung,
    local_process,
    page_times,
    parents_of,
    program_process,
    read_process,
)
from daemon.capture.x11.properties import Client, decoded
from demo.virtual_desktop.windows import poll

SCOPE = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.gnome.TextEditor-{}.scope\n"


def sandboxed(root: Path, pid: int, *, inside: str = "", group: str = "0::/user.slice\n") -> None:
    """Write what the system says of a process; `inside` are its numbers in sandboxes."""
    folder = root / str(pid)
    folder.mkdir()
    (folder / "status").write_text(f"Name:\teditor\nPid:\t{pid}\nNSpid:\t{pid}{inside}\nVmRSS:\t2 kB\n")
    (folder / "cgroup").write_text(group)


@pytest.mark.parametrize(
    ("claimed", "connected", "meant"),
    [
        (2, 500, 500),  # its number in the sandbox
        (3, 500, 500),  # and in one within that
        (500, 500, 500),
        (7, 500, 7),  # no number of it: the connection is somebody else's
        (501, 500, 501),
        (600, 501, 600),  # in no sandbox
        (2, 0, 2),  # the server does not say
        (2, 999, 2),  # it has ended
    ],
)
def test_a_window_in_a_sandbox_is_of_the_process_that_its_number_there_means(
    tmp_path: Path, claimed: int, connected: int, meant: int
) -> None:
    """What a window says is not believed beyond that: no other process is taken for its own."""
    sandboxed(tmp_path, 500, inside="\t2\t3")
    sandboxed(tmp_path, 501)
    assert local_process(claimed, connected, tmp_path) == meant


def test_a_program_of_flatpak_and_what_stands_between_it_and_the_bus_are_one(tmp_path: Path) -> None:
    """Another one that runs at the same time is another, and so is any program outside."""
    sandboxed(tmp_path, 500, group=SCOPE.format(490))
    sandboxed(tmp_path, 501, group=SCOPE.format(490))
    sandboxed(tmp_path, 502, group=SCOPE.format(480))
    sandboxed(tmp_path, 503)
    sandboxed(tmp_path, 504, group="0::/app.slice/app-flatpak-without-number.scope\n")
    numbers = [program_process(pid, tmp_path) for pid in (500, 501, 502, 503, 504, 999)]
    assert numbers == [490, 490, 480, 503, 504, 999]


def process(root: Path, pid: int, program: str, *arguments: str) -> None:
    folder = root / str(pid)
    folder.mkdir()
    (folder / "exe").symlink_to(program)
    (folder / "cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in arguments))


@pytest.mark.parametrize(
    ("program", "arguments", "names"),
    [
        ("/usr/lib/firefox-esr/firefox-esr", ["/usr/bin/firefox"], {"firefox-esr", "firefox"}),
        ("/usr/bin/python3.11", ["python3", "-O", "/usr/bin/vault.py", "x"], {"python3.11", "python3", "vault"}),
        ("/opt/signal (deleted)", ["signal"], {"signal"}),
        ("/usr/bin/python3.11", ["python3.11", "-c", "import vault"], {"python3.11"}),
        ("/usr/bin/wish8.6", ["wish", "/usr/bin/vault"], {"wish8.6", "wish", "vault"}),
        ("/usr/bin/wine64", ["C:\\Programs\\KeePass.exe"], {"wine64", "KeePass.exe"}),
        ("/usr/bin/loader", ["/opt/my apps/vault"], {"loader", "vault"}),  # one argument with a space in it is one
    ],
)
def test_the_names_of_a_process(tmp_path: Path, program: str, arguments: list[str], names: set[str]) -> None:
    """Its file, what it calls itself, and the script that an interpreter runs; code that it is given is no name."""
    process(tmp_path, 7, program, *arguments)
    assert read_process(7, tmp_path).names == names


@pytest.mark.parametrize(
    ("word", "private"), [("--incognito", True), ("-private", True), ("--private-window", False), ("incognito", False)]
)
def test_a_process_begun_as_private(tmp_path: Path, word: str, *, private: bool) -> None:
    """Arguments that make all windows private count; one that opens a single such window does not."""
    process(tmp_path, 7, "/usr/bin/chromium", "chromium", word, "https://example.org")
    assert read_process(7, tmp_path).private is private


@pytest.mark.parametrize(("word", "private"), [("--incognito", True), ("--new-window", False)])
def test_a_process_that_writes_its_arguments_anew(tmp_path: Path, word: str, *, private: bool) -> None:
    """Chromium joins them with spaces; what stands in an address is no name of the program."""
    process(tmp_path, 7, "/opt/my chromium/chromium", f"/opt/my chromium/chromium --user {word} https://a/KeePassXC")
    assert read_process(7, tmp_path) == Process(names=frozenset({"chromium"}), private=private)


@pytest.mark.parametrize(("command", "is_told"), [("sleep 60 & echo $!", True), ("setsid sleep 60 & echo $!", False)])
def test_a_process_whose_parents_are_gone_is_told_by_its_group_and_session(command: str, *, is_told: bool) -> None:
    """The limit is one that has left both: whatever began it is told nowhere any more."""
    program = subprocess.Popen(
        ["sh", "-c", f"sh -c '{command}'; exec sleep 60"], stdout=subprocess.PIPE, start_new_session=True
    )
    assert program.stdout is not None
    grandchild = int(program.stdout.readline())
    try:
        poll(lambda: Path(f"/proc/{grandchild}/comm").read_text() == "sleep\n", what="the grandchild")
        status = Path(f"/proc/{grandchild}/status").read_text()
        assert f"PPid:\t{program.pid}\n" not in status, "the control: its parent is gone"
        assert (program.pid in parents_of(grandchild)) is is_told
    finally:
        os.kill(grandchild, signal.SIGKILL)
        program.kill()
        program.communicate()


def test_a_process_whose_parents_are_gone_is_told_by_its_scope(tmp_path: Path) -> None:
    """GNOME and others begin each program in a control group of its own, and name it by the first process."""
    folder = tmp_path / "70"
    folder.mkdir()
    (folder / "status").write_text("PPid:\t1\n")
    (folder / "stat").write_text("70 (a) b) S 1 70 70 0 -1 0")
    for cgroup, told in (("app.slice/app-gnome-keepassxc-40.scope", (40,)), ("app.slice/session.slice", ())):
        (folder / "cgroup").write_text(f"0::/user.slice/{cgroup}\n")
        assert parents_of(70, tmp_path) == told


def test_a_process_that_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    """It ended, belongs to somebody else, or has its number in a sandbox."""
    assert read_process(7, tmp_path) is NO_PROCESS


def test_the_processes_of_pages_and_which_hang(tmp_path: Path) -> None:
    """Behind a process that forks too; others of the browser do not count, and who waits for a processor is busy."""
    children = {1: (2, 3), 3: (4, 5, 6)}
    kinds = {1: "chromium", 2: "--type=gpu-process", 3: "--type=zygote", 4: "--type=renderer", 6: "-contentproc"}
    states = {pid: ("S", 7 * pid) for pid in range(1, 7)} | {6: ("T", 9)}
    for pid, (state, ran_ns) in states.items():
        task = tmp_path / str(pid) / "task" / str(pid)
        task.mkdir(parents=True)
        (task / "children").write_text("".join(f"{child} " for child in children.get(pid, ())))
        (tmp_path / str(pid) / "cmdline").write_bytes(f"browser\0{kinds.get(pid, '-')}\0--x\0".encode())
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a) b) {state} 1 1\n")
        (tmp_path / str(pid) / "schedstat").write_text(f"{ran_ns} 2 3\n")
    assert page_times(1, tmp_path) == {4: 30, 6: None}
    assert page_times(9, tmp_path) == {}
    assert is_any_hung({}, {4: 30, 6: None}, 100, waited_ns=0)
    assert [is_any_hung({4: 30}, {4: ran_ns, 5: 900}, 100, waited_ns=0) for ran_ns in (30, 110, 111)] == [
        False,
        False,
        True,
    ]
    assert not is_any_hung({4: None}, {4: 900}, 100, waited_ns=0)
    assert not is_any_hung({4: 30}, {4: 111}, 100, waited_ns=LONGEST_HANG_NS)
    assert is_any_hung({}, {6: None}, 100, waited_ns=LONGEST_HANG_NS)


def test_texts_of_properties() -> None:
    """UTF-8 whatever the type says, else Latin-1."""
    assert decoded("Gehälter".encode()) == "Gehälter"
    assert decoded("Gehälter".encode("latin-1")) == "Gehälter"


@pytest.mark.parametrize(
    ("app", "script", "name"),
    [("Toplevel", "idle", "idle"), ("Tk", "", "Tk"), ("Thonny", "thonny3", "Thonny"), (None, "idle", None)],
)
def test_windows_of_tk_are_called_by_the_script_behind_them(app: str | None, script: str, name: str | None) -> None:
    """Their class is the same in all programs, and can still be excluded; a class of the program's own stays."""
    client = Client(app=app, process=Process(script=script))
    assert client.name == name
    assert client.program == ({app} if name != app else set())
