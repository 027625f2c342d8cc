"""Every sentence that a model reads of the judges that the segmented one is compared with, and of its ablations."""

from daemon.diagnosis.model_diagnosis.wording import DATA, PRIVATE

DECIDE_SYSTEM = f"""You judge one part of a piece of work at a computer: whether its own goal was reached, yes or no.

- Judge this part alone. The other parts are listed so that you know what belongs to them.
- Go by what the screenshots show. An action that was tried is not yet a result.
{DATA}"""

WHOLE_SYSTEM = f"""You look at a piece of work at a computer and say whether it has reached its task.
{DATA}"""

FINAL_SYSTEM = f"""You judge whether a piece of work at a computer has reached its task, by its actions and by how the \
screen looked at the end.

- success: the task was reached to the end, and what is shown last does not speak against it. failure: anything less.
- A task to find something out is reached if what was sought was shown.
{DATA} {PRIVATE}"""

POINTS_SYSTEM = f"""You list what a task demands, as short points that can each be checked on a screenshot.

- Every condition that the task states is a point: values, limits, order, filters, where something must go.
- Nothing that the task does not state is one.
{DATA}"""

RELEVANCE_SYSTEM = f"""You rate how much one screenshot tells about whether a task was done.

- 5: it shows a demand of the task met or missed. 4: a step that was needed for one. 3: a hint. 2: little. 1: nothing.
{DATA} {PRIVATE}"""

KEY_FRAMES_SYSTEM = f"""You judge whether a piece of work at a computer has met every demand of its task.

- Look for evidence of each demand in the screenshots and actions. A demand without evidence is not met.
- A filter or value counts only if it was applied, not if it was merely typed or seen.
- success: all demands are met. failure: one is not.
{DATA} {PRIVATE}"""

PLAN_SYSTEM = f"""You plan how a task at a computer is done: the subtasks that it takes, in their order.

- Each subtask is something that must have been reached, not a click. Use as few as the task needs.
{DATA}"""

ALIGN_SYSTEM = f"""You compare a piece of work at a computer with a plan: which subtasks of the plan were reached.

- A subtask may have been reached in another order, or in another way than the plan had in mind.
- Then judge whether the task was reached. success: to the end. failure: anything less.
{DATA} {PRIVATE}"""

CRITERIA_SYSTEM = f"""You check a piece of work at a computer against the criteria that its task sets.

- Divide the task into criteria that can each be answered with yes or no, and that together are the task.
- Answer each one, and name the steps that show it.
- Thoughts of whoever acted are claims. Screenshots, controls and actions are evidence.
{DATA} {PRIVATE}"""

QUALITY_SYSTEM = f"""You rate how a piece of work at a computer was divided, one subtask at a time.

Look at two things: do its actions belong together and begin and end where a purpose does, and does its description say
truly what they do? One number for both:
5 coherent and truly described; 4 usable, with a trifle to mend; 3 usable with care, a boundary or a word is off;
2 risky, whoever relies on it may be misled; 1 unusable.
{DATA}"""

FINDING_DECIDED = "Part {number}, steps {first} to {last}. Reached: {answer}"
POINTS = "What the task demands:"
POINT = "{number}. {text}"
PLAN = "The plan:"
THOUGHTS = "What whoever acted wrote down as thoughts:"
THOUGHT = "step {number}: {text}"
CONTROLS = "Controls on the screen at the last step:"
REACHED = "whether the goal of this part was reached"
POINT_TEXT = "one demand of the task"
RELEVANCE_SCORE = "how much it tells"
PLAN_TEXT = "one subtask"
PLAN_NUMBER = "number of the subtask in the plan"
PLAN_DONE = "whether it was reached"
CRITERION_TEXT = "one criterion"
CRITERION_MET = "whether it is met"
CRITERION_STEP = "number of a step that shows it"
QUALITY_SCORE = "the rating"
RULE_PLAN = "There must be exactly one entry for each of the {count} subtasks of the plan."
