"""Gemini's `generateContent`, with the answer's shape in `responseJsonSchema`.

Read in the types of the `google-genai` package 3.4 and in Google's model pages of November 2026; tried against a fake
server only. `responseMimeType` is called deprecated there, in favour of a `responseFormat` that is too new to be relied
on. A model without log-probabilities refuses requests for them (400). RESOURCE_EXHAUSTED comes with a delay in its
details. Thoughts come as parts marked `thought` and cost
as output; without `still_thinks` the thinking level is "minimal", which older models (2.5) do not know. Newer ones
ignore `temperature`.

A prompt that the filters block has no candidates: that is a valid, empty answer. Google may use what is sent on its
free tier to improve its products.
"""

from urllib.parse import quote

from detectors.mllm.dialects import base, reading
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import Request, RequestOptions, SchemaMode
from detectors.mllm.questions import ModelQuery

_ALTERNATIVES_MAX = 20


class Gemini(reading.TextDialect):
    """The Gemini API's chat."""

    name = "gemini"
    key_header, key_prefix = "x-goog-api-key", ""

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        """Return the request; the model's name is in the path."""
        words = wording.compose(query, options.schema_mode, repair)
        content = [
            *([{"text": words.before}] if words.before else []),
            *({"inlineData": {"mimeType": "image/jpeg", "data": base.BASE64}} for _ in query.pictures),
            {"text": words.after},
        ]
        settings: dict[str, object] = {
            "maxOutputTokens": options.room,
            "temperature": 0,
            "mediaResolution": "MEDIA_RESOLUTION_LOW",
        }
        if not options.still_thinks:
            settings["thinkingConfig"] = {"thinkingLevel": "minimal"}
        if options.schema_mode is not SchemaMode.PROMPTED:
            settings |= {"responseMimeType": "application/json", "responseJsonSchema": words.schema}
        if options.top_log_probs:
            settings |= {"responseLogprobs": True, "logprobs": min(options.top_log_probs, _ALTERNATIVES_MAX)}
        tree = {
            "systemInstruction": {"parts": [{"text": words.system}]},
            "contents": [{"role": "user", "parts": content}],
            "generationConfig": settings,
        }
        method = "streamGenerateContent?alt=sse" if options.stream else "generateContent"
        path = f"/models/{quote(options.model, safe='')}:{method}"
        return Request(path=path, body=base.encode_body(tree, query.pictures))
