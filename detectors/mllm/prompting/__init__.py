"""What models read and how their replies are parsed; no network.

`prompts` holds every sentence about the four tasks, `wording` composes them for a query, `observations` describes input
events, `reply_parser` turns a reply into answers, and `plain_text` makes a model's words safe to show. Questions with a
brief are worded by `briefs` with the sentences of `brief_prompts`, and `facts` checks their answers; `help_prompts` are
the words of one about help. Imports `detectors.mllm.questions` and `protocol` alone. Begin reading in `wording`.
"""

__all__ = ["brief_prompts", "help_prompts", "observations", "plain_text", "prompts", "reply_parser", "wording"]
