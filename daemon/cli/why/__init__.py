"""`kairos why`: why help was offered, and why it was not, and what answers have taught the policy.

Begin with `command`; `rendering` puts decisions, and what was learned, into words. Reads `daemon.history` and
`daemon.runtime.policy_memory`; titles of windows are never read.
"""
