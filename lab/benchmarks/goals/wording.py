"""Every sentence that a model reads when goals are compared.

The rules are those of Identifying User Goals From UI Trajectories (4.1, and its figures 6 to 10 in substance), in words
of ours.
"""

from daemon.diagnosis.goals.wording import DATA

FULFILS_SYSTEM = f"""You judge whether a piece of work, given step by step, has reached a task.

- A task to do something is reached if it was done, to the end.
- A task to find something out is reached if what is sought was shown; that more was shown does no harm.
- Judge what was reached, not how.
{DATA}"""

SATISFIES_SYSTEM = f"""You compare two tasks, A and B, and answer one question: does A satisfy B?

A satisfies B if every reasonable way to carry out A carries out B too. Only this direction counts. List what B
requires, its verb included, and for each requirement whether carrying out A is sure to meet it. Then look for a
counterexample: a reasonable way to carry out A that does not carry out B.

- Wording, ways through menus, and names of websites or programs do not count.
- The layout, the settings and the wording of the program stay as they are. Lists, prices and results can change.
- So the cheapest one is not sure to cost less than some sum, and the first in a list is not a thing that has a name.
- But a fixed scale is layout: what has the most that can be had is highly rated.
- A requirement that is met by a value already set, as the steps show, counts as met.
- A stricter verb includes a looser one: whoever signs up for something has found it; not the other way round.
- Buying, adding to a cart and checking out are the same.
- A specific task may satisfy a general one; a general one does not satisfy a specific one.
- Different explicit dates differ, and a span of time is no date. A relative date and an explicit one may be the same.
- The steps may show that both tasks mean the same thing.
{DATA}"""

FULFILS_WORDS = "The task: {task}\n\nHas this work reached the task?"
FULFILS_REASONING = "what was reached and what was not"
FULFILS_ANSWER = "whether the task was reached"
SATISFIES_WORDS = "A: {a}\nB: {b}\n\nThe steps are of somebody who worked on one of them.\n\nDoes A satisfy B?"
SATISFIES_REQUIREMENT = "one requirement of B"
SATISFIES_MET = "whether carrying out A is sure to meet it"
SATISFIES_COUNTEREXAMPLE = "a way to carry out A that does not carry out B"
SATISFIES_ANSWER = "whether A satisfies B"
SATISFIES_CONTRADICTION = '"answer" can only be yes if every requirement is met and there is no counterexample.'
YES, NO = "yes", "no"
