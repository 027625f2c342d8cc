"""Every sentence that a model reads when it labels recorded work.

The rules are those of GUIDE (3.2, and its figures H9 to H14 in substance), in words of ours. Change no sentence without
a new `VERSION`: stored answers name it, and a test pins the two together.
"""

from collections.abc import Mapping

from daemon.diagnosis.goals.wording import DATA as GIVEN
from detectors.mllm.prompting import prompts
from storage.records import State

VERSION = "1"

DATA = f"{GIVEN} So was what the person said."
STATE_LINES = "\n".join(f"- {state.value}: {prompts.state_text(state)}" for state in State)

CONTEXT = """\
The person works in {app}.{task} This is a stretch of {seconds} seconds; what they said in it:
{said}"""
TASK = " They were asked to do this: {task}"
SAID_NOTHING = "(nothing)"
QUOTE = "the words of the person that show it, copied exactly from what they said in this stretch, or empty"
REASON = "what shows it, in one sentence"
INVENTED = "A quote must stand, word for word, in what the person said in this stretch; leave it empty otherwise."

STATES_SYSTEM = f"""You label what somebody is doing at a computer, from a recording of it.

The states:
{STATE_LINES}

- What happens on the screen in this stretch decides. What the person says helps where the screen leaves it open.
- People also speak of what they did before or mean to do later. That is not what they are doing now.
- Where the person goes from one state to another, divide the stretch. The parts cover all of it, in order.
{DATA}"""
STATES_WORDS = "What is the person doing in this stretch?"
STATE = "the state of this part"
UNTIL = "the second of the stretch at which this part ends"
PARTS_COVER = "The parts must end one after the other, and the last one with the stretch, at second {seconds}."

GOAL_SYSTEM = f"""You say what somebody was about to get done, from a recording of their work.

- Name the result that they had finished, or were working on, as the stretch ends.
- A result can be pointed at. A click, a menu that was opened or a thing that was dragged is none.
- Where neither words nor screen tell of a result, write: none
{DATA}"""
GOAL_WORDS = "What result did the person want as this stretch ends?"
GOAL_FIELD = "the result, in a few words that begin with a verb, or: none"
NO_GOAL = "none"

HELP_SYSTEM = f"""You say which help somebody was looking for, from a recording of their work.

- People look for help on the screen: they go to a search page, a manual, a video or an assistant.
- And they look for it in words: they ask how or where something is done, why it does not work, or say that they do not
  know.
- A remark that has nothing to do with a difficulty is no call for help.
- Where it is not clear that help is wanted, or which, the source is none and the help is empty.
{DATA}"""
HELP_WORDS = "Which help was the person looking for in this stretch?"
HELP_FIELD = "what would have to be explained, suggested or mended, in a few words, or empty"
SOURCE = "where it shows: on the screen, in what was said, in both, or not at all"
BEHAVIOR = "what was seen on the screen that shows it, or empty"
HELP_FITS = 'Help must be empty where the source is "none", and only there.'

KEEP_SYSTEM = f"""You go through a list of stretches of one recording, and choose those to keep.
{DATA}"""
KEEP: Mapping[str, str] = {
    "screen": """\
Each entry names the help that somebody looked for, and what was seen on the screen. Keep those in which another
program was used for it, such as a search page, a video or an assistant. The page with the task is no help.""",
    "narration": """\
Each entry names the help that somebody looked for, and what they said. Keep those in which they ask for help or
instructions in so many words: how something is done, where it is, what something does, or that somebody show it.
Leave out trying things, finding out by oneself, being relieved, doubting alone, and what the person only tells
themselves.""",
    "calm": """\
In each entry somebody needed no help. Keep at most {most}, those in which it is clearest: what they do next is clear
to them, they do it without trying or taking back, and speak calmly of it. Leave out every one with a surprise, a curse,
an attempt, a doubt or a relief, and those that merely lack a sign of trouble.""",
}
ENTRY = "{number}. {what}; seen: {seen}; said: {said}"
NOTHING_SEEN = "nothing"
KEPT = "the numbers to keep"

WRONG_SYSTEM = f"""You write wrong answers for a test with one right and three wrong answers.

- Each is as likely in this program and this work as the right one, of the same length and kind, and wrong.
- None means the same as the right answer, holds it, or follows from it.
{DATA}"""
WRONG_WORDS: Mapping[str, str] = {
    "goal": "Asked was what the person wanted to get done. The right answer: {right}\n\nWrite {count} wrong ones.",
    "help": "Asked was which help the person was looking for. The right answer: {right}\n\nWrite {count} wrong ones.",
}
WRONG = "a wrong answer"
