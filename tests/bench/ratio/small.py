"""A suite of eight cells."""

from hadaropt.bench.ratio.suite import RatioSuite

SMALL = RatioSuite(
    families=("small_uniform", "adversarial_price"),
    policies=("primal_dual:zero_start", "fifo"),
    seeds=1,
    parallelism=("single_type", "mixed"),
    jobs=5,
    rounds=5,
)
