"""What would help, and where on the screen: a search in documentation, and steps checked against the controls in sight.

Imports `storage` and `daemon.capture.gate`. Begin with `service`, which a session runs: `moment` says what a search
starts from (`context`), `search_thread` searches the `library` and the `commands` of the program itself, `content`
chooses the page, `grounding` finds the controls of its steps. `guide` follows somebody through the steps, `pointing`
shows the ring and keeps it at its control. `marks` draws numbers on a picture of the controls.
`meaning` has vectors of words, `sought` says which command or page somebody seems to look for.
"""

__all__ = [
    "answers",
    "candidates",
    "commands",
    "context",
    "goal",
    "grounding",
    "guide",
    "library",
    "marks",
    "meaning",
    "pointing",
    "ports",
    "programs",
    "service",
    "sought",
    "unasked",
]
