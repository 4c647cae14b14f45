"""From documents to instances."""

from __future__ import annotations

from hadaropt.errors import InstanceError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.io import instance_from_document
from hadaropt.io.documents import parse_json
from hadaropt.utility import Linear
from tests.instances_strategy import to_text
from tests.oracle import Json


def instance_of(document: Json) -> Instance:
    """Read an instance document the way a file is read."""
    return instance_from_document(parse_json(to_text(document), "drawn", InstanceError))


def duel() -> Instance:
    """Two equal jobs of one round each for one GPU: one of them waits, and the optimum is 4 + 3."""
    jobs = [Job(name, 0, 1, 1, {"V100": 1}, Linear(4, 1)) for name in "ab"]
    return Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2, round_seconds=1)
