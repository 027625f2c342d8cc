"""Processes of programs in a sandbox, by what the system says of them."""

from pathlib import Path

import pytest

from daemon.capture.sandbox import local_process, program_process

SCOPE = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.gnome.TextEditor-{}.scope\n"


def process(root: Path, pid: int, *, inside: str = "", group: str = "0::/user.slice\n") -> None:
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
    process(tmp_path, 500, inside="\t2\t3")
    process(tmp_path, 501)
    assert local_process(claimed, connected, tmp_path) == meant


def test_a_program_of_flatpak_and_what_stands_between_it_and_the_bus_are_one(tmp_path: Path) -> None:
    """Another one that runs at the same time is another, and so is any program outside."""
    process(tmp_path, 500, group=SCOPE.format(490))
    process(tmp_path, 501, group=SCOPE.format(490))
    process(tmp_path, 502, group=SCOPE.format(480))
    process(tmp_path, 503)
    process(tmp_path, 504, group="0::/app.slice/app-flatpak-without-number.scope\n")
    numbers = [program_process(pid, tmp_path) for pid in (500, 501, 502, 503, 504, 999)]
    assert numbers == [490, 490, 480, 503, 504, 999]
