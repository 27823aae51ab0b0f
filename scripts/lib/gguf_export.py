"""Writes a transformers model of the llama family as GGUF, as llama.cpp's converter lays it out.

Shared by train-sample-model, goldens/models and lib/smollm2.py.
"""

import math

import gguf
import numpy as np

PER_LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
# What an architecture names differently.
PER_LAYER_OF = {
    "olmo2": {
        "post_attention_layernorm": "post_attention_norm",
        "post_feedforward_layernorm": "post_ffw_norm",
    },
}
# Architectures whose q and k the converter moves to adjacent-pair order.
INTERLEAVED = {"llama", "granite"}
# Factors, by their names in a transformers config.
FACTORS = {
    "embedding_multiplier": "embedding_scale",
    "residual_multiplier": "residual_scale",
    "attention_multiplier": "attention.scale",
    "logits_scaling": "logit_scale",
}
GLOBAL = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}


def to_gguf_name(name, arch="llama"):
    if name in GLOBAL:
        return GLOBAL[name]
    _, _, layer, rest = name.split(".", 3)
    module, leaf = rest.rsplit(".", 1)
    names = PER_LAYER | PER_LAYER_OF.get(arch, {})
    return f"blk.{layer}.{names[module]}.{leaf}"


def to_hf_name(name):
    """The inverse of to_gguf_name."""
    for hf, ours in GLOBAL.items():
        if ours == name:
            return hf
    _, layer, module, leaf = name.split(".")
    hf = {ours: hf for hf, ours in PER_LAYER.items()}[module]
    return f"model.layers.{layer}.{hf}.{leaf}"


def permute(tensor, heads):
    """Rows of each head from "first half, second half" to adjacent pairs."""
    return tensor.reshape(heads, 2, -1, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)


def unpermute(tensor, heads):
    """The inverse of permute."""
    return tensor.reshape(heads, -1, 2, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)


def llama3_factors(rope, head_dim):
    """rope_freqs: what each inverse frequency is divided by under llama3 scaling."""
    old = rope["original_max_position_embeddings"]
    low, high, factor = rope["low_freq_factor"], rope["high_freq_factor"], rope["factor"]
    factors = []
    for i in range(0, head_dim, 2):
        wavelength = 2 * math.pi * rope["rope_theta"] ** (i / head_dim)
        if wavelength < old / high:
            factors.append(1.0)
        elif wavelength > old / low:
            factors.append(factor)
        else:
            smooth = (old / wavelength - low) / (high - low)
            factors.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(factors, dtype=np.float32)


def new_writer(path, arch, config, name):
    """A writer with every hyper-parameter of `config`, a transformers config."""
    writer = gguf.GGUFWriter(str(path), arch)
    writer.add_type(gguf.GGUFType.MODEL)
    writer.add_name(name)
    writer.add_vocab_size(config.vocab_size)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    head_dim = head_dim_of(config)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_dimension_count(head_dim)
    if getattr(config, "sliding_window", None) and config.model_type == "mistral":
        writer.add_sliding_window(config.sliding_window)
    for ours, theirs in FACTORS.items():
        if hasattr(config, ours):
            writer.add_float32(f"{arch}.{theirs}", getattr(config, ours))
    add_rope(writer, config.rope_parameters, head_dim)
    return writer


def head_dim_of(config):
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def add_rope(writer, rope, head_dim):
    writer.add_rope_freq_base(rope["rope_theta"])
    kind = rope["rope_type"]
    if kind == "default":
        return
    if kind == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(rope, head_dim))
        return
    if kind == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    elif kind == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    else:
        raise ValueError(f"GGUF has no form for rope_type {kind!r}")
    writer.add_rope_scaling_factor(rope["factor"])


def add_tensors(writer, model, arch, matrix_type):
    """Every weight; matrices as `matrix_type` ("f32" or "bf16"), vectors as f32."""
    config = model.config
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        values = tensor.float().numpy()
        module = name.split(".")[-2]
        if arch in INTERLEAVED and module in heads:
            values = permute(values, heads[module])
        values = np.ascontiguousarray(values)
        if matrix_type == "bf16" and values.ndim == 2:
            data = gguf.quants.quantize(values, gguf.GGMLQuantizationType.BF16)
            writer.add_tensor(to_gguf_name(name, arch), data, raw_dtype=gguf.GGMLQuantizationType.BF16)
        else:
            writer.add_tensor(to_gguf_name(name, arch), values)


def add_byte_level_tokenizer(writer, tokenizer, pre, bos, eos, eot, template):
    """The vocabulary of a byte-level tokenizer.json (parsed)."""
    vocab = tokenizer["model"]["vocab"]
    special = {t["id"] for t in tokenizer["added_tokens"] if t["special"]}
    tokens = sorted(vocab, key=vocab.get)
    types = [
        gguf.TokenType.CONTROL if i in special else gguf.TokenType.NORMAL
        for i in range(len(tokens))
    ]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(
        [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]
    )
    writer.add_bos_token_id(bos)
    writer.add_eos_token_id(eos)
    writer.add_eot_token_id(eot)
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
