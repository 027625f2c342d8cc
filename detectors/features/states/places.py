"""What stood at each place of a program's windows, and from when to when; bounded.

Values are digests of tiles. A tile that goes back and forth between two of them by itself (a caret) has one value: the
second becomes another name of the first.
"""

from collections import OrderedDict
from collections.abc import Mapping

from storage.tiles import Place

MAX_PLACES = 1024
MAX_SPANS = 12
MAX_SEEN = 24
SHOWN_NS = -1
"""When something was first seen that was there before anybody looked."""

SMALL = 2
"""Tiles of a change that may be a caret."""


class PlaceHistory:
    """The values of one place."""

    __slots__ = ("aliases", "seen", "spans")

    def __init__(self) -> None:
        """Begin without a value."""
        self.spans: list[tuple[int, int]] = []
        """(since when, value), oldest first."""
        self.seen: dict[int, int] = {}
        """Value -> when it was first seen; the oldest are forgotten."""
        self.aliases: dict[int, int] = {}

    def set(self, value: int, t_ns: int, *, made: bool = True) -> None:
        """Take in the value from `t_ns` on; one that was not `made` then, only shown, counts as seen before."""
        self.spans.append((t_ns, value))
        if len(self.spans) > MAX_SPANS:
            del self.spans[0]
        if value not in self.seen:
            self.seen[value] = t_ns if made else SHOWN_NS
            if len(self.seen) > MAX_SEEN:
                del self.seen[next(iter(self.seen))]

    def became_alias(self, value: int, since_ns: int) -> bool:
        """Note a return by itself to the value before; return whether it was one."""
        spans = self.spans
        if len(spans) < 2 or spans[-2][1] != value or spans[-1][0] < since_ns:  # noqa: PLR2004  # there and back
            return False
        _, second = spans.pop()
        self.aliases[second] = value
        self.seen.pop(second, None)
        if len(self.aliases) > MAX_SPANS:
            del self.aliases[next(iter(self.aliases))]
        return True

    def changed_once_since(self, t_ns: int) -> bool:
        """Return whether the value changed exactly once after a moment."""
        found = False
        for since_ns, _ in reversed(self.spans):
            if since_ns > t_ns:
                if found:
                    return False
                found = True
        return found


class PlaceMemory:
    """The places of one program."""

    def __init__(self) -> None:
        """Begin with none."""
        self._places: OrderedDict[Place, PlaceHistory] = OrderedDict()
        self._row_ns = 0

    def __len__(self) -> int:
        """Return how many places are remembered."""
        return len(self._places)

    def take(
        self, now: Mapping[Place, int], before: Mapping[Place, int], t_ns: int, act_ns: int, *, made: bool = True
    ) -> dict[Place, tuple[int | None, int]]:
        """Take in the digests of a frame.

        Args:
            now: what stands at places.
            before: what stood there, where it was not known.
            t_ns: when the frame was taken.
            act_ns: when the last act was: what goes and comes back without one after it is a caret.
            made: whether what is new was made just now; false where another window came to the front.

        Returns:
            For each place whose value is another one now: the value before, None if unknown, and the value.
        """
        changes: dict[Place, tuple[int | None, int]] = {}
        small = len(now) <= SMALL
        for place, digest in now.items():
            history = self._places.get(place)
            if history is None:
                history = self._places[place] = PlaceHistory()
                if len(self._places) > MAX_PLACES:
                    self._places.popitem(last=False)
            stood = before.get(place)
            if stood is not None:
                stood = history.aliases.get(stood, stood)
                if not history.spans or history.spans[-1][1] != stood:
                    history.set(stood, min(self._row_ns, t_ns), made=False)
            value = history.aliases.get(digest, digest)
            old = history.spans[-1][1] if history.spans else None
            if value == old:
                continue
            self._places.move_to_end(place)  # in the order of changes
            if not (small and history.became_alias(value, act_ns)):
                history.set(value, t_ns, made=made)
            changes[place] = (old, value)
        self._row_ns = t_ns
        return changes

    def net_changes(self, values: Mapping[Place, int], first: Mapping[Place, int | None]) -> dict[Place, int]:
        """Return the values that differ from the first ones, each by what its digest stands for by now."""
        places = self._places
        found: dict[Place, int] = {}
        for place, digest in values.items():
            history, value, stood = places.get(place), digest, first[place]
            if history is not None and history.aliases:
                aliases = history.aliases
                value, stood = aliases.get(value, value), None if stood is None else aliases.get(stood, stood)
            if value != stood:
                found[place] = value
        return found

    def has_new(self, values: Mapping[Place, int], since_ns: int, need: float) -> bool:
        """Return whether so many values as `need` were never seen at their places before a moment."""
        places = self._places
        count = 0
        for place, value in values.items():
            history = places.get(place)
            if history is None or history.seen.get(value, since_ns) >= since_ns:
                count += 1
                if count >= need:
                    return True
        return False

    def distinct(self, place: Place) -> int:
        """Return how many values a place had of late."""
        history = self._places.get(place)
        return 0 if history is None else len({value for _, value in history.spans})

    def stood_at(self, after: Mapping[Place, int], until_ns: int, share: float) -> int | None:
        """Return the last moment before `until_ns` at which a share of these values stood together, None if none."""
        need = share * len(after)
        spare = len(after) - need
        places = self._places
        edges: list[tuple[int, int]] = []
        for place, value in after.items():
            history = places.get(place)
            stood_here = False
            if history is not None and history.seen.get(value, until_ns) < until_ns:
                spans = history.spans
                for at in range(len(spans) - 1):
                    since_ns, stood = spans[at]
                    if stood == value and since_ns < until_ns:
                        stood_here = True
                        edges.append((since_ns, 1))
                        edges.append((min(spans[at + 1][0], until_ns), -1))
            if not stood_here:
                spare -= 1
                if spare < 0:  # so many never showed this that it cannot have stood there together
                    return None
        edges.sort()  # at one moment what ends comes before what begins
        standing, last_ns, together = 0, None, False
        for t_ns, step in edges:
            standing += step
            if standing >= need:
                together = True
            elif together:
                together, last_ns = False, t_ns
        return last_ns

    def kept_work(self, since_ns: int, most: int) -> int:
        """Return at how many places, up to `most`, something stands that came once, after `since_ns`, and is new."""
        count = 0
        for place in reversed(self._places):
            history = self._places[place]
            if not history.spans or history.spans[-1][0] <= since_ns:
                break
            value = history.spans[-1][1]
            if history.seen.get(value, 0) > since_ns and history.changed_once_since(since_ns):
                count += 1
                if count == most:
                    break
        return count
