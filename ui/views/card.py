"""What the card shows for an offer, and the buttons that answer it.

Help written by a model and pages of a library are hostile until shown otherwise: they are cut to a length and stripped
of control and direction characters. What a model wrote is marked as a model's, and a page names its source.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from storage.messages import OfferText, offer_text, topic_label
from storage.plain_text import plain
from storage.ports import WHAT_FOR, HelpCandidate, HelpCandidates, HelpContent, HelpPage
from storage.records import FeedbackKind, Offer
from storage.translation import current_language, tr, translatable
from ui.views.ask import notes_of, nothing_found, row_of
from ui.views.spotlight import GREYED
from ui.views.text import PATH_LIMIT, SOURCE_LIMIT, TITLE_LIMIT, one_line

MODEL_TEXT_LIMIT = 480  # characters of a model's text that the card shows: about nine lines
STEP_LIMIT = 320
NAME_LIMIT = 32
"""Characters of a step, and of a model's name."""

CUT = "…"
MAX_OTHERS = 2  # other candidates that the card shows at most
MAX_STEPS = 7  # steps that the card shows at most
FOLDED_STEPS = 3  # and before it is unfolded
GENERAL = translatable("General advice")
ASKED = translatable("Because you asked.")
NOT_THERE = translatable("Not in sight in this window.")
YOU_ASKED = translatable("You asked: {question}")
ON_ALREADY = translatable("It is on already; another click turns it off.")
NOTHING_ELSE = translatable("Nothing else was found")
NOTHING_FOUND = translatable("No page of help fits what you are doing")
NOTHING_ADVICE = translatable("Say it in a few words, as a button would. Where help comes from: kairos library list.")
ASK_MODEL_ADVICE = translatable("The model can look at the screen and say what it would try. Or say it in other words.")
LOOKING_FOR = translatable("What are you looking for?")
BY_MODEL = translatable("Written by a language model. It may be wrong.")


