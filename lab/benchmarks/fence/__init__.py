"""A campaign against the fence: random acts on a virtual desktop beside the real daemon, and a search of all it stored.

Every window is painted in a colour of its own and bears a marker in its title. `plan` draws the acts from a seed,
`campaign` carries them out, `screen_truth` samples the raw screen meanwhile, and `benchmark` searches what was stored.
"""
