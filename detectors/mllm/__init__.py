"""Multimodal language models: queries about pictures of the screen, and a cascade that says when a query is worth it.

`questions` defines queries and results, `protocol` requests and replies. `client` sends queries to a server in one of
the `dialects`, with the words of `prompting`; `presets` lists known servers, `probing` finds out what one can do, and
`cascade` combines answers with the embedded detector's estimate. This room alone talks to model servers. It imports
`storage` alone. Nothing of it is loaded while no model is on, so nothing is re-exported here. Begin reading
in `questions`, then `client.endpoint`.
"""

__all__ = ["cascade", "client", "dialects", "presets", "probing", "prompting", "protocol", "questions"]
