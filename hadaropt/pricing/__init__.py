"""Pricing: the best schedule of one job at given prices, from an instance to the kernels."""

from hadaropt.pricing.model import is_pooled
from hadaropt.pricing.pricer import (
    PricedSchedule,
    Pricer,
    RoundChoice,
    best_schedules,
    least_costs,
    price_job,
)

__all__ = [
    "PricedSchedule",
    "Pricer",
    "RoundChoice",
    "best_schedules",
    "is_pooled",
    "least_costs",
    "price_job",
]
