"""Programs in Python that begin as forks of one that has imported the interface: most of their start is done once.

Each is a process of its own and a child of whoever starts it, with its own environment, pipes and state. Unlike with a
new interpreter `/proc` shows the command line and environment of the program that it was forked from.
"""

import ctypes
import gc
import inspect
import json
import os
import runpy
import socket
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from demo.virtual_desktop.process_cleanup import TOKEN_NAME

IMPORTED = ("daemon.runtime.core", "daemon.runtime.session", "ui.app")
"""What takes long to import and starts no thread."""

ROOT = Path(__file__).resolve().parents[2]
MOST = 1 << 18
"""Bytes of an order."""

_PR_SET_CHILD_SUBREAPER = 36
_GIVEN = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]  # differs between versions
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


class WarmPython(subprocess.Popen[Any]):
    """A process of `[sys.executable, PATH, ...]` or `[sys.executable, "-m", MODULE, ...]`."""

    imported: ClassVar[tuple[str, ...]] = IMPORTED

    def _execute_child(self, *given: Any) -> None:
        """Order a fork in place of a new program, with the pipes that `Popen` has made."""
        wanted = _GIVEN.bind(self, *given).arguments
        pipes = [wanted[name] for name in _PIPES]
        order = {
            "words": [os.fspath(word) for word in wanted["args"][1:]],
            "env": dict(os.environ if wanted["env"] is None else wanted["env"]),
            "cwd": os.fspath(wanted["cwd"] or Path.cwd()),
            "session": wanted["start_new_session"],
        }
        standard = [number if end == -1 else end for number, end in enumerate((pipes[0], pipes[3], pipes[5]))]
        prctl = ctypes.CDLL(None).prctl
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # whose parent ends becomes a child of this process
        try:
            warm = _warm(self.imported)
            socket.send_fds(warm, [json.dumps(order).encode()], standard)
            self.pid = int(warm.recv(MOST))
            warm.recv(1)  # its parent has ended
        finally:
            prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]  # as its own does


@cache
def _warm(imported: tuple[str, ...]) -> socket.socket:
    """Return the way to the process that has imported these and forks; it ends with this one."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    env = os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    env.pop(TOKEN_NAME, None)  # it outlives the desktop on which it is asked first
    with there:
        fork = [sys.executable, "-m", __name__, str(there.fileno()), *imported]
        process = subprocess.Popen(fork, env=env, cwd=ROOT, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL)
    process.returncode = 0  # nobody waits for it
    return here


def _serve(orders: socket.socket) -> list[str]:
    """Fork once for each order; return the words in the child, nothing at the end of this process."""
    while True:
        text, standard, _, _ = socket.recv_fds(orders, MOST, 3)
        if not text:
            return []
        between = os.fork()
        if between == 0:
            forked_by = os.getpid()
            child = os.fork()
            if child == 0:
                while os.getppid() == forked_by:  # the program is a child of who ordered it once this one has ended
                    os.sched_yield()
                return _become(json.loads(text), standard)
            orders.send(str(child).encode())
            os._exit(0)
        os.waitpid(between, 0)
        orders.send(b".")
        for end in standard:
            os.close(end)


def _become(order: dict[str, Any], standard: list[int]) -> list[str]:
    """Be the program of an order, as far as a process is more than its code; return its words."""
    if order["session"]:
        os.setsid()
    for number, end in enumerate(standard):
        os.dup2(end, number)
        os.close(end)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    words: list[str] = order["words"]
    return words


def main() -> None:
    for name in sys.argv[2:]:
        import_module(name)
    gc.freeze()  # memory that is not written to stays shared
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        words = _serve(orders)
    if words[:1] == ["-m"]:
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
