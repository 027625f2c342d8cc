"""`kairos why`: why help was offered, and why it was not, and what answers have taught the policy.

Begin with `command`; `rendering` puts decisions into words, `learned` what was learned. Reads `daemon.history` and
`daemon.runtime.policy_memory`; titles of windows are never read.
"""
