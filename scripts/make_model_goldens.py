#!/usr/bin/env python3
"""Makes tests/golden/models/: tiny random models and what transformers computes with them.

    scripts/make_model_goldens.py [--out DIR]

Each model is written as a Hugging Face directory and as GGUF of the same weights. The golden values
come from the directory read back by transformers, float32, eager attention, without a KV cache, so
that the written config.json is part of what is tested. Needs torch, transformers, gguf.
"""

import argparse
import json
import math
import shutil
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForCausalLM, LlamaConfig, MistralConfig, Qwen2Config, Qwen3Config

import gguf_export

GREEDY_TOKENS = 24
PROMPT_TOKENS = 24
# Nobody's sums agree to the last bit: a greedy choice closer than this would test luck.
SMALLEST_GAP = 0.02

COMMON = {
    "vocab_size": 260,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-5,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": None,
}


def default_rope(theta):
    return {"rope_type": "default", "rope_theta": theta}


# name: config class, GGUF architecture, spelling of config.json, what differs from COMMON.
MODELS = {
    "llama3": (
        LlamaConfig,
        "llama",
        "old",
        {
            "tie_word_embeddings": False,
            "rope_parameters": {
                "rope_type": "llama3",
                "rope_theta": 10000.0,
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 32,
            },
        },
    ),
    "llama_tied": (
        LlamaConfig,
        "llama",
        "old",
        {
            "tie_word_embeddings": True,
            "num_key_value_heads": 4,
            "rope_parameters": default_rope(10000.0),
        },
    ),
    "llama_linear": (
        LlamaConfig,
        "llama",
        "old",
        {
            "tie_word_embeddings": True,
            "rope_parameters": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0},
        },
    ),
    "llama_yarn": (
        LlamaConfig,
        "llama",
        "new",
        {
            "tie_word_embeddings": True,
            "rope_parameters": {
                "rope_type": "yarn",
                "rope_theta": 10000.0,
                "factor": 4.0,
                "original_max_position_embeddings": 64,
            },
        },
    ),
    "llama_biases": (
        LlamaConfig,
        "llama",
        "new",
        {
            "tie_word_embeddings": True,
            "attention_bias": True,
            "mlp_bias": True,
            "rope_parameters": default_rope(500000.0),
        },
    ),
    "mistral_window": (
        MistralConfig,
        "llama",
        "new",
        {
            "tie_word_embeddings": False,
            "head_dim": 24,
            "sliding_window": 8,
            "rope_parameters": default_rope(10000.0),
        },
    ),
    "qwen2": (
        Qwen2Config,
        "qwen2",
        "old",
        {
            # The window is written down but switched off, as in the published files.
            "tie_word_embeddings": True,
            "rms_norm_eps": 1e-6,
            "sliding_window": 8,
            "use_sliding_window": False,
            "max_window_layers": 1,
            "rope_parameters": default_rope(1000000.0),
        },
    ),
    "qwen3": (
        Qwen3Config,
        "qwen3",
        "new",
        {
            "tie_word_embeddings": True,
            "rms_norm_eps": 1e-6,
            "head_dim": 32,
            "rope_parameters": default_rope(1000000.0),
        },
    ),
}
SHARDED = "llama3"


