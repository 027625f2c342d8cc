"""What the window for labels says, and what is shown of a stretch once its rater has judged it.

Words from the screen are untrusted: they are plain text of limited length.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from storage.clock import NS_PER_S
from storage.messages import STATES
from storage.records import (
    KAIROS,
    BlindLot,
    Judgement,
    LabelTask,
    NeedLabel,
    SegmentLabel,
    State,
    asked_about,
    blank_answer,
    draw_quiz,
    overlapping,
    task_at,
)
from storage.timeline import LabelledAct, MomentKind, SessionToLabel
from storage.translation import tr, translatable
from ui.views.day import NEEDY, view_length
from ui.views.text import local_time, month_day, one_line

TITLE = translatable("How was it?")
READING = translatable("Reading the session…")
NO_PICTURES = translatable("No pictures were recorded in this session; the lanes below show what was done.")
LOST = translatable("This picture is gone.")
TIME_LINE = translatable("Time line of the session")
DOING, NEED = translatable("What were you doing?"), translatable("Did you need help?")
WANTED = translatable("What did you want? (W)")
WOULD_HELP = translatable("What would have helped? (H)")
NEEDS: Mapping[NeedLabel, tuple[str, str]] = {
    NeedLabel.YES: (translatable("Yes"), translatable("Y")),
    NeedLabel.NO: (translatable("No"), translatable("N")),
    NeedLabel.UNSURE: (translatable("Unsure"), translatable("U")),
}
"""By need: its words, and its key."""

PLAY, PAUSE = translatable("Play"), translatable("Pause")
BEGIN, END = translatable("Begin here (B)"), translatable("End here (E)")
LOOP, UNDO = translatable("Repeat (L)"), translatable("Undo")
DELETE = translatable("Delete it")
KEYS = translatable(
    "Space plays and pauses. Left and right move one second, with Shift ten; comma and period one picture. B begins a"
    " stretch, E ends it here; up and down choose another. 1 to 9 say what you were doing; square brackets move its"
    " ends. Ctrl+Z undoes."
)
NO_STRETCH = translatable("No stretch yet: play on, and press E where what you were doing changes.")
BEGINS_HERE = translatable("The next stretch begins here.")
TOO_SHORT = translatable("A stretch must be longer: go on, then press E.")
HIDDEN = translatable("What Kairos estimated is shown once you have said both.")
NOTHING_SAID = translatable("Nobody else has said anything of this stretch, and nothing was estimated.")
KEEP, DROP = translatable("Keep it (K)"), translatable("Drop it (X)")
WHY_DROP = translatable("Why drop it?")
SAY_FIRST = translatable("Say yours first.")
QUIZ_HINT = translatable("A quiz: say what was being done in each stretch. Nothing is shown before all are said.")
KEPT = translatable("Kept on this machine.")
YOU, OTHERS = translatable("You"), translatable("Others")
DONE, SAID, BY_KAIROS = translatable("Done"), translatable("Said"), "Kairos"

_VERBS: Mapping[str, str] = {
    "click": translatable("click"),
    "double_click": translatable("double click"),
    "right_click": translatable("right click"),
    "drag": translatable("drag"),
    "scroll": translatable("scroll"),
    "type": translatable("type"),
    "key": translatable("keys"),
    "select": translatable("choose"),
    "switch_app": translatable("to another program"),
    "wait": translatable("nothing"),
}
_TARGET_LIMIT, _RATER_LIMIT, _SAID_LIMIT = 40, 40, 600


def view_title(session: SessionToLabel) -> str:
    """Name the session: its day and times."""
    begin = local_time(session.begin_wall_ns)
    end = local_time(session.begin_wall_ns + session.end_ns - session.begin_ns)
    if begin is None or end is None:
        return session.session
    return tr("{day}, {begin} to {end}", day=month_day(begin), begin=f"{begin:%H:%M}", end=f"{end:%H:%M}")


def clock_at(session: SessionToLabel, at_ns: int) -> str:
    """Return the time of day of a time of the session."""
    at = local_time(session.begin_wall_ns + at_ns - session.begin_ns)
    return f"{at:%H:%M:%S}" if at is not None else ""


def view_segment(session: SessionToLabel, own: Sequence[SegmentLabel], chosen: SegmentLabel | None) -> str:
    """Say which stretch is chosen."""
    if chosen is None:
        return tr(NO_STRETCH)
    return tr(
        "Stretch {number} of {count}: {begin}, {length}",
        number=own.index(chosen) + 1,
        count=len(own),
        begin=clock_at(session, chosen.start_ns),
        length=view_length((chosen.end_ns - chosen.start_ns) / NS_PER_S),
    )


def view_now(session: SessionToLabel, at_ns: int) -> str:
    """Say what is done at a time, and in which task of a study."""
    parts = [clock_at(session, at_ns)]
    act = next((act for act in reversed(session.acts) if act.start_ns <= at_ns), None)
    if act is not None and at_ns - act.end_ns <= NS_PER_S:
        parts.append(view_act(act))
    task = task_at(session.tasks, at_ns)
    if task is not None:
        parts.append(tr("task “{title}”", title=one_line(task.title, _TARGET_LIMIT)))
    return "  ·  ".join(part for part in parts if part)


def view_said(session: SessionToLabel, label: SegmentLabel | None) -> str:
    """Return what was said in a stretch, in quotes; empty without one, or where nothing was."""
    if label is None:
        return ""
    words = [word.text for word in session.words if word.start_ns < label.end_ns and word.end_ns > label.start_ns]
    said = one_line(" ".join(words), _SAID_LIMIT)
    return tr("“{words}”", words=said) if said else ""


def view_act(act: LabelledAct) -> str:
    """Say what a step was."""
    words = tr(_VERBS[act.verb]) if act.verb in _VERBS else one_line(act.verb, _TARGET_LIMIT)
    if act.count > 1:
        words += f" {act.count}\u00d7"
    if act.target:
        words = tr("{step} “{name}”", step=words, name=one_line(act.target, _TARGET_LIMIT))
    return f"{words} ({one_line(act.app, _TARGET_LIMIT)})" if act.app else words


def judged_otherwise(session: SessionToLabel, label: SegmentLabel) -> Judgement | None:
    """Return what else was said of a stretch: by another rater, else by Kairos; None where nothing was."""
    others = [said for said in session.labels if said.rater != label.rater and (said.is_set or said.proposed)]
    other = overlapping(others, label.start_ns, label.end_ns)
    if other is not None:
        return other.judgement
    states: Counter[str] = Counter()
    needs = []
    for moment in session.moments:
        shared_ns = min(moment.end_ns, label.end_ns) - max(moment.start_ns, label.start_ns)
        if moment.kind is MomentKind.WORK and moment.help_need is not None and shared_ns > 0:
            states[moment.state] += shared_ns
            needs.append(moment.help_need)
    if not needs:
        return None
    need = NeedLabel.YES if max(needs) >= NEEDY else NeedLabel.NO
    known = [State(state) for state, _ in states.most_common(1) if state in STATES]
    return Judgement(by=KAIROS, states=tuple(known), need=need)


def session_for(session: SessionToLabel, rater: str, task: LabelTask, lot: BlindLot) -> SessionToLabel:
    """Return what a rater is shown of a session: with a task the stretches they are asked about, and nobody else's."""
    asked: Sequence[SegmentLabel]
    if task.proposed:
        asked = [label for label in session.labels if label.proposed and label.rater == task.proposed]
    elif task.quiz:
        asked = draw_quiz(session.labels, task.quiz, task.seed)
    else:
        return session
    own = {label.label_id: label for label in session.labels if label.rater == rater}
    for label in asked:
        blind = bool(task.quiz) or lot.draws(session.session, rater, label.start_ns)
        answer = blank_answer(label, rater, blind=blind)
        own.setdefault(answer.label_id, answer)
    shown = asked if task.proposed else ()
    labels = tuple(sorted((*own.values(), *shown), key=lambda label: label.start_ns))
    return replace(session, labels=labels, moments=() if task.quiz else session.moments)


