"""GGUF files with random weights in the shape of a known model, for comparisons where the model itself is not at hand."""

# From the published config.json of Qwen2.5-0.5B-Instruct and Llama-3.2-1B-Instruct.
SHAPES = {
    "qwen2.5-0.5b": {"arch": "qwen2", "hidden": 896, "layers": 24, "heads": 14, "kv_heads": 2, "ffn": 4864,
                     "vocab": 151936, "rope": 1e6, "eps": 1e-6, "bias": True},
    "llama-3.2-1b": {"arch": "llama", "hidden": 2048, "layers": 16, "heads": 32, "kv_heads": 8, "ffn": 8192,
                     "vocab": 128256, "rope": 5e5, "eps": 1e-5, "bias": False},
}
CONTEXT = 8192


def write_vocabulary(writer, size):
    """A byte-level one: the bytes, one merge, and words that no text spells."""
    import gguf

    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    tokens = [chr(b) for b in printable] + [chr(256 + i) for i in range(len(others))] + ["ab"]
    tokens += [f"<{i}>" for i in range(size - len(tokens))]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.NORMAL] * 257 + [gguf.TokenType.UNUSED] * (size - 257))
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(size - 1)
    writer.add_eos_token_id(size - 1)


def random_model(shape, target):
    """Writes `target`: bf16 matrices, normal with a standard deviation of 0.02; vectors of ones, biases of zeros."""
    import gguf
    import numpy

    s = SHAPES[shape]
    head_dim = s["hidden"] // s["heads"]
    writer = gguf.GGUFWriter(target, s["arch"])
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_BF16)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(s["hidden"])
    writer.add_block_count(s["layers"])
    writer.add_feed_forward_length(s["ffn"])
    writer.add_head_count(s["heads"])
    writer.add_head_count_kv(s["kv_heads"])
    writer.add_rope_freq_base(s["rope"])
    writer.add_rope_dimension_count(head_dim)
    writer.add_layer_norm_rms_eps(s["eps"])
    writer.add_vocab_size(s["vocab"])
    write_vocabulary(writer, s["vocab"])
    generator = numpy.random.default_rng(1)

    def matrix(name, rows, columns):
        values = generator.standard_normal((rows, columns), dtype=numpy.float32) * numpy.float32(0.02)
        halves = (values.view(numpy.uint32) >> 16).astype(numpy.uint16)
        writer.add_tensor(name, halves.view(numpy.uint8), raw_dtype=gguf.GGMLQuantizationType.BF16)

    def vector(name, size, value):
        writer.add_tensor(name, numpy.full(size, value, numpy.float32))

    kv_size = s["kv_heads"] * head_dim
    matrix("token_embd.weight", s["vocab"], s["hidden"])
    vector("output_norm.weight", s["hidden"], 1)
    for layer in range(s["layers"]):
        block = f"blk.{layer}"
        vector(f"{block}.attn_norm.weight", s["hidden"], 1)
        vector(f"{block}.ffn_norm.weight", s["hidden"], 1)
        for part, size in (("q", s["hidden"]), ("k", kv_size), ("v", kv_size)):
            matrix(f"{block}.attn_{part}.weight", size, s["hidden"])
            if s["bias"]:
                vector(f"{block}.attn_{part}.bias", size, 0)
        matrix(f"{block}.attn_output.weight", s["hidden"], s["hidden"])
        matrix(f"{block}.ffn_gate.weight", s["ffn"], s["hidden"])
        matrix(f"{block}.ffn_up.weight", s["ffn"], s["hidden"])
        matrix(f"{block}.ffn_down.weight", s["hidden"], s["ffn"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
