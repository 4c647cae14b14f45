"""Who runs in a round, and on which workers."""

from hadaropt.simulate.schedulers.gavel_reference.selection import place, select


def test_leftovers_are_filled_with_priority_0_except_under_fifo():
    ranked = {"v100": [(0, 2.0), (1, 0.0)]}
    scale, speeds = {0: 1, 1: 1}, {0: {"v100": 1.0}, 1: {"v100": 1.0}}
    both = select(["v100"], {"v100": 2}, ranked, scale, speeds, needs_priority=False)
    fifo = select(["v100"], {"v100": 2}, ranked, scale, speeds, needs_priority=True)
    assert both == [(0, "v100"), (1, "v100")]
    assert fifo == [(0, "v100")]


def test_larger_gangs_are_placed_first_and_keep_their_workers():
    workers = {"v100": range(2, 6)}
    scale = {0: 1, 1: 2}
    picks = [(0, "v100"), (1, "v100")]
    assert place(picks, scale, workers, {}) == {1: (2, 3), 0: (4,)}
    assert place(picks, scale, workers, {1: (4, 5), 0: (5,)}) == {1: (4, 5), 0: (2,)}
