"""What is reachable: data that an object holds, not the program that it is part of."""

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from hadaropt.testing.reach import reachable


@dataclass(frozen=True, slots=True)
class Slots:
    held: object


class Attributes:
    def __init__(self, held):
        self.held = held

    def method(self):
        return self.held


MARK = Attributes("only in the globals of this module")


def reads_a_global():
    return MARK


def paths(held):
    """Objects that lead to ``held``, each in another way."""
    return {
        "items": [{"key": (held,)}],
        "slots": Slots(held),
        "attributes": Attributes(held),
        "proxy": MappingProxyType({1: held}),
        "bound method": Attributes(held).method,
        "closure": lambda: held,
        "default": (lambda own=held: own),
        "partial": partial(print, held),
        "generator": iter([held]),
    }


def test_data_is_reached_in_every_way():
    held = object()
    for name, root in paths(held).items():
        assert any(found is held for found in reachable([root])), name


def test_the_program_is_not_data():
    for root in (reads_a_global, Attributes, Slots(None), Attributes(None)):
        assert all(found is not MARK for found in reachable([root]))


def test_what_leads_to_itself_ends():
    ring = []
    ring.append(ring)
    assert [found for found in reachable([ring]) if isinstance(found, list)] == [ring]
