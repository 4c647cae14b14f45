"""Whom the ratio suite compares, and on what, unless told; imports nothing, so that help can."""

from __future__ import annotations

DEFAULT_FAMILIES = (
    "small_uniform",
    "gavel_like",
    "philly_like",
    "measured_rates",
    "adversarial_price",
)
DEFAULT_POLICIES = (
    "primal_dual:zero_start",
    "primal_dual:exponential",
    "primal_dual:exponential_paper",
    "primal_dual:telescoped",
    "primal_dual:linear",
    "fifo",
    "greedy_density",
    "random",
    "rolling_horizon",
    "round:hadar",
    "round:hadar:exact",
    "round:hadare:utility",
    "round:gavel:max_min_fairness_perf",
    "round:tiresias",
    "round:yarn",
)
