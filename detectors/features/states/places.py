"""What stood at each place of a program's windows, and from when to when; bounded.

Values are digests of tiles. A tile that goes back and forth between two of them by itself (a caret) has one value: the
second becomes another name of the first.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from math import ceil

from detectors.features.states.views import ViewMemory
from storage.records.tiles import Place

MAX_PLACES = 1024
MAX_SPANS = 12
MAX_SEEN = 24
SHOWN_NS = -1  # when something was first seen that was there before anybody looked
SMALL = 2  # tiles of a change that may be a caret


class PlaceHistory:
    """The values of one place.

    There are thousands of these for hours, so a value is a character of a string, which has sixteen bits to spare as it
    has, and equal times are one number.
    """

    __slots__ = ("aliases", "seen", "seen_ns", "since_ns", "stood")

    def __init__(self) -> None:
        self.stood = ""
        """Its values, oldest first."""
        self.since_ns: list[int] = []
        """Since when each of them stood."""
        self.seen = ""
        """The values that it ever had; the oldest are forgotten."""
        self.seen_ns: list[int] = []
        """When each of them was first seen."""
        self.aliases: dict[int, int] | None = None

    def named(self, digest: int) -> int:
        """Return the value that a digest stands for."""
        return digest if self.aliases is None else self.aliases.get(digest, digest)

    def set(self, value: int, t_ns: int, *, made: bool = True) -> None:
        """Take in the value from `t_ns` on; one that was not `made` then, only shown, counts as seen before."""
        letter = chr(value)
        self.stood += letter
        self.since_ns.append(t_ns)
        if len(self.since_ns) > MAX_SPANS:
            self.stood = self.stood[1:]
            del self.since_ns[0]
        if letter not in self.seen:
            self.seen += letter
            self.seen_ns.append(t_ns if made else SHOWN_NS)
            if len(self.seen_ns) > MAX_SEEN:
                self.seen = self.seen[1:]
                del self.seen_ns[0]

    def show(self, digest: int, t_ns: int) -> None:
        """Take in what stood there before anybody looked."""
        value = self.named(digest)
        if not self.stood or self.stood[-1] != chr(value):
            self.set(value, t_ns, made=False)

    def became_alias(self, value: int, since_ns: int) -> bool:
        """Note a return by itself to the value before; return whether it was one."""
        stood = self.stood
        if len(stood) < 2 or stood[-2] != chr(value) or self.since_ns[-1] < since_ns:  # noqa: PLR2004  # there and back
            return False
        self.stood = stood[:-1]
        self.since_ns.pop()
        if self.aliases is None:
            self.aliases = {}
        self.aliases[ord(stood[-1])] = value
        at = self.seen.find(stood[-1])
        if at >= 0:
            self.seen = self.seen[:at] + self.seen[at + 1 :]
            del self.seen_ns[at]
        if len(self.aliases) > MAX_SPANS:
            del self.aliases[next(iter(self.aliases))]
        return True

    def changed_once_since(self, t_ns: int) -> bool:
        """Return whether the value changed exactly once after a moment."""
        found = False
        for since_ns in reversed(self.since_ns):
            if since_ns > t_ns:
                if found:
                    return False
                found = True
        return found


NEVER_NS = 2**63
_UNKNOWN = PlaceHistory()

Sight = tuple[int, int, str, PlaceHistory]
"""Row of tiles, since when a value was seen at a place of it (`NEVER_NS`), its letter, and what stood there."""


class PlaceMemory:
    """The places of one program."""

    def __init__(self) -> None:
        self._places: OrderedDict[Place, PlaceHistory] = OrderedDict()
        self._row_ns = 0
        self.views = ViewMemory()
        """The program's views, which do not depend on places."""

    def __len__(self) -> int:
        """Return how many places are remembered."""
        return len(self._places)

    def take(
        self, now: Mapping[Place, int], before: Mapping[Place, int], t_ns: int, act_ns: int, *, made: bool = True
    ) -> tuple[dict[Place, int | None], dict[Place, int]]:
        """Take in the digests of a frame.

        Args:
            now: what stands at places.
            before: what stood there, where it was not known.
            t_ns: when the frame was taken.
            act_ns: when the last act was: what goes and comes back without one after it is a caret.
            made: whether what is new was made just now; false where another window came to the front.

        Returns:
            The values before, None where unknown, and those now: both for each place whose value is another one now.
        """
        places = self._places
        stood: dict[Place, int | None] = {}
        stands: dict[Place, int] = {}
        small = len(now) <= SMALL
        for place, digest in now.items():
            history = places.get(place)
            if history is None:
                history = places[place] = PlaceHistory()
                if len(places) > MAX_PLACES:
                    places.popitem(last=False)
            shown = before.get(place)
            if shown is not None and (history.aliases is not None or history.stood[-1:] != chr(shown)):
                history.show(shown, min(self._row_ns, t_ns))
            value = digest if history.aliases is None else history.aliases.get(digest, digest)
            old = ord(history.stood[-1]) if history.stood else None
            if value == old:
                continue
            places.move_to_end(place)  # in the order of changes
            if not (small and history.became_alias(value, act_ns)):
                history.set(value, t_ns, made=made)
            stood[place] = old
            stands[place] = value
        self._row_ns = t_ns
        return stood, stands

    def settled(self, changes: dict[Place, int], first: Mapping[Place, int | None]) -> dict[Place, int]:
        """Return changes by what their digests stand for by now: one to another name of the first value is none."""
        places = self._places
        found = changes.copy()
        for place, digest in changes.items():
            history = places.get(place)
            if history is not None and history.aliases is not None:
                stood = first[place]
                value = found[place] = history.named(digest)
                if stood is not None and value == history.named(stood):
                    del found[place]
        return found

    def sights(self, values: Mapping[Place, int]) -> list[Sight]:
        """Return for each value since when it was ever seen at its place: asked once for all questions about an act."""
        places, found = self._places, []
        for place, value in values.items():
            letter, history = chr(value), places.get(place, _UNKNOWN)
            at = history.seen.find(letter)
            found.append((place[1], history.seen_ns[at] if at >= 0 else NEVER_NS, letter, history))
        return found

    def distinct(self, place: Place) -> int:
        """Return how many values a place had of late."""
        history = self._places.get(place)
        return 0 if history is None else len(set(history.stood))

    def stood_at(self, sights: Sequence[Sight], until_ns: int, share: float) -> int | None:
        """Return the last moment before `until_ns` at which a share of these values stood together, None if none."""
        many = ceil(share * len(sights))
        shown = [(letter, history) for _, seen_ns, letter, history in sights if seen_ns < until_ns]
        last_ns = until_ns
        while len(shown) >= many:  # mostly once: what comes back went at one moment
            stays: list[tuple[int, int]] = []
            spare = len(shown) - many
            for letter, history in shown:
                stood, times = history.stood, history.since_ns
                at = stood.rfind(letter, 0, -1)
                while at >= 0 and times[at] >= last_ns:
                    at = stood.rfind(letter, 0, at)
                if at >= 0:  # it stood last from then until another value came
                    end_ns = times[at + 1]
                    stays.append((times[at], min(last_ns, end_ns)))
                elif spare:
                    spare -= 1
                else:
                    return None
            last_ns = sorted([end_ns for _, end_ns in stays])[-many]  # later, fewer than so many stood
            if sum([since_ns < last_ns <= end_ns for since_ns, end_ns in stays]) >= many:
                return last_ns
        return None

    def kept_work(self, since_ns: int, most: int) -> int:
        """Return at how many places, up to `most`, something stands that came once, after `since_ns`, and is new."""
        count = 0
        for history in reversed(self._places.values()):
            times = history.since_ns
            if not times or times[-1] <= since_ns:
                break
            if len(times) > 1 and times[-2] > since_ns:  # it changed twice
                continue
            at = history.seen.find(history.stood[-1])
            if (history.seen_ns[at] if at >= 0 else 0) > since_ns and history.changed_once_since(since_ns):
                count += 1
                if count == most:
                    break
        return count
