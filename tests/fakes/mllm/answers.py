"""A session's answers about help, with a real client at a fake server, and what comes of them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import simplejpeg

from daemon.capture.gate import Gate
from daemon.capture.picture_ring import RingPicture
from daemon.help.context import HelpContext, HelpMoment
from daemon.help.ports import TakeElements
from daemon.models.answers.service import AnswerContext, HelpAnswers
from detectors.mllm.client.endpoint import Endpoint
from detectors.mllm.protocol import AnswerStream
from detectors.mllm.questions import ModelQuery, ModelResult
from storage.clock import SystemClock
from storage.ports import AnswerPhase, HelpStep, ModelHelp
from storage.records import Box, Elements, Feedback, FeedbackKind, HelpAnswer, HelpFound, ModelTier, Offer, Record
from storage.settings import HelpSettings
from tests.fakes.detectors.fake_detectors import offer_about
from tests.fakes.help.help_library import FREEZE, FREEZE_ITEM, OK, VIEW
from tests.fakes.mllm.endpoints import FakeBudget, FakeSentLog, endpoint
from tests.fakes.mllm.reply_builders import TEXT_REPLY_BUILDERS

APP = "libreoffice-calc"
DEADLINE_S = 20.0
CHAT = TEXT_REPLY_BUILDERS[0]
ELEMENTS = (VIEW, FREEZE_ITEM, OK)
MOMENT = HelpMoment(
    context=HelpContext(app=APP, title="budget.ods", controls=("View",), messages=("Not saved",)),
    pages=(FREEZE,),
    elements=ELEMENTS,
)
OFFER = replace(offer_about(), offer_id="o1", app=APP, page_id=FREEZE.page_id, steps=3)
FOUND = HelpFound(prefix_id="w1/25", window_id=1, app=APP, page_id=FREEZE.page_id, score=0.6, steps=3)
ACCEPTED = Feedback(offer_id="o1", kind=FeedbackKind.ACCEPTED)
ANSWER: Mapping[str, object] = {
    "text": "The first row can stay in sight.",
    "steps": [{"text": "Open the View menu.", "element": 1}, {"text": "Choose Freeze Rows and Columns.", "element": 0}],
    "pages": [1],
    "goal": "keep the headings in sight",
}
NOTHING_AROUND = AnswerContext(
    moment_of=lambda *_: None,
    newest_picture=lambda: None,
    request_elements=lambda take, **_: take(None),
    show=lambda *_: None,
    follow=lambda *_: None,
)


def pieces_of(answer: object, size: int = 9) -> list[bytes]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return CHAT.stream([text[at : at + size] for at in range(0, len(text), size)])


def grey_picture() -> RingPicture:
    jpeg = simplejpeg.encode_jpeg(np.full((300, 400, 3), 128, np.uint8), quality=85, colorspace="RGB")
    return RingPicture(t_ns=1, jpeg=jpeg, area=Box(0, 0, 800, 600))


@dataclass(slots=True)
class EndpointModel:
    """An endpoint as the daemon opens it."""

    endpoint: Endpoint
    name: str = "fake/tiny"
    model: str = "tiny"
    remote: bool = False

    async def ask(
        self, query: ModelQuery, *, deadline_s: float, stream: AnswerStream | None = None, purpose: str = ""
    ) -> ModelResult:
        return await self.endpoint.ask(query, deadline_s=deadline_s, stream=stream, purpose=purpose)

    def stop(self) -> None:
        self.endpoint.stop()


@dataclass(slots=True)
class AnswerSession:
    """Answers, and what came of them."""

    answers: HelpAnswers = field(init=False)
    model: EndpointModel
    gate: Gate
    sent: FakeSentLog
    budget: FakeBudget
    views: list[tuple[str, ModelHelp]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    followed: list[tuple[tuple[HelpStep, ...], Box | None]] = field(default_factory=list)
    busy: list[bool] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)
    """For each reading of the controls that was requested, whether a person asked."""

    @property
    def last(self) -> ModelHelp:
        return self.views[-1][1]

    @property
    def phases(self) -> list[AnswerPhase]:
        found = [view.phase for _, view in self.views]
        return [phase for at, phase in enumerate(found) if not at or found[at - 1] is not phase]

    @property
    def ends(self) -> list[HelpAnswer]:
        return [row for row in self.records if isinstance(row, HelpAnswer)]

    async def until(self, check: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not check():  # noqa: ASYNC110  # what is waited for has no event
                await asyncio.sleep(0.002)

    async def ended(self, count: int = 1) -> None:
        await self.until(lambda: len(self.ends) >= count)

    def accept(self, offer: Offer = OFFER) -> None:
        self.answers.observe([offer])
        self.answers.observe([Feedback(offer_id=offer.offer_id, kind=FeedbackKind.ACCEPTED)])


@asynccontextmanager
async def answering(
    url: str,
    dialect: str = "openai_chat",
    *,
    settings: HelpSettings | None = None,
    moment: HelpMoment | Callable[[], HelpMoment | None] | None = MOMENT,
    picture: RingPicture | None = None,
    elements: Elements | None = None,
    budget: FakeBudget | None = None,
    remote: bool = False,
    none_on: bool = False,
) -> AsyncIterator[AnswerSession]:
    gate, sent, budget = Gate(), FakeSentLog(), budget or FakeBudget()
    gate.open()
    model = EndpointModel(
        endpoint(url, dialect, sent=sent, budget=budget, may_send=lambda: gate.is_open), remote=remote
    )
    session = AnswerSession(model=model, gate=gate, sent=sent, budget=budget)

    def request_elements(take: TakeElements, *, asked: bool) -> None:
        session.asked.append(asked)
        take(elements)

    session.answers = answers = HelpAnswers(
        available=lambda: {} if none_on else {ModelTier.LOCAL: model},
        settings=settings or HelpSettings(),
        gate=gate,
        clock=SystemClock(),
        submit=session.records.extend,
        around=AnswerContext(
            moment_of=lambda page_id, app: (moment() if callable(moment) else moment) if app == APP else None,
            newest_picture=lambda: picture,
            request_elements=request_elements,
            show=lambda offer_id, view: session.views.append((offer_id, view)),
            follow=lambda offer, steps, first: session.followed.append((steps, first)),
            busy=session.busy.append,
        ),
    )
    try:
        yield session
    finally:
        await answers.close()
        await model.endpoint.close()
