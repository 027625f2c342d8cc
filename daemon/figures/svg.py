"""Plots of pages as SVG: lines, bars with intervals, and spans. All text is escaped."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.figures.intervals import Interval
from storage.plain_text import visible_html

BLUE, GREY, FRAME, INK = "#2563eb", "#94a3b8", "#c5cad3", "currentColor"
PALETTE = ("#0f766e", "#b45309", "#7c3aed", "#64748b")
_PAD, ROW = 52, 24
_LABEL_WIDTH, _LABEL_HEIGHT, _LETTER_WIDTH = 150, 13, 6.6
_DOT, _BESIDE = 6.0, 9.0
_OVER_LINES = "paint-order:stroke;stroke:var(--ground);stroke-width:4px"
_LEAST_SPAN = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a plot. `intervals` are drawn as whiskers; `dots` mark its points, `hints` are their tooltips."""

    name: str
    points: Sequence[tuple[float, float]]
    intervals: Sequence[Interval] = ()
    hints: Sequence[str] = ()
    colour: str = BLUE
    dashed: bool = False
    dots: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """A single point with its name; what lies beyond the right end of the plot is drawn there, with an arrow."""

    x: float
    y: float
    name: str
    highlighted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis from `low` to `high`. Ticks have texts; without any there are five even parts."""

    label: str = ""
    low: float = 0.0
    high: float = 1.0
    ticks: Sequence[tuple[float, str]] = ()

    def position(self, value: float) -> float:
        """Return where a value lies, from 0 to 1; values outside are moved to the nearer end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def all_ticks(self) -> Sequence[tuple[float, str]]:
        """Return the ticks to draw."""
        even = (self.low + part / 5 * (self.high - self.low) for part in range(6))
        return self.ticks or [(value, f"{value:.2g}") for value in even]


def colours(count: int) -> list[str]:
    """Return a colour for each of so many lines."""
    return [BLUE] if count == 1 else [PALETTE[number % len(PALETTE)] for number in range(count)]


def rounded_up(value: float) -> float:
    """Return an end for an axis: a little above a value, and easily divided."""
    if not value > 0.0:
        return 1.0
    ten = 10.0 ** math.floor(math.log10(value))
    return next(
        ten * factor for factor in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0) if ten * factor >= value * 0.999
    )


