"""What the benchmark measures, in the order of a round."""

PARTS = ("timeline", "offers", "thread", "opening")
