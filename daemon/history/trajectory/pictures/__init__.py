"""Pictures of steps from outside, decoded within limits, and copies of them with the act drawn in.

May import `storage`, numpy and simplejpeg; PyAV is loaded in a limited child process alone. Begin with `marks`;
`decoding` says what is decoded at all, `png_child` is the child.
"""

__all__ = ["decoding", "marks"]