def line_plot(
    title: str,
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    *,
    marks: Sequence[Mark] = (),
    size: tuple[int, int] = (460, 300),
    legend: bool = False,
) -> str:
    """Return lines and marked points in one plot of so many pixels inside its frame."""
    width, height = size

    def place(across: float, up: float) -> tuple[float, float]:
        return round(_PAD + x.position(across) * width, 1), round(_PAD + (1.0 - y.position(up)) * height, 1)

    parts = [part for line in lines for part in _drawn(line, place)]
    if legend:
        parts += [
            text_at(_PAD + _LABEL_WIDTH * number, _PAD + height + 56, line.name, style=f"fill:{line.colour}")
            for number, line in enumerate(lines)
        ]
    parts += _marked(marks, x, place, (_PAD + width, _PAD + height))
    for value, text in x.all_ticks():
        parts.append(text_at(place(value, y.low)[0], _PAD + height + 16, text, anchor="middle"))
    for value, text in y.all_ticks():
        parts.append(text_at(_PAD - 6, place(x.low, value)[1] + 4, text, anchor="end"))
    frame = f"<rect x='{_PAD}' y='{_PAD}' width='{width}' height='{height}' fill='none' stroke='{FRAME}' />"
    x_label = text_at(_PAD + width // 2, _PAD + height + 36, x.label, anchor="middle")
    return drawing(
        (width + 2 * _PAD, height + 2 * _PAD + 12),
        [title_at(_PAD, title), frame, x_label, text_at(_PAD, _PAD - 10, y.label), *parts],
    )


def legend(names: Sequence[str]) -> str:
    """Return the names of lines in their `colours`, for plots that share them, as HTML."""
    shown = ", ".join(
        f"<span style='color:{colour};font-weight:600'>{visible_html(name)}</span>"
        for name, colour in zip(names, colours(len(names)), strict=True)
    )
    return f"<div style='flex-basis:100%'>{shown}</div>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar with its interval; `reference` is marked with a dashed line."""

    name: str
    figure: Interval
    highlighted: bool = True
    reference: float | None = None


def bar_plot(
    bars: Sequence[Bar],
    *,
    title: str = "",
    end: float | None = None,
    text: Callable[[float], str] = "{:.0f}".format,
    size: tuple[int, int] = (235, 320),
) -> str:
    """Return horizontal bars; with `end` the scale ends there and has ticks, else it fits the longest interval.

    `size` is the width of the names and of the longest bar, in pixels.
    """
    names, width = size
    top = 28 if title else 8
    most = end or max((bar.figure.high for bar in bars if math.isfinite(bar.figure.high)), default=1.0) or 1.0

    def place(value: float) -> float:
        return round(names + max(value, 0.0) / most * width, 1)

    parts = [title_at(names, title)] if title else []
    for number, bar in enumerate(bars):
        y, figure = top + number * ROW, bar.figure
        low, high = (figure.low, figure.high) if figure.high >= figure.low else (figure.value, figure.value)
        parts += [
            text_at(names - 8, y + 12, bar.name, anchor="end"),
            rectangle(names, y, place(figure.value) - names, 15, BLUE if bar.highlighted else GREY),
            f"<path d='M {place(low)} {y + 7.5} H {place(high)}' stroke='{INK}' stroke-width='2' />",
            text_at(max(place(high), place(figure.value)) + 8, y + 12, text(figure.value)),
        ]
        if bar.reference is not None:
            parts.append(
                f"<path d='M {place(bar.reference)} {y - 2} v 19' stroke='{PALETTE[1]}' stroke-width='2' "
                "stroke-dasharray='3 2' />"
            )
    height = top + len(bars) * ROW + 4
    if end is not None:
        height += 16
        parts += [
            text_at(place(end * part / 4), height - 6, f"{float(text(end)) * part / 4:g}", anchor="middle")
            for part in range(5)
        ]
    return drawing((names + width + 60, height), parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotSpan:
    """A stretch of a row; with `link` a click leads to that part of the page, and it is drawn wide enough for one."""

    start: float
    end: float
    colour: str = BLUE
    hint: str = ""
    link: str = ""


def span_plot(rows: Sequence[tuple[str, Sequence[PlotSpan]]], axis: Axis, *, size: tuple[int, int] = (84, 250)) -> str:
    """Return a row of spans for each name; those with a link lie above those without, which are thin."""
    names, width = size
    parts = []
    bottom = 8 + len(rows) * ROW
    for value, text in axis.all_ticks():
        x = round(names + axis.position(value) * width, 1)
        parts += [
            f"<path d='M {x} 6 V {bottom}' stroke='{FRAME}' stroke-opacity='0.5' />",
            text_at(x, bottom + 15, text, anchor="middle"),
        ]
    for number, (name, spans) in enumerate(rows):
        y = 8 + number * ROW
        parts.append(text_at(names - 8, y + 13, name, anchor="end"))
        for span in sorted(spans, key=lambda one: bool(one.link)):
            left, right = (names + axis.position(end) * width for end in (span.start, span.end))
            if not span.link:
                parts.append(rectangle(left, y + 7, max(1.0, right - left), 5, span.colour, hint=span.hint))
                continue
            box = rectangle(left, y + 1, max(_LEAST_SPAN, right - left), 17, span.colour, hint=span.hint)
            parts.append(f"<a href='#{visible_html(span.link)}'>{box}</a>")
    return drawing((names + width + 24, bottom + 22), parts)


def _marked(
    marks: Sequence[Mark], x: Axis, place: Callable[[float, float], tuple[float, float]], ends: tuple[int, int]
) -> list[str]:
    """Return points and their names: those at one place have one, and none covers another or a point."""
    named: dict[tuple[float, float], list[Mark]] = {}
    for mark in sorted(marks, key=lambda one: (one.highlighted, one.y), reverse=True):
        named.setdefault(place(mark.x, mark.y), []).append(mark)
    taken = [(across - _DOT, across + _DOT, up) for across, up in named]
    parts = []
    for (across, up), there in named.items():
        name = ", ".join(f"{mark.name} \u2192" if mark.x > x.high else mark.name for mark in there)
        width, colour = _LETTER_WIDTH * len(name), BLUE if there[0].highlighted else GREY
        at_end = across + _BESIDE + width > ends[0]
        left = across - _BESIDE - width if at_end else across + _BESIDE
        level = next(
            (
                level
                for level in sorted(range(_PAD, ends[1] + 1), key=lambda level: abs(level - up))
                if not any(
                    abs(level - other) < _LABEL_HEIGHT and begin < left + width and left < until
                    for begin, until, other in taken
                )
            ),
            up,  # no room is left
        )
        taken.append((left, left + width, level))
        at = left + width if at_end else left
        if abs(level - up) > _DOT:
            parts.append(f"<path d='M {across} {up} L {at:.1f} {level}' stroke='{GREY}' />")
        parts += [
            f"<circle cx='{across}' cy='{up}' r='5' fill='{colour}'><title>{visible_html(name)}</title></circle>",
            text_at(round(at, 1), round(level + 4), name, anchor="end" if at_end else "start", style=_OVER_LINES),
        ]
    return parts


def _drawn(line: Line, place: Callable[[float, float], tuple[float, float]]) -> list[str]:
    places = [place(x, y) for x, y in line.points]
    dashes = " stroke-dasharray='5 4'" if line.dashed else ""
    path = " ".join(f"{x},{y}" for x, y in places)
    parts = [f"<polyline points='{path}' fill='none' stroke='{line.colour}' stroke-width='2'{dashes} />"]
    for (x, _), one in zip(line.points, line.intervals, strict=False):
        if one.high > one.low:
            (across, low), (_, high) = place(x, one.low), place(x, one.high)
            parts.append(f"<path d='M {across} {low} V {high}' stroke='{line.colour}' />")
    if line.dots:
        hints = line.hints or [f"{x:.3f}, {y:.3f}" for x, y in line.points]
        parts += [
            f"<circle cx='{x}' cy='{y}' r='3.5' fill='{line.colour}'><title>{visible_html(hint)}</title></circle>"
            for (x, y), hint in zip(places, hints, strict=True)
        ]
    return parts


def drawing(size: tuple[float, float], parts: Sequence[str]) -> str:
    """Return a whole drawing of this size."""
    width, height = size
    return f"<svg width='{width}' height='{height}' viewBox='0 0 {width} {height}' role='img'>{''.join(parts)}</svg>"


def title_at(x: float, text: str) -> str:
    """Return the title of a plot."""
    return f"<text x='{x}' y='18' class='title'>{visible_html(text)}</text>"


def text_at(x: float, y: float, text: str, *, anchor: str = "start", style: str = "") -> str:
    """Return a text; nothing for none."""
    styled = f" style='{style}'" if style else ""
    return f"<text x='{x}' y='{y}' text-anchor='{anchor}'{styled}>{visible_html(text)}</text>" if text else ""


def rectangle(x: float, y: float, width: float, height: float, colour: str, *, hint: str = "") -> str:
    """Return a filled rectangle, with a tooltip where there is a hint."""
    box = f"<rect x='{x:.1f}' y='{y}' width='{width:.1f}' height='{height}' fill='{colour}'"
    return f"{box}><title>{visible_html(hint)}</title></rect>" if hint else f"{box} />"
