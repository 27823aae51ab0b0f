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
    "mlp.gate": "ffn_gate_inp",
    "mlp.experts.gate_proj": "ffn_gate_exps",
    "mlp.experts.up_proj": "ffn_up_exps",
    "mlp.experts.down_proj": "ffn_down_exps",
    "mlp.shared_expert_gate": "ffn_gate_inp_shexp",
    "mlp.shared_expert.gate_proj": "ffn_gate_shexp",
    "mlp.shared_expert.up_proj": "ffn_up_shexp",
    "mlp.shared_expert.down_proj": "ffn_down_shexp",
}
# Experts by other names.
for shared in ("mlp.shared_experts", "mlp.shared_mlp"):
    for part in ("gate", "up", "down"):
        PER_LAYER[f"{shared}.{part}_proj"] = f"ffn_{part}_shexp"
PER_LAYER["mlp.gate.wg"] = "ffn_gate_inp"
# A vector that is itself a parameter: the last word of its name is not "weight" or "bias".
CHOICE_BIAS = "e_score_correction_bias"
# What an architecture names differently.
NORMS_AFTER = {
    "post_attention_layernorm": "post_attention_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
SANDWICH_NORMS = {**NORMS_AFTER, "pre_feedforward_layernorm": "ffn_norm"}
FUSED = {"self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up"}
PER_LAYER_OF = {
    "olmo2": NORMS_AFTER,
    "exaone4": NORMS_AFTER,
    "gemma2": SANDWICH_NORMS,
    "gemma3": SANDWICH_NORMS,
    "phi3": FUSED,
    "chatglm": FUSED,
    "glm4": {
        **FUSED,
        "post_self_attn_layernorm": "post_attention_norm",
        "post_mlp_layernorm": "post_ffw_norm",
    },
    "starcoder2": {"mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"},
    "phi2": {"self_attn.dense": "attn_output", "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down"},
    "gptneox": {
        "attention.query_key_value": "attn_qkv",
        "attention.dense": "attn_output",
        "mlp.dense_h_to_4h": "ffn_up",
        "mlp.dense_4h_to_h": "ffn_down",
    },
    "granitemoe": {
        "block_sparse_moe.router": "ffn_gate_inp",
        "block_sparse_moe.experts.gate_proj": "ffn_gate_exps",
        "block_sparse_moe.experts.up_proj": "ffn_up_exps",
        "block_sparse_moe.experts.down_proj": "ffn_down_exps",
    },
    "glm4moe": {"post_attention_layernorm": "post_attention_norm"},
    "hunyuan-moe": {
        "self_attn.query_layernorm": "attn_q_norm",
        "self_attn.key_layernorm": "attn_k_norm",
    },
    "seed_oss": {"post_attention_layernorm": "post_attention_norm"},
    "hunyuan-dense": {
        "self_attn.query_layernorm": "attn_q_norm",
        "self_attn.key_layernorm": "attn_k_norm",
    },
}
# Names outside of the layers, where they are others.
GLOBAL_OF = {
    "gptneox": {
        "gpt_neox.embed_in.weight": "token_embd.weight",
        "gpt_neox.final_layer_norm.weight": "output_norm.weight",
        "gpt_neox.final_layer_norm.bias": "output_norm.bias",
    },
    "phi2": {
        "model.final_layernorm.weight": "output_norm.weight",
        "model.final_layernorm.bias": "output_norm.bias",
        "lm_head.bias": "output.bias",
    },
}
# Architectures whose fused rows of q, k and v the converter takes apart by kind.
GROUPED_QKV = {"gptneox"}
# Architectures whose q and k the converter moves to adjacent-pair order.
INTERLEAVED = {"llama", "granite", "granitemoe", "smollm3", "mistral3", "arcee"}
# Architectures whose norms the converter writes with the 1 that the model adds.
NORMS_PLUS_ONE = {"gemma", "gemma2", "gemma3", "nemotron"}
# Architectures that state a window; which layers have it is known to the reader.
WINDOWED = {"gemma2", "gemma3", "olmo2", "exaone4", "exaone-moe", "cohere2", "phi3", "starcoder2"}
# Numbers, by their names in a transformers config.
FACTORS = {
    "embedding_multiplier": "embedding_scale",
    "residual_multiplier": "residual_scale",
    "attention_multiplier": "attention.scale",
    "logits_scaling": "logit_scale",
    "logit_scale": "logit_scale",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "layer_norm_eps": "attention.layer_norm_epsilon",
    "norm_epsilon": "attention.layer_norm_epsilon",
    "norm_eps": "attention.layer_norm_epsilon",
}
GLOBAL = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}


def to_gguf_name(name, arch="llama"):
    outside = GLOBAL | {"model.norm.bias": "output_norm.bias"} | GLOBAL_OF.get(arch, {})
    if name in outside:
        return outside[name]
    _, _, layer, rest = name.split(".", 3)
    if rest.endswith(CHOICE_BIAS):
        return f"blk.{layer}.exp_probs_b.bias"
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


