"""A real mosquitto on a free port of the loopback interface, to be killed and started again."""

import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.delivery.authority import Authority

COLLECTOR = "collector"
COLLECTOR_PASSWORD = "0123456789abcdef"  # noqa: S105  # of a broker that lives as long as a test
STARTS_S = 10.0


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Mosquitto:
    """A broker with one study: `start` and `kill` as often as wanted, its disk stays."""

    def __init__(
        self,
        folder: Path,
        study: str,
        logins: dict[str, str],
        authority: Authority | None,
        *,
        port: int | None = None,
        autosave_s: int = 1,
    ) -> None:
        """Write its configuration; `logins` are hashed as mosquitto keeps them; no authority: no TLS.

        `autosave_s` is how often it writes what it holds to its disk; mosquitto's own is 1800.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port = port or free_port()
        self._process: subprocess.Popen[bytes] | None = None
        people = folder / "people"
        people.write_text("".join(f"{name}:{login}\n" for name, login in logins.items()))
        subprocess.run(
            ["mosquitto_passwd", "-b", str(people), COLLECTOR, COLLECTOR_PASSWORD], check=True, capture_output=True
        )
        people.chmod(0o600)
        topic = f"kairos/v1/{study}"
        (folder / "acl").write_text(
            f"user {COLLECTOR}\ntopic read {topic}/up/#\ntopic write {topic}/down/#\ntopic readwrite {topic}/notice\n"
            f"pattern write {topic}/up/%u\npattern read {topic}/down/%u\npattern read {topic}/notice\n"
        )
        (folder / "acl").chmod(0o600)
        (folder / "data").mkdir(exist_ok=True)
        lines = [
            f"listener {self.port} 127.0.0.1",
            "allow_anonymous false",
            f"password_file {people}",
            f"acl_file {folder / 'acl'}",
            "persistence true",
            f"persistence_location {folder / 'data'}/",
            f"autosave_interval {autosave_s}",
            "max_queued_messages 0",
            "max_inflight_messages 0",
            "log_type error",
            "user root" if os.getuid() == 0 else "",
        ]
        if authority is not None:
            lines += [f"certfile {authority.certificate}", f"keyfile {authority.key}", "tls_version tlsv1.3"]
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    def start(self, **options: Any) -> None:
        """Start it and wait until it takes connections."""
        program = "/usr/sbin/mosquitto" if Path("/usr/sbin/mosquitto").exists() else "mosquitto"
        with (self.folder / "log").open("ab") as log:
            command = [program, "-c", str(self.folder / "mosquitto.conf")]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **options)
        deadline = time.monotonic() + STARTS_S  # noqa: TID251  # a process is waited for
        while time.monotonic() < deadline:  # noqa: TID251
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.02)  # noqa: TID251
            else:
                return
        pytest.fail(f"mosquitto does not start: {(self.folder / 'log').read_text()}")

    def kill(self) -> None:
        """Kill it with signal 9, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Let it end in order: it writes what it holds to its disk."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None
