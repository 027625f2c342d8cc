"""The replay of one session as a job for `daemon.parallel.pool`: plain data in, figures and optionally rows out.

Sessions themselves do not travel: a worker opens the folder by its path.
"""

import socket
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.replay.replay import ReplayResult, replay
from storage.codec import canonical
from storage.errors import BadFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayJob:
    """Which session to replay, and how; `lines` asks for every row as well."""

    folder: str
    detector: str | None = None
    policy: str | None = None
    check: bool = False
    with_recorded_estimates: bool = False
    lines: bool = False

    def __str__(self) -> str:
        """Name the session, for messages."""
        return self.folder


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutput:
    """The result without its rows; `lines` holds them as canonical JSON Lines, if requested."""

    result: ReplayResult
    lines: str


def run_job(job: ReplayJob) -> ReplayOutput:
    """Replay one session.

    Raises:
        BadFile: the session cannot be read, or this machine does not see its folder.
        UsageError: the detector or policy does not exist.
    """
    folder = Path(job.folder)
    if not folder.is_dir():
        raise BadFile(
            f"{folder} is not there on {socket.gethostname()}",
            remedy="every worker must see sessions under the same path, by a shared folder for instance",
        )
    result = replay(
        folder,
        detector=job.detector,
        policy=job.policy,
        check=job.check,
        with_recorded_estimates=job.with_recorded_estimates,
    )
    lines = "".join(canonical(row) + "\n" for row in result.rows) if job.lines else ""
    return ReplayOutput(result=replace(result, rows=[]), lines=lines)
