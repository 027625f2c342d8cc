"""A model's answer about the help of an offer: what it is asked, what of its reply is shown, and when it ends.

A replay needs none of this: the log holds that an answer came, and none of its words. May import `daemon.help.context`,
`daemon.help.marks` and what `daemon.models` may. Begin reading in `service`.
"""

__all__ = ["service"]
