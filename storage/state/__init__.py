"""What outlives sessions: `store` (consent, policy state, notices) and `models` (spending, capabilities of endpoints).

Imports only the bottom modules of `storage`. Begin with `store.StateStore`.
"""
