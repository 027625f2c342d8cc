"""Replies as the vendors' types and sources describe them, one for each dialect, to the questions of `sample_asks`."""

import json
from collections.abc import Mapping

TEXT = '{"state":{"answer":"B","sure":80},"need":{"answer":"no","sure":90}}'

_LOG_PROBS = [
    {
        "token": "B",
        "bytes": [66],
        "logprob": -0.25,
        "top_logprobs": [
            {"token": "B", "bytes": [66], "logprob": -0.25},
            {"token": "A", "bytes": [65], "logprob": -1.5},
            {"token": "C", "bytes": [67], "logprob": None},
        ],
    },
    {"token": "}", "bytes": [125], "logprob": 0.0, "top_logprobs": []},
]

_COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "some-model-2026",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": TEXT, "refusal": None, "annotations": []},
            "logprobs": {"content": _LOG_PROBS, "refusal": None},
        }
    ],
    "usage": {
        "prompt_tokens": 1000,
        "completion_tokens": 20,
        "total_tokens": 1020,
        "prompt_tokens_details": {"cached_tokens": 800, "audio_tokens": 0},
    },
    "timings": {"prompt_ms": 3.5},
}

_NOUL = {"type": "noul", "noul": 0.75, "confidence": 0.75}
_CHOICE = {"type": "choice", "choice": "B", "confidence": 0.8, "probabilities": {"A": 0.15, "B": 0.8, "C": 0.04}}

SAMPLES: Mapping[str, Mapping[str, object]] = {
    "llama_server": _COMPLETION,
    "openai_chat": _COMPLETION,
    "openai_plain": _COMPLETION,
    "openai": _COMPLETION,
    "ollama": {
        "model": "some-model-2026",
        "created_at": "2026-11-21T21:00:00Z",
        "message": {"role": "assistant", "content": TEXT, "thinking": ""},
        "done": True,
        "done_reason": "stop",
        "total_duration": 5,
        "prompt_eval_count": 1000,
        "eval_count": 20,
        "logprobs": _LOG_PROBS,
    },
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "some-model-2026",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "x"},
            {"type": "text", "text": TEXT, "citations": None},
        ],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 150,
            "output_tokens": 20,
            "cache_creation_input_tokens": 50,
            "cache_read_input_tokens": 800,
        },
    },
    "gemini": {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": TEXT}]},
                "finishReason": "STOP",
                "index": 0,
                "logprobsResult": {
                    "chosenCandidates": [
                        {"token": "B", "tokenId": 4, "logProbability": -0.25},
                        {"token": "}", "tokenId": 5, "logProbability": 0.0},
                    ],
                    "topCandidates": [
                        {
                            "candidates": [
                                {"token": "B", "logProbability": -0.25},
                                {"token": "A", "logProbability": -1.5},
                                {"token": "C"},
                            ]
                        }
                    ],
                },
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 1000,
            "candidatesTokenCount": 15,
            "thoughtsTokenCount": 5,
            "cachedContentTokenCount": 800,
            "totalTokenCount": 1020,
        },
        "modelVersion": "some-model-2026",
        "responseId": "r1",
    },
    "openai_decisions": {
        "model": "some-model-2026",
        "answers": [
            {
                "type": "choice",
                "name": "state",
                "choice": "B",
                "confidence": 0.8,
                "probabilities": [
                    {"value": "A", "probability": 0.15},
                    {"value": "B", "probability": 0.8},
                    {"value": "C", "probability": 0.04},
                ],
            },
            {"type": "predicate", "name": "need", "probability": 0.75},
        ],
        "usage": {
            "input_tokens": 1000,
            "input_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 0},
            "output_tokens": 0,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 1000,
        },
    },
    "gemini_decisions": {
        "answers": {"state": _CHOICE, "need": _NOUL},
        "usage": {"total_input_tokens": 1000, "total_output_tokens": 0, "total_cached_tokens": 800},
    },
    "systemone": {
        "model": "some-model-2026",
        "answers": {"state": _CHOICE, "need": {"type": "noul", "noul": 0.75}},
        "usage": {"input_tokens": 1000, "output_tokens": 0},
    },
}


def sample(name: str) -> bytes:
    """Return a dialect's reply as it comes over the wire."""
    return json.dumps(SAMPLES[name]).encode()
