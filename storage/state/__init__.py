"""What outlives sessions: consent, policy state and notices, what models cost, and what stops capture.

`store` and `models` are the database; `markers` are files beside it that can be written when it cannot; `pictures` is
what a desktop was answered that asks for itself.

Imports only the bottom modules of `storage`. Begin with `store.StateStore`.
"""

__all__ = ["markers", "models", "pictures", "store"]
