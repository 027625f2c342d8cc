"""The card of an offer: what it says, the steps of its page, and a model's answer. Begin with `card`.

It may import the rest of `ui`; only `ui.app` and the study's card use it.
"""

__all__ = ["card"]
