"""Runs a campaign and its control, and judges what was found."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daemon.text import print_progress
from lab.benchmarks.fence.campaign import Account, run_campaign
from lab.benchmarks.fence.cast import Kind, cast
from lab.benchmarks.fence.evidence import Findings, Leak, Share, examine
from lab.benchmarks.fence.plan import plan
from lab.benchmarks.fence.programs import has_browsers
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most

WHATS = ("pixels", "title", "program", "keys", "click", "exact count")
MAX_VOID = 0.1
MIN_SHARE = 0.9
_PROGRESS = 50
_SHOWN_LEAKS = 5
"""Of one kind and window so many are shown: a picture that leaked is often followed by more."""

_NOTE = (
    "A window counts as recorded at a moment if a tenth of what can be seen of it is in the picture of then, or in one "
    "of the two seconds after; the share of area counts every pixel. Its colour where it is not is a blend of others."
)


def measure(
    *,
    actions: int,
    control_actions: int,
    seed: int,
    browsers: bool | None = None,
    mousepad: bool = True,
    keep: Path | None = None,
) -> Report:
    """Run the campaign, then the control; `browsers` None: where both are installed.

    Raises:
        EnvironmentFault: a program is missing or does not start.
    """
    with_browsers = has_browsers() if browsers is None else browsers
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kairos-fence-")))
        rounds = [_round(folder, actions, seed, browsers=with_browsers, mousepad=mousepad, control=False)]
        if control_actions:
            rounds.append(
                _round(folder, control_actions, seed, browsers=with_browsers, mousepad=mousepad, control=True)
            )
    account, found = rounds[0]
    criteria = [*_fence_criteria(account, found)]
    if control_actions:
        criteria += _control_criteria(rounds[1][1])
    return Report(
        criteria=criteria,
        rounds=[_figures(*one) for one in rounds],
        fields={"seed": seed, "browsers": with_browsers, "mousepad": mousepad},
        text=[line for one in rounds for line in _lines(*one)],
        notes=[_NOTE],
    )


def _round(
    folder: Path, actions: int, seed: int, *, browsers: bool, mousepad: bool, control: bool
) -> tuple[Account, Findings]:
    own = folder / ("control" if control else "fenced")
    own.mkdir(parents=True)

    def progress(number: int, count: int) -> None:
        if number % _PROGRESS == 0:
            print_progress(f"{own.name}: {number} of {count} acts")

    players = cast(browsers=browsers, mousepad=mousepad, control=control)
    account = run_campaign(players, plan(players, seed, actions), own, progress)
    found = examine(account)
    acts = [{**asdict(one.action), "start_ns": one.start_ns, "void": one.void} for one in account.done]
    (folder / f"{own.name}-acts.json").write_text(json.dumps(acts), encoding="utf-8")
    return account, found


def _fence_criteria(account: Account, found: Findings) -> list[AcceptanceCriterion]:
    leaks = Counter(leak.what for leak in found.leaks)
    void = sum(1 for one in account.done if one.void)
    criteria = [at_most(f"leaked: {what}", leaks[what], 0, "times") for what in WHATS]
    criteria.append(at_least("pictures searched", found.pictures, 1, "pictures"))
    criteria.append(at_least("sent pictures searched", found.sent_pictures, 1, "pictures"))
    criteria.append(at_most("acts that could not be done", void / max(1, len(account.done)), MAX_VOID, "of all"))
    for (kind, mode), share in sorted(found.recorded.items()):
        if kind == "ordinary":
            name = f"ordinary windows recorded, compositor {mode}"
            criteria.append(at_least(name, share.value, MIN_SHARE, "of the time visible"))
    for kind, share in sorted(found.keys.items()):
        if kind not in (Kind.ORDINARY, Kind.BROWSER):
            continue  # printed: right after an excluded window the keyboard stays closed for a moment
        criteria.append(at_least(f"keys recorded: {kind}", share.value, MIN_SHARE, "of keys"))
    for kind, share in sorted(found.changes.items()):
        criteria.append(at_least(f"changes recorded: {kind}", share.value, MIN_SHARE, "of changes"))
    return criteria


def _control_criteria(found: Findings) -> list[AcceptanceCriterion]:
    colours, titles = found.expected_colours, found.expected_titles
    return [
        at_least("control: colours looked for", len(colours), 1, "colours"),
        at_least("control: colours found", _part(colours & found.found_colours, colours), 1.0, "of those shown"),
        at_least("control: titles found", _part(titles & found.found_titles, titles), MIN_SHARE, "of those typed at"),
        at_least("control: keys found", found.found_keys.value, MIN_SHARE, "of keys"),
    ]


def _part(found: set[Any], wanted: set[Any]) -> float:
    return len(found) / len(wanted) if wanted else float("nan")


def _figures(account: Account, found: Findings) -> dict[str, Any]:
    return {
        "control": account.cast.control,
        "acts": dict(sorted(Counter(str(one.action.act) for one in account.done).items())),
        "void": dict(Counter(f"{one.action.act} {one.action.slot}: {one.void}" for one in account.done if one.void)),
        "seconds": round((account.done[-1].end_ns - account.done[0].start_ns) / 1e9, 1),
        "pictures": found.pictures,
        "sent_pictures": found.sent_pictures,
        "rows": found.rows,
        "files": found.files,
        "recorded": _shares(found.recorded),
        "area": _shares(found.area),
        "lost_ms": dict(found.lost.most_common()),
        "blended_s": {mode: round(seconds, 1) for mode, seconds in found.blended.items()},
        "keys": {kind: _rounded(share) for kind, share in found.keys.items()},
        "changes": {kind: _rounded(share) for kind, share in found.changes.items()},
        "leaks": [] if account.cast.control else [asdict(leak) for leak in _shown(found.leaks)],
        "leaks_by_kind": dict(Counter(f"{leak.what}, {leak.kind}" for leak in found.leaks)),
        "missed_colours": sorted(found.expected_colours - found.found_colours),
        "missed_titles": len(found.expected_titles - found.found_titles),
        "daemon_lines": len(account.daemon_lines),
    }


def _shown(leaks: Iterable[Leak]) -> list[Leak]:
    """Return the first few leaks of each kind and window."""
    counts: Counter[tuple[str, str]] = Counter()
    shown = []
    for leak in leaks:
        counts[leak.what, leak.slot] += 1
        if counts[leak.what, leak.slot] <= _SHOWN_LEAKS:
            shown.append(leak)
    return shown


def _shares(shares: dict[tuple[str, str], Share]) -> dict[str, list[float]]:
    return {f"{kind}, compositor {mode}": _rounded(share) for (kind, mode), share in sorted(shares.items())}


def _rounded(share: Share) -> list[float]:
    return [round(share.value, 3), round(share.whole, 1)]


def _lines(account: Account, found: Findings) -> list[str]:
    figures = _figures(account, found)
    title = "control, under names that no fence knows" if account.cast.control else "campaign"
    acts = ", ".join(f"{count} {name}" for name, count in figures["acts"].items())
    lines = [
        f"{title}: {len(account.done)} acts in {figures['seconds']:g} s",
        f"  searched: {found.pictures} pictures, {found.sent_pictures} sent, {found.rows} rows, {found.files} files",
        f"  {acts}",
    ]
    lines += [f"  not done: {count} x {why}" for why, count in figures["void"].items()]
    for name in ("recorded", "area", "keys", "changes"):
        lines += [f"  {name}: {kind}: {share:.3f} of {whole:g}" for kind, (share, whole) in figures[name].items()]
    lines += [f"  not recorded: {ms / 1000:.1f} s {why}" for why, ms in figures["lost_ms"].items()]
    lines += [f"  no window of that colour: {s:g} s, compositor {mode}" for mode, s in figures["blended_s"].items()]
    lines += [
        f"  found, of what no fence knows: {count} x {what}" if account.cast.control else f"  LEAKED {count} x {what}"
        for what, count in figures["leaks_by_kind"].items()
    ]
    for leak in figures["leaks"]:
        lines.append(f"    {leak['what']} of {leak['slot']} in {leak['where']} at {leak['t_s']:g} s, {leak['amount']}")
        lines += [f"      {step}" for step in leak["trail"]]
    return lines
