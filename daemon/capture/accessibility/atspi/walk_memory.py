"""What walks of one program's window have learned and need not ask again: roles, names, which containers are small.

A change of name is signalled, which forgets the name; since a program may fail to, names are also asked anew once in a
while. Pure, in memory alone, and only of what the last walk saw.
"""

from dataclasses import dataclass, field

from storage.clock import NS_PER_S

ROLES_NS, ROLES_WALKS = 600 * NS_PER_S, 100
NAMES_NS, NAMES_WALKS = 60 * NS_PER_S, 10
"""For how long, and for how many walks, names and small containers count before they are asked anew."""

FEW_CHILDREN = 40
"""A container that had no more children than this a moment ago is not counted again before they are fetched."""


@dataclass(slots=True)
class _Learned:
    roles: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    few: set[str] = field(default_factory=set)


class WalkMemory:
    """The memory of one program, used by one walk after the other."""

    def __init__(self) -> None:
        self._known = _Learned()
        self._now = _Learned()
        self._roles_since: tuple[int, int] | None = None
        self._names_since: tuple[int, int] | None = None
        self._walks = 0

    def begin(self, now_ns: int) -> None:
        """Begin a walk; what has been known too long is forgotten."""
        self._walks += 1
        self._now = _Learned()
        if _is_over(self._roles_since, now_ns, self._walks, ROLES_NS, ROLES_WALKS):
            self._known.roles.clear()
            self._roles_since = now_ns, self._walks
        if _is_over(self._names_since, now_ns, self._walks, NAMES_NS, NAMES_WALKS):
            self._forget_names()
            self._names_since = now_ns, self._walks

    def end(self, *, complete: bool) -> None:
        """End a walk; after a complete one only what it saw is kept."""
        if complete:
            self._known = self._now
        else:
            self._known.roles |= self._now.roles
            self._known.names |= self._now.names
            self._known.few |= self._now.few

    def clear(self) -> None:
        """Forget everything: signals may have been missed."""
        self._known, self._now = _Learned(), _Learned()
        self._roles_since = self._names_since = None

    def expire(self, now_ns: int) -> None:
        """Forget names that have been known too long, though nobody walks any more."""
        if self._names_since is not None and now_ns - self._names_since[0] >= NAMES_NS:
            self._forget_names()
            self._now.names.clear()
            self._names_since = None

    def _forget_names(self) -> None:
        self._known.names.clear()
        self._known.few.clear()

    def role(self, path: str) -> int | None:
        """Return the number of an object's role, if it is known."""
        return self._now.roles.get(path) or self.learn_role(path, self._known.roles.get(path))

    def learn_role(self, path: str, role: int | None) -> int | None:
        """Keep a role, and return it."""
        if role is not None:
            self._now.roles[path] = role
        return role

    def name(self, path: str) -> str | None:
        """Return an object's name, if it is known."""
        name = self._now.names.get(path)
        if name is None and (name := self._known.names.get(path)) is not None:
            self._now.names[path] = name
        return name

    def learn_name(self, path: str, name: str) -> None:
        """Keep a name."""
        self._now.names[path] = name

    def forget_name(self, path: str) -> None:
        """Forget a name: it has changed."""
        self._known.names.pop(path, None)
        self._now.names.pop(path, None)

    def is_small(self, path: str) -> bool:
        """Return whether a container had few children a moment ago."""
        return path in self._known.few

    def learn_count(self, path: str, count: int) -> None:
        """Keep whether a container has few children."""
        if 0 < count <= FEW_CHILDREN:
            self._now.few.add(path)


def _is_over(since: tuple[int, int] | None, now_ns: int, walks: int, most_ns: int, most_walks: int) -> bool:
    return since is None or now_ns - since[0] >= most_ns or walks - since[1] >= most_walks
