"""Opt-in user studies: planned and signed by a researcher, joined and left by people who use Kairos, and analysed.

The top room: may import every other one but `ui`, and nothing imports it; its commands come in by an entry point, and the
daemon starts `kairos study work` as a child. Begin with `commands` (`kairos study`). What runs on a participant's machine is
in `participant` and needs none of the researcher's packages.
"""
