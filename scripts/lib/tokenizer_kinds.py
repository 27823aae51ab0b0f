"""Small tokenizers of every kind, trained on text made here. Shared by check-tokenizers and
goldens/tokenizer. Needs the Python packages tokenizers (0.23.3 was used) and sentencepiece (0.2.3).
"""
import base64
import io
import json
import pathlib
import random
import tempfile

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers,
                        processors, trainers)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPACE = "\u2581"

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = (CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + BLANKS)
QWEN = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + BLANKS
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
GPT4O = (r"[^\r\n\p{L}\p{N}]?" + UPPER + "*" + LOWER + "+" + CONTRACTIONS + r"?|[^\r\n\p{L}\p{N}]?"
         + UPPER + "+" + LOWER + "*" + CONTRACTIONS + r"?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|"
         + BLANKS)
TEKKEN = (r"[^\r\n\p{L}\p{N}]?" + UPPER + "*" + LOWER + r"+|[^\r\n\p{L}\p{N}]?" + UPPER + "+" + LOWER
          + r"*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + BLANKS)


def read_strings():
    for line in (ROOT / "tests/data/tokenizer_strings.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "bytes_hex" in row:
            yield bytes.fromhex(row["bytes_hex"]).decode("utf-8", "replace")
        elif "repeat" in row:
            yield row["repeat"] * row["times"]
        else:
            yield row["text"]


def training_text():
    """Sentences of common words and of many scripts, so that there is something to merge."""
    words = ("the quick brown fox jumps over a lazy dog and then she said they would have been there "
             "before it was too late to read what makes a model def return import self int for in "
             "range print Straße élan naïve café über привет мир текст слово 你好 世界 中文 文字 "
             "こんにちは カタカナ 안녕하세요 세계 שלום مرحبا नमस्ते 12 345 2024 3.14 don't we'll I'm it's HTTP "
             "XML isn't , . ! ? ; : ( ) [ ] { } == -> // \" ' _ \n \t").split(" ")
    chooser = random.Random(5)
    lines = [" ".join(chooser.choices(words, k=14)) for _ in range(1500)]
    return lines + [text for text in read_strings() if len(text) < 400]


TEXT = training_text()
STRINGS = list(read_strings())


class Kind:
    """A tokenizer of the reference, and the file sglrun reads."""

    def __init__(self, name, reference, files):
        self.name, self.reference, self.files = name, reference, files


def from_library(name, tokenizer):
    return Kind(name, tokenizer, {"tokenizer.json": tokenizer.to_str()})


def special(text):
    return AddedToken(text, special=True, normalized=False)


def byte_level(name, pattern, normalizer=None, size=1200, ignore_merges=False, bos=None, digits=False):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tokenizer.normalizer = normalizer
    steps = [pre_tokenizers.Digits(individual_digits=True)] if digits else []
    if pattern:
        steps.append(pre_tokenizers.Split(Regex(pattern), behavior="isolated"))
    steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pattern))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tokenizer.add_special_tokens([special(t) for t in ("<|begin|>", "<|end|>", "<s>", "</s>")])
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False),
                          AddedToken("lazy", single_word=True, normalized=True),
                          AddedToken("<mask>", lstrip=True, rstrip=True, normalized=False)])
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", pair=f"{bos} $A {bos} $B",
            special_tokens=[(bos, tokenizer.token_to_id(bos))])
    return from_library(name, tokenizer)


def fallback_bpe(name, gemma, size=1500):
    """Llama 2 and Gemma: characters, byte tokens for those that are missing."""
    source = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    prepend = [] if gemma else [normalizers.Prepend(SPACE)]
    source.normalizer = normalizers.Sequence(prepend + [normalizers.Replace(" ", SPACE)])
    byte_tokens = [f"<0x{b:02X}>" for b in range(256)]
    if gemma:
        source.pre_tokenizer = pre_tokenizers.Split(" ", behavior="merged_with_previous")
    source.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<unk>", "<s>", "</s>"] + byte_tokens, limit_alphabet=150,
        max_token_length=12, show_progress=False))
    # The trainer marks its special tokens as added ones; the real files list three.
    file = json.loads(source.to_str())
    file["added_tokens"] = [t for t in file["added_tokens"] if t["content"] not in byte_tokens]
    tokenizer = Tokenizer.from_str(json.dumps(file))
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence(steps + ([] if gemma else [decoders.Strip(" ", 1, 0)]))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return from_library(name, tokenizer)


