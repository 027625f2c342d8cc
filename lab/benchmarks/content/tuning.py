"""Carries out `kairos bench content --fit FILE`."""

from pathlib import Path
from tempfile import TemporaryDirectory

from daemon.text import print_progress
from lab.benchmarks.content.benchmark import documentation, index
from lab.benchmarks.content.fit import bm25_weights, fit, write
from lab.benchmarks.content.moments import Part, read_moments
from storage.db import open_readonly
from storage.paths import library_file


def tune(path: Path) -> None:
    """Fit weights on the tuning moments and write them; say what the folds gave, and the best weights of BM25.

    Raises:
        EnvironmentFault: documentation that the moments are about is missing.
    """
    moments = [one for one in read_moments() if one.part is Part.TUNING]
    with TemporaryDirectory(prefix="kairos-bench-") as name:
        index(Path(name), documentation())
        connection = open_readonly(library_file(Path(name))).conn
        try:
            found = fit(connection, moments)
            weights = bm25_weights(connection, moments)
        finally:
            connection.close()
    write(path, found)
    print_progress(
        f"folds of the tuning half: hit@1 {found.folds_hit1:.3f}, hit@3 {found.folds_hit3:.3f},"
        f" reciprocal rank {found.folds_reciprocal:.3f}; best weights of BM25: {weights}"
    )
