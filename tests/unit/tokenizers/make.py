#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Makes a small tokenizer of every kind and, for 2,000 texts for each kind, the hashes of the ids that the reference
# libraries give. It is run by hand in a virtual environment with `pip install tokenizers sentencepiece gguf`. `make
# test` reads the results: KIND/tokenizer.json or KIND.gguf, and KIND.hashes with one line of 8 hexadecimal digits for
# each text.
# usage: make.py TEXTFILE...   the texts from which the vocabularies are trained (valid.txt of the shipped model)
import io
import json
import pathlib
import sys

import gguf
import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

here = pathlib.Path(__file__).parent
MASK = (1 << 64) - 1
TEXTS, VOCAB = 2000, 420
ATOMS = json.loads((here / "atoms.json").read_text())
MARK = "\u2581"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
          r"\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def text(index):  # makes the same texts as test_tokenizers.c
    count = splitmix(index << 16) % 13
    return "".join(ATOMS[splitmix((index << 16) + 1 + k) % len(ATOMS)] for k in range(count))


# Returns the hash of the ids: FNV-1a with 64 bits, whose halves are combined by XOR.
def digest(ids):
    h = 0xCBF29CE484222325
    for i in ids:
        for byte in int(i).to_bytes(4, "little"):
            h = ((h ^ byte) * 0x100000001B3) & MASK
    return f"{(h ^ h >> 32) & 0xFFFFFFFF:08x}"


def save_hashes(kind, encode):
    (here / f"{kind}.hashes").write_text("".join(digest(encode(text(i))) + "\n" for i in range(TEXTS)))


def stage(expression):
    return pre_tokenizers.Split(Regex(expression), "isolated")


def level(regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)


# Byte-level tokenizers: normalizer, splitting, and `whole`. If `whole` is true, a word that is a token is taken without
# merges (ignore_merges), and <|endoftext|> is put in front of a text.
BYTES = {
    "gpt2": (None, level(True), False),
    "smollm": (None, pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), level(True)]), False),
    "llama3": (None, pre_tokenizers.Sequence([stage(LLAMA3), level(False)]), True),
    "qwen2": (normalizers.NFC(), pre_tokenizers.Sequence([stage(QWEN2), level(False)]), False),
}
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


# Returns the tokenizer.json of a byte-level tokenizer, trained on the files.
def byte_level(kind, files):
    normalizer, splitting, whole = BYTES[kind]
    t = Tokenizer(models.BPE())
    if normalizer:
        t.normalizer = normalizer
    t.pre_tokenizer, t.decoder = splitting, decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCAB, special_tokens=SPECIALS, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    t.train(files, trainer)
    t.add_tokens(["  \n"])  # an added token that is not special
    if whole:
        t.post_processor = processors.TemplateProcessing("<|endoftext|> $A", "<|endoftext|> $A $B",
                                                         [("<|endoftext|>", t.token_to_id("<|endoftext|>"))])
    doc = json.loads(t.to_str())
    doc["model"]["ignore_merges"] = whole
    if whole:  # a token that no merge makes, followed by the added token
        doc["model"]["vocab"]["\u0120upon\u0120a"] = VOCAB
        doc["added_tokens"][-1]["id"] = VOCAB + 1
    return doc


# Returns the tokenizer.json of a tokenizer of characters, in which an unknown character becomes tokens of its bytes.
def characters(kind, files):
    t = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    marks = normalizers.Replace(" ", MARK)
    t.normalizer = {"llama2": normalizers.Sequence([normalizers.Prepend(MARK), marks]), "gemma": marks,
                    "metaspace": None}[kind] or normalizers.Sequence([])
    words = pre_tokenizers.Metaspace(MARK, prepend_scheme="first", split=True)
    t.pre_tokenizer = words
    fallback = [f"<0x{b:02X}>" for b in range(256)]
    t.train(files, trainers.BpeTrainer(vocab_size=VOCAB + 256, special_tokens=["<unk>", "<s>", "</s>"] + fallback,
                                       show_progress=False, limit_alphabet=90))
    doc = json.loads(t.to_str())
    doc["added_tokens"] = [a for a in doc["added_tokens"] if not a["content"].startswith("<0x")]
    if kind != "metaspace":
        doc["pre_tokenizer"] = None
    if kind == "gemma":
        doc["pre_tokenizer"] = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
                                "invert": False}
    doc["post_processor"] = json.loads(processors.TemplateProcessing("<s> $A", None, [("<s>", 1)]).__getstate__())
    return doc


