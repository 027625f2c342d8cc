"""What understanding controls costs: us, the program that is worked in, the accessibility bus, the person's keys."""

__all__ = ["benchmark"]
