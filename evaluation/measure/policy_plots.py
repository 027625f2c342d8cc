"""The plots of the page about policies, as SVG: lines with marked points, bars with intervals, stacked shares."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from evaluation.measure.metrics import Interval

_BLUE, _GREY = "#2563eb", "#94a3b8"
_LINES = ("#0f766e", "#b45309", "#7c3aed")
_KINDS = ("#15803d", "#86efac", "#fde68a", "#fdba74", "#f87171", "#b91c1c")
_WIDE, _HIGH, _PAD = 460, 300, 52
_ROW, _NAMES, _BARS = 22, 210, 240
_TICKS = 5
_LINE, _LABEL = 13, 150


@dataclass(frozen=True, slots=True)
class Mark:
    """A point with a name."""

    x: float
    y: float
    name: str
    loud: bool


def scatter(
    title: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    marks: Sequence[Mark],
    across: str,
    up: str,
) -> str:
    """Return lines and marked points in one plot; the far right is cut where only marks lie."""
    ends = [point for points in lines.values() for point in points]
    most_x = _round_up(max([x for x, _ in ends], default=1.0))
    most_y = _round_up(max([y for _, y in ends] + [one.y for one in marks], default=1.0))

    def place(x: float, y: float) -> tuple[float, float]:
        return round(_PAD + min(x / most_x, 1.0) * _WIDE, 1), round(_PAD + (1.0 - y / most_y) * _HIGH, 1)

    drawn = []
    for number, (name, points) in enumerate(lines.items()):
        colour = _LINES[number % len(_LINES)]
        path = " ".join("{},{}".format(*place(x, y)) for x, y in points)
        drawn.append(f"<polyline points='{path}' fill=none stroke='{colour}' stroke-width=2 />")
        drawn += ["<circle cx='{}' cy='{}' r=3 fill='{}' />".format(*place(x, y), colour) for x, y in points]
        drawn.append(f"<text x={_PAD + 150 * number} y={_PAD + _HIGH + 62} style='fill:{colour}'>{escape(name)}</text>")
    taken: list[tuple[float, float]] = []
    for one in sorted(marks, key=lambda mark: (mark.loud, mark.y), reverse=True):
        x, y = place(one.x, one.y)
        colour = _BLUE if one.loud else _GREY
        level, step = (y, 1.0) if y < _PAD + _HIGH / 2 else (y, -1.0)
        while any(abs(level - other) < _LINE and abs(x - beside) < _LABEL for beside, other in taken):
            level += step
        taken.append((x, level))
        end = x > _PAD + _WIDE * 0.7
        drawn.append(
            f"<circle cx='{x}' cy='{y}' r=5 fill='{colour}'><title>{escape(one.name)}</title></circle>"
            f"<text x='{x - 9 if end else x + 9}' y='{level + 4:.0f}' text-anchor={'end' if end else 'start'}>"
            f"{escape(one.name)}{' &#8594;' if one.x > most_x else ''}</text>"
        )
    return _framed(title, drawn, (most_x, most_y), across, up)


def _framed(title: str, drawn: Sequence[str], most: tuple[float, float], across: str, up: str) -> str:
    ticks = "".join(
        f"<text x={_PAD + _WIDE * share} y={_PAD + _HIGH + 16} text-anchor=middle>{most[0] * share:.2g}</text>"
        f"<text x={_PAD - 6} y={_PAD + _HIGH * (1 - share) + 4} text-anchor=end>{most[1] * share:.2g}</text>"
        for share in (at / _TICKS for at in range(_TICKS + 1))
    )
    whole, high = _WIDE + 2 * _PAD, _HIGH + 2 * _PAD + 20
    return (
        f"<svg width={whole} height={high} viewBox='0 0 {whole} {high}' role=img>"
        f"<text x={_PAD} y=18 style='font-weight:600'>{escape(title)}</text>"
        f"<rect x={_PAD} y={_PAD} width={_WIDE} height={_HIGH} fill=none stroke='#c5cad3' />{ticks}"
        f"<text x={whole // 2} y={_PAD + _HIGH + 36} text-anchor=middle>{escape(across)}</text>"
        f"<text x={_PAD} y={_PAD - 10}>{escape(up)}</text>{''.join(drawn)}</svg>"
    )


def _round_up(most: float) -> float:
    """Return a number a little above, that divides well."""
    if not most > 0.0:
        return 1.0
    ten = 10.0 ** math.floor(math.log10(most))
    return next(ten * one for one in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0) if ten * one >= most * 0.999)


def bars_plot(title: str, rows: Sequence[tuple[str, Interval, bool]]) -> str:
    """Return horizontal bars with their intervals."""
    most = max([one.high for _, one, _ in rows if math.isfinite(one.high)], default=1.0) or 1.0

    def place(value: float) -> float:
        return round(_NAMES + max(value, 0.0) / most * _BARS, 1)

    drawn = []
    for number, (name, one, loud) in enumerate(rows):
        y = 30 + number * _ROW
        drawn.append(
            f"<text x={_NAMES - 6} y={y + 12} text-anchor=end>{escape(name)}</text>"
            f"<rect x={_NAMES} y={y} width='{place(one.value) - _NAMES}' height=14 fill='{_BLUE if loud else _GREY}' />"
            f"<path d='M {place(one.low)} {y + 7} H {place(one.high)}' stroke='#1d2129' stroke-width=2 />"
            f"<text x='{place(one.high) + 5}' y={y + 12}>{one.value:.0f}</text>"
        )
    high = 36 + len(rows) * _ROW
    whole = _NAMES + _BARS + 60
    return (
        f"<svg width={whole} height={high} viewBox='0 0 {whole} {high}' role=img>"
        f"<text x={_NAMES} y=16 style='font-weight:600'>{escape(title)}</text>{''.join(drawn)}</svg>"
    )


def share_plot(rows: Sequence[tuple[str, Sequence[int]]], kinds: Sequence[str]) -> str:
    """Return one stacked bar a row, each as long as any other, with the count beside."""
    names, wide = 240, 560
    drawn = []
    for number, (name, counts) in enumerate(rows):
        y, whole, x = 34 + number * _ROW, sum(counts), float(names)
        for count, colour, kind in zip(counts, _KINDS, kinds, strict=True):
            part = wide * count / max(1, whole)
            drawn.append(
                f"<rect x='{x:.1f}' y={y} width='{part:.1f}' height=16 fill='{colour}'>"
                f"<title>{kind}: {count}</title></rect>"
            )
            x += part
        drawn.append(
            f"<text x={names - 6} y={y + 13} text-anchor=end>{escape(name)}</text>"
            f"<text x={names + wide + 6} y={y + 13}>{whole}</text>"
        )
    legend = "".join(
        f"<rect x={names + 90 * at} y=8 width=12 height=12 fill='{colour}' />"
        f"<text x={names + 90 * at + 17} y=18>{kind}</text>"
        for at, (colour, kind) in enumerate(zip(_KINDS, kinds, strict=True))
    )
    high = 40 + len(rows) * _ROW
    return f"<svg width={names + wide + 60} height={high} role=img>{legend}{''.join(drawn)}</svg>"
