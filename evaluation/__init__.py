"""Virtual desktop, scripted people, demo, judges and benchmarks; drives the daemon from outside, as a person would."""