def ungroup(tensor, heads, kv_heads):
    """Rows of q, k and v by key head to those of all queries, of all keys, of all values."""
    grouped = tensor.reshape(kv_heads, heads // kv_heads + 2, -1, *tensor.shape[1:])
    parts = [grouped[:, :-2], grouped[:, -2:-1], grouped[:, -1:]]
    return np.concatenate([p.reshape(-1, *tensor.shape[1:]) for p in parts])


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
    kv_heads = getattr(config, "num_key_value_heads", config.num_attention_heads)
    writer.add_head_count_kv(kv_heads)
    if hasattr(config, "use_parallel_residual"):
        writer.add_parallel_residual(config.use_parallel_residual)
    add_experts(writer, config)
    head_dim = head_dim_of(config)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    is_windowed = config.model_type in ("mistral", "mixtral") or arch in WINDOWED
    if getattr(config, "sliding_window", None) and is_windowed:
        writer.add_sliding_window(config.sliding_window)
    for ours, theirs in FACTORS.items():
        if getattr(config, ours, None) is not None:
            writer.add_float32(f"{arch}.{theirs}", getattr(config, ours))
    # Of the layers that have no window, where the types have ropes of their own.
    rope = config.rope_parameters.get("full_attention", config.rope_parameters)
    rotated = int(head_dim * rope.get("partial_rotary_factor", 1.0))
    writer.add_rope_dimension_count(rotated)
    add_rope(writer, arch, rope, rotated, config.max_position_embeddings)
    return writer


def add_experts(writer, config):
    names = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
    count = next((c for n in names if (c := getattr(config, n, None))), None)
    if not count:
        return
    writer.add_expert_count(count)
    writer.add_expert_used_count(getattr(config, "num_experts_per_tok", None) or config.moe_topk)
    if hasattr(config, "moe_intermediate_size"):
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    if hasattr(config, "shared_expert_intermediate_size"):
        writer.add_expert_shared_feed_forward_length(config.shared_expert_intermediate_size)
    names = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
    shared = next((c for n in names if (c := getattr(config, n, None)) is not None), None)
    if shared is not None:
        writer.add_expert_shared_count(shared)
    if hasattr(config, "first_k_dense_replace"):
        writer.add_leading_dense_block_count(config.first_k_dense_replace)
    if hasattr(config, "moe_layer_start_index"):
        writer.add_leading_dense_block_count(config.moe_layer_start_index)
        writer.add_interleave_moe_layer_step(config.moe_layer_interval)
    if hasattr(config, "routed_scaling_factor"):
        writer.add_expert_weights_scale(config.routed_scaling_factor)
        writer.add_expert_weights_norm(config.norm_topk_prob)
        writer.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)


def stacked_experts(name, tensor):
    """transformers keeps the rows of gate and up of all experts in one tensor, GGUF apart."""
    if name.endswith("experts.gate_up_proj"):
        gate, up = tensor.chunk(2, dim=1)
        return [(name.replace("gate_up", "gate") + ".weight", gate),
                (name.replace("gate_up", "up") + ".weight", up)]
    if name.endswith("experts.down_proj"):
        return [(name + ".weight", tensor)]
    return [(name, tensor)]


def head_dim_of(config):
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def add_rope(writer, arch, rope, head_dim, max_positions):
    kind = rope["rope_type"]
    theta = rope["rope_theta"]
    if kind == "dynamic":  # with alpha, a fixed base
        theta *= rope["alpha"] ** (head_dim / (head_dim - 2))
    writer.add_rope_freq_base(theta)
    if kind in ("default", "dynamic"):
        return
    if kind == "longrope":
        add_longrope(writer, rope, max_positions)
        return
    if kind == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(rope, head_dim))
        return
    if kind == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    elif kind == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        if "mscale_all_dim" in rope:
            writer.add_rope_scaling_yarn_log_mul(rope["mscale_all_dim"])
        if "llama_4_scaling_beta" in rope:
            writer.add_float32(f"{arch}.attention.temperature_scale", rope["llama_4_scaling_beta"])
    else:
        raise ValueError(f"GGUF has no form for rope_type {kind!r}")
    writer.add_rope_scaling_factor(rope["factor"])


def add_longrope(writer, rope, max_positions):
    original = rope["original_max_position_embeddings"]
    writer.add_rope_scaling_orig_ctx_len(original)
    scale = max_positions / original
    writer.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(scale) / math.log(original)))
    for name in ("short", "long"):
        factors = np.array(rope[f"{name}_factor"], dtype=np.float32)
        writer.add_tensor(f"rope_factors_{name}.weight", factors)


def add_tensors(writer, model, arch, matrix_type):
    """Every weight; matrices as `matrix_type` ("f32" or "bf16"), vectors as f32."""
    config = model.config
    kv_heads = getattr(config, "num_key_value_heads", config.num_attention_heads)
    heads = {"q_proj": config.num_attention_heads, "k_proj": kv_heads}
    tensors = [pair for item in model.state_dict().items() for pair in stacked_experts(*item)]
    for name, tensor in tensors:
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        values = tensor.float().numpy()
        module = name.split(".")[-2]
        if arch in INTERLEAVED and module in heads:
            values = permute(values, heads[module])
        if arch in GROUPED_QKV and module == "query_key_value":
            values = ungroup(values, config.num_attention_heads, kv_heads)
        if arch in NORMS_PLUS_ONE and values.ndim == 1 and name.endswith(".weight"):
            values = values + 1
        values = np.ascontiguousarray(values)
        if matrix_type == "bf16" and values.ndim >= 2:
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
