"""The plots of the page about the GUIDE benchmark, as SVG: curves over the prefix, and bars with intervals."""

from collections.abc import Mapping, Sequence
from html import escape

from evaluation.measure.metrics import Interval

BLUE, GREY = "#2563eb", "#94a3b8"
_COLOURS = ("#0f766e", "#b45309", "#7c3aed", "#64748b")
_WIDE, _HIGH, _LEFT, _TOP = 205, 150, 34, 30
_NAMES, _BARS, _ROW = 235, 320, 24


def curves(title: str, lines: Mapping[str, Sequence[tuple[int, Interval]]], chance: float) -> str:
    """Return accuracy (0 to 100 %) over the share of the clip that was seen; a dashed line for answers by lot.

    A line's points have whiskers where their intervals have a width. `legend` says which colour is whose.
    """
    percents = sorted({at for points in lines.values() for at, _ in points})
    places = {at: _LEFT + 14 + (_WIDE - 28) * number / max(1, len(percents) - 1) for number, at in enumerate(percents)}

    def up(value: float) -> float:
        return round(_TOP + (1.0 - value) * _HIGH, 1)

    drawn = [f"<path d='M {_LEFT} {up(chance)} h {_WIDE}' stroke='{GREY}' stroke-dasharray='3 4' />"]
    for (name, points), colour in zip(lines.items(), _colours(len(lines)), strict=True):
        path = " ".join(f"{places[at]:.1f},{up(one.value)}" for at, one in points)
        drawn.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2' />")
        for at, one in points:
            if one.high > one.low:
                drawn.append(f"<path d='M {places[at]:.1f} {up(one.low)} V {up(one.high)}' stroke='{colour}' />")
            drawn.append(
                f"<circle cx='{places[at]:.1f}' cy='{up(one.value)}' r='3.5' fill='{colour}'>"
                f"<title>{escape(name)}, {at} % seen: {100 * one.value:.1f} %</title></circle>"
            )
    ticks = "".join(
        f"<text x='{_LEFT - 6}' y='{up(share / 4) + 4}' text-anchor='end'>{25 * share}</text>" for share in range(5)
    ) + "".join(
        f"<text x='{places[at]:.1f}' y='{_TOP + _HIGH + 16}' text-anchor='middle'>{at} %</text>" for at in percents
    )
    whole, high = _LEFT + _WIDE + 14, _TOP + _HIGH + 24
    return (
        f"<svg width='{whole}' height='{high}' viewBox='0 0 {whole} {high}' role='img'>"
        f"<text x='{_LEFT}' y='16' class='title'>{escape(title)}</text>"
        f"<rect x='{_LEFT}' y='{_TOP}' width='{_WIDE}' height='{_HIGH}' fill='none' stroke='#c5cad3' />"
        f"{ticks}{''.join(drawn)}</svg>"
    )


def legend(names: Sequence[str]) -> str:
    """Return the names of lines in their colours."""
    return ", ".join(
        f"<span style='color:{colour};font-weight:600'>{escape(name)}</span>"
        for name, colour in zip(names, _colours(len(names)), strict=True)
    )


def _colours(count: int) -> list[str]:
    return [BLUE] if count == 1 else [_COLOURS[number % len(_COLOURS)] for number in range(count)]


def bars(rows: Sequence[tuple[str, Interval, float]]) -> str:
    """Return one bar a row, 0 to 100 %, with its interval, and a mark where answers by lot would end."""

    def across(value: float) -> float:
        return round(_NAMES + value * _BARS, 1)

    drawn = []
    for number, (name, one, chance) in enumerate(rows):
        y = 8 + number * _ROW
        low, high = (one.low, one.high) if one.high >= one.low else (one.value, one.value)
        whisker = f"<path d='M {across(low)} {y + 7.5} H {across(high)}' stroke='#1d2129' stroke-width='2' />"
        drawn.append(
            f"<text x='{_NAMES - 8}' y='{y + 12}' text-anchor='end'>{escape(name)}</text>"
            f"<rect x='{_NAMES}' y='{y}' width='{across(one.value) - _NAMES:.1f}' height='15' fill='{BLUE}' />"
            f"{whisker}"
            f"<path d='M {across(chance)} {y - 2} v 19' stroke='#b45309' stroke-width='2' stroke-dasharray='3 2' />"
            f"<text x='{max(across(high), across(one.value)) + 8:.1f}' y='{y + 12}'>{100 * one.value:.1f}</text>"
        )
    ends = "".join(
        f"<text x='{across(share / 4)}' y='{22 + len(rows) * _ROW}' text-anchor='middle'>{25 * share}</text>"
        for share in range(5)
    )
    whole, high = _NAMES + _BARS + 60, 28 + len(rows) * _ROW
    return f"<svg width='{whole}' height='{high}' viewBox='0 0 {whole} {high}' role='img'>{''.join(drawn)}{ends}</svg>"
