"""Help need predicted from event sentences on ProactiveBench, one trace left out at a time.

Begin with `study`, which reads the published data, then `protocol`, which says what is hidden from whom. The classifier
in `event_sentences` is for this benchmark alone: the embedded detector reads input, which the data does not hold.
"""

__all__ = ["command"]
