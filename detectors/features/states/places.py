"""What stood at each place of a program's windows, and from when to when; bounded.

Values are digests of tiles. A tile that goes back and forth between two of them by itself (a caret) has one value: the
second becomes another name of the first.
"""

from collections import OrderedDict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from math import ceil

from detectors.features.states.views import ViewMemory
from storage.records.tiles import Place

MAX_PLACES = 1024
MAX_SPANS = 12
MAX_SEEN = 24
SHOWN_NS = -1  # when something was first seen that was there before anybody looked
SMALL = 2  # tiles of a change that may be a caret


class PlaceHistory:
    """The values of one place."""

    __slots__ = ("aliases", "seen", "spans")

    def __init__(self) -> None:
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

    def show(self, digest: int, t_ns: int) -> None:
        """Take in what stood there before anybody looked."""
        value = self.aliases.get(digest, digest)
        if not self.spans or self.spans[-1][1] != value:
            self.set(value, t_ns, made=False)

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

    def last_stay(self, value: int, before_ns: int) -> tuple[int, int] | None:
        """Return from when until when, at most until a moment, a value stood last that came before it and went."""
        end_ns = self.spans[-1][0]
        for since_ns, stood in self.spans[-2::-1]:
            if stood == value and since_ns < before_ns:
                return since_ns, min(end_ns, before_ns)
            end_ns = since_ns
        return None

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
            if before and place in before:
                history.show(before[place], min(self._row_ns, t_ns))
            value = history.aliases.get(digest, digest)
            old = history.spans[-1][1] if history.spans else None
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
            if history is not None and history.aliases:
                stood = first[place]
                value = found[place] = history.aliases.get(digest, digest)
                if stood is not None and value == history.aliases.get(stood, stood):
                    del found[place]
        return found

    def has_new(self, values: Mapping[Place, int], since_ns: int, need: float) -> bool:
        """Return whether so many values as `need` were never seen at their places before a moment."""
        places = self._places
        count = 0
        for place, value in values.items():
            if _is_new(places.get(place), value, since_ns):
                count += 1
                if count >= need:
                    return True
        return False

    def new_rows(self, values: Mapping[Place, int], since_ns: int, aside: AbstractSet[int]) -> int:
        """Return in how many rows of tiles, some aside, something stands that was never seen there before a moment."""
        places = self._places
        rows: set[int] = set()
        for place, value in values.items():
            top = place[1]
            if top not in aside and top not in rows and _is_new(places.get(place), value, since_ns):
                rows.add(top)
        return len(rows)

    def distinct(self, place: Place) -> int:
        """Return how many values a place had of late."""
        history = self._places.get(place)
        return 0 if history is None else len({value for _, value in history.spans})

    def stood_at(self, after: Mapping[Place, int], until_ns: int, share: float) -> int | None:
        """Return the last moment before `until_ns` at which a share of these values stood together, None if none."""
        places = self._places
        shown: list[tuple[PlaceHistory, int]] = []
        for place, value in after.items():
            history = places.get(place)
            if history is not None and history.seen.get(value, until_ns) < until_ns:
                shown.append((history, value))
        many = ceil(share * len(after))
        last_ns = until_ns
        while len(shown) >= many:  # mostly once: what comes back went at one moment
            stays = [stay for history, value in shown if (stay := history.last_stay(value, last_ns)) is not None]
            if len(stays) < many:
                break
            last_ns = sorted([end_ns for _, end_ns in stays])[-many]  # later, fewer than so many stood
            if sum([since_ns < last_ns <= end_ns for since_ns, end_ns in stays]) >= many:
                return last_ns
        return None

    def kept_work(self, since_ns: int, most: int) -> int:
        """Return at how many places, up to `most`, something stands that came once, after `since_ns`, and is new."""
        count = 0
        for history in reversed(self._places.values()):
            if not history.spans or history.spans[-1][0] <= since_ns:
                break
            value = history.spans[-1][1]
            if history.seen.get(value, 0) > since_ns and history.changed_once_since(since_ns):
                count += 1
                if count == most:
                    break
        return count


def _is_new(history: PlaceHistory | None, value: int, since_ns: int) -> bool:
    return history is None or history.seen.get(value, since_ns) >= since_ns
