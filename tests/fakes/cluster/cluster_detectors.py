"""A detector over which the first process on a cluster that uses it waits to be killed."""

import os
from pathlib import Path

from detectors.protocol import Images
from storage.records import Estimate, Prefix
from tests.fakes.cluster.cluster_work import wait_to_be_killed
from tests.fakes.detectors.fake_detectors import FixedDetector

MARK = "KAIROS_TEST_MARK"
"""Environment variable of workers: the file that the process writes when it waits."""


class Marked(FixedDetector):
    """Estimates like its parent, but the first one on a cluster waits to be killed."""

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        if MARK in os.environ:
            wait_to_be_killed(Path(os.environ[MARK]))
        return FixedDetector.estimate(self, prefix, images, now_ns)


def marked(settings: object) -> Marked:
    return Marked(0.99)
