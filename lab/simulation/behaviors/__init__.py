"""Scripts of the nine states, written against `lab.simulation.program` alone; begin with `behavior`.

One module a kind; each registers its scripts by decorators, and `registry` collects them. One more behavior is one more
decorated function.
"""

__all__ = ["behavior", "registry"]
