"""An invitation in words, as a person is shown it before they answer: pure, for terminal and window alike."""

import os

from participant.delivery.review import ASK_DAYS
from participant.documents.bundle import Bundle
from participant.documents.keys import key_words
from participant.documents.plan import Plan, PlannedPhase, PolicyChange
from storage.errors import UsageError
from storage.study_text import CHOICES, StudyInvitationView
from storage.translation import ENGLISH, Language, translatable

DEFAULT_LANGUAGE = "en"

_PHASE = translatable("{days:day|days}: {what}")
_QUIET_DAY = translatable("A quiet day without offers comes before day 1.")
_SEALED = translatable("What is sent goes through {host}, sealed so that the researchers alone can read it.")
_LOOKING = translatable(
    "Look at what is sent before it goes: kairos study review. In the first {days:day|days} only your agreement is "
    "sent before you let it go. From then on what waits is sent at 1 a.m. of the day after it was packed, looked at or "
    "not, unless you choose otherwise."
)
_HIDDEN = translatable("Groups and assignments are hidden from you until the study is over.")
_DELETED = translatable("After you leave, what was sent is deleted within {days:day|days}, or kept if you ask.")
_TASKS = translatable("Tasks, if you turn them on: {tasks}")
_QUESTIONS = translatable("Questions, if you turn them on: {questions}")
_GROUPS = translatable("depending on the group you are in, which is hidden until the end: {ways}")
_OR = translatable("{one}; or {other}")
_BY_LOT = translatable("{what}, and chance decides which offers are made")
_WITH_PROBABILITY = translatable("{what}, with probability {probability:g}")
_AN_HOUR, _A_DAY = translatable("at most {most} an hour"), translatable("at most {most} a day")

_POLICIES = {
    "silent": translatable("nothing is offered"),
    "utility": translatable("Kairos offers help as it usually does"),
    "threshold": translatable("Kairos offers help whenever need seems higher than a fixed value"),
    "always": translatable("Kairos offers help whenever it may"),
    "random": translatable("Kairos offers help at moments drawn at random"),
}


def choose_language(bundle: Bundle, wanted: str | None = None) -> str:
    """Return the language of the consent text to show: the wanted one, else that of the desktop, English, or any.

    Raises:
        UsageError: there is no text in the wanted language.
    """
    if wanted is not None:
        if wanted not in bundle.consent:
            raise UsageError(
                f"the consent text is not there in {wanted!r}", remedy=f"there is: {', '.join(sorted(bundle.consent))}"
            )
        return wanted
    desktop = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")[:2]
    return next((known for known in (desktop, DEFAULT_LANGUAGE) if known in bundle.consent), min(bundle.consent))


def describe_bundle(
    bundle: Bundle, language: str | None = None, *, renewed: bool = False, spoken: Language = ENGLISH
) -> StudyInvitationView:
    """Return what is shown of a study; it does not tell the arm."""
    plan, document = bundle.plan, bundle.consent[choose_language(bundle, language)]
    phases = ((phase.days, _phase_in_words(phase, plan, spoken)) for phase in plan.phases)
    return StudyInvitationView(
        title=plan.title,
        contact=plan.contact,
        ethics=plan.ethics,
        words=key_words(plan.signing_key),
        days=plan.days,
        phases=tuple(spoken.say(_PHASE, {"days": days, "what": what}) for days, what in phases),
        facts=tuple(_facts(plan, spoken)),
        text=document.text,
        version=plan.version,
        text_sha256=document.sha256.hex(),
        choices=tuple(choice for choice in CHOICES if choice.code in plan.sends),
        renewed=renewed,
    )


def _phase_in_words(phase: PlannedPhase, plan: Plan, spoken: Language) -> str:
    first, *others = dict.fromkeys(_policy_in_words(phase.policy_in(arm), spoken) for arm in plan.arms)
    if not others:
        return first
    for other in others:
        first = spoken.say(_OR, {"one": first, "other": other})
    return spoken.say(_GROUPS, {"ways": first})


def _policy_in_words(policy: PolicyChange, spoken: Language) -> str:
    words = spoken.find(_POLICIES[policy.name])
    if policy.exploration:
        words = spoken.say(_BY_LOT, {"what": words})
    if policy.arm_probability is not None:
        words = spoken.say(_WITH_PROBABILITY, {"what": words, "probability": policy.arm_probability})
    limits = [
        spoken.say(source, {"most": most})
        for source, most in ((_AN_HOUR, policy.offers_per_hour), (_A_DAY, policy.offers_per_day))
        if most is not None
    ]
    return f"{words} ({', '.join(limits)})" if limits else words


def _facts(plan: Plan, spoken: Language) -> list[str]:
    facts = [
        spoken.find(_QUIET_DAY),
        spoken.say(_SEALED, {"host": plan.broker.host}),
        spoken.say(_LOOKING, {"days": ASK_DAYS}),
        spoken.find(_HIDDEN),
        spoken.say(_DELETED, {"days": plan.purge_days}),
    ]
    if plan.prompts is not None:
        asked = "; ".join(f"{question.text} ({' / '.join(question.choices)})" for question in plan.questions)
        facts.append(spoken.say(_QUESTIONS, {"questions": asked}))
    if plan.tasks:
        facts.append(spoken.say(_TASKS, {"tasks": "; ".join(task.title for task in plan.tasks)}))
    return facts
