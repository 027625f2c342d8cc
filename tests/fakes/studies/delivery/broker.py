"""A real mosquitto on a free port of the loopback interface, to be killed and started again."""

import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from study.broker.check import free_port
from study.broker.configuration import BrokerFolder, Certificates, write_configuration
from tests.fakes.studies.delivery.authority import Authority

STARTS_S = 10.0


class Mosquitto:
    """A broker with one study, configured by `kairos study broker`: `start` and `kill` at will, its disk stays."""

    def __init__(
        self, folder: Path, study: Path, authority: Authority | None, *, port: int | None = None, autosave_s: int = 1
    ) -> None:
        """Write its configuration, then change what a test wants otherwise.

        `autosave_s` is how often it writes what it holds to its disk; mosquitto's own is 1800. No authority: no TLS.
        """
        self.folder = folder
        self.port = port or free_port()
        self._process: subprocess.Popen[bytes] | None = None
        shown = Certificates(
            certificate=authority.certificate if authority else Path("none"),
            key=authority.key if authority else Path("none"),
        )
        conf = write_configuration(study, BrokerFolder(folder), shown, port=self.port).conf
        text = conf.read_text().replace(f"listener {self.port}\n", f"listener {self.port} 127.0.0.1\n")
        lines = text.replace("autosave_interval 1\n", f"autosave_interval {autosave_s}\n").splitlines()
        secured = ("certfile ", "keyfile ", "tls_version ")
        conf.write_text("\n".join(line for line in lines if authority or not line.startswith(secured)) + "\n")

    def start(self, **options: Any) -> None:
        program = "/usr/sbin/mosquitto" if Path("/usr/sbin/mosquitto").exists() else "mosquitto"
        with (self.folder / "log").open("ab") as log:
            command = [program, "-c", str(self.folder / "mosquitto.conf")]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **options)
        deadline = time.monotonic() + STARTS_S  # noqa: TID251  # a process is waited for
        while time.monotonic() < deadline:  # noqa: TID251  # another process is waited for
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.02)  # noqa: TID251  # another process is waited for
            else:
                return
        pytest.fail(f"mosquitto does not start: {(self.folder / 'log').read_text()}")

    def kill(self) -> None:
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