def charsmap(rule="nmt_nfkc"):
    """A character map of SentencePiece: the normalizer_spec of a model trained with it."""
    import sentencepiece as spm
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f g"] * 20), model_writer=model, vocab_size=20,
        normalization_rule_name=rule, hard_vocab_limit=False, minloglevel=2)
    return field(field(model.getvalue(), 3), 2)


def small_charsmap():
    """A character map of a few rules, which change, drop, split and join characters."""
    import sentencepiece as spm
    rules = {"\u00A0": " ", "\u3000": " ", "\t": " ", "\n": " ", "\u200B": "", "\u00AD": "",
             "\uFB01": "fi", "\u2460": "1", "e\u0301": "\u00E9", "A\u0300": "\u00C0", "\uFF21": "A",
             "\uFF71": "\u30A2", "\uFF76\uFF9E": "\u30AC", "\u2026": "...", "\u00DF": "ss"}
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as file:
        for before, after in rules.items():
            file.write("\t".join(" ".join(f"{ord(c):X}" for c in text)
                                 for text in (before, after)) + "\n")
        file.flush()
        model = io.BytesIO()
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c d e f g"] * 20), model_writer=model, vocab_size=20,
            normalization_rule_tsv=file.name, hard_vocab_limit=False, minloglevel=2)
    return field(field(model.getvalue(), 3), 2)


def field(message, wanted, otherwise=None):
    """The last field of that number in a protobuf message: bytes or a number."""
    found, pos = otherwise, 0

    def varint():
        nonlocal pos
        value = shift = 0
        while True:
            byte = message[pos]
            pos += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while pos < len(message):
        key = varint()
        wire = key & 7
        if wire == 0:
            value = varint()
        else:
            size = varint() if wire == 2 else {1: 8, 5: 4}[wire]
            value = message[pos:pos + size]
            pos += size
        if key >> 3 == wanted:
            found = value
    return found


