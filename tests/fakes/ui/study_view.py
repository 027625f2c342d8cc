"""What a person is shown of a study before they join it."""

from storage.study_text import CHOICES, StudyInvitationView

VIEW = StudyInvitationView(
    title="Help in spreadsheets",
    contact="Ada Example <ada@example.org>",
    ethics="Board of Example, 2026-17",
    words=("dozen", "baker", "choir", "gospel", "sunday", "cotton", "twenty", "museum"),
    days=28,
    phases=("7 days: nothing is offered", "21 days: Kairos offers help, and a lot decides which offers are made"),
    facts=("A quiet day without offers comes before day 1.",),
    text="# <b>Help</b>\n\n" + "What is sent, and how to leave. <img src='http://x/y.png'>\n" * 60,
    version=3,
    text_sha256="3f" * 32,
    choices=CHOICES,
)
