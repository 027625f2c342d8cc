"""The model card: training data, candidates compared, metrics on hidden samples, limits."""

import tomllib
from collections.abc import Mapping, Sequence
from itertools import dropwhile, takewhile
from pathlib import Path

import numpy as np

from daemon.figures.resampling import Floats
from lab.measure.report import markdown_lines
from lab.simulation.behaviors import GESTURE_SCRIPTS, HELD_OUT_SCRIPTS
from lab.training.candidates import DEMO_WEIGHT_SHARE
from lab.training.dataset import Samples
from lab.training.detector_metrics import (
    CUT,
    MAX_FPR,
    NEED_SHARE,
    PERCENTS,
    DetectorMetrics,
    metrics_parts,
    modes_table,
)
from lab.training.model import DEMO_SCALE_SHARE
from lab.training.people import CALM_ABOVE
from lab.training.splits import HIDDEN_SHARE, Fold

WORDS = Path(__file__).parent / "data" / "card.toml"
"""The text of the card, paragraph by paragraph."""


def card(
    samples: Samples,
    parts: Sequence[Fold],
    compared: Mapping[str, DetectorMetrics],
    *,
    chosen: str,
    version: str,
    data_hash: str,
    recordings_of_people: int,
    experiment_log: str,
    modes: tuple[Samples, Floats],
) -> str:
    """Return the card's text.

    `samples` are the plain ones of the training split that are scored, `modes` those that lack something, with their
    calibrated need.
    """
    hidden = sorted({", ".join(part.hides) for part in parts})
    live, clips = samples.need[~samples.clip], int(samples.clip.sum())
    unlabelled = sum(facts.unlabelled for facts in samples.sessions)
    by_program = compared[chosen].fpr_by_program
    everywhere = ", ".join(f"{program} {rate:.3f}" for program, rate in by_program.items())
    mixed = samples.from_demos
    figures = {
        "samples": len(samples),
        "live": len(live),
        "needed": live.mean(),
        "clips": clips,
        "unlabelled": unlabelled,
        "scripts": len(GESTURE_SCRIPTS),
        "held_out": len(HELD_OUT_SCRIPTS),
        "folds": len(parts),
        "hidden": "; ".join(hidden),
        "hidden_share": HIDDEN_SHARE,
        "max_fpr": MAX_FPR,
        "whole": PERCENTS[-1],
        "cut": CUT,
        "need_share": NEED_SHARE,
        "chosen": chosen,
        "everywhere": everywhere,
        "recordings": recordings_of_people,
        "calm_above": CALM_ABOVE,
        "demo_weight": DEMO_WEIGHT_SHARE,
        "demo_scale": DEMO_SCALE_SHARE,
    }
    words = {name: text.format(**figures) for name, text in tomllib.loads(WORDS.read_text(encoding="utf-8")).items()}
    scale = words["scale"] + words["scale_with_people" if recordings_of_people else "scale_alone"]
    shares = words["shares_mixed" if mixed.any() and not mixed.all() else "shares_alone"]
    programs = ("| program | sessions | labelled hours | people |", "|---|---|---|---|", *_programs(samples), "")
    lines = (
        words["head"],
        f"Version {version}.",
        "",
        "## Data",
        "",
        f"Packed sessions, training split, manifest `{data_hash}`:",
        "",
        *programs,
        words["data"],
        "",
        "## Splits",
        "",
        words["splits"],
        "",
        scale,
        "",
        shares,
        "",
        "## Compared on the folds",
        "",
        words["method"],
        "",
        *markdown_lines(metrics_parts(compared, chosen)),
        words["spread"],
        "",
        words["modes"],
        "",
        *markdown_lines([modes_table(*modes)]),
        "",
        experiment_log,
        f"The settings listed come to {count_settings(experiment_log)} in all.",
        "",
        words["limits"],
    )
    return "\n".join(lines)


def count_settings(experiment_log: str) -> int:
    """Return the sum of the second column of the first table in the experiment log.

    Raises:
        ValueError: a row has no number there.
    """
    from_table = dropwhile(lambda line: not line.startswith("|"), experiment_log.splitlines())
    cells = [line.split("|") for line in takewhile(lambda line: line.startswith("|"), from_table)]
    return sum(int(row[2]) for row in cells[2:])


def _programs(samples: Samples) -> list[str]:
    lines = []
    for program in sorted({facts.program for facts in samples.sessions}):
        own = [facts for facts in samples.sessions if facts.program == program]
        hours, people = sum(facts.hours for facts in own), len({facts.person for facts in own})
        lines.append(f"| {program} | {len(own)} | {hours:.2f} | {people} |")
    scripts = len(np.unique(samples.script))
    whole = sum(facts.hours for facts in samples.sessions)
    people = len({facts.person for facts in samples.sessions})
    return [*lines, f"| all ({scripts} scripts) | {len(samples.sessions)} | {whole:.2f} | {people} |"]
