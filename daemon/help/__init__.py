"""What would help, and where on the screen: a search in documentation, and steps checked against the controls in sight.

Imports `storage` alone. Begin with `context`: what a search starts from, and what it gives. `grounding` finds the
control that a step means, `following` keeps a ring at it, `marks` draws numbers on a picture of them.
"""
