"""What models read and how their replies are parsed; no network.

`prompts` holds every sentence, `wording` composes them for a query, `observations` describes input events,
`reply_parser` turns a reply into answers, and `plain_text` makes a model's words safe to show. Imports
`detectors.mllm.questions` and `protocol` alone. Begin reading in `wording`.
"""
