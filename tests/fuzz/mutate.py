"""Mutations of JSON documents: of their structure, of their numbers, and of their bytes."""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
from collections.abc import Callable
from typing import Any

Json = Any
Place = tuple[Any, Any]
"""(container, key)."""

RAW = "\u241f"
"""Marks text that is written without quotes."""

STRINGS = (
    "", "0", "-0", "-1", "1/3", "1/0", "0/0", "-7/2", " 1", "1_0", "0x10", "NaN", "inf", "1e9",
    "1e-9", "1e400", "1e-400", "1e999999999", "9" * 5000, "1/" + "9" * 5000, "a", "V100", "K80",
    "n0", "type", "node", "L0", "L1", "L2", "mixed", "forked", "\x00", "ü", "\U0001f600", "\ud800",
    "٣", "½", "1.", ".5", "+1", "1e", "--1", "a" * 3000,
)  # fmt: skip
LITERALS = (
    "0", "-0", "1", "-1", "2.0", "2.5", "1e3", "1E+3", "1e400", "1e-400", "1e999999999", "NaN",
    "Infinity", "-Infinity", "9223372036854775808", "9" * 5000, "1.00000000000000000001", "01",
    "true", "null", "[]", "{}", "[[]]", '{"a": 1, "a": 2}',
)  # fmt: skip


def places(document: Json) -> list[Place]:
    """Return every place of a document that holds a value."""
    found: list[Place] = []
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            keys: Any = list(value)
        elif isinstance(value, list):
            keys = range(len(value))
        else:
            continue
        for key in keys:
            found.append((value, key))
            stack.append(value[key])
    return found


def _replace(rng: random.Random, box: Any, key: Any) -> None:
    box[key] = rng.choice(STRINGS) if rng.random() < 0.5 else RAW + rng.choice(LITERALS) + RAW


def _number(rng: random.Random, box: Any, key: Any) -> None:
    old = box[key]
    if isinstance(old, int) and not isinstance(old, bool):
        box[key] = old + rng.choice((-1, 1, 10**6, -(10**6), old))
    elif isinstance(old, str) and re.fullmatch(r"-?\d+(/\d+)?", old):
        box[key] = rng.choice((f"-{old}", f"{old}0", f"{old}/3", old.rstrip("0") or "0", old[:-1]))
    else:
        _replace(rng, box, key)


def _delete(rng: random.Random, box: Any, key: Any) -> None:
    del box[key]


def _repeat(rng: random.Random, box: Any, key: Any) -> None:
    if isinstance(box, list):
        box.insert(rng.randrange(len(box) + 1), copy.deepcopy(box[key]))
    else:
        box[f"{key}{rng.choice(('', ' ', '2'))}"] = copy.deepcopy(box[key])


def _rename(rng: random.Random, box: Any, key: Any) -> None:
    if isinstance(box, dict):
        box[rng.choice(STRINGS)] = box.pop(key)
    else:
        rng.shuffle(box)


def _nest(rng: random.Random, box: Any, key: Any) -> None:
    value = box[key]
    for _ in range(rng.choice((1, 2, 50))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    box[key] = value


STEPS: tuple[Callable[[random.Random, Any, Any], None], ...] = (
    _replace, _replace, _number, _number, _delete, _repeat, _rename, _nest,
)  # fmt: skip


def mutate_document(document: Json, rng: random.Random) -> Json:
    """Return a document with one to four changes."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        spots = places(document)
        if not spots:
            break
        box, key = rng.choice(spots)
        if rng.random() < 0.15:  # exchange two values
            other, index = rng.choice(spots)
            box[key], other[index] = copy.deepcopy(other[index]), copy.deepcopy(box[key])
        else:
            rng.choice(STEPS)(rng, box, key)
    return document


def to_bytes(document: Json) -> bytes:
    """Return JSON text; marked strings are written as they are."""
    text = json.dumps(document, ensure_ascii=False)
    text = re.sub(f'"{RAW}(.*?){RAW}"', lambda m: json.loads(f'"{m[1]}"'), text)
    return text.encode("utf-8", "surrogatepass")


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with one to three local changes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        i = rng.randrange(len(data) + 1)
        k = min(len(data), i + rng.choice((0, 1, 1, 2, 8, 64)))
        part = rng.choice(
            (
                b"",
                bytes([rng.randrange(256)]),
                data[i:k] * 2,
                rng.choice((b'"', b"{", b"[", b"]", b",", b":", b"\\u", b"\xff", b"\xef\xbb\xbf")),
                b"[" * 3000,
            )
        )
        data = data[:i] + part + data[k:]
        if rng.random() < 0.1:
            data = data[: rng.randrange(len(data) + 1)]
    return data


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Return a change of some input: structural where it is JSON, else of its bytes."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_bytes(data, rng)
    if rng.random() < 0.2:
        data = mutate_bytes(data, rng)
    else:
        data = to_bytes(mutate_document(document, rng))
    if rng.random() < 0.03:
        data = gzip.compress(data, mtime=0)
        data = data if rng.random() < 0.5 else mutate_bytes(data, rng)
    return data
