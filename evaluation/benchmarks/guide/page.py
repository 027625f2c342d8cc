"""One self-contained page about a run of the GUIDE benchmark: our figures, and in blocks of their own the published."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from detectors.mllm.questions import Task
from evaluation.benchmarks.guide.metrics import NO_ANSWER, Figures
from evaluation.benchmarks.guide.published import ALWAYS_HELP, COLUMNS, Published, as_published, need_words
from evaluation.benchmarks.guide.questions import WHOLE, Context
from evaluation.benchmarks.guide.result import Result
from evaluation.benchmarks.guide.text import facts, need_lines, percent, row_accuracy, span
from evaluation.measure.guide_plots import bars, curves, legend
from evaluation.measure.metrics import Interval
from storage.records import State

_SHADE = 0.5  # from here on dark enough for white letters
_TITLES = {
    Task.BEHAVIOR: "Behavior state (of nine)",
    Task.INTENT: "Intent (of four)",
    Task.NEED: "Help need (yes or no)",
    Task.CONTENT: "Help content (of four)",
}
_CHANCE = {Task.BEHAVIOR: 1 / 9, Task.INTENT: 1 / 4, Task.NEED: 1 / 2, Task.CONTENT: 1 / 4}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 78rem; padding: 0 1rem; color: #1d2129 }
h1 { font-size: 1.5rem; margin-bottom: .3rem } h2 { font-size: 1.15rem; margin-top: 2.4rem }
.loud { font-weight: 600; color: #9a3412 } .small { color: #4b5563; font-size: 13px; max-width: 60rem }
table { border-collapse: collapse; font-size: 13px } td, th { padding: .28rem .6rem; text-align: right }
th { vertical-align: bottom; font-weight: 600 } th:first-child, td:first-child { text-align: left }
tr + tr td { border-top: 1px solid #e3e6eb } .whose td { background: #f3f4f6; font-weight: 600; text-align: left }
.ours td { background: #eff4ff } .ours td:first-child { font-weight: 600 }
.range { display: block; color: #6b7280; font-size: 11px }
.plots { display: flex; flex-wrap: wrap; gap: .6rem 1.6rem } svg text { font-size: 12px; fill: #4b5563 }
svg .title { font-weight: 600; fill: #1d2129 } .wide { overflow-x: auto }
"""


def page(result: Result, published: Published) -> str:
    """Return the page as HTML."""
    figures = result.figures
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>GUIDE tasks: {escape(result.model)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>The four GUIDE tasks, asked of {escape(result.model)}</h1>",
        *(
            f"<p{' class=loud' if number in _LOUD else ''}>{escape(line)}</p>"
            for number, line in enumerate(facts(result))
        ),
        "<h2>Accuracy on whole clips, in %</h2>",
        _accuracy_table(result, published),
        "<h2>Accuracy by how much of a clip was seen, in %</h2>",
        _curves(result, published),
        "<h2>Help need and multiple choice, beyond accuracy</h2>",
        _rates_table(result, published),
        "<h2>Which states are taken for which: truth down, answer across</h2>",
        _confusion(figures),
        _published_states(published),
        "<h2>Program by program</h2>",
        _apps(figures),
        "<h2>This run</h2>",
        _run_table(result),
        *(f"<p class=small>{escape(note)}</p>" for note in result.notes),
        "</body></html>",
    ]
    return "\n".join(parts)


_LOUD = (1, 3)
"""Lines of `facts` that nobody may miss: what the model is, and that GUIDE was not scored."""


def _accuracy_table(result: Result, published: Published) -> str:
    ours = row_accuracy(result.figures)
    heads = "".join(f"<th>{escape(column.replace('+', ' + '))}</th>" for column in COLUMNS)
    cells = "".join(f"<td>{_with_range(ours.get(column))}</td>" for column in COLUMNS)
    lines = [
        _whose(result.whose),
        f"<tr class=ours><td>{escape(result.model)}</td>{cells}</tr>",
        *(_plain_row(one.name, {at: percent(value) for at, value in one.accuracy.items()}) for one in result.trivial),
        _whose(f"{published.data}; published, not run here"),
        *(
            _plain_row(name, {at: as_published(value) for at, value in zip(published.columns, values, strict=True)})
            for name, values in published.accuracy.items()
        ),
    ]
    note = (
        "Small figures: the middle 95 % of 1000 draws of whole videos. + prev: told the state before; + behavior, "
        f"+ intent: told those of the clip. Published: {published.source}."
    )
    return (
        f"<div class=wide><table><tr><th></th>{heads}</tr>{''.join(lines)}</table></div>"
        f"<p class=small>{escape(note)}</p>"
    )


def _whose(data: str) -> str:
    return f"<tr class=whose><td colspan={len(COLUMNS) + 1}>On {escape(data)}</td></tr>"


def _plain_row(name: str, cells: Mapping[str, str]) -> str:
    found = "".join(f"<td>{cells.get(column, '')}</td>" for column in COLUMNS)
    return f"<tr><td>{escape(name)}</td>{found}</tr>"


def _with_range(one: Interval | None) -> str:
    if one is None:
        return ""
    return f"{percent(one.value)}<span class=range>{span(one)}</span>"


