"""An invitation in words, as a person is shown it before they answer: pure, for terminal and window alike."""

import os

from daemon.text import format_count
from storage.errors import UsageError
from storage.study_text import CHOICES, StudyInvitationView
from studies.bundle import Bundle
from studies.invitation import Invited
from studies.keys import key_words
from studies.participant.review import ASK_DAYS
from studies.plan import Phase, Plan, PolicyChange

DEFAULT_LANGUAGE = "en"

_LOOKING = (
    f"Look at what is sent before it goes: kairos study review. In the first {format_count(ASK_DAYS, 'day')} only "
    "your agreement is sent before you let it go. From then on what waits is sent at 1 a.m. of the day after it was "
    "packed, looked at or not, unless you choose otherwise."
)

_POLICIES = {
    "silent": "nothing is offered",
    "utility": "Kairos offers help as it usually does",
    "threshold": "Kairos offers help whenever need seems higher than a fixed value",
    "always": "Kairos offers help whenever it may",
    "random": "Kairos offers help at moments drawn by lot",
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
    return next((one for one in (desktop, DEFAULT_LANGUAGE) if one in bundle.consent), min(bundle.consent))


def describe_invitation(invited: Invited, language: str | None = None) -> StudyInvitationView:
    """Return what is shown before somebody joins; it does not tell the arm.

    Raises:
        UsageError: there is no consent text in this language.
    """
    return describe_bundle(invited.bundle, language)


def describe_bundle(bundle: Bundle, language: str | None = None, *, renewed: bool = False) -> StudyInvitationView:
    """Return what is shown of a study; `renewed`: as a new version of one that the person takes part in.

    Raises:
        UsageError: there is no consent text in this language.
    """
    plan, document = bundle.plan, bundle.consent[choose_language(bundle, language)]
    return StudyInvitationView(
        title=plan.title,
        contact=plan.contact,
        ethics=plan.ethics,
        words=key_words(plan.signing_key),
        days=plan.days,
        phases=tuple(f"{format_count(phase.days, 'day')}: {_phase_in_words(phase, plan)}" for phase in plan.phases),
        facts=tuple(_facts(plan)),
        text=document.text,
        version=plan.version,
        text_sha256=document.sha256.hex(),
        choices=tuple(choice for choice in CHOICES if choice.code in plan.sends),
        renewed=renewed,
    )


def _phase_in_words(phase: Phase, plan: Plan) -> str:
    ways = list(dict.fromkeys(_policy_in_words(phase.policy_in(arm)) for arm in plan.arms))
    if len(ways) == 1:
        return ways[0]
    return f"depending on the group you are in, which is hidden until the end: {'; or '.join(ways)}"


def _policy_in_words(policy: PolicyChange) -> str:
    words = _POLICIES[policy.name]
    if policy.exploration:
        words += ", and a lot decides which offers are made"
    if policy.arm_probability is not None:
        words += f", with probability {policy.arm_probability:g}"
    limits = [
        f"at most {most} {span}"
        for most, span in ((policy.offers_per_hour, "an hour"), (policy.offers_per_day, "a day"))
        if most is not None
    ]
    return f"{words} ({', '.join(limits)})" if limits else words


def _facts(plan: Plan) -> list[str]:
    facts = [
        "A quiet day without offers comes before day 1.",
        f"What is sent goes through {plan.broker.host}, sealed so that the researchers alone can read it.",
        _LOOKING,
        "Groups and lots are hidden from you until the study is over.",
        f"After you leave, what was sent is deleted within {format_count(plan.purge_days, 'day')}, or kept if you ask.",
    ]
    if plan.prompts is not None:
        asked = "; ".join(f"{question.text} ({' / '.join(question.choices)})" for question in plan.questions)
        facts.append(f"Questions, if you turn them on: {asked}")
    return facts
