"""What models read and how their replies are parsed; no network.

`prompts` holds every sentence about the four tasks, `wording` composes them for a query, `reply_parser` turns a reply
into answers, and `plain_text` makes a model's words safe to show.
Questions with a brief are worded and checked by `briefs`; `help_prompts` are the words of one about help. Imports
`detectors.mllm.questions` and `protocol` alone. Begin reading in `wording`.
"""

__all__ = ["briefs", "help_prompts", "plain_text", "prompts", "reply_parser", "wording"]
