"""Windows and dialogs by the digests of their titles: which were there before. Bounded."""

from collections import OrderedDict
from typing import NamedTuple

from detectors.features.bounded import remember

MAX_TITLES = 128


class TitleChange(NamedTuple):
    """What a change of focus or title led to: something never seen, or what was left at `left_ns` and comes back."""

    new: bool = False
    left_ns: int | None = None


class TitleMemory:
    """The titles of all programs."""

    def __init__(self) -> None:
        """Begin with none."""
        self._left_ns: OrderedDict[tuple[str, str, bool], int] = OrderedDict()
        self.current: tuple[str, str, bool] | None = None

    def take(self, app: str, digest: str, t_ns: int, *, dialog: bool, pause_ns: int) -> TitleChange:
        """Take in what has the focus now.

        A dialog that opens again comes back, and so does another title of the same window; a window from which a
        dialog is gone was never away. What was left less than `pause_ns` ago does not count.
        """
        token = (app, digest, dialog)
        before, self.current = self.current, token
        if before == token or not digest:
            return TitleChange()
        left_ns = self._left_ns.get(token)
        if before is not None:
            remember(self._left_ns, before, t_ns, MAX_TITLES)
        closed = before is not None and before[2] and not dialog
        if left_ns is None:
            remember(self._left_ns, token, t_ns, MAX_TITLES)
            return TitleChange(new=True)
        return TitleChange() if closed or t_ns - left_ns < pause_ns else TitleChange(left_ns=left_ns)

    def forget(self, app: str) -> None:
        """Forget the titles of a program."""
        for token in [token for token in self._left_ns if token[0] == app]:
            del self._left_ns[token]
