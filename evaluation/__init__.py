"""Demo, simulation, training and benchmarks: what drives Kairos from outside, as a person would.

May import every room but `ui`; nothing imports it, since its commands come in by an entry point. Begin with `commands`.
`stage` is a virtual desktop with scripted hands, `demo` the main job on it, `simulation` records labelled sessions of
scripted people, `training` learns the embedded detector from them, `benchmarks` judge, and `measure` holds the metrics,
criteria, plots and pages that they share. All sessions made here are simulated.
"""
