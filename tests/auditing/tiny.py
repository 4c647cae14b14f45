"""Pools small enough to enumerate."""

from __future__ import annotations

import random

from tests.auditing.brute import Asked


def tiny(seed: int) -> tuple[list[Asked], int]:
    draw = random.Random(seed)
    gpus = draw.randint(1, 4)
    jobs = [
        (draw.randint(0, 5), draw.randint(1, 4), draw.randint(1, gpus))
        for _ in range(draw.randint(1, 4))
    ]
    return jobs, gpus
