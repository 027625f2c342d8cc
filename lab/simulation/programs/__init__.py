"""Real programs, one module each, with what a simulated user can do in it.

Begin with the contract, `lab.simulation.program`.
"""

__all__ = ["calc", "gimp", "impress", "main_window", "mousepad", "office", "writer"]
