"""Multimodal language models: queries about pictures of the screen, and a cascade that says when a query is worth it.

`questions` defines queries and results, `protocol` requests and replies. `client` sends queries to a server in one of
the `dialects`, with the words of `prompting`; `presets` lists known servers, `probing` finds out what one can do, and
`cascade` combines answers with the embedded detector's estimate. Begin reading in `questions`, then `client.endpoint`.
Nothing of it is loaded while no model is on.
"""

__all__ = ["cascade", "client", "dialects", "presets", "probing", "prompting", "protocol", "questions"]
