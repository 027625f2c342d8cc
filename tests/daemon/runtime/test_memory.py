"""Freed memory goes back to the system."""

import platform
import subprocess
import sys

import pytest

_STORY = """
import os
from daemon.runtime.memory import keep_little

def rss():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

if {limited}:
    keep_little()
for _ in range(2):  # the first one that is freed makes glibc keep the second
    bytearray(8 << 20)
kept = bytearray(8 << 20)
before = rss()
del kept
print(before - rss())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has other ways")
@pytest.mark.parametrize("limited", [True, False])
def test_a_picture_that_is_freed_goes_back_and_without_the_limit_it_does_not(limited: bool) -> None:
    """Eight megabytes, as much as a screen has."""
    script = _STORY.format(limited=limited)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert (int(done.stdout) > 7 << 20) is limited
