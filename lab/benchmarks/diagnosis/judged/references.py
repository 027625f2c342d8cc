"""The published figures, of other data than any row of ours: shown in a block of their own, never compared."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

FILE = Path(__file__).parent / "data" / "published.json"
RATES = ("accuracy", "precision", "recall", "F1")


class Industrial(msgspec.Struct, frozen=True):
    """Tables 1, 4, 5 and 6; `rates` and `ablations` in the order of `RATES`."""

    data: str
    successes: int
    failures: int
    rates: Mapping[str, tuple[float, float, float, float]]
    ablations: Mapping[str, tuple[float, float, float, float]]
    length_groups: tuple[str, ...]
    accuracy_by_length: Mapping[str, tuple[float, ...]]
    quality: Mapping[str, float]
    usable: float
    kappa_with_a_person: float


class AgentRewardBench(msgspec.Struct, frozen=True):
    """Table 2."""

    data: str
    columns: tuple[str, ...]
    precision: Mapping[str, tuple[float, ...]]


class AndroidBench(msgspec.Struct, frozen=True):
    """Table 3."""

    data: str
    columns: tuple[str, ...]
    single: Mapping[str, float]
    accuracy: Mapping[str, tuple[float, ...]]
    deviation: Mapping[str, tuple[float, ...]]


class Published(msgspec.Struct, frozen=True):
    """Figures of the paper; `notes` say what in them does not agree."""

    source: str
    industrial: Industrial
    agent_reward_bench: AgentRewardBench
    android_bench: AndroidBench
    notes: tuple[str, ...]


def load_published() -> Published:
    """Return the published figures."""
    return msgspec.json.decode(FILE.read_bytes(), type=Published)


def published_lines(published: Published) -> Iterator[str]:
    """Yield the published figures as lines of text."""
    industrial, web, android = published.industrial, published.agent_reward_bench, published.android_bench
    yield f"Published, on other data than ours ({published.source}):"
    yield f"  {industrial.data}; accuracy, precision, recall, F1"
    for name, row in (*industrial.rates.items(), *industrial.ablations.items()):
        if name != "GUIDE" or row is industrial.rates["GUIDE"]:
            yield f"    {name:<24}{''.join(f'{value:>8.2f}' for value in row)}"
    yield f"  accuracy by steps: {', '.join(industrial.length_groups)}"
    for name, values in industrial.accuracy_by_length.items():
        yield f"    {name:<24}{''.join(f'{value:>8.1f}' for value in values)}"
    yield f"  {industrial.usable} % of subtasks rated 4 or 5; kappa with a person {industrial.kappa_with_a_person}"
    yield f"  {web.data}: {', '.join(web.columns)}"
    for name, values in web.precision.items():
        yield f"    {name:<24}{''.join(f'{value:>8}' for value in values)}"
    yield f"  {android.data}: {', '.join(android.columns)}"
    for name, value in android.single.items():
        yield f"    {name:<24}{value:>8.1f}"
    for name, values in android.accuracy.items():
        cells = zip(values, android.deviation[name], strict=True)
        yield f"    {name:<24}{''.join(f'  {mean:.1f} ± {deviation:.1f}' for mean, deviation in cells)}"
    for note in published.notes:
        yield f"  - {note}"
