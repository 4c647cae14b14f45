"""From documents to instances."""

from __future__ import annotations

from hadaropt.errors import InstanceError
from hadaropt.instance import Instance
from hadaropt.io import instance_from_document
from hadaropt.io.documents import parse_json
from tests.instances_strategy import to_text
from tests.oracle import Json


def instance_of(document: Json) -> Instance:
    """Read an instance document the way a file is read."""
    return instance_from_document(parse_json(to_text(document), "drawn", InstanceError))