# Writes KIND/tokenizer.json and the hashes of its ids.
def save_json(kind, doc):
    (here / kind).mkdir(exist_ok=True)
    raw = json.dumps(doc, ensure_ascii=False, separators=(",", ":"))
    (here / kind / "tokenizer.json").write_text(raw)
    t = Tokenizer.from_str(raw)
    save_hashes(kind, lambda s: t.encode(s, add_special_tokens=False).ids)


# Writes KIND.gguf. pre: name of the splitting, or None. types: 1 normal, 2 unknown, 3 control, 4 user-defined, 6 byte.
# rest: further methods of GGUFWriter, with their arguments.
def save_gguf(kind, model, pre, tokens, types, **rest):
    w = gguf.GGUFWriter(here / f"{kind}.gguf", "llama")
    w.add_tokenizer_model(model)
    if pre:
        w.add_tokenizer_pre(pre)
    w.add_token_list(tokens)
    w.add_token_types(types)
    for key, value in rest.items():
        getattr(w, key)(value)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.close()


# Saves the tokenizer of llama3/tokenizer.json as a GGUF file. Its ids must have the hashes of llama3.hashes.
def gguf_byte_level(doc):
    vocab = dict(doc["model"]["vocab"])
    special = {a["content"]: a["special"] for a in doc["added_tokens"]}
    vocab.update({a["content"]: a["id"] for a in doc["added_tokens"]})
    tokens = sorted(vocab, key=vocab.get)
    types = [3 if special.get(t) else 4 if t in special else 1 for t in tokens]
    merges = [m if isinstance(m, str) else " ".join(m) for m in doc["model"]["merges"]]
    save_gguf("llama_bpe", "gpt2", "llama-bpe", tokens, types, add_token_merges=merges, add_bos_token_id=0,
              add_eos_token_id=0)


# Trains a SentencePiece model and writes KIND.gguf and its hashes. prefix: a text gets a space in front.
def sentences(kind, prefix, files):
    model = io.BytesIO()
    lines = [s for f in files for s in pathlib.Path(f).read_text().splitlines() if s]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=VOCAB + 256, model_type="bpe", byte_fallback=True,
        add_dummy_prefix=prefix, remove_extra_whitespaces=False, normalization_rule_name="identity",
        character_coverage=0.999, user_defined_symbols=["\n\n", "<tool>"], split_digits=True, minloglevel=2)
    sp = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    ids = range(sp.vocab_size())
    types = [2 if sp.is_unknown(i) else 3 if sp.is_control(i) else 6 if sp.is_byte(i) else
             4 if sp.id_to_piece(i) in ("\n\n", "<tool>") else 1 for i in ids]
    save_gguf(kind, "llama", None, [sp.id_to_piece(i) for i in ids], types,
              add_token_scores=[sp.get_score(i) for i in ids], add_bos_token_id=1, add_eos_token_id=2,
              add_unk_token_id=0, add_add_space_prefix=prefix)
    save_hashes(kind, lambda s: sp.encode(s))


files = sys.argv[1:]
for kind in BYTES:
    doc = byte_level(kind, files)
    save_json(kind, doc)
    if kind == "llama3":
        gguf_byte_level(doc)
for kind in ("llama2", "gemma", "metaspace"):
    save_json(kind, characters(kind, files))
sentences("sentencepiece", True, files)
sentences("sentencepiece_bare", False, files)