def unigram(name, byte_fallback=False, normalizer=None, split=True, size=900):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizer or normalizers.Precompiled(charsmap())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=split)
    byte_tokens = [f"<0x{b:02X}>" for b in range(256)] if byte_fallback else []
    tokenizer.train_from_iterator(TEXT, trainers.UnigramTrainer(
        vocab_size=size + len(byte_tokens), special_tokens=["<pad>", "</s>", "<unk>"] + byte_tokens,
        unk_token="<unk>", show_progress=False))
    file = json.loads(tokenizer.to_str())
    file["model"]["byte_fallback"] = byte_fallback
    file["added_tokens"] = [t for t in file["added_tokens"] if t["content"] not in byte_tokens]
    # Leave some characters to the unknown token.
    rare = [i for i, (piece, _) in enumerate(file["model"]["vocab"]) if piece in "世界слжщüé"]
    for i in rare:
        file["model"]["vocab"][i][0] = f"[unused{i}]"
    tokenizer = Tokenizer.from_str(json.dumps(file))
    steps = [decoders.ByteFallback()] if byte_fallback else []
    tokenizer.decoder = decoders.Sequence(steps + [decoders.Metaspace()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    return from_library(name, tokenizer)


def word_piece(name, normalizer, pre_tokenizer, size=900, **options):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", **options))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    tokenizer.train_from_iterator(TEXT, trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        limit_alphabet=120, show_progress=False))
    file = json.loads(tokenizer.to_str())  # the trainer forgets the options of the model
    file["model"].update({"max_input_chars_per_word": 100, **options})
    tokenizer = Tokenizer.from_str(json.dumps(file))
    tokenizer.decoder = decoders.WordPiece(cleanup=options.get("max_input_chars_per_word") is None)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return from_library(name, tokenizer)


def word_level(name, normalizer=None, pre_tokenizer=None, decoder=None):
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    if decoder:
        tokenizer.decoder = decoder
    # Every word of the strings is a token, so that each border shows.
    tokenizer.train_from_iterator(TEXT + STRINGS, trainers.WordLevelTrainer(
        vocab_size=20000, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False))
    ends = [(text, tokenizer.token_to_id(text)) for text in ("</s>", "<s>")]
    tokenizer.post_processor = processors.Sequence(
        [processors.ByteLevel(), processors.RobertaProcessing(*ends)])
    return from_library(name, tokenizer)


def component_kinds():
    n, p, d = normalizers, pre_tokenizers, decoders
    for name, normalizer in [
            ("NFC", n.NFC()), ("NFD", n.NFD()), ("NFKC", n.NFKC()), ("NFKD", n.NFKD()),
            ("Lowercase", n.Lowercase()), ("StripAccents", n.Sequence([n.NFD(), n.StripAccents()])),
            ("Strip", n.Strip()), ("Strip-right", n.Strip(left=False)), ("Prepend", n.Prepend("_")),
            ("Replace", n.Replace(Regex(r"\s+"), " ")), ("Nmt", n.Nmt()), ("ByteLevel", n.ByteLevel()),
            ("Precompiled", n.Precompiled(charsmap())),
            ("Precompiled-cf", n.Precompiled(charsmap("nfkc_cf"))),
            ("Bert", n.BertNormalizer()),
            ("Bert-cased", n.BertNormalizer(lowercase=False, strip_accents=True)),
            ("Bert-plain", n.BertNormalizer(clean_text=False, handle_chinese_chars=False,
                                            strip_accents=False))]:
        yield lambda name=name, normalizer=normalizer: word_level(
            f"normalizer {name}", normalizer, p.CharDelimiterSplit(" "))
    behaviors = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
    for name, step in [
            ("BertPreTokenizer", p.BertPreTokenizer()), ("CharDelimiterSplit", p.CharDelimiterSplit("e")),
            ("Whitespace", p.Whitespace()), ("WhitespaceSplit", p.WhitespaceSplit()),
            ("UnicodeScripts", p.UnicodeScripts()), ("FixedLength", p.FixedLength(length=3)),
            ("Digits", p.Digits()), ("Digits-alone", p.Digits(individual_digits=True)),
            ("Metaspace", p.Metaspace()), ("Metaspace-first", p.Metaspace(prepend_scheme="first")),
            ("ByteLevel", p.ByteLevel()), ("ByteLevel-prefix", p.ByteLevel(use_regex=False)),
            ("Sequence", p.Sequence([p.UnicodeScripts(), p.Punctuation(), p.FixedLength(length=4)])),
            *[(f"Punctuation-{b}", p.Punctuation(behavior=b)) for b in behaviors],
            *[(f"Split-{b}", p.Split(" ", behavior=b)) for b in behaviors],
            *[(f"Split-invert-{b}", p.Split(Regex(r"\w+"), behavior=b, invert=True))
              for b in behaviors]]:
        yield lambda name=name, step=step: word_level(f"pre-tokenizer {name}", None, step)
    for name, decoder in [
            ("none", None), ("WordPiece", d.WordPiece(prefix="th", cleanup=True)),
            ("WordPiece-plain", d.WordPiece(prefix="##", cleanup=False)),
            ("BPEDecoder", d.BPEDecoder(suffix="s")), ("CTC", d.CTC(pad_token="a")),
            ("CTC-plain", d.CTC(pad_token="e", cleanup=False)), ("Fuse", d.Fuse()),
            ("ByteLevel", d.ByteLevel()), ("Metaspace", d.Metaspace("e")),
            ("Metaspace-never", d.Metaspace("e", prepend_scheme="never")),
            ("Strip", d.Strip("a", 1, 0)),
            ("Strip-right", d.Strip("a", 0, 1)), ("Replace", d.Replace(Regex("[aeiou]+"), "*")),
            ("Sequence", d.Sequence([d.Replace("a", " "), d.Fuse(), d.Strip(" ", 1, 0)]))]:
        yield lambda name=name, decoder=decoder: word_level(
            f"decoder {name}", None, p.FixedLength(length=2), decoder)


def token_bytes(tokenizer):
    """Token -> bytes of a byte-level vocabulary."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {chr(b): b for b in visible}
    letters.update({chr(256 + i): b
                    for i, b in enumerate(b for b in range(256) if b not in visible)})
    vocab = tokenizer.get_vocab(with_added_tokens=False)
    return {i: bytes(letters[c] for c in text)
            for text, i in sorted(vocab.items(), key=lambda item: item[1])}


def ranked(pattern, normalizer, offset, specials, bos):
    """What a list of ranked byte strings means: any two parts whose whole has a rank may merge."""
    trained = byte_level("", pattern, normalizer, size=900).reference
    ranks = {text: i for i, text in token_bytes(trained).items()}
    spell = {text: trained.id_to_token(i) for text, i in ranks.items()}
    merges = [(spell[text[:i]], spell[text[i:]]) for text in ranks for i in range(1, len(text))
              if text[:i] in ranks and text[i:] in ranks]
    vocab = {spell[text]: rank + offset for text, rank in ranks.items()}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=True))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
         pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    file = json.loads(tokenizer.to_str())
    file["added_tokens"] = [
        {"id": i, "content": text, "special": True, "normalized": False, "single_word": False,
         "lstrip": False, "rstrip": False} for text, i in specials(len(ranks)).items()]
    for token in file["added_tokens"]:
        file["model"]["vocab"][token["content"]] = token["id"]
    tokenizer = Tokenizer.from_str(json.dumps(file))
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, tokenizer.token_to_id(bos))])
    return tokenizer, ranks


def tiktoken_lines(ranks):
    return "".join(f"{base64.b64encode(text).decode()} {rank}\n" for text, rank in ranks.items())


def tiktoken_llama():
    names = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"]
    tokenizer, ranks = ranked(LLAMA3, None, 0, lambda n: {t: n + i for i, t in enumerate(names)},
                              names[0])
    config = {"bos_token": names[0], "eos_token": names[1], "added_tokens_decoder": {
        str(len(ranks) + i): {"content": t, "special": True} for i, t in enumerate(names)}}
    return Kind("tiktoken Llama 3", tokenizer, {
        "tokenizer.model": tiktoken_lines(ranks), "config.json": '{"model_type":"llama"}',
        "tokenizer_config.json": json.dumps(config)})


def tiktoken_qwen():
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer, ranks = ranked(QWEN, normalizers.NFC(), 0,
                              lambda n: {t: n + i for i, t in enumerate(names)}, None)
    return Kind("tiktoken Qwen", tokenizer, {
        "qwen.tiktoken": tiktoken_lines(ranks), "config.json": '{"model_type":"qwen"}'})


def tekken():
    names = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"]
    names += [f"<SPECIAL_{i}>" for i in range(len(names), 20)]
    tokenizer, ranks = ranked(TEKKEN, None, 20, lambda _: {t: i for i, t in enumerate(names)}, "<s>")
    entries = [{"rank": rank, "token_bytes": base64.b64encode(text).decode(), "token_str": None}
               for text, rank in ranks.items()]
    padding = [{"rank": len(ranks), "token_bytes": base64.b64encode(b"never").decode()}]
    return Kind("tekken", tokenizer, {"tekken.json": json.dumps({
        "config": {"pattern": TEKKEN, "num_vocab_tokens": len(ranks) + 1,
                   "default_vocab_size": len(ranks) + 20, "default_num_special_tokens": 20,
                   "version": "v3"},
        "vocab": entries + padding,
        "special_tokens": [{"rank": i, "token_str": t, "is_control": True}
                           for i, t in enumerate(names[:5])]})})


def vocab_and_merges(name, pattern, normalizer, tokenizer_class):
    trained = byte_level("", pattern, normalizer).reference
    model = json.loads(trained.to_str())["model"]
    tokenizer = Tokenizer(models.BPE(vocab=model["vocab"],
                                     merges=[tuple(pair) for pair in model["merges"]]))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer, tokenizer.decoder = trained.pre_tokenizer, trained.decoder
    tokenizer.add_special_tokens([special("<|endoftext|>")])
    merges = "#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in model["merges"])
    return Kind(name, tokenizer, {
        "vocab.json": json.dumps(model["vocab"]), "merges.txt": merges,
        "tokenizer_config.json": json.dumps({"tokenizer_class": tokenizer_class,
                                             "eos_token": "<|endoftext|>"})})


class SentencePieceReference:
    """The interface of a Tokenizer, by the sentencepiece library."""

    def __init__(self, model):
        import sentencepiece as spm
        self.processor = spm.SentencePieceProcessor(model_proto=model)
        self.unigram = field(field(model, 2, b""), 3, 1) == 1
        self.controls = {self.processor.id_to_piece(i) for i in range(len(self.processor))
                         if self.processor.is_control(i) or self.processor.is_unknown(i)}

    def ids(self, text, with_special):
        # The library alone knows no control symbols in text and stops at NUL.
        if "\0" in text or any(symbol in text for symbol in self.controls):
            return None
        return [self.processor.bos_id()] * with_special + self.processor.encode(text)

    def agree(self, wanted, got):
        """Ways of equal score are equally right: versions of the library choose differently."""
        def score(ids):
            return sum(self.processor.get_score(i) for i in ids)
        return wanted == got or (
            self.unigram and got is not None and abs(score(wanted) - score(got)) < 1e-3
            and self.processor.decode(wanted) == self.processor.decode(got))

    def text(self, ids, skip):
        return None


def sentencepiece_kind(name, **options):
    import sentencepiece as spm
    model = io.BytesIO()
    lines = [line for text in TEXT for line in text.split("\n") if line.strip() and "\0" not in line]
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=1000, hard_vocab_limit=False,
        minloglevel=2, **options)
    return Kind(name, SentencePieceReference(model.getvalue()), {"tokenizer.model": model.getvalue()})


def fixtures():
    """Those whose files and ids are kept in tests/, by their names there."""
    return {"llama3": byte_level("Llama 3", LLAMA3, ignore_merges=True, bos="<|begin|>", size=700),
            "gemma": fallback_bpe("Gemma", True, size=800),
            "unigram": unigram("Unigram", byte_fallback=True, size=500,
                               normalizer=normalizers.Precompiled(small_charsmap())),
            "bert": word_piece("BERT", normalizers.BertNormalizer(),
                               pre_tokenizers.BertPreTokenizer(), size=700)}


def trained_kinds():
    yield lambda: byte_level("Llama 3", LLAMA3, ignore_merges=True, bos="<|begin|>")
    yield lambda: byte_level("Qwen", QWEN, normalizers.NFC())
    yield lambda: byte_level("gpt-oss", GPT4O, ignore_merges=True)
    yield lambda: byte_level("Mistral tekken", TEKKEN, ignore_merges=True, bos="<s>")
    yield lambda: byte_level("SmolLM", None, digits=True)
    yield lambda: byte_level("GPT-2", None)
    yield lambda: fallback_bpe("Llama 2, Mistral 7B", False)
    yield lambda: fallback_bpe("Gemma", True)
    yield lambda: unigram("Unigram")
    yield lambda: unigram("Unigram with bytes", byte_fallback=True)
    yield lambda: unigram("Unigram, few rules", normalizer=normalizers.Precompiled(small_charsmap()))
    yield lambda: unigram("Unigram, one word", normalizer=normalizers.NFKC(), split=False)
    yield lambda: word_piece("WordPiece BERT", normalizers.BertNormalizer(),
                             pre_tokenizers.BertPreTokenizer())
    yield lambda: word_piece("WordPiece cased", normalizers.NFC(), pre_tokenizers.Whitespace(),
                             max_input_chars_per_word=9)
    yield tiktoken_llama
    yield tiktoken_qwen
    yield tekken
    yield lambda: vocab_and_merges("vocab.json GPT-2", None, None, "GPT2Tokenizer")
    yield lambda: vocab_and_merges("vocab.json Qwen2", QWEN, normalizers.NFC(), "Qwen2Tokenizer")
    yield lambda: sentencepiece_kind("SentencePiece BPE", model_type="bpe", byte_fallback=True,
                                     normalization_rule_name="identity",
                                     remove_extra_whitespaces=False)
    yield lambda: sentencepiece_kind("SentencePiece unigram", model_type="unigram")


