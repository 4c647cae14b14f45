"""Pricing: the best schedule of one job at given prices, from an instance to the kernels."""

from hadaropt.pricing.arrivals import Arrivals, price_arrivals
from hadaropt.pricing.bound import DualBound, dual_bound
from hadaropt.pricing.bulk import BestSchedules, BulkPricer, best_schedules
from hadaropt.pricing.held import RoundChoice
from hadaropt.pricing.pricer import (
    PricedSchedule,
    Pricer,
    least_costs,
    price_job,
)

__all__ = [
    "Arrivals",
    "BestSchedules",
    "BulkPricer",
    "DualBound",
    "PricedSchedule",
    "Pricer",
    "RoundChoice",
    "best_schedules",
    "dual_bound",
    "least_costs",
    "price_arrivals",
    "price_job",
]
