"""The families of hostile input, and the search through their variants."""

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tests.fakes.hostile import databases, recordings, session_files
from tests.fakes.hostile.guard import HangError, MemoryMeter, Outside, limited
from tests.fakes.hostile.record_lists import record_list, saved_policy, whole_session
from tests.fakes.hostile.recordings import recording, video_file
from tests.fakes.hostile.session_files import export_file, session_folder
from tests.fakes.hostile.settings_consent_requests import consent_file, control_request, settings_file

MEMORY_KB = 200 * 1024
"""The most memory that a variant may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One kind of hostile input.

    Attributes:
        run: one variant, in an empty folder; raises what is no error of ours.
        few: how many variants are run in every run of the tests.
        many: how many more in the long run.
        prepare: makes what all variants begin with, before anything is watched.
    """

    run: Callable[[random.Random, Path], None]
    few: int
    many: int
    prepare: tuple[Callable[[], object], ...] = ()


FAMILIES: Mapping[str, Family] = {
    "settings": Family(run=settings_file, few=8, many=1_200),
    "consent": Family(run=consent_file, few=75, many=1_500),
    "request": Family(run=control_request, few=75, many=1_500),
    "list": Family(run=record_list, few=8, many=1_500, prepare=(whole_session, saved_policy)),
    "export": Family(run=export_file, few=8, many=1_500, prepare=(databases.database,)),
    "folder": Family(run=session_folder, few=6, many=1_500, prepare=(databases.database, session_files.video)),
    "recording": Family(run=recording, few=5, many=1_000),
    "video": Family(run=video_file, few=2, many=300, prepare=(recordings.videos,)),
}


def search(name: str, seeds: range, folder: Path) -> list[str]:
    """Run variants of a family, each in a folder of its own within `folder`; return each failure with its call."""
    for prepare in FAMILIES[name].prepare:
        prepare()
    failures: list[str] = []
    for seed in seeds:
        own = folder / f"{name}-{seed}"
        own.mkdir()
        call = f"run_variant({name!r}, {seed}, folder)"
        meter = MemoryMeter()
        try:
            with limited(own), patch.dict(os.environ, XDG_STATE_HOME=str(own)):  # an export stages in the data folder
                run_variant(name, seed, own)
        except (Exception, HangError, Outside) as error:  # noqa: BLE001  # whatever it is, it is a finding
            failures.append(f"{call}: {type(error).__name__}: {str(error)[:300]}")
        if (grown_kb := meter.grown_kb()) > MEMORY_KB:
            failures.append(f"{call}: it took {grown_kb >> 10} MB")
    return failures


def run_variant(name: str, seed: int, folder: Path) -> None:
    FAMILIES[name].run(random.Random(f"{name} {seed}"), folder)
