"""How much a program may be asked, and when it is left alone. Pure.

What is not answered in time is not known. A late program is asked nothing until it has answered; one that had the time
and did not answer gets a strike and a rest, after three strikes ten minutes. An answer costs how long the program's
thread ran for it, where that is known, and of the last few the quickest counts: the thread also runs for the person.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from storage.clock import MINUTE_NS, NS_PER_S

CALLS_PER_S = 60
BUSY_PER_MINUTE_NS = 3 * NS_PER_S
"""How long a program may be kept busy with answers in a minute, and as long again with walks; a guess.

Questions that are on their way at the same time count once."""

STRIKES = 3
FIRST_REST_NS = NS_PER_S
LEFT_ALONE_NS = 600 * NS_PER_S
QUICKEST_OF = 8
ANSWERED_REST_NS = 10 * NS_PER_S
"""How long a program is still left alone once it has answered what it had not."""


@dataclass(slots=True)
class _Spending:
    """What a program has spent on answers lately."""

    answers: deque[tuple[int, int]] = field(default_factory=deque)
    lengths: deque[int] = field(default_factory=lambda: deque(maxlen=QUICKEST_OF))
    sum_ns: int = 0
    until_ns: int = 0
    """Up to when its time is counted already."""

    def add(self, began_ns: int, ended_ns: int, now_ns: int) -> None:
        if ended_ns <= began_ns:
            return
        self.lengths.append(ended_ns - began_ns)
        took_ns = min(max(0, ended_ns - max(began_ns, self.until_ns)), *self.lengths)
        self.until_ns = max(self.until_ns, ended_ns)
        self.answers.append((now_ns, took_ns))
        self.sum_ns += took_ns

    def lately(self, now_ns: int) -> int:
        while self.answers and self.answers[0][0] <= now_ns - MINUTE_NS:
            self.sum_ns -= self.answers.popleft()[1]
        return self.sum_ns


@dataclass(slots=True)
class _Account:
    calls: deque[int] = field(default_factory=deque)
    questions: _Spending = field(default_factory=_Spending)
    walks: _Spending = field(default_factory=_Spending)
    late: set[int] = field(default_factory=set)
    strikes: int = 0
    rests_until_ns: int = 0
    left_alone: bool = False
    is_quiet: bool = False
    refused_ns: int = 0


class AnswerBudget:
    """The accounts of all programs, by any name of theirs."""

    def __init__(self, busy_per_minute_ns: int = BUSY_PER_MINUTE_NS) -> None:
        self._busy_per_minute_ns = busy_per_minute_ns
        self._accounts: dict[str, _Account] = {}
        self.walked_ns = 0
        """How long programs have run for walks, all together."""

        self.read_ns = 0
        """And how long for walks of their menus, which have limits of their own."""

        self.on_quiet: Callable[[str, bool], None] | None = None
        """Called with the name of a program that is not asked for a while (True), or is asked again (False)."""

    def allows(self, name: str, now_ns: int, *, urgent: bool = False, walk: bool = False) -> bool:
        """Return whether a program may be asked now.

        An `urgent` question may follow many others, or a late one. Those of a `walk`, which has an account of its own,
        do not use up the others.
        """
        account = self._accounts.setdefault(name, _Account())
        if now_ns < account.rests_until_ns:
            return False
        if account.left_alone:
            account.left_alone, account.strikes = False, 0
        while account.calls and account.calls[0] <= now_ns - NS_PER_S:
            account.calls.popleft()
        if not urgent:
            if account.late:
                return False
            spending = account.walks if walk else account.questions
            rests = account.is_quiet and not walk
            most_ns = self._busy_per_minute_ns // (1 + rests)  # it rests until half of it is over
            is_spent = spending.lately(now_ns) >= most_ns
            if not walk:
                self._note_quiet(name, account, now_ns, on=is_spent)
            if is_spent or (not walk and len(account.calls) >= CALLS_PER_S):
                return False
        if not walk:
            account.calls.append(now_ns)
        return True

    def is_busy(self, name: str) -> bool:
        """Return whether a program has yet to answer what it should have answered already."""
        account = self._accounts.get(name)
        return account is not None and bool(account.late)

    def answered(
        self, name: str, began_ns: int, now_ns: int, call: int = 0, *, ran_ns: tuple[int, int] | None = None
    ) -> None:
        """Note that a program has answered, in time, or late by the number of its `call`.

        `ran_ns` is how long its thread had run by `began_ns` and by now; without it the time itself counts.
        """
        account = self._accounts.setdefault(name, _Account())
        account.questions.add(*(ran_ns or (began_ns, now_ns)), now_ns)
        account.late.discard(call)
        if account.left_alone:
            account.rests_until_ns = min(account.rests_until_ns, now_ns + ANSWERED_REST_NS)
        else:
            account.strikes = 0

    def walked(
        self, name: str, began_ns: int, now_ns: int, *, ran_ns: tuple[int, int] | None = None, apart: bool = False
    ) -> None:
        """Note what a walk took, all its questions together; the arguments are those of `answered`.

        One that is `apart` does not count against what the program may be asked otherwise.
        """
        account = self._accounts.setdefault(name, _Account())
        first_ns, last_ns = ran_ns or (began_ns, now_ns)
        if apart:
            self.read_ns += max(0, last_ns - first_ns)
            return
        account.walks.add(first_ns, last_ns, now_ns)
        self.walked_ns += max(0, last_ns - first_ns)

    def is_late(self, name: str, call: int) -> None:
        """Note that a program has not answered a call in time."""
        self._accounts.setdefault(name, _Account()).late.add(call)

    def is_void(self, name: str, call: int) -> None:
        """Note that nobody will answer a call: the connection it was made on ended."""
        account = self._accounts.get(name)
        if account is not None:
            account.late.discard(call)

    def gave_up(self, name: str, call: int, now_ns: int) -> None:
        """Note that a program has not answered a call long after that, although it could have."""
        account = self._accounts.setdefault(name, _Account())
        if call not in account.late:
            return  # it answered, or has its strike: several calls were on their way
        account.late.clear()
        account.strikes += 1
        account.left_alone = account.strikes >= STRIKES
        account.rests_until_ns = now_ns + (LEFT_ALONE_NS if account.left_alone else FIRST_REST_NS)
        if account.left_alone:
            self._note_quiet(name, account, now_ns, on=True)

    def left_alone(self, now_ns: int) -> list[str]:
        """Return the programs that are left alone now."""
        return [
            name
            for name, account in list(self._accounts.items())
            if account.left_alone and now_ns < account.rests_until_ns
        ]

    def spent(self, now_ns: int) -> list[str]:
        """Return the programs of which a question was refused within a minute because they had answered so much."""
        return [
            name
            for name, account in list(self._accounts.items())
            if account.is_quiet and not account.left_alone and now_ns < account.refused_ns + MINUTE_NS
        ]

    def clear(self) -> None:
        """Forget all programs."""
        for name in list(self._accounts):
            self.forget(name)

    def forget(self, name: str) -> None:
        """Forget a program that has ended."""
        account = self._accounts.pop(name, None)
        if account is not None:
            self._note_quiet(name, account, 0, on=False)

    def _note_quiet(self, name: str, account: _Account, now_ns: int, *, on: bool) -> None:
        account.refused_ns = now_ns
        if account.is_quiet is not on:
            account.is_quiet = on
            if self.on_quiet is not None:
                self.on_quiet(name, on)
