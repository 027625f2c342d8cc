"""The model card: training data, candidates compared, metrics on hidden samples, limits."""

from collections.abc import Mapping, Sequence
from itertools import dropwhile, takewhile

import numpy as np

from lab.measure.report import markdown_lines
from lab.simulation.behaviors import GESTURE_SCRIPTS, HELD_OUT_SCRIPTS
from lab.training.candidates import DEMO_WEIGHT_SHARE
from lab.training.dataset import Samples
from lab.training.detector_metrics import CUT, MAX_FPR, NEED_SHARE, PERCENTS, DetectorMetrics, metrics_parts
from lab.training.model import DEMO_SCALE_SHARE
from lab.training.people import CALM_ABOVE
from lab.training.splits import HIDDEN_SHARE, Fold

_HEAD = """# The embedded detector

**Everything here is simulated.** The weights were learned from sessions of scripted people in real programs on virtual
desktops. Nobody in them was stuck, waiting or frustrated; a script said so. How well it reads real people is not known
from these figures, and no figure below may be quoted without the word *simulated*.

Made by `kairos simulate` and `kairos train --data DIR --out MODEL`; figures on sessions that nothing was fitted on are
written by `kairos bench detector --out DIR` (`HELD_OUT.md`).
"""

_LIMITS = f"""## Limits

* Simulated people repeat themselves in ways that real ones do not; expect lower figures on real people, and more false
  alarms in programs unlike those above.
* Probabilities of help need are calibrated to a stated share of need. The real share at a desk is unknown; the setting
  `detector.base_rate` (default 5 %) is a guess, to which log-odds are shifted.
* States are calibrated over a mixture of windows and of clips in which all states are equally common.
* It sees key classes, pointer, changed boxes, pop-ups and focus. It cannot know what a text says, whether a result is
  right, or what somebody wants.
* The input counts as unlike the training when features lie far outside the range seen there; then it abstains. Input
  that is strange in other ways is not noticed. Figures of the folds are without abstention, those held out are with it.
* Thresholds serve comparison ({MAX_FPR:.0%} false positives on folds); what the daemon does with a
  probability is the policy's.
"""


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
) -> str:
    """Return the card's text.

    `samples` are the plain ones of the training split that are scored.
    """
    hidden = sorted({", ".join(part.hides) for part in parts})
    live, clips = samples.need[~samples.clip], int(samples.clip.sum())
    unlabelled = sum(facts.unlabelled for facts in samples.sessions)
    data = (
        f"Scored on the folds are {len(samples)} samples: {len(live)} prefixes of live windows "
        f"({live.mean():.0%} with need) and {clips} "
        f"of clips cut at a label. {unlabelled} live prefixes ended between two labels and were dropped. For training "
        "each session was also seen in variants (other windows, other tempo), which are not counted here."
    )
    splits = (
        f"Programs and people of the test part are in no training session. Of the {len(GESTURE_SCRIPTS)} behaviors in "
        f"the catalogue {len(HELD_OUT_SCRIPTS)} are held out of training; in the test part these make up about half of "
        f"what is acted out, and the others are known from training. Choices were made on {len(parts)} folds of the "
        f"training split. Each hides: {'; '.join(hidden)} (of behaviors {HIDDEN_SHARE:.0%} of each state's, in every "
        "task)."
    )
    method = (
        f"Help need on live windows at {MAX_FPR:.0%} false positives, with thresholds chosen on these same folds for "
        "all programs together; who always helps has none. Where some sessions were recorded with all senses, figures, "
        f"calibration and thresholds are of these, and older ones have a row of their own. {PERCENTS[-1]} % is whole "
        "windows alone; what a window ends with that was cut short (something closed it before its time) stands under "
        f'"{CUT}", with a threshold of its own. Calibration error (ECE) at {NEED_SHARE:.0%} need, each fold\'s '
        "probabilities calibrated on the other folds; the model's own calibration is fitted on all of them. Simulated."
    )
    by_program = compared[chosen].fpr_by_program
    everywhere = ", ".join(f"{program} {rate:.3f}" for program, rate in by_program.items())
    spread = (
        "One threshold serves all programs, and false positives at it are not the same everywhere. At whole windows, "
        f"for {chosen}: {everywhere}. These thresholds come with the model, and the test part takes them as they are."
    )
    head = (
        _HEAD,
        f"Version {version}.",
        "",
        "## Data",
        "",
        f"Packed sessions, training split, manifest `{data_hash}`:",
        "",
    )
    programs = ("| program | sessions | labelled hours | people |", "|---|---|---|---|", *_programs(samples), "")
    figures = ("## Compared on the folds", "", method, "", *markdown_lines(metrics_parts(compared, chosen)), spread, "")
    scale = (
        "Need is calibrated by two lines, with and without digests of the screen's tiles, each through all the hidden "
        "live prefixes of its kind. "
        + (
            f"The line without digests, and the limit of the familiar, were then set with {recordings_of_people} "
            "recordings of real people in the mix, as half of what is calm, and need was lowered until at most "
            f"{CALM_ABOVE:.1%} of their familiar prefixes would bring an offer (`--people`); no weight was learned "
            "from them. **None of these recordings has digests**, so how often real people would be disturbed where "
            "Kairos sees their screen is not known: that scale is of simulated sessions alone."
            if recordings_of_people
            else "No recording of a person was used: with `--people PATH` the line without digests takes some in."
        )
    )
    mixed = samples.from_demos
    shares = (
        f"Recordings of demos and scenes are {DEMO_WEIGHT_SHARE:.0%} of the weight of sessions with all senses in what "
        f"is learned, and {DEMO_SCALE_SHARE:.0%} of that of the line with digests: sessions with tasks hold more calm "
        "work that looks like trouble than any desk."
        if mixed.any() and not mixed.all()
        else "All sessions of a kind count alike in its line."
    )
    whole = f"The settings listed come to {count_settings(experiment_log)} in all."
    lines = (
        *head,
        *programs,
        data,
        "",
        "## Splits",
        "",
        splits,
        "",
        scale,
        "",
        shares,
        "",
        *figures,
        experiment_log,
        whole,
        "",
        _LIMITS,
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
