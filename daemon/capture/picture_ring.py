"""The last minute of pictures as JPEG bytes in memory, for detectors that use pixels; nothing is written to a disk.

The capture thread adds pictures by their time; the core, which numbers frames, names them; both under one lock.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import CaptureSettings

MAX_BYTES = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RingPicture:
    """A picture, when it was taken, and the rectangle of the desktop that it shows; None if that is not known."""

    t_ns: int
    jpeg: bytes
    area: Box | None


class PictureRing:
    """Pictures of at most `ring_s` seconds and `max_bytes`, oldest dropped first. Implements `Images`."""

    def __init__(self, settings: CaptureSettings, max_bytes: int = MAX_BYTES) -> None:
        self._span_ns = round(settings.ring_s * NS_PER_S)
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._pictures: OrderedDict[int, bytes] = OrderedDict()
        self._area: Box | None = None
        self._times: dict[int, int] = {}
        self._bytes = 0

    def put(self, t_ns: int, jpeg: bytes, area: Box | None = None) -> None:
        """Add the picture of the frame taken at `t_ns`, later than those before, and which area it shows."""
        with self._lock:
            self._area = area
            self._pictures[t_ns] = jpeg
            self._bytes += len(jpeg)
            while self._pictures and (self._bytes > self._max_bytes or self._oldest_ns() < t_ns - self._span_ns):
                self._bytes -= len(self._pictures.popitem(last=False)[1])

    def name(self, frame_seq: int, t_ns: int) -> None:
        """Give the picture taken at `t_ns` the number of its frame."""
        with self._lock:
            if t_ns in self._pictures:
                self._times[frame_seq] = t_ns
            if len(self._times) > 2 * len(self._pictures):
                self._times = {seq: t for seq, t in self._times.items() if t in self._pictures}

    def jpeg(self, frame_seq: int) -> bytes | None:
        """Return the picture of the frame with this `seq`, or None if there is none, or no longer."""
        with self._lock:
            t_ns = self._times.get(frame_seq)
            return None if t_ns is None else self._pictures.get(t_ns)

    def newest(self) -> RingPicture | None:
        """Return the picture that was taken last; None if there is none."""
        with self._lock:
            if not self._pictures:
                return None
            t_ns, jpeg = next(reversed(self._pictures.items()))
            return RingPicture(t_ns=t_ns, jpeg=jpeg, area=self._area)

    def clear(self) -> None:
        """Drop all pictures: a pause or private time has begun."""
        with self._lock:
            self._pictures.clear()
            self._times.clear()
            self._bytes = 0

    @property
    def size_bytes(self) -> int:
        """Bytes of all pictures."""
        with self._lock:
            return self._bytes

    def _oldest_ns(self) -> int:
        return next(iter(self._pictures))
