"""``python -m tests.fuzz --seconds 300 [--target NAME] [--seed N] [--atheris]``.

With ``--atheris`` (pip install atheris) the inputs are chosen by coverage, one target at a time.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.mutate import mutate
from tests.fuzz.run import for_seconds, fuzz
from tests.fuzz.targets import TARGETS, Target, seed_bytes, try_bytes


def main() -> int:
    """Run; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("fuzz-finds"), help="folder for finds")
    parser.add_argument("--atheris", action="store_true", help="choose inputs by coverage")
    options = parser.parse_args()
    targets = [TARGETS[name] for name in options.target or TARGETS]
    if options.atheris:
        if len(targets) != 1:
            parser.error("--atheris takes exactly one --target")
        guided(targets[0], int(options.seconds), options.seed, options.out)
    found = 0
    for target in targets:
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            condition = for_seconds(options.seconds / len(targets))
            report = fuzz(target, options.seed, Path(folder), condition)
            seconds = time.monotonic() - started
        print(f"{target.name}: {dict(report.verdicts)} in {seconds:.0f} s", flush=True)
        files = report.save(options.out) if report.finds else []
        for name, file in zip(report.finds, files, strict=True):
            print(f"  FOUND {name}\n        {file}", flush=True)
        found += len(files)
    return 1 if found else 0


def guided(target: Target, seconds: int, seed: int, out: Path) -> None:
    """Let atheris choose the inputs; it stops at the first find and leaves the process."""
    import atheris

    folder = Path(tempfile.mkdtemp())
    corpus = folder / "corpus"
    corpus.mkdir()
    for i, data in enumerate(seed_bytes(target)):
        (corpus / str(i)).write_bytes(data)

    def one_input(data: bytes) -> None:
        try_bytes(target, data, folder)

    def change(data: bytes, limit: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < 0.2:
            return bytes(atheris.Mutate(data, limit))
        return mutate(data, rng)[:limit]

    out.mkdir(parents=True, exist_ok=True)
    atheris.instrument_all()
    flags = [f"-max_total_time={seconds}", f"-seed={seed + 1}", "-max_len=20000", "-timeout=30"]
    arguments = [sys.argv[0], *flags, f"-artifact_prefix={out}/", str(corpus)]
    atheris.Setup(arguments, one_input, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
