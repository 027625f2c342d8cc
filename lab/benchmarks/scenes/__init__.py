"""Short live scenes in real programs: somebody stuck, or calm work that looks alike; who is found, who is disturbed?

Begin with `catalogue`, which lists the scenes and the half that each is in, then `record`, which plays one beside the
real Kairos, and `benchmark`, which replays recordings with a detector. The acts are in `programs/data`, as
`demo.acts` plays them. All of it is simulated.
"""

__all__ = ["benchmark", "record"]
