"""A memory of states: what stood at each place of the screen, which act changed it, and what came back.

May import what `detectors.features` shares. Begin with `judging`, which says what came of an act; `places` remembers
digests of tiles by place, `bursts` makes acts of input, `titles` remembers windows and dialogs, and `tally` keeps what
was judged. The extractor `returning_states` puts them together.
"""

__all__ = ["bursts", "judging", "places", "tally", "titles", "views"]
