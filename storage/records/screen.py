"""What the screen showed: frames and digests of their tiles."""

from dataclasses import dataclass
from typing import ClassVar

from storage.records.base import Box, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Record):
    """A screen frame in which something changed, after the fence.

    `changed` are exact changed boxes against the frame before; `own` and `covered` are the rectangles of our own and
    of excluded windows, whose pixels were never stored. `digest` is keyed per session. `image_ref` names the picture
    (`"screen-000.mp4@12000"`: file and milliseconds) and is None where no picture was stored.
    """

    KIND: ClassVar[str] = "frame"
    t_ns: int
    monitor: str
    size: tuple[int, int]
    digest: str
    changed: tuple[Box, ...]
    own: tuple[Box, ...] = ()
    covered: tuple[Box, ...] = ()
    image_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDigests(Record):
    """Digests of changed tiles of the newest `Frame` before it: they tell whether a place shows what it showed before.

    `now` holds two bytes for each tile of `tiles.digested_tiles`, as base64 without padding. `before` holds as
    many of what stood there before, where that was not known from earlier rows; otherwise it is empty. A digest depends
    on the place, and on a key that is never stored.

    `patches` holds two bytes for each of some patches of a tall change, in no order of places, as base64 without
    padding. They are as large as tiles, at any height, and the same picture gives the same ones wherever it is scrolled
    to in its column. It is empty where no change is tall.
    """

    KIND: ClassVar[str] = "tiles"
    now: str
    before: str = ""
    patches: str = ""
