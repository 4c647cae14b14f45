"""The optimum of the instance of the run in detail: how it was proved, its prices, its schedule."""

from __future__ import annotations

from hadaropt.bench.page.html import Block, Figure, Numbers, Text
from hadaropt.bench.page.schedules import schedule_figure
from hadaropt.instance import Instance
from hadaropt.interrupts import uninterrupted
from hadaropt.offline.solve import solve
from hadaropt.plot.anytime import plot_anytime
from hadaropt.plot.prices import mean_price, plot_prices
from hadaropt.results import Prices, Status

SECONDS = 20.0
"""Limit of the proof for a page."""


def optimum_blocks(instance: Instance, policy: str, final: Prices | None) -> list[Block]:
    """Solve the instance and draw value and bound over time, the prices, and the schedule.

    Parameters
    ----------
    instance : Instance
    policy : str
        Name of the run's policy.
    final : Prices or None
        Its final prices, drawn beside those of the optimum.
    """
    answer = uninterrupted(solve(instance, time_limit=SECONDS))
    if answer.schedule is None:
        text = f"No schedule of this instance was found in {SECONDS:g} s."
        return [Text(text, missing=True)]
    value, bound = answer.value, answer.bound
    proved = answer.status == Status.PROVED
    what = "The optimum" if proved else "The best schedule found"
    text = f"{what} of the same instance, solved again for this page: {float(value or 0):.6g}"
    if not proved and bound is not None:
        text += f", at most {float(bound):.6g} after {SECONDS:g} s"
    blocks: list[Block] = [Text(f"{text}.")]
    if answer.history:
        rows = [
            (seconds, *("" if x is None else float(x) for x in (best, proven)))
            for seconds, best, proven in answer.history
        ]
        blocks.append(
            Figure(
                "The solver: best value, proven bound and gap over time",
                "Two panels over the seconds of the solve: value and bound, and the gap.",
                plot_anytime(answer)[0],
                Numbers("solve", ("seconds", "best value", "proven bound"), rows),
            )
        )
    else:
        blocks.append(Text("It was closed at once: there is no course of the solver to draw."))
    own = {} if final is None else {f"{policy}, at the end": final}
    if answer.prices is not None:
        own["dual prices of the solver"] = answer.prices
    if own:
        blocks.append(_prices(instance, own))
    if answer.prices is None:
        blocks.append(Text("The solver has no prices of this instance.", missing=True))
    blocks.append(
        schedule_figure(
            instance,
            answer.schedule,
            "optimum",
            f"Schedule of the {'optimum' if proved else 'best value found'}",
        )
    )
    return blocks


def _prices(instance: Instance, own: dict[str, Prices]) -> Figure:
    types = instance.cluster.accelerators
    curves = {name: mean_price(instance, prices) for name, prices in own.items()}
    rows = [
        (t, kind, *(float(curve[t, r]) for curve in curves.values()))
        for t in range(instance.num_rounds)
        for r, kind in enumerate(types)
    ]
    return Figure(
        "Prices by round: the policy's and those of the optimum"
        if len(own) > 1
        else f"Prices by round: {next(iter(own))}",
        "Per type of GPU the price in every round.",
        plot_prices(instance, own)[0],
        Numbers("prices", ("round", "type", *curves), rows),
        wide=True,
    )
