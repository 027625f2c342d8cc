"""Sentences for people in the language of the interface. English until the interface has chosen another one.

Sentences are written in English where they are shown or defined, and these sources are the keys of a catalogue
(`ui.translation`). Only `ui` calls `tr`: logs, sessions, replays and the command line stay English in any language.

    tr("Pause for 1 hour")                                                   shown at once
    tr("{rows:row|rows} in {app}", rows=3, app=name)                         "3 rows in Writer"
    LEAVE = translatable("Leave the study…") ...  button.setText(tr(LEAVE))  a constant, translated where shown
    raise BadFile(translatable("{file} is damaged", file=path))  ...  tr(error.what)    a fault, filled in at once
    translatable("{file} is {what}", file=path, what=phrase("damaged"))      words that are translated inside another

Places in a sentence have names. Behind the colon stands how a number is written: "{count:click|clicks}" is "2 clicks"
and "{count:|is|are}" the word alone, "{count:times}" is "twice", "{span_s:s}" is "14 s", "{size:.1f}" follows the
language's decimal sign. What is put in is never read as a template itself. Standard library only.
"""

from storage.translation.language import ENGLISH, SOURCE_LANGUAGE, Language, Sentence, phrase, translatable
from storage.translation.speaking import current_language, install_language, tr
from storage.translation.wire import read_sentence, said_of, sentence_facts

__all__ = [
    "ENGLISH",
    "SOURCE_LANGUAGE",
    "Language",
    "Sentence",
    "current_language",
    "install_language",
    "phrase",
    "read_sentence",
    "said_of",
    "sentence_facts",
    "sentences",
    "tr",
    "translatable",
]
