"""Jobs like those of the Philly trace: heavy-tailed durations, bursts, the shape of day and week.

Every figure here was read off, or fitted once to, the summary of the reduced trace that the Pollux
and Sia artifacts use: 82,247 jobs of Microsoft's Philly cluster (Jeon et al., USENIX ATC 2019,
CC-BY-4.0), 2017-09-04 to 2017-12-22.
"""

from __future__ import annotations

import numpy as np

from hadaropt.generate.draws import Draws, Floats
from hadaropt.generate.quantiles import QuantileTable
from hadaropt.generate.traced import Arrivals

GANG_COUNTS = {
    1: 76627,
    2: 1818,
    4: 1870,
    8: 1643,
    12: 7,
    16: 199,
    24: 7,
    32: 67,
    64: 6,
    128: 3,
}
"""Jobs by gang size."""

DURATIONS = (
    (
        1,
        QuantileTable(
            (0, 0.004, 0.041, 0.1, 0.25, 0.5, 0.75, 0.9, 0.969, 0.99, 0.999, 1),
            (2, 17, 48, 62, 122, 1117, 2716, 8512, 43646, 135399, 410000, 3600000),
        ),
    ),
    (
        4,
        QuantileTable(
            (0, 0.1, 0.25, 0.5, 0.75, 0.82, 0.9, 0.95, 0.99, 1),
            (8, 15, 21, 367, 45388, 60000, 166120, 290000, 747317, 2000000),
        ),
    ),
    (
        8,
        QuantileTable(
            (0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1),
            (10, 216, 1876, 23683, 173248, 351982, 1060498, 2000000),
        ),
    ),
    (
        128,
        QuantileTable(
            (0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1),
            (10, 72, 566, 21137, 104218, 247972, 922629, 1200000),
        ),
    ),
)
"""Quantiles of seconds, by largest gang size of the class.

10, 25, 50, 75, 90 and 99 per cent are the trace's; the other points are fitted to the mean of the
class and to 1, 5, 95 and 99.9 per cent of all jobs.
"""

GAPS = QuantileTable((0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1), (0.5, 1, 3, 8, 44, 361, 480, 6000))
"""Quantiles of seconds between arrivals under a constant rate.

Up to 90 per cent they are the trace's; the last two points are fitted, under the weekly rate, to
its 99 per cent (601 s) and to 994 jobs a day (87 s a job; 114 s with the sparse first month)."""

SHORT = 0.75
"""Share of the gaps that are short: within a burst."""

BURST_STAY, BURST_SHORT = 1 - 1 / 300, 0.98
"""Chance that a gap follows the last one's regime; share of short gaps in the burst regime.

The calm regime has what is left of the short gaps. Fitted to the dispersion of hourly counts (159).
"""

HOUR_RATES = (
    1.124, 0.920, 1.186, 1.138, 0.751, 1.241, 1.828, 2.228, 1.115, 1.121, 0.912, 0.694,
    0.607, 0.674, 0.507, 0.560, 0.834, 0.786, 0.881, 0.812, 0.957, 0.892, 1.149, 1.083,
)  # fmt: skip
"""Relative rate by hour of the day: mean over days with the extreme days trimmed."""

DAY_RATES = (0.10783, 0.15306, 0.16386, 0.19270, 0.21137, 0.09283, 0.07834)
"""Share of the arrivals by day of the week, Monday first."""


def philly_arrivals(draws: Draws, count: int, longest_seconds: float | None) -> Arrivals:
    """Draw jobs like those of the Philly trace, on rounds as long as the load asks for.

    Gang sizes, heavy-tailed durations by gang size, bursts and the weekly shape of arrivals, from
    Monday 0:00 on, are calibrated on published figures. A gang larger than the cluster stays, and
    is reported as unschedulable.
    """
    sizes, weights = np.array(list(GANG_COUNTS)), list(GANG_COUNTS.values())
    gangs = sizes[draws.choices("gang", count, weights)]
    uniform = draws.uniform("duration", count)
    seconds, least = np.zeros(count), 0
    for most, table in DURATIONS:
        of_class = (gangs > least) & (gangs <= most)
        seconds[of_class] = table.sample(uniform[of_class], longest_seconds)
        least = most
    return Arrivals(gangs, seconds, np.cumsum(_gaps(draws, count)), clock_time)


def _gaps(draws: Draws, count: int) -> Floats:
    """Return seconds between arrivals under a constant rate."""
    switches = draws.uniform("regime", count) >= BURST_STAY
    calm = np.cumsum(switches) % 2
    share = np.where(calm, 2 * SHORT - BURST_SHORT, BURST_SHORT)
    short, place = draws.uniform("short", count) < share, draws.uniform("gap", count)
    return GAPS.sample(np.where(short, place * SHORT, SHORT + place * (1 - SHORT)))


def clock_time(busy_time: Floats) -> Floats:
    """Return the seconds since Monday 0:00 at which so much of the weekly rate has passed.

    The rate is 1 on average, so that a whole week takes a whole week.
    """
    hourly = np.outer(DAY_RATES, HOUR_RATES).ravel()
    passed = np.concatenate([[0.0], np.cumsum(hourly / hourly.mean())]) * 3600
    week = passed[-1]
    within = np.interp(busy_time % week, passed, np.arange(len(passed)) * 3600.0)
    return np.asarray(busy_time // week * week + within)
