"""A memory of states: what stood at each place of the screen, which act changed it, and what came back.

May import what `detectors.features` shares. Begin with `judging`, which makes acts of input and says what came of each;
`places` remembers digests of tiles by place, `views` views and titles, and `tally` keeps what was judged. The extractor
`returning_states` puts them together.
"""

__all__ = ["judging", "places", "tally", "views"]
