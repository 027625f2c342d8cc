"""What may be spent in a day, what calls cost, and how a prompt that was cut without a word is noticed."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from detectors.mllm.client.endpoint import open_model
from detectors.mllm.client.spending import DailyBudget, MemoryLedger, TokenEstimator, local_day, price_of, with_dollars
from detectors.mllm.presets import PRESETS, key_name, max_pictures, request_options
from detectors.mllm.protocol import PICTURE_TOKENS, Body, ModelCapabilities, Request, RequestOptions, SchemaMode
from detectors.mllm.questions import QueryPicture, Usage, with_fewer_pictures
from storage.clock import DAY_NS, NS_PER_S, SystemClock
from storage.errors import UsageError
from storage.settings import ModelSettings
from tests.fakes.mllm.endpoints import FakeBudget, FakeSentLog
from tests.fakes.mllm.sample_queries import query
from tests.fakes.narrowing import present

NOON_NS = 1_795_000_000 * NS_PER_S
LIMITS = ModelSettings(calls_per_day=3, tokens_per_day=1000, dollars_per_day=0.5)


@pytest.fixture
def kathmandu(set_zone: Callable[[str], None]) -> None:
    set_zone("Asia/Kathmandu")


@pytest.mark.parametrize(
    "usage",
    [Usage(calls=3), Usage(calls=1, tokens_in=900, tokens_out=100), Usage(calls=1, dollars=0.5), Usage(dollars=9.0)],
)
def test_each_limit_is_a_stop(usage: Usage) -> None:
    budget = DailyBudget("local_model", LIMITS, MemoryLedger())
    assert budget.allows(NOON_NS)
    budget.spend(usage, NOON_NS)
    assert not budget.allows(NOON_NS)
    assert budget.allows(NOON_NS + DAY_NS)


def test_tiers_have_budgets_of_their_own() -> None:
    ledger = MemoryLedger()
    DailyBudget("local_model", LIMITS, ledger).spend(Usage(calls=9), NOON_NS)
    assert not DailyBudget("local_model", LIMITS, ledger).allows(NOON_NS)
    assert DailyBudget("strong_model", LIMITS, ledger).allows(NOON_NS)


def test_no_money_stops_only_what_costs_money() -> None:
    """With no dollars a day a free model is still queried; one that has cost something is not."""
    broke = replace(LIMITS, dollars_per_day=0.0)
    budget = DailyBudget("local_model", broke, MemoryLedger())
    budget.spend(Usage(calls=1, tokens_in=5), NOON_NS)
    assert budget.allows(NOON_NS)
    budget.spend(Usage(dollars=0.0001), NOON_NS)
    assert not budget.allows(NOON_NS)
    assert not DailyBudget("x", replace(LIMITS, calls_per_day=0), MemoryLedger()).allows(NOON_NS)


def test_a_day_ends_at_local_midnight(kathmandu: None) -> None:
    midnight_ns = (1_795_046_400 - 20_700) * NS_PER_S  # 2026-11-19 00:00 at UTC+5:45
    assert [local_day(midnight_ns + shift) for shift in (-1, 0, DAY_NS - 1)] == ["2026-11-18", *["2026-11-19"] * 2]
    budget = DailyBudget("local_model", LIMITS, MemoryLedger())
    budget.spend(Usage(calls=3), midnight_ns - 1)
    assert not budget.allows(midnight_ns - 1)
    assert budget.allows(midnight_ns)


def test_prices_belong_to_their_model() -> None:
    preset = replace(PRESETS["openai"], model="m", price_in=2.0, price_out=10.0)
    price = present(price_of(preset, "m"))
    assert price.of(Usage(calls=1, tokens_in=500_000, tokens_out=100_000)) == pytest.approx(2.0)
    assert with_dollars(Usage(tokens_in=1_000_000), price).dollars == pytest.approx(2.0)
    assert price_of(preset, "other") is None
    assert with_dollars(Usage(tokens_in=10), None).dollars == 0.0
    assert present(price_of(PRESETS["llama-server"], "any")).of(Usage(tokens_in=10**9)) == 0.0


def request(pictures: int, text: int = 4000) -> Request:
    picture = QueryPicture(digest="", jpeg=b"", base64=b"x")
    return Request(path="/", body=Body(parts=(b"t" * text, *[picture] * pictures)))


def test_an_estimate_learns_from_counts() -> None:
    """What a reply counted decides what a lost reply is taken to have cost."""
    estimator = TokenEstimator()
    assert estimator.estimate(request(10)).tokens_in == 1000 + 10 * PICTURE_TOKENS
    estimator.observe(request(10), Usage(tokens_in=1000 + 2560))
    assert estimator.estimate(request(20)).tokens_in == 1000 + 20 * 256
    assert TokenEstimator(77).estimate(request(1)).tokens_in == 1077


@pytest.mark.parametrize(
    ("pictures", "context", "read", "short"),
    [
        (16, 4096, 4096, True),
        (16, 4096, 5000, True),
        (16, 4096, 4095, False),
        (16, 0, 4096, False),
        (16, 0, 0, False),  # it does not count
        (16, 0, 200, True),  # less than the text alone
        (12, 0, 3000, True),  # as many as for eight pictures, to the token
        (8, 0, 3000, False),
    ],
)
def test_a_truncated_prompt_is_detected(pictures: int, context: int, read: int, short: bool) -> None:
    estimator = TokenEstimator()
    estimator.observe(request(8), Usage(tokens_in=3000))
    how = RequestOptions(model="m", context_tokens=context)
    assert estimator.was_truncated(request(pictures), how, Usage(tokens_in=read)) is short


@pytest.mark.parametrize("most", range(1, 41))
def test_fewer_pictures_are_spread_evenly(most: int) -> None:
    whole = query(32)
    fewer = with_fewer_pictures(whole, most)
    chosen = [whole.pictures.index(picture) for picture in fewer.pictures]
    assert len(chosen) == min(most, 32)
    assert fewer.at_s == tuple(whole.at_s[index] for index in chosen)
    assert chosen[-1] == 31
    if most > 1:
        gaps = {b - a for a, b in itertools.pairwise(chosen)}
        assert chosen[0] == 0
        assert max(gaps) - min(gaps) <= 1


def test_capabilities_set_the_request_options() -> None:
    settings = ModelSettings(preset="ollama")
    ollama, server = PRESETS["ollama"], PRESETS["llama-server"]
    verdict = ModelCapabilities(
        schema_mode=SchemaMode.PROMPTED, log_probs=7, pictures_max=16, context_tokens=8192, tokens_per_picture=512
    )
    how = request_options(server, settings, verdict)
    assert (how.schema_mode, how.top_log_probs, how.context_tokens) == (SchemaMode.PROMPTED, 7, 8192)
    assert max_pictures(server, settings, verdict) == (8192 - 2048) // 512
    assert max_pictures(server, replace(settings, frames=3), None) == 3
    assert request_options(server, settings, None).context_tokens == 0
    assert request_options(ollama, settings, None).context_tokens == 32 * PICTURE_TOKENS + 2048
    assert request_options(ollama, settings, verdict).context_tokens == 8192


def test_a_preset_s_key_stays_with_its_server() -> None:
    """An address of one's own does not get the key of the preset's server, unless it is named."""
    openai = PRESETS["openai"]
    assert key_name(openai, ModelSettings()) == "OPENAI_API_KEY"
    assert key_name(openai, ModelSettings(url=openai.url)) == "OPENAI_API_KEY"
    assert key_name(openai, ModelSettings(url="https://elsewhere.example/v1")) is None
    assert key_name(openai, ModelSettings(url="http://api.openai.com/v1")) is None
    assert key_name(openai, ModelSettings(url="https://elsewhere.example/v1", key_name="MINE")) == "MINE"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (ModelSettings(preset="none"), "no preset"),
        (ModelSettings(preset="mlx"), "no address"),
        (ModelSettings(preset="mlx", url="http://127.0.0.1:1"), "no model"),
        (ModelSettings(preset="openai"), "send_screens"),
        (ModelSettings(preset="ollama", model="qwen3-vl:235b-cloud"), "cloud"),
        (ModelSettings(preset="llama-server", url="http://93.184.216.34/v1", send_screens=True), "encryption"),
    ],
)
def test_a_wrong_setting_is_reported_before_opening(settings: ModelSettings, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        open_model(settings, clock=SystemClock(), budget=FakeBudget(), sent=FakeSentLog())
