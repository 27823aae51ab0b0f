"""GGUF files of other types from one GGUF file, with the gguf package: the peers' own formats of the same weights."""


def convert(source, target, kind):
    """Writes every matrix of `source` as `kind` (BF16, F16, Q8_0, Q4_0); vectors become float32, as llama.cpp's converter
    writes them. Of Q4_0 the vocabulary stays Q8_0, as llama.cpp's quantiser leaves it finer too."""
    import gguf
    import numpy

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.get_field("general.architecture").contents())
    file_types = {"BF16": gguf.LlamaFileType.MOSTLY_BF16, "F16": gguf.LlamaFileType.MOSTLY_F16,
                  "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0, "Q4_0": gguf.LlamaFileType.MOSTLY_Q4_0}
    writer.add_file_type(file_types[kind])
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type", "general.quantization_version"):
            continue
        value_type = field.types[0]
        element = field.types[-1] if value_type == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), value_type, element)
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
        if values.ndim == 1:
            writer.add_tensor(tensor.name, values)
            continue
        finer = kind == "Q4_0" and tensor.name in ("token_embd.weight", "output.weight")
        quant = gguf.GGMLQuantizationType["Q8_0" if finer else kind]
        writer.add_tensor(tensor.name, gguf.quantize(values, quant), raw_dtype=quant)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
