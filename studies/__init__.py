"""Opt-in user studies: planned and signed by a researcher, joined and left by people who use Kairos, and analysed.

The top room: may import every other one but `ui`, and nothing imports it; its commands come in by an entry point, and
the daemon starts `kairos study work` as a child. Begin with `commands` (`kairos study`) and with `plan`, which is what
a study may ask for. `keys`, `signed`, `bundle`, `invitation`, `rows`, `parcel` and `statements` are what travels, for
both sides; `files` carries it without a network. What runs on a participant's machine is in `participant` and needs
none of the researcher's packages. The researcher's side, in the order of a study: `researcher` (create, sign, invite),
`rehearsal`, `broker`, `collector`, `monitor`, `opening`, `analysis`, and `audit` for lots.
"""
