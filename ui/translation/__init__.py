"""The interface in other languages: the catalogues, and Qt's translation beneath `tr`.

Sources stand where they are used (`storage.translation`); `data` holds a catalogue for each language, `kairos_de.ts` to
edit and `kairos_de.qm` to load. Begin with `language`. `tests.ui.translation.catalogue` brings both up to date.
"""

__all__ = ["language"]
