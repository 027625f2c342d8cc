"""The programs in which scenes are played: how each starts, what goes wrong in it, and calm work that looks alike.

Begin with `window`, which most of them are made of, then `calculator`, a short one. `editors` and `sheet` also play
what the demo does; `page` has two browsers, `files` and `reader` two programs each.
`lab.benchmarks.scenes.record` knows them by name.
"""

__all__ = ["code", "demo_programs", "windows"]
