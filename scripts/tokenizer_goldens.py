#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/*.jsonl: the ids that the reference libraries give for every line of
tests/data/tokenizer_strings.jsonl.

    scripts/tokenizer_goldens.py sample              samples/model/tokenizer.json, by tokenizers
    scripts/tokenizer_goldens.py sentencepiece       tests/data/tokenizer_spm.model, by sentencepiece
    scripts/tokenizer_goldens.py smollm2 FILE.gguf [--tokenizer-json DIR]
                                                     the vocabulary of the GGUF file, by tokenizers;
                                                     DIR gets the same as a tokenizer.json
    scripts/tokenizer_goldens.py train-sentencepiece makes tests/data/tokenizer_spm.model anew
    scripts/tokenizer_goldens.py kinds               tests/data/tokenizers/*.json, trained anew, by
                                                     tokenizers

Needs the Python packages tokenizers (0.23.3 was used), sentencepiece (0.2.3) and gguf (0.19.0).
A line of a golden is {"id", "ids"}, or {"id", "count", "fnv1a"} where the ids are many: FNV-1a, 64 bit,
over the ids as little-endian 32-bit numbers. "decoded" is the FNV-1a of the text that the ids decode to.
"""
import argparse
import io
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STRINGS = ROOT / "tests/data/tokenizer_strings.jsonl"
GOLDENS = ROOT / "tests/golden/tokenizer"
SPM = ROOT / "tests/data/tokenizer_spm.model"
TOKENIZERS = ROOT / "tests/data/tokenizers"
MAX_IDS = 120  # longer rows are hashed


def read_strings():
    for line in STRINGS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "bytes_hex" in row:
            text = bytes.fromhex(row["bytes_hex"]).decode("utf-8", "replace")
        elif "repeat" in row:
            text = row["repeat"] * row["times"]
        else:
            text = row["text"]
        yield row["id"], text


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def write(name, encode, decode=None):
    GOLDENS.mkdir(parents=True, exist_ok=True)
    with open(GOLDENS / f"{name}.jsonl", "w", encoding="utf-8") as out:
        for key, text in read_strings():
            ids = encode(text)
            row = {"id": key, "ids": ids}
            if len(ids) > MAX_IDS:
                hashed = fnv1a(b"".join(i.to_bytes(4, "little") for i in ids))
                row = {"id": key, "count": len(ids), "fnv1a": hashed}
            if decode:
                row["decoded"] = fnv1a(decode(ids).encode("utf-8"))
            out.write(json.dumps(row, separators=(",", ":")) + "\n")


def sample(_):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(ROOT / "samples/model/tokenizer.json"))
    write("sample", lambda text: tokenizer.encode(text).ids)


def smollm2(args):
    import gguf
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    fields = gguf.GGUFReader(args.file).fields
    tokens, types, merges = (fields[f"tokenizer.ggml.{key}"].contents()
                             for key in ("tokens", "token_type", "merges"))
    model = models.BPE(vocab={text: i for i, text in enumerate(tokens)},
                       merges=[tuple(merge.split(" ")) for merge in merges])
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True),
         pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    control = 3
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False)
                                  for text, kind in zip(tokens, types) if kind == control])
    if args.tokenizer_json:
        folder = pathlib.Path(args.tokenizer_json)
        folder.mkdir(parents=True, exist_ok=True)
        tokenizer.save(str(folder / "tokenizer.json"))
    write("smollm2", lambda text: tokenizer.encode(text).ids)


def kinds(_):
    import tokenizer_kinds
    TOKENIZERS.mkdir(parents=True, exist_ok=True)
    for name, kind in tokenizer_kinds.fixtures().items():
        text = json.dumps(json.loads(kind.files["tokenizer.json"]), ensure_ascii=False,
                          separators=(",", ":"))
        (TOKENIZERS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        write(name, lambda text, kind=kind: kind.reference.encode(text).ids,
              lambda ids, kind=kind: kind.reference.decode(ids, skip_special_tokens=False))


def sentencepiece(_):
    import sentencepiece as spm
    processor = spm.SentencePieceProcessor(model_file=str(SPM))
    # The library alone knows no control symbols in text and stops at NUL; those lines are left to
    # other tests.
    def encode(text):
        if any(symbol in text for symbol in ("<s>", "</s>", "<unk>", "\0")):
            return []
        return [processor.bos_id()] + processor.encode(text)
    write("sentencepiece", encode)


def train_sentencepiece(_):
    import sentencepiece as spm
    lines = [line for _, text in read_strings() for line in text.split("\n")
             if line.strip() and "\0" not in line and len(line) < 300]
    words = ("the quick brown fox jumps over a lazy dog and then she said that they would have been "
             "there before it was too late to make the model read the text of the file").split()
    chooser = random.Random(3)
    lines += [" ".join(chooser.choices(words, k=12)) for _ in range(300)]
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, model_type="bpe", vocab_size=700,
        byte_fallback=True, character_coverage=0.98, normalization_rule_name="identity",
        remove_extra_whitespaces=False, user_defined_symbols=["<tool>"], minloglevel=2,
        max_sentence_length=9999)
    SPM.write_bytes(model.getvalue())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in (("sample", sample), ("sentencepiece", sentencepiece),
                           ("train-sentencepiece", train_sentencepiece), ("kinds", kinds)):
        commands.add_parser(name).set_defaults(run=function)
    command = commands.add_parser("smollm2")
    command.add_argument("file")
    command.add_argument("--tokenizer-json")
    command.set_defaults(run=smollm2)
    args = parser.parse_args()
    try:
        args.run(args)
    except ImportError as missing:
        print(f"skipped: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
