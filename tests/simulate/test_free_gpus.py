"""Searches by distinct rows find what a search over all nodes finds."""

import random

from hadaropt.instance import Cluster
from hadaropt.simulate.free_gpus import FreeGpus


def test_the_first_node_of_the_least_key_is_found_whatever_was_taken_and_given_back():
    draw = random.Random(5)
    kinds = [(4, 0), (0, 4), (2, 2)]
    rows = [draw.choice(kinds) for _ in range(12)]
    cluster = Cluster(("a", "b"), tuple(f"n{h}" for h in range(12)), tuple(rows))
    free, listed, taken = FreeGpus(cluster), [list(row) for row in rows], []
    for _ in range(400):
        least = draw.randint(1, 4)
        found = free.first(lambda row, least=least: sum(row) if sum(row) >= least else None)
        fitting = [h for h, row in enumerate(listed) if sum(row) >= least]
        assert found == min(fitting, key=lambda h: (sum(listed[h]), h), default=None)
        if found is None or (taken and draw.random() < 0.4):
            placement = taken.pop(draw.randrange(len(taken)))
            free.take(placement, back=True)
            for h, r, count in placement:
                listed[h][r] += count
            continue
        r = draw.choice([r for r in range(2) if listed[found][r]])
        placement = ((found, r, draw.randint(1, listed[found][r])),)
        free.take(placement)
        taken.append(placement)
        listed[found][r] -= placement[0][2]
        assert free.rows == [tuple(row) for row in listed]


def test_no_row_is_looked_at_twice_however_many_nodes_have_it():
    cluster = Cluster(("a",), tuple(f"n{h}" for h in range(5000)), ((8,),) * 5000)
    free, looked = FreeGpus(cluster), []
    for _ in range(20):
        looked.clear()
        h = free.first(lambda row: looked.append(row) or (-row[0] if row[0] else None))
        free.take(((h, 0, 3),))
        assert len(looked) == len(set(looked)) <= 3
