"""Readers of traces on mutated files: refused with a place, or every row kept or counted."""

from __future__ import annotations

import gzip
import random
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from hadaropt.traces import Trace, TraceError, read_trace

EDGE = Path(str(files("hadaropt.traces") / "edge"))
FIELDS = (
    *(
        "",
        "0",
        "1",
        "-1",
        "0.5",
        "4.0",
        "1e2",
        "1e999",
        "nan",
        "None",
        "inf",
        "-5",
        "250",
        "9" * 401,
    ),
    *(
        "2020-04-01 00:00:00",
        "0001-01-01 00:00:00+23:59",
        "$x$",
        "\N{RIGHT-TO-LEFT OVERRIDE}",
        "\x0c",
    ),
    *("\u2028", "\ufeff", "; comment", '"', "Terminated", "2 3", "\0"),
)
NOISE = (
    b"\x00",
    b"\xff",
    b"\xe9",
    b"\x0c",
    b"\r",
    b"\n",
    b"\t",
    b",",
    b";",
    b'"',
    b"\xef\xbb\xbf",
    b"\x1a",
)


def _lines(raw: bytes) -> list[bytes]:
    return raw.splitlines(keepends=True) or [b""]


def repeat_a_line(raw: bytes, rng: random.Random) -> bytes:
    """Let one line stand twice."""
    lines = _lines(raw)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return b"".join(lines)


def lose_a_line(raw: bytes, rng: random.Random) -> bytes:
    """Remove one line."""
    lines = _lines(raw)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def change_a_field(raw: bytes, rng: random.Random) -> bytes:
    """Replace one field by one that is odd."""
    lines = _lines(raw)
    k = rng.randrange(len(lines))
    mark = b"\t" if b"\t" in lines[k] else b"," if b"," in lines[k] else b" "
    body = lines[k].rstrip(b"\r\n")
    parts = body.split(mark)
    parts[rng.randrange(len(parts))] = rng.choice(FIELDS).encode()
    lines[k] = mark.join(parts) + lines[k][len(body) :]
    return b"".join(lines)


def add_noise(raw: bytes, rng: random.Random) -> bytes:
    """Insert bytes that files carry by accident."""
    place = rng.randrange(len(raw) + 1)
    return raw[:place] + rng.choice(NOISE) + raw[place:]


def cut_short(raw: bytes, rng: random.Random) -> bytes:
    """Keep a beginning."""
    return raw[: rng.randrange(len(raw) + 1)]


def change_line_ends(raw: bytes, rng: random.Random) -> bytes:
    """End lines in another way."""
    return raw.replace(b"\r\n", b"\n").replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n")))


def recode(raw: bytes, rng: random.Random) -> bytes:
    """Write the text in another encoding."""
    text = raw.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "utf-16-le", "latin-1", "utf-8-sig")), "replace")


def pack(raw: bytes, rng: random.Random) -> bytes:
    """Compress the file, perhaps not to its end."""
    packed = gzip.compress(raw, mtime=0)
    return packed if rng.random() < 0.5 else packed[: rng.randrange(len(packed))]


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(change_a_field, change_a_field, change_a_field, repeat_a_line, repeat_a_line),
    *(lose_a_line, add_noise, cut_short, change_line_ends, recode, pack),
)


def judge(trace: Trace) -> None:
    """Check what holds of every trace that was read."""
    assert trace.rows == len(trace.jobs) + sum(trace.dropped.values())
    assert all(count > 0 for count in trace.dropped.values())
    names = [job.name for job in trace.jobs]
    assert len(set(names)) == len(names)
    submits = [job.submit_seconds for job in trace.jobs]
    assert submits == sorted(submits) and (not submits or submits[0] == 0)
    for job in trace.jobs:
        assert job.num_gpus >= 1 and job.weight > 0
        assert job.duration_seconds is None or job.duration_seconds > 0
        assert job.iterations is None or job.iterations >= 1


def check(rng: random.Random) -> None:
    """Mutate one of the small files of the formats and read it.

    Raises
    ------
    AssertionError
        If a trace breaks what holds of all; any other exception that a reader must not raise.
    """
    path = rng.choice(sorted(EDGE.iterdir()))
    raw = path.read_bytes()
    for _ in range(rng.choice((1, 1, 2, 4))):
        raw = rng.choice(MUTATIONS)(raw, rng)
    suffix = rng.choice((path.suffix, path.suffix, ".gz"))
    with tempfile.TemporaryDirectory() as folder:
        mutant = Path(folder) / f"mutant{suffix}"
        mutant.write_bytes(raw)
        try:
            trace = read_trace(mutant)
        except TraceError as refused:
            assert str(refused).strip()
            return
    judge(trace)
