"""Simulation, training and benchmarks: what builds the embedded detector and measures Kairos from outside.

A distribution of its own, kairos-lab; may import the product but `ui`, and nothing imports it. Begin with `commands`.
`simulation` records labelled sessions of scripted people on `demo.virtual_desktop`, `training` learns the embedded
detector from them, `benchmarks` judge, and `measure` holds what they share. All sessions made here are simulated.
"""
