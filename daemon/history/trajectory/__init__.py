"""Trajectories: what somebody or an agent did, step by step, with what was there before and after each step.

May import `storage` alone. Begin with `trajectory` (the shapes); `steps` makes them of a session's rows, `plain` reads
them from JSON lines, `loading` asks who knows the layout of other files (`kairos.trajectory_layouts`), and `pictures`
draws acts into copies of their pictures. `files` reads what comes from outside.
"""

__all__ = ["files", "loading", "pictures", "plain", "steps", "trajectory"]
