"""What marks sentences and fills them in, and knows nothing of the language that is spoken: everything may import this.

So what decides, and what is logged and replayed, can say what went wrong without depending on the person's language.
"""

from storage.translation.language import Sentence, phrase, translatable

__all__ = ["Sentence", "phrase", "translatable"]
