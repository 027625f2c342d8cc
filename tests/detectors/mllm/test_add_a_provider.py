"""How to add a model provider: one preset, and a dialect where its wire format is new. Quoted in CONTRIBUTING.md."""

from collections.abc import Mapping

import msgspec
import pytest

from detectors.mllm import dialects, presets
from detectors.mllm.client.endpoint import open_model
from detectors.mllm.dialects import base
from detectors.mllm.presets import Preset
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import Reply, Request, RequestOptions, SchemaMode
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, Task
from storage.clock import SystemClock
from storage.settings import ModelSettings
from tests.fakes.mllm.endpoints import FakeBudget, FakeSentLog
from tests.fakes.mllm.server import FakeServer, say

# 1. A provider with a known wire format is one table in `detectors/mllm/data/presets.toml`.
PROVIDER = Preset(
    name="tiny-server",
    dialect="tiny",
    url="http://127.0.0.1:9/v1",
    model="tiny-1",
    remote=False,
    schema_mode=SchemaMode.PROMPTED,
    note="a server for tests",
    tried=presets.FAKE,
)


# 2. A new wire format is one module in `detectors/mllm/dialects/` and one line in `DIALECTS`.
class _TinyReply(msgspec.Struct):
    words: str
    tokens: int


_DECODER = msgspec.json.Decoder(_TinyReply)


class TinyDialect(base.BaseDialect):
    """A server that takes a prompt with pictures and replies with words."""

    name = "tiny"

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        words = wording.compose(query, options.schema_mode, repair)
        tree: Mapping[str, object] = {
            "model": options.model,
            "images": [base.BASE64 for _ in query.pictures],
            "prompt": base.paragraphs(words.system, words.before, words.after),
        }
        return Request(path="/answer", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        decoded = base.decode(_DECODER, content)
        return Reply(text=decoded.words, usage=base.usage(tokens_in=decoded.tokens, tokens_out=10))


# 3. Then it answers like any other.
@pytest.mark.anyio
async def test_a_new_provider_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dialects.DIALECTS, "tiny", f"{__name__}:TinyDialect")
    monkeypatch.setitem(presets.PRESETS, PROVIDER.name, PROVIDER)
    question = ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.YES_NO)
    reply = {"words": '{"need": {"answer": "yes", "sure": 80}}', "tokens": 900}
    async with FakeServer([say(msgspec.json.encode(reply))]) as server:
        settings = ModelSettings(preset="tiny-server", url=f"{server.url}/v1")
        model = open_model(settings, clock=SystemClock(), budget=FakeBudget(), sent=FakeSentLog())
        result = await model.ask(ModelQuery(pictures=(), at_s=(), questions=(question,)), deadline_s=5)
        await model.close()
    assert result.answers["need"].distribution == {"yes": 0.8, "no": pytest.approx(0.2)}
    assert (result.usage.calls, result.usage.tokens_in) == (1, 900)
    assert server.requests[0].line.startswith("POST /v1/answer ")
