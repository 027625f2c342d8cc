"""Free memory goes back to the system."""

import platform
import subprocess
import sys

import pytest

_STORY = """
import ctypes, os
from daemon.runtime.session import trim_heap

def rss():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
blocks = [libc.malloc(1000) for _ in range(20_000)]
for block in blocks:
    ctypes.memset(block, 1, 1000)
for block in blocks[:-1]:  # the last one keeps glibc from shortening its memory by itself
    libc.free(block)
before = rss()
if {given}:
    trim_heap()
print(before - rss())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has other ways")
@pytest.mark.parametrize("given", [True, False])
def test_what_is_free_goes_back_and_by_itself_it_does_not(given: bool) -> None:
    """Twenty megabytes in small pieces, below one that is still used."""
    script = _STORY.format(given=given)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert (int(done.stdout) > 15 << 20) is given


_HEAPS = """
import ctypes, threading
from daemon.runtime.run import share_heaps

if {given}:
    share_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
met = threading.Barrier(6)

def hold():
    libc.malloc(1000)
    met.wait()

threads = [threading.Thread(target=hold) for _ in range(5)]
for thread in threads:
    thread.start()
met.wait()
libc.fopen.restype = ctypes.c_void_p
out = libc.fopen(b"/dev/stdout", b"w")
libc.malloc_info(0, ctypes.c_void_p(out))
libc.fclose(ctypes.c_void_p(out))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has other ways")
@pytest.mark.parametrize("given", [True, False])
def test_all_threads_share_two_heaps(given: bool) -> None:
    script = _HEAPS.format(given=given)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout.count("<heap ") <= 2) is given


_APART = """
import ctypes
from daemon.runtime.run import share_heaps

if {given}:
    share_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]

class Told(ctypes.Structure):
    _fields_ = [(str(number), ctypes.c_size_t) for number in range(10)]

libc.mallinfo2.restype = Told

def apart():
    return getattr(libc.mallinfo2(), "4")

libc.free(libc.malloc(2_000_000))  # from now on glibc would take as much from a heap
for size in (1_200_000, 780_000):
    before = apart()
    libc.malloc(size)
    print(apart() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has other ways")
@pytest.mark.parametrize("given", [True, False])
def test_what_an_encoder_needs_stays_out_of_the_heaps_and_pictures_do_not(given: bool) -> None:
    script = _APART.format(given=given)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    encoder, picture = map(int, done.stdout.split())
    assert (encoder >= 1_200_000, picture) == (given, 0)
