"""What travels between a researcher and participants: signed documents, sealed parcels, and the keys that they need.

May import the bottom of `storage` alone. Begin with `plan`, which is what a study may ask for; `signed` and `keys`
carry everything else: `bundle`, `invitation`, `statements`, `recording`, and `parcel` with its `rows`. `topics` and
`container` are the two ways they travel, `private_files` how they are kept and destroyed.
"""

__all__ = [
    "bundle",
    "container",
    "invitation",
    "keys",
    "names",
    "parcel",
    "plan",
    "private_files",
    "recording",
    "rows",
    "signed",
    "statements",
    "topics",
]