def _curves(result: Result, published: Published) -> str:
    def ours(task: Task) -> list[tuple[int, Interval]]:
        return [
            (one.percent, one.accuracy)
            for one in result.figures.cells
            if one.task is task and one.context is Context.NONE
        ]

    mine = "".join(curves(_TITLES[task], {result.model: ours(task)}, _CHANCE[task]) for task in Task if ours(task))
    theirs = "".join(
        curves(
            _TITLES[task],
            {
                name: [(at, _point(value / 100)) for at, value in zip(published.prefixes, values, strict=True)]
                for name, values in published.online[task].items()
            },
            _CHANCE[task],
        )
        for task in Task
    )
    names = legend(list(published.online[Task.BEHAVIOR]))
    return (
        f"<p><b>{escape(result.model)}</b>, on {escape(result.whose)}; dashed: by lot.</p><div class=plots>{mine}</div>"
        f"<p><b>Published</b>, on {escape(published.data)}; read off a figure: {names}.</p>"
        f"<div class=plots>{theirs}</div>"
    )


def _point(value: float) -> Interval:
    return Interval(value=value, low=value, high=value)


def _rates_table(result: Result, published: Published) -> str:
    rows = []
    for one in result.figures.cells:
        if one.percent != WHOLE:
            continue
        if one.need is not None:
            told = (("precision", one.need.precision), ("recall", one.need.recall), ("F1", one.need.f1))
            rows += [(f"{one.column}: {name}", rate, _need_by_lot(name, result)) for name, rate in told]
        if one.mbacc is not None:
            rows.append((f"{one.task}: MBAcc", one.mbacc, 1 / 8))
        if one.mbacc_both is not None:
            rows.append((f"{one.task}: in both orders", one.mbacc_both, 1 / 64))
    beside = "".join(f"{line}. " for line in need_lines(result.trivial))
    note = (
        "MBAcc: the right answer is preferred to each of three distractors, asked in pairs, in an order by lot; in "
        "both orders: also with each pair the other way round. Dashed: by lot, or always help for help need. "
        f"{beside}{need_words(published)}"
    )
    return f"{bars(rows)}<p class=small>{escape(note)}</p>"


def _need_by_lot(name: str, result: Result) -> float:
    """Return what always saying that help is needed reaches."""
    always = next((one.need for one in result.trivial if one.name == ALWAYS_HELP), None) or (0.0, 0.0, 0.0)
    return always[("precision", "recall", "F1").index(name)]


def _confusion(figures: Figures) -> str:
    counts = figures.confusion
    if not any(map(sum, counts)):
        return "<p>Not asked.</p>"
    unanswered = any(row[NO_ANSWER] for row in counts)
    names = [state.value.replace("_", " ") for state in State] + (["no answer"] if unanswered else [])
    lines = [
        f"<tr><td>{name} ({sum(row)})</td>{''.join(_shares(row, len(names)))}</tr>"
        for name, row in zip(names, counts, strict=False)
    ]
    heads = "".join(f"<th>{name}</th>" for name in names)
    return f"<div class=wide><table><tr><th></th>{heads}</tr>{''.join(lines)}</table></div>"


def _shares(row: Sequence[int], columns: int) -> Iterator[str]:
    for number in row[:columns]:
        share = number / (sum(row) or 1)
        ink = "#fff" if share > _SHADE else "inherit"
        yield f"<td style='background:rgba(37,99,235,{share:.2f});color:{ink}'>{f'{share:.2f}' if number else ''}</td>"


def _published_states(published: Published) -> str:
    recalls = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in published.recall_of_states.items())
    taken = "; ".join(
        f"{name} is taken for "
        + ", ".join(f"{other.replace('_', ' ')} ({share:.2f})" for other, share in others.items())
        for name, others in published.confused_with.items()
    )
    return f"<p class=small>{escape(f'Published, on {published.data}: recall over all models {recalls}; {taken}.')}</p>"


def _apps(figures: Figures) -> str:
    heads = "".join(f"<th>{task}</th>" for task in Task)
    lines = ""
    for app, tasks in figures.apps.items():
        cells = "".join(f"<td>{percent(tasks[task]) if task in tasks else ''}</td>" for task in Task)
        lines += f"<tr><td>{escape(app)}</td><td>{figures.clips_of_app[app]}</td>{cells}</tr>"
    return f"<table><tr><th></th><th>clips</th>{heads}</tr>{lines}</table>"


def _run_table(result: Result) -> str:
    rows = "".join(
        f"<tr><td>{escape(one.video)}</td><td>{one.clips}</td><td>{one.questions}</td><td>{one.sent}</td></tr>"
        for one in result.rounds
    )
    held = "".join(
        f"<tr><td>{'held' if bar.ok else 'missed'}: {escape(bar.name)}</td><td>{bar.value:g}</td>"
        f"<td>{escape(bar.unit)} {bar.limit:g}</td></tr>"
        for bar in result.bars
    )
    return (
        f"<table><tr><th>video</th><th>clips</th><th>questions</th><th>asked now</th></tr>{rows}</table>"
        f"<p></p><table><tr><th>bar</th><th>value</th><th>limit</th></tr>{held}</table>"
    )
