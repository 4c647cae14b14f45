"""A runtime suite that was measured, made up."""

from __future__ import annotations


def measured(row, way, size, median, family="six-class", **facts):
    info = {"row": row, "work": "work", "family": family, "size": size, "way": way, **facts}
    return {"stats": {"median": median}, "extra_info": info}


FOUND = [
    measured("P8", "peer", 10, 0.5),
    measured("P1", "hadaropt", 40, 16.0, gap_percent=0.0),
    measured("P1", "hadaropt", 10, 1.0, gap_percent=1.5),
    measured("P1", "hadaropt", 20, 4.0, gap_percent=None),
    measured("P1", "peer", 10, 2.0),
    measured("P1", "peer", 20, 99.0, seconds=10.0),
]
