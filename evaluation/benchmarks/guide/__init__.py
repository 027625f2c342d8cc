"""The four tasks of the GUIDE benchmark, asked of a model about clips of screen recordings."""
