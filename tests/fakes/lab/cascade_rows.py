"""Rows of the cascade's table as the records that the daemon would have written."""

import numpy as np

from detectors.mllm.cascade import log_odds
from lab.benchmarks.cascade.table import Table
from lab.benchmarks.scripted_models import SURE, scripted
from lab.training.dataset import STATES
from storage.clock import NS_PER_S
from storage.records import Estimate, ModelAnswer, ModelTier, State


def state_probabilities(named: State) -> dict[str, float]:
    """Return the probabilities that go with a named state."""
    others = (1.0 - SURE) / (len(State) - 1)
    return {one.value: SURE if one is named else others for one in State}


def estimate_at(table: Table, at: int, base_rate: float) -> Estimate:
    """Return one prefix's estimate by the embedded detector, at a base rate."""
    odds = float(table.ratio[at]) + log_odds(base_rate)
    return Estimate(
        prefix_id=table.prefix_id(at),
        window_id=int(table.window[at]),
        fraction=float(table.fraction[at]),
        detector="embedded",
        detector_version="",
        state_probs=dict(zip((state.value for state in STATES), table.states[at].tolist(), strict=True)),
        help_need=1.0 / (1.0 + float(np.exp(-odds))),
        evidence=(),
        made_at_ns=0,
        ready_at_ns=0,
        confidence_source="calibrated",
        app="",
    )


def answer_at(table: Table, at: int, tier: ModelTier) -> ModelAnswer:
    """Return the answer of a scripted model to one prefix."""
    model = scripted(tier.value)
    usage = model.usage(int(table.pictures[at]))
    return ModelAnswer(
        prefix_id=table.prefix_id(at),
        window_id=int(table.window[at]),
        rung=tier,
        model=model.name,
        asked_at_ns=0,
        latency_ns=round(model.script.latency_s * NS_PER_S),
        help_need=SURE if table.yes[tier][at] else 1.0 - SURE,
        state_probs=state_probabilities(STATES[table.named[tier][at]]),
        tokens_in=usage.tokens_in,
        dollars=usage.dollars,
    )
