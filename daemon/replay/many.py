"""One session's replay as a piece of work for `daemon.parallel.pool`: plain data in, figures and, if wanted, text out.

Sessions themselves do not travel: a worker opens the folder by its path, so it has to see it there.
"""

import socket
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.replay.replay import Replayed, replay
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
        """Name the session, as messages do."""
        return self.folder


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayDone:
    """What a replay gave, without its rows; `lines` are those as canonical JSON Lines, if they were wanted."""

    result: Replayed
    lines: str


def replay_one(job: ReplayJob) -> ReplayDone:
    """Replay one session.

    Raises:
        BadFile: the session cannot be read, or its folder not be seen from here.
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
    return ReplayDone(result=replace(result, rows=[]), lines=lines)
