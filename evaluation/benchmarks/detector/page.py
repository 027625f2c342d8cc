"""One self-contained page about a detector: reliability, confusion of states, and curves over the prefixes, as SVG."""

from collections.abc import Mapping, Sequence
from html import escape

from evaluation.benchmarks.detector.curves import Curves
from evaluation.measure import metrics
from evaluation.training.dataset import STATES, Samples
from evaluation.training.detector_metrics import NEED_SHARE, PERCENTS, DetectorMetrics, Predictions, state_table

_SIDE, _PAD = 300, 44

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #1d2129 }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem } .loud { font-weight: 600; color: #9a3412 }
table { border-collapse: collapse; font-size: 13px } td, th { padding: .25rem .5rem; text-align: right }
th:first-child, td:first-child { text-align: left } tr + tr td { border-top: 1px solid #e3e6eb }
.plots { display: flex; flex-wrap: wrap; gap: 2rem } svg text { font-size: 12px; fill: #4b5563 }
"""


def page(samples: Samples, opinion: Predictions, compared: Mapping[str, DetectorMetrics], found: Curves) -> str:
    """Return the page as HTML."""
    bins = found.reliability
    clips = state_table(samples, opinion.state, samples.clip & (samples.fraction == 1.0))
    plots = (
        _figure("Reliability of help need", _plot(_steps(bins), "probability", "share of need", diagonal=True)),
        _figure("AUC of help need by prefix", _prefix_plot(found)),
    )
    return "\n".join(
        (
            "<!doctype html><html lang=en><meta charset=utf-8><title>The embedded detector</title>",
            f"<style>{_STYLE}</style><h1>The embedded detector</h1>",
            "<p class=loud>Simulated sessions: scripted people in real programs. No figure here is about real people.",
            f"<p>Reliability: live windows weighted to {NEED_SHARE:.0%} help needed, {len(bins)} bins of equal count.",
            f"<div class=plots>{''.join(plots)}</div>",
            "<h2>States of whole clips: truth down, guess across</h2>",
            _confusion(clips),
            "<h2>Beside simpler judges</h2>",
            _compared(compared),
            "</html>",
        )
    )


def _steps(bins: Sequence[metrics.Bin]) -> list[tuple[float, float]]:
    return [(one.predicted, one.observed) for one in bins]


def _prefix_plot(found: Curves) -> str:
    now = [(one / 100, found.auc[one].value) for one in PERCENTS]
    ahead = [(one / 100, found.auc_ahead[one].value) for one in PERCENTS]
    label = "AUC (solid: need at the prefix's end, dashed: at the window's)"
    return _plot(now, "share of the window", label, low=0.5, dashed=ahead)


def _plot(
    points: Sequence[tuple[float, float]],
    across: str,
    up: str,
    *,
    low: float = 0.0,
    diagonal: bool = False,
    dashed: Sequence[tuple[float, float]] = (),
) -> str:
    """Return a square plot, 0 to 1 across and `low` to 1 upwards."""
    whole = _SIDE + 2 * _PAD

    def place(x: float, y: float) -> tuple[float, float]:
        return round(_PAD + x * _SIDE, 1), round(_PAD + (1.0 - (max(y, low) - low) / (1.0 - low)) * _SIDE, 1)

    def line(of: Sequence[tuple[float, float]], style: str) -> str:
        return f"<polyline points='{' '.join('{},{}'.format(*place(x, y)) for x, y in of)}' fill=none {style} />"

    marks = "".join(
        "<circle cx='{}' cy='{}' r=4 fill='#2563eb'><title>{:.3f}, {:.3f}</title></circle>".format(*place(x, y), x, y)
        for x, y in points
    )
    ticks = "".join(
        f"<text x='{place(at, low)[0]}' y='{_PAD + _SIDE + 16}' text-anchor=middle>{at:g}</text>"
        f"<text x='{_PAD - 6}' y='{place(0, level)[1] + 4}' text-anchor=end>{level:g}</text>"
        for at, level in ((at / 4, low + at / 4 * (1 - low)) for at in range(5))
    )
    return (
        f"<svg width={whole} height={whole} viewBox='0 0 {whole} {whole}' role=img>"
        f"<rect x={_PAD} y={_PAD} width={_SIDE} height={_SIDE} fill=none stroke='#c5cad3' />"
        f"{line([(0.0, 0.0), (1.0, 1.0)], 'stroke=#c5cad3') if diagonal else ''}"
        f"{line(dashed, 'stroke=#94a3b8 stroke-width=2 stroke-dasharray=5') if dashed else ''}"
        f"{line(points, 'stroke=#2563eb stroke-width=2')}{marks}{ticks}"
        f"<text x={whole // 2} y={whole - 8} text-anchor=middle>{escape(across)}</text>"
        f"<text x={_PAD} y={_PAD - 14}>{escape(up)}</text></svg>"
    )


def _confusion(counts: metrics.Ints) -> str:
    shares = metrics.balanced(counts)
    names = [state.value.replace("_", " ") for state in STATES]
    rows = "".join(
        f"<tr><td>{names[truth]} ({int(counts[truth].sum())})</td>"
        + "".join(
            f"<td style='background:rgba(37,99,235,{share:.2f});color:{'#fff' if share > 0.5 else 'inherit'}'>"  # noqa: PLR2004  # dark enough
            f"{share:.2f}</td>"
            for share in shares[truth].tolist()
        )
        for truth in range(len(STATES))
    )
    return f"<table><tr><th></th>{''.join(f'<th>{name}</th>' for name in names)}</tr>{rows}</table>"


def _compared(compared: Mapping[str, DetectorMetrics]) -> str:
    heads = ("", "clip accuracy", "macro F1", "AUC 25 %", "AUC 100 %", "recall 25 %", "recall 100 %", "ECE")
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{one.clip_accuracy:.3f}</td><td>{one.clip_macro_f1:.3f}</td>"
        f"<td>{one.auc[25]:.3f}</td><td>{one.auc[100]:.3f}</td><td>{one.recall[25]:.2f}</td><td>{one.recall[100]:.2f}</td>"
        f"<td>{'-' if one.ece is None else f'{one.ece:.3f}'}</td></tr>"
        for name, one in compared.items()
    )
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{rows}</table>"


def _figure(title: str, plot: str) -> str:
    return f"<div><h2>{escape(title)}</h2>{plot}</div>"
