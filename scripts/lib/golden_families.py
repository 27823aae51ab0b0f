"""Tiny models of goldens/models, one row a family.

name: (model_type, GGUF architecture or None, the keys that are stated). What is not stated is the
default of the family's configuration class.
"""

BASE = {
    "vocab_size": 128,
    "hidden_size": 48,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": None,
}
# Heads of 16.
WIDE_HEADS = {"num_attention_heads": 3, "num_key_value_heads": 1}
# The root of the width is exact in bf16.
GEMMA = {
    **BASE,
    "hidden_size": 64,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 24,
}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 20000.0,
    "factor": 5.0,
    "original_max_position_embeddings": 16,
}

# Small: more families than features.
SMALL = {**BASE, "vocab_size": 96, "intermediate_size": 24, "num_hidden_layers": 2}

# Of DeepSeek V3; the first layer has none.
SIGMOID = {
    "num_hidden_layers": 3,
    "n_routed_experts": 6,
    "n_shared_experts": 2,
    "routed_scaling_factor": 1.5,
    "norm_topk_prob": True,
    "first_k_dense_replace": 1,
}

EXPERTS = {**SMALL, **WIDE_HEADS, "moe_intermediate_size": 16, "num_experts_per_tok": 2}

FAMILIES = {
    "arcee": ("arcee", "arcee", SMALL),
    "cohere": ("cohere", "command-r", {**BASE, "logit_scale": 0.5}),
    "cohere2": (
        "cohere2",
        "cohere2",
        {**BASE, "num_hidden_layers": 4, "sliding_window": 8, "logit_scale": 0.5},
    ),
    "cwm": ("cwm", None, {**SMALL, "num_hidden_layers": 5, "head_dim": 8, "sliding_window": 8}),
    "dots1": ("dots1", "dots1", {**EXPERTS, **SIGMOID, "head_dim": 16}),
    "ernie4_5": ("ernie4_5", "ernie4_5", {**BASE, **WIDE_HEADS, "head_dim": 16, "use_bias": True}),
    "ernie4_5_moe": (
        "ernie4_5_moe",
        "ernie4_5-moe",
        {
            **{k: v for k, v in EXPERTS.items() if k != "num_experts_per_tok"},
            "num_hidden_layers": 3,
            "moe_k": 2,
            "moe_num_experts": 6,
        },
    ),
    "exaone4": ("exaone4", "exaone4", {**BASE, "num_hidden_layers": 4, "sliding_window": 8}),
    "exaone_moe": (
        "exaone_moe",
        "exaone-moe",
        {
            **EXPERTS,
            "num_hidden_layers": 4,
            "sliding_window": 8,
            "num_experts": 6,
            "num_shared_experts": 1,
        },
    ),
    "flex_olmo": (
        "flex_olmo",
        None,
        {**SMALL, "num_experts": 5, "num_experts_per_tok": 2, "norm_topk_prob": True},
    ),
    "gemma": ("gemma", "gemma", GEMMA),
    "gemma2": (
        "gemma2",
        "gemma2",
        {
            **GEMMA,
            "sliding_window": 8,
            "query_pre_attn_scalar": 24,
            "attn_logit_softcapping": 4.0,
            "final_logit_softcapping": 6.0,
        },
    ),
    "gemma3": (
        "gemma3_text",
        "gemma3",
        {
            **GEMMA,
            "num_hidden_layers": 6,
            "intermediate_size": 24,
            "sliding_window": 8,
            "query_pre_attn_scalar": 24,
        },
    ),
    "glm": (
        "glm",
        "chatglm",
        # GGUF files of it state this epsilon whatever the configuration says.
        {**BASE, **WIDE_HEADS, "head_dim": 16, "rms_norm_eps": 1e-5},
    ),
    "glm4": ("glm4", "glm4", {**BASE, **WIDE_HEADS, "head_dim": 16}),
    "glm4_moe": (
        "glm4_moe",
        "glm4moe",
        {**EXPERTS, **SIGMOID, "head_dim": 16, "use_qk_norm": True, "attention_bias": True},
    ),
    "gpt_neox": (
        "gpt_neox",
        "gptneox",
        {k: v for k, v in SMALL.items() if k != "num_key_value_heads"}
        | {"num_attention_heads": 3, "rotary_pct": 0.5},
    ),
    "granite": (
        "granite",
        "granite",
        {
            **BASE,
            "embedding_multiplier": 6.0,
            "residual_multiplier": 0.4,
            "attention_multiplier": 0.3,
            "logits_scaling": 0.7,
        },
    ),
    "granite4": (
        "granitemoehybrid",
        None,
        {
            **SMALL,
            "layer_types": ["full_attention"] * 2,
            "num_local_experts": 0,
            "shared_intermediate_size": 24,
            "attention_multiplier": 0.3,
            "residual_multiplier": 0.6,
            "mamba_n_heads": 4,
        },
    ),
    "granitemoe": (
        "granitemoe",
        "granitemoe",
        {
            **SMALL,
            "num_local_experts": 5,
            "num_experts_per_tok": 2,
            "embedding_multiplier": 6.0,
            "residual_multiplier": 0.4,
            "attention_multiplier": 0.3,
            "logits_scaling": 0.7,
        },
    ),
    "granitemoeshared": (
        "granitemoeshared",
        None,
        {
            **SMALL,
            "num_local_experts": 5,
            "num_experts_per_tok": 2,
            "shared_intermediate_size": 16,
            "attention_multiplier": 0.3,
        },
    ),
    "helium": (
        "helium",
        None,
        {**BASE, "head_dim": 8, "attention_bias": True, "mlp_bias": True},
    ),
    "hunyuan": (
        "hunyuan_v1_dense",
        "hunyuan-dense",
        {
            **BASE,
            **WIDE_HEADS,
            "head_dim": 16,
            "rope_parameters": {
                "rope_type": "dynamic",
                "rope_theta": 10000.0,
                "alpha": 50.0,
                "factor": 1.0,
            },
        },
    ),
    "hunyuan_moe": (
        "hunyuan_v1_moe",
        "hunyuan-moe",
        {**SMALL, **WIDE_HEADS, "head_dim": 16, "num_experts": 5, "moe_topk": 2},
    ),
    "minimax_m2": (
        "minimax_m2",
        "minimax-m2",
        {
            **SMALL,
            **WIDE_HEADS,
            "head_dim": 16,
            "rotary_dim": 8,
            "num_local_experts": 6,
            "num_experts_per_tok": 2,
        },
    ),
    "hy_v3": (
        "hy_v3",
        None,
        {**EXPERTS, "num_hidden_layers": 2, "head_dim": 16, "num_experts": 6},
    ),
    "internlm3": (
        "internlm3",
        None,
        {**SMALL, "head_dim": 16, "attention_bias": True, "mlp_bias": True},
    ),
    "iquestcoder": ("iquestcoder", None, {**SMALL, "head_dim": 16}),
    "jais2": ("jais2", None, {**SMALL, **WIDE_HEADS}),
    "ministral": (
        "ministral",
        None,
        {
            **BASE,
            "head_dim": 8,
            "sliding_window": 8,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
    "ministral3": (
        "ministral3",
        "mistral3",
        {
            **BASE,
            "head_dim": 16,
            "rope_parameters": {
                **YARN,
                "mscale": 1.0,
                "mscale_all_dim": 1.0,
                "llama_4_scaling_beta": 0.3,
            },
        },
    ),
    "mixtral": (
        "mixtral",
        "llama",
        {**SMALL, "num_local_experts": 5, "num_experts_per_tok": 2, "sliding_window": 8},
    ),
    "nemotron": ("nemotron", "nemotron", {**SMALL, **WIDE_HEADS}),
    "olmo3": (
        "olmo3",
        "olmo2",
        {
            **BASE,
            "num_hidden_layers": 4,
            "sliding_window": 8,
            "rope_parameters": {
                "full_attention": YARN,
                "sliding_attention": {"rope_type": "default", "rope_theta": 20000.0},
            },
        },
    ),
    "olmoe": (
        "olmoe",
        "olmoe",
        {**SMALL, "num_experts": 6, "num_experts_per_tok": 3, "norm_topk_prob": False},
    ),
    "phi": ("phi", "phi2", {**SMALL, **WIDE_HEADS}),
    "phi3": (
        "phi3",
        "phi3",
        {
            **BASE,
            **WIDE_HEADS,
            "sliding_window": 12,
            "original_max_position_embeddings": 64,
            "rope_parameters": {
                "rope_type": "longrope",
                "rope_theta": 10000.0,
                "partial_rotary_factor": 0.75,
                "short_factor": [1.0, 1.1, 1.3, 1.6, 2.0, 2.5],
                "long_factor": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
                "original_max_position_embeddings": 64,
            },
        },
    ),
    "qwen2_moe": (
        "qwen2_moe",
        "qwen2moe",
        {**EXPERTS, "num_experts": 5, "shared_expert_intermediate_size": 24},
    ),
    "qwen3_moe": (
        "qwen3_moe",
        "qwen3moe",
        {**EXPERTS, "num_experts": 7, "norm_topk_prob": True, "head_dim": 16},
    ),
    "seed_oss": (
        "seed_oss",
        "seed_oss",
        {**BASE, "head_dim": 16, "attention_out_bias": True, "mlp_bias": True},
    ),
    "smollm3": ("smollm3", "smollm3", {**BASE, "num_hidden_layers": 4}),
    "solar_open": ("solar_open", None, {**EXPERTS, **SIGMOID, "head_dim": 16}),
    "stablelm": ("stablelm", "stablelm", {**SMALL, **WIDE_HEADS, "use_qkv_bias": True}),
    "vaultgemma": (
        "vaultgemma",
        None,
        {
            **GEMMA,
            "num_hidden_layers": 2,
            "sliding_window": 8,
            "query_pre_attn_scalar": 24,
            "attn_logit_softcapping": 4.0,
            "final_logit_softcapping": 6.0,
        },
    ),
    "starcoder2": (
        "starcoder2",
        "starcoder2",
        {**SMALL, "sliding_window": 8},
    ),
}
