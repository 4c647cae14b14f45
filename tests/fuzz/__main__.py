"""``python -m tests.fuzz --seconds 300 [--target NAME] [--seed N] [--atheris]``.

With ``--atheris`` (pip install atheris) the inputs of one target are chosen by coverage.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

NAMES = ("instance", "workload", "schedule", "certificate")


def main() -> int:
    """Run; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--target", choices=NAMES, action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("fuzz-finds"), help="folder for finds")
    parser.add_argument("--atheris", action="store_true", help="choose inputs by coverage")
    options = parser.parse_args()
    names = options.target or list(NAMES)
    if not options.atheris:
        return blind(names, options.seconds, options.seed, options.out)
    if len(names) != 1:
        parser.error("--atheris takes exactly one --target")
    guided(names[0], int(options.seconds), options.seed, options.out)
    return 0


def blind(names: list[str], seconds: float, seed: int, out: Path) -> int:
    """Try mutations of the seeds, target by target."""
    from tests.fuzz.run import for_seconds, fuzz
    from tests.fuzz.targets import TARGETS

    found = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            report = fuzz(TARGETS[name], seed, Path(folder), for_seconds(seconds / len(names)))
            took = time.monotonic() - started
        print(f"{name}: {dict(report.verdicts)} in {took:.0f} s", flush=True)
        files = report.save(out) if report.finds else []
        for find, file in zip(report.finds, files, strict=True):
            print(f"  FOUND {find}\n        {file}", flush=True)
        found += len(files)
    return 1 if found else 0


def guided(name: str, seconds: int, seed: int, out: Path) -> None:
    """Let atheris choose the inputs; at the first find it writes the input and exits."""
    import atheris

    with atheris.instrument_imports(include=["hadaropt"]):
        from tests.fuzz.targets import TARGETS, seed_bytes, try_bytes
    from tests.fuzz.mutate import mutate

    folder = Path(tempfile.mkdtemp())
    corpus = folder / "corpus"
    corpus.mkdir()
    for i, data in enumerate(seed_bytes(TARGETS[name])):
        (corpus / str(i)).write_bytes(data)

    def one_input(data: bytes) -> None:
        try_bytes(TARGETS[name], data, folder)

    def change(data: bytes, limit: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < 0.2:
            return bytes(atheris.Mutate(data, limit))
        return mutate(data, rng)[:limit]

    out.mkdir(parents=True, exist_ok=True)
    flags = [f"-max_total_time={seconds}", f"-seed={seed + 1}", "-max_len=20000", "-timeout=30"]
    arguments = [sys.argv[0], *flags, f"-artifact_prefix={out}/", str(corpus)]
    atheris.Setup(arguments, one_input, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