def proposal_of(session: SessionToLabel, label: SegmentLabel) -> SegmentLabel | None:
    """Return what is proposed of a stretch that is verified; None where nothing is, or it is not to be seen yet."""
    pairs = asked_about(session.labels, label.rater)
    asked = next((asked for asked, own in pairs if own.label_id == label.label_id and asked.proposed), None)
    return None if label.judged_ns is None else asked


def view_proposal(asked: SegmentLabel | None) -> str:
    """Say what is proposed beside states and need, and what shows it."""
    if asked is None:
        return ""
    parts = (
        (tr(WANTED).rpartition(" (")[0], asked.wanted),
        (tr(WOULD_HELP).rpartition(" (")[0], asked.would_help),
        (tr("What shows it?"), asked.reason),
    )
    return "\n".join(f"{name} {one_line(words, _SAID_LIMIT)}" for name, words in parts if words)


def view_judged(label: SegmentLabel, judged: Judgement | None) -> str:
    """Say what else was said of a stretch, once its rater has said theirs."""
    if label.blind and label.first is None:
        return tr(HIDDEN)
    if judged is None:
        return tr(NOTHING_SAID)
    who = "Kairos" if judged.by == KAIROS else one_line(judged.by, _RATER_LIMIT)
    needed = {NeedLabel.YES: tr("help needed"), NeedLabel.NO: tr("no help needed"), NeedLabel.UNSURE: tr("unsure")}
    said = [tr(STATES[state]) for state in judged.states]
    return f"{who}: {', '.join([*said, *([needed[judged.need]] if judged.need is not None else [])])}"


def view_states() -> dict[State, str]:
    """Return the nine states with their keys, 1 to 9."""
    return {state: f"{number}  {tr(STATES[state])}" for number, state in enumerate(State, start=1)}