def randomise(model, seed):
    """Weights large enough that every part of the block moves the logits and these have margins."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            noise = torch.randn(tensor.shape, generator=generator)
            if name.endswith("norm.weight"):
                tensor.copy_(1 + 0.3 * noise)
            elif tensor.dim() == 1:
                tensor.copy_(0.5 * noise)
            elif "embed" in name or "lm_head" in name:
                tensor.copy_(0.5 * noise)
            else:
                tensor.copy_(noise * 1.6 / math.sqrt(tensor.shape[1]))


def old_spelling(config, changes):
    """config.json as transformers 4 wrote it: rope_theta, rope_scaling and torch_dtype."""
    rope = dict(config.pop("rope_parameters"))
    config["rope_theta"] = rope.pop("rope_theta")
    kind = rope.pop("rope_type")
    if kind == "default":
        config["rope_scaling"] = None
    else:
        # The key was called "type" before llama3 scaling came.
        config["rope_scaling"] = {"rope_type" if kind == "llama3" else "type": kind, **rope}
    config["torch_dtype"] = config.pop("dtype")
    # Old files have none of these; head_dim is hidden_size / num_attention_heads then.
    for key in ("layer_types", "transformers_version", "head_dim"):
        config.pop(key, None)
    # transformers 5 drops a window that is off, the published Qwen2 files have it.
    return {**config, **{k: v for k, v in changes.items() if k == "sliding_window"}}


def write_model(name, folder, seed):
    config_class, arch, spelling, changes = MODELS[name]
    config = config_class(**{**COMMON, **changes})
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    randomise(model, seed)
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder, max_shard_size="150KB" if name == SHARDED else "1GB")
    (folder / "generation_config.json").unlink(missing_ok=True)
    for file in folder.iterdir():
        file.chmod(0o644)
    if spelling == "old":
        path = folder / "config.json"
        path.write_text(
            json.dumps(old_spelling(json.loads(path.read_text()), changes), indent=2) + "\n"
        )
    writer = gguf_export.new_writer(folder / "model.gguf", arch, config, f"golden {name}")
    gguf_export.add_tensors(writer, model, arch, matrix_type="f32")
    gguf_export.finish(writer)


def rounded(values):
    return [float(f"{v:.6g}") for v in values]


@torch.no_grad()
def golden_case(model, prompt):
    """Runs one prompt; also gives the smallest distance of the top two logits met."""
    ids = torch.tensor([prompt])
    output = model(ids, output_hidden_states=True, use_cache=False)
    logprobs = output.logits[0].log_softmax(-1)
    gaps = [top_gap(row) for row in output.logits[0]]
    tokens, token_logprobs = [], []
    for _ in range(GREEDY_TOKENS):
        row = model(ids, use_cache=False).logits[0, -1]
        gaps.append(top_gap(row))
        token = row.argmax().item()
        tokens.append(token)
        token_logprobs.append(row.log_softmax(-1)[token].item())
        ids = torch.cat([ids, torch.tensor([[token]])], dim=1)
    case = {
        "input_ids": prompt,
        "argmax": output.logits[0].argmax(-1).tolist(),
        "input_logprobs": [None]
        + rounded(logprobs[i - 1, prompt[i]].item() for i in range(1, len(prompt))),
        "output_ids": tokens,
        "output_logprobs": rounded(token_logprobs),
        "smallest_gap": float(f"{min(gaps):.3g}"),
        "hidden_states": [rounded(row) for row in output.hidden_states[-1][0].tolist()],
    }
    return case, min(gaps)


def top_gap(row):
    best = row.topk(2).values
    return (best[0] - best[1]).item()


def cases(folder, seed):
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    )
    model.eval()
    generator = torch.Generator().manual_seed(seed)
    found = []
    while len(found) < 2:
        prompt = torch.randint(
            2, COMMON["vocab_size"], (PROMPT_TOKENS + len(found),), generator=generator
        )
        case, gap = golden_case(model, prompt.tolist())
        if gap >= SMALLEST_GAP:
            found.append(case)
    return found


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=root / "tests/golden/models")
    args = parser.parse_args()
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    for number, name in enumerate(MODELS):
        folder = args.out / name
        write_model(name, folder, seed=100 + number)
        golden = {
            "tool": "transformers",
            "version": transformers.__version__,
            "torch": torch.__version__,
            "command": "scripts/make_model_goldens.py",
            "settings": "float32, eager attention, no KV cache",
            "cases": cases(folder, seed=200 + number),
        }
        (folder / "golden.json").write_text(json.dumps(golden) + "\n")
        print(
            name,
            [(c["smallest_gap"], len(set(c["output_ids"]))) for c in golden["cases"]],
            flush=True,
        )


if __name__ == "__main__":
    main()
