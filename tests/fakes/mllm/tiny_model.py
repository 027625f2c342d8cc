"""Makes a multimodal model of random weights, small enough for tests, in the two files that llama-server reads.

It understands nothing. A text model of two layers whose tokens are single bytes, some pairs and six marks, and a vision
tower of one layer that makes four tokens of a picture; both are shaped like SmolVLM's. What surprised us: without one
token for an empty line every request with a picture ends in an error of the decoder.
"""

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

NAME = "tiny"
WIDTH, LAYERS, HEADS, KEY_HEADS, INNER, CONTEXT = 64, 2, 4, 2, 128, 32768
SEEN_WIDTH, SEEN_INNER, SEEN_HEADS, SIDE, PATCH, SHRINK = 32, 64, 2, 64, 16, 2
SPREAD = 0.15
"""Standard deviation of all weights: tokens differ clearly, and numbers stay numbers."""

LOUDER, LEVEL, QUOTED = 13.0, 10.0, 1.0
"""Every token brings along the same number, which speaks for a quotation mark: so a text between two of them ends."""

MARKS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<fake_token_around_image>", "<global-img>", "<image>")
PAIRS = (("Ċ", "Ċ"), ("t", "h"), ("i", "n"), ("e", "r"), ("Ġ", "t"))  # Ċ stands for a new line, Ġ for a space
TEMPLATE = """\
{%- for message in messages %}<|im_start|>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}{% else %}
{%- for part in message['content'] %}{{ part['text'] }}{% endfor %}{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def make_tiny_model(folder: Path) -> tuple[Path, Path]:
    """Write the text model and the vision tower into a folder, and return both paths; equal in every run."""
    weights = _Weights()
    text, tower = folder / f"{NAME}.gguf", folder / f"{NAME}-mmproj.gguf"
    _write_text_model(text, weights)
    _write_vision_tower(tower, weights)
    return text, tower


class _Weights:
    """Random and plain tensors."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(7)

    def random(self, *shape: int) -> NDArray[np.float32]:
        return (self._rng.standard_normal(shape) * SPREAD).astype(np.float32)

    def ones(self, length: int) -> NDArray[np.float32]:
        return np.ones(length, np.float32)


def _byte_letters() -> list[str]:
    """Return the letter that stands for each byte, as in GPT-2: printable ones for themselves, others beyond 255."""
    own = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in own else chr(next(others)) for byte in range(256)]


def _write_text_model(path: Path, weights: _Weights) -> None:
    letters = _byte_letters()
    tokens = [*letters, *MARKS, *(first + second for first, second in PAIRS)]
    control = range(len(letters), len(letters) + len(MARKS))
    kinds = [gguf.TokenType.CONTROL if at in control else gguf.TokenType.NORMAL for at in range(len(tokens))]

    file = gguf.GGUFWriter(path, "llama")
    file.add_name(NAME)
    file.add_context_length(CONTEXT)
    file.add_embedding_length(WIDTH)
    file.add_block_count(LAYERS)
    file.add_feed_forward_length(INNER)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KEY_HEADS)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_rope_freq_base(10_000.0)
    file.add_rope_dimension_count(WIDTH // HEADS)
    file.add_vocab_size(len(tokens))
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("smollm")
    file.add_token_list(tokens)
    file.add_token_types(kinds)
    file.add_token_merges([f"{first} {second}" for first, second in PAIRS])
    file.add_bos_token_id(tokens.index("<|im_start|>"))
    file.add_eos_token_id(tokens.index("<|im_end|>"))
    file.add_pad_token_id(tokens.index("<|endoftext|>"))
    file.add_add_bos_token(False)
    file.add_chat_template(TEMPLATE)

    keys = WIDTH * KEY_HEADS // HEADS
    embedding, output = weights.random(len(tokens), WIDTH) * LOUDER, weights.random(len(tokens), WIDTH)
    embedding[:, 0], output[:, 0] = LEVEL, 0.0
    output[tokens.index('"'), 0] = QUOTED
    file.add_tensor("token_embd.weight", embedding)
    file.add_tensor("output_norm.weight", weights.ones(WIDTH))
    file.add_tensor("output.weight", output)
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            file.add_tensor(f"blk.{layer}.{norm}.weight", weights.ones(WIDTH))
        for name, rows, columns in (
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", keys, WIDTH),
            ("attn_v", keys, WIDTH),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_gate", INNER, WIDTH),
            ("ffn_up", INNER, WIDTH),
            ("ffn_down", WIDTH, INNER),
        ):
            file.add_tensor(f"blk.{layer}.{name}.weight", weights.random(rows, columns))
    _finish(file)


def _write_vision_tower(path: Path, weights: _Weights) -> None:
    file = gguf.GGUFWriter(path, "clip")
    file.add_name(NAME)
    file.add_type("mmproj")
    file.add_bool("clip.has_vision_encoder", True)
    file.add_string("clip.projector_type", "idefics3")
    file.add_bool("clip.use_gelu", True)
    for name, number in (
        ("embedding_length", SEEN_WIDTH),
        ("feed_forward_length", SEEN_INNER),
        ("block_count", 1),
        ("projection_dim", WIDTH),
        ("image_size", SIDE),
        ("preproc_image_size", SIDE),
        ("patch_size", PATCH),
        ("attention.head_count", SEEN_HEADS),
        ("projector.scale_factor", SHRINK),
    ):
        file.add_uint32(f"clip.vision.{name}", number)
    file.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    for name in ("image_mean", "image_std"):
        file.add_array(f"clip.vision.{name}", [0.5] * 3)

    file.add_tensor("v.patch_embd.weight", weights.random(SEEN_WIDTH, 3, PATCH, PATCH))
    file.add_tensor("v.patch_embd.bias", weights.random(SEEN_WIDTH))
    file.add_tensor("v.position_embd.weight", weights.random((SIDE // PATCH) ** 2, SEEN_WIDTH))
    for norm in ("v.post_ln", "v.blk.0.ln1", "v.blk.0.ln2"):
        file.add_tensor(f"{norm}.weight", weights.ones(SEEN_WIDTH))
        file.add_tensor(f"{norm}.bias", weights.random(SEEN_WIDTH))
    for name, rows, columns in (
        ("attn_q", SEEN_WIDTH, SEEN_WIDTH),
        ("attn_k", SEEN_WIDTH, SEEN_WIDTH),
        ("attn_v", SEEN_WIDTH, SEEN_WIDTH),
        ("attn_out", SEEN_WIDTH, SEEN_WIDTH),
        ("ffn_up", SEEN_INNER, SEEN_WIDTH),
        ("ffn_down", SEEN_WIDTH, SEEN_INNER),
    ):
        file.add_tensor(f"v.blk.0.{name}.weight", weights.random(rows, columns))
        file.add_tensor(f"v.blk.0.{name}.bias", weights.random(rows))
    file.add_tensor("mm.model.fc.weight", weights.random(WIDTH, SEEN_WIDTH * SHRINK**2))
    _finish(file)


def _finish(file: gguf.GGUFWriter) -> None:
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