@dataclass(frozen=True, slots=True)
class Button:
    """A button of the card and the answer it stands for; text and hint are sentences still to be translated."""

    kind: FeedbackKind
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the page: its number in the page, from 0 on, its text, and a remark or nothing."""

    number: int
    text: str
    remark: str = ""

    @property
    def spoken(self) -> str:
        """The step as a screen reader says it."""
        said = tr("Step {number}: {text}", number=self.number + 1, text=self.text)
        return f"{said} {self.remark}" if self.remark else said


@dataclass(frozen=True, slots=True)
class AskView:
    """The button that asks a model, and where a click on it sends what; both empty where no model is on."""

    text: str = ""
    hint: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class OtherView:
    """Another candidate, to be shown instead: its page, and what its button says and hints at."""

    page_id: str
    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class CardView:
    """What the card says about an offer.

    `note` is who wrote the advice if not we did, `about` its topic in words. Where there are `steps` the card shows
    them instead of the advice, with their `source` and the `guess` at what the person is about. A card that was
    `asked` for is open from the start, and has the `others` that answer as well. `ask` is the button that asks a model.
    One that `asks_back` opens the field to ask in.
    """

    offer_id: str
    title: str
    reason: str
    advice: str
    note: str = ""
    about: str = ""
    steps: tuple[StepView, ...] = ()
    source: str = ""
    guess: str = ""
    asked: bool = False
    ask: AskView = AskView()
    others: tuple[OtherView, ...] = ()
    asks_back: bool = False

    @property
    def eyebrow(self) -> str:
        """The line above the title: who speaks, and after what."""
        return f"Kairos · {self.source}" if self.source else "Kairos"

    @property
    def fold_text(self) -> str:
        """The words of the button that shows all steps; empty where all are shown anyway."""
        return tr("All {steps} steps", steps=len(self.steps)) if len(self.steps) > FOLDED_STEPS else ""


ACCEPT = Button(FeedbackKind.ACCEPTED, translatable("Show me"))
SAY = Button(FeedbackKind.ACCEPTED, translatable("Say it"), translatable("Opens the field to ask in"))
DISMISS = Button(FeedbackKind.DISMISSED, translatable("Not now"), translatable("Not about this for a while"))
NO_HELP = Button(FeedbackKind.WRONG, translatable("Did not help"), translatable("Shows what else answers, if anything"))
MORE: tuple[tuple[Button, ...], ...] = (
    (
        Button(FeedbackKind.TOO_EARLY, translatable("Too early"), translatable("I would have managed on my own")),
        Button(FeedbackKind.TOO_LATE, translatable("Too late"), translatable("I needed this before")),
        Button(FeedbackKind.WRONG, translatable("Wrong"), translatable("This is not what I am doing")),
    ),
    (
        Button(FeedbackKind.SNOOZED, translatable("Snooze"), translatable("No offers at all for a while")),
        Button(
            FeedbackKind.MUTED,
            translatable("Don't offer this again"),
            translatable("Never about this again, anywhere. To undo: What Kairos saw, Learned"),
        ),
    ),
)
"""The rows behind the "more" button."""


def view_card(offer: Offer, names: Mapping[str, str] | None = None, content: HelpContent | None = None) -> CardView:
    """Say what the card shows for an offer.

    Args:
        offer: the offer, with what was seen as codes, numbers and digests.
        names: words behind its digests, by their place in the sentences; only ever quoted.
        content: the page of help that it brings.
    """
    text = offer_text(offer, names, current_language())
    written = plain(offer.help or "", MODEL_TEXT_LIMIT)
    view = CardView(
        offer_id=offer.offer_id,
        title=text.title,
        reason=text.reason,
        advice=written or text.advice,
        note=tr(BY_MODEL) if written else "",
        about=topic_label(offer.topic, current_language()) or "",
        asked=offer.asked,
        ask=view_ask(content),
    )
    if offer.asked:
        advice = tr(ASK_MODEL_ADVICE) if view.ask.text else tr(NOTHING_ADVICE)
        view = replace(view, title=tr(NOTHING_FOUND), reason=tr(ASKED), advice=advice)
    page = content.page if content is not None else None
    if page is not None and page.page_id == WHAT_FOR and not written:
        return replace(view, title=tr(LOOKING_FOR), reason=_seen(text), asks_back=True)
    asked = content.asked if content is not None and offer.asked else None
    if asked is not None:
        view = replace(view, reason=tr(YOU_ASKED, question=one_line(asked.words, TITLE_LIMIT)))
    if asked is not None and content is not None and page is None:
        title = tr(NOTHING_ELSE) if content.tried else nothing_found(asked)
        return replace(view, title=title, advice="\n".join((*notes_of(asked), view.advice)))
    if content is None or page is None or written:
        return view
    candidate = asked.find(page.page_id) if asked is not None else None
    steps = _steps(page, () if page.general else content.missing, candidate)
    if not steps:
        return view
    return replace(
        view,
        title=_title(page, content.missing),
        reason=view.reason if offer.asked else _seen(text),
        steps=steps,
        source=tr(GENERAL) if page.general else one_line(page.source, SOURCE_LIMIT),
        guess=one_line(content.guess, TITLE_LIMIT),
        note="\n".join(notes_of(asked)) if asked is not None else "",
        others=_others(asked, page, content.tried) if asked is not None else (),
    )


def _others(asked: HelpCandidates, page: HelpPage, tried: Collection[str]) -> tuple[OtherView, ...]:
    left = [found for found in asked.candidates if found.page.page_id not in tried and found.page != page]
    rows = [row_of(candidate) for candidate in left[:MAX_OTHERS]]
    return tuple(OtherView(row.page_id, row.title, row.spoken) for row in rows)


def view_ask(content: HelpContent | None) -> AskView:
    """Say what the button reads that asks the model, and what it sends."""
    name = one_line(content.model, NAME_LIMIT) if content is not None else ""
    if content is None or not name:
        return AskView()
    hint = tr("It looks at the screen. Nothing leaves this machine.")
    if content.remote:
        hint = tr("Sends a picture of the screen to it, off this machine.")
    return AskView(tr("Ask {model}", model=name), hint, name)


def _seen(text: OfferText) -> str:
    """Return what was seen, where the title says what would help: the former title, and its reason."""
    ends = "" if text.title.endswith(("?", "!", ".")) else "."
    return f"{text.title}{ends} {text.reason}".strip()


def _title(page: HelpPage, missing: Collection[int]) -> str:
    """Return the title of a page with the way to its first control: "Freeze the first row: View > Freeze Rows".

    A step that cannot be followed here shows no way, and a general page none: its way is one of several. A command has
    its way in its only step.
    """
    title = one_line(_words(page, page.title), TITLE_LIMIT)
    steps = [step for number, step in enumerate(page.steps) if number not in missing]
    path = next((step.controls for step in steps if step.controls), ())
    way = one_line(" > ".join(one_line(name, PATH_LIMIT) for name in path), PATH_LIMIT)
    if page.general or (len(steps) == 1 and one_line(steps[0].text, PATH_LIMIT).startswith(way)):
        return title or way
    return f"{title}: {way}" if title and way else title or way


def _steps(page: HelpPage, missing: Collection[int], candidate: HelpCandidate | None) -> tuple[StepView, ...]:
    steps = ((number, _sentences(_words(page, step.text))) for number, step in enumerate(page.steps[:MAX_STEPS]))
    remark = tr(GREYED) if candidate is not None and candidate.greyed else ""
    if candidate is not None and candidate.on:
        remark = tr(ON_ALREADY)
    return tuple(
        StepView(number, text, tr(NOT_THERE) if number in missing else remark) for number, text in steps if text
    )


def _words(page: HelpPage, text: str) -> str:
    """Return words of a page: our own pages are translated, documentation is shown in its own language."""
    return tr(text) if page.general else text


def _sentences(text: str) -> str:
    """Return as many whole sentences of a step as the card holds, or its beginning if the first is longer."""
    shown = one_line(text, STEP_LIMIT)
    if not shown.endswith(CUT):
        return shown
    whole = shown.rpartition(". ")[0]
    return f"{whole}." if len(whole) >= STEP_LIMIT // 3 else shown


def named(button: Button, about: str) -> Button:
    """Return a button in the language of the interface.

    Its hint says what would be muted: the topic, which may be wider than what the card names.
    """
    if button.kind is not FeedbackKind.MUTED or not about:
        return replace(button, text=tr(button.text), hint=tr(button.hint))
    return replace(
        button,
        text=tr(button.text),
        hint=tr(
            "Never about this again, anywhere: {topic}. To undo: What Kairos saw, Learned",
            topic=current_language().inside(about),
        ),
    )
