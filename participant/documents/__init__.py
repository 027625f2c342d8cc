"""What travels between a researcher and participants: signed documents, sealed parcels, and the keys that they need.

May import the bottom of `storage` alone. Begin with `plan`, which is what a study may ask for; `signed` and `keys`
carry everything else: `bundle`, `invitation`, `statements`, `parcel` with its `rows`, and `closing`.
"""

__all__ = ["bundle", "closing", "invitation", "keys", "names", "parcel", "plan", "rows", "signed", "statements"]
