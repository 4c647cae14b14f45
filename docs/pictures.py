"""Draw the pictures of the README and of the documentation: python docs/pictures.py [NAME ...].

Every figure in a picture comes from a run that is made here; nothing is typed in.
"""

from __future__ import annotations

import sys
from pathlib import Path

import hadaropt
from hadaropt.errors import MissingExtraError
from hadaropt.generate import generate
from hadaropt.plot.style import BLUE, GREEN, ORANGE, SKY, VERMILION, tidy

try:
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
except ModuleNotFoundError:
    sys.exit(
        f"error: {MissingExtraError('plot', 'matplotlib')} (in a clone: pip install '.[plot]')"
    )

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OUT = HERE / "_static"
INK = "#222222"
WIDE = 4.2
"""Inches; on a phone they are shrunk by a sixth, so that text of 11 points is read."""


def new(width: float, height: float, rows: int = 1, **options: object) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(rows, 1, squeeze=False, **options)[:, 0]
    return figure, list(panels)


# --- one run: value, bound, certificate -----------------------------------------------------------

POLICIES = (
    ("fifo", "FIFO", "#8a8a8a"),
    ("primal_dual:zero_start", "posted prices", ORANGE),
    ("round:hadar", "Hadar, re-planning", SKY),
)


def values(instance: hadaropt.Instance) -> tuple[list[tuple[str, float, str]], float]:
    """Return the share of the optimum that each policy collects, and the certified bound over it.

    Raises
    ------
    AssertionError
        If the optimum is not proved, or a certificate does not verify.
    """
    best = hadaropt.solve(instance, work_limit=20_000)
    assert best.status == "proved", best.status
    assert hadaropt.verify(instance, hadaropt.certify(instance, best)).proved
    rows = []
    for name, label, colour in POLICIES:
        if name.startswith("round:"):
            run = hadaropt.run_rounds(instance, name.removeprefix("round:"))
        else:
            run = hadaropt.run_online(instance, name)
        assert run.value <= best.value <= run.bound
        rows.append((label, float(run.value / best.value), colour))
    rows.append(("optimum, proved", 1.0, GREEN))
    hadar = hadaropt.run_rounds(instance, "hadar")
    prices = hadaropt.solve(instance, "configuration_lp")
    certificate = hadaropt.certify(instance, prices, schedule=hadar.schedule)
    found = hadaropt.verify(instance, certificate)  # exact, without a solver
    return rows, float(found.best_bound / best.value)


def instances() -> tuple[hadaropt.Instance, hadaropt.Instance]:
    """Return an ordinary instance, and the worst that a search has found for FIFO."""
    ordinary = generate("small_uniform", seed=2)
    return ordinary, hadaropt.read_instance(ROOT / "benchmarks/adversaries/unit/fifo/instance.json")


def one_run() -> Figure:
    """Shares of the proved optimum on an ordinary instance and on the worst found for FIFO."""
    figure, panels = new(5.4, 5.6, 2)
    ordinary, worst = instances()
    titles = (
        f"Ordinary: {len(ordinary.jobs)} random jobs",
        f"Worst case found for FIFO: {len(worst.jobs)} jobs",
    )
    for axes, instance, title in zip(panels, (ordinary, worst), titles, strict=True):
        rows, bound = values(instance)
        for y, (label, share, colour) in enumerate(rows):
            axes.barh(y, share, height=0.56, color=colour)
            inside = share > 0.3
            axes.text(
                share - 0.015 if inside else share + 0.015,
                y,
                f"{100 * share:.0f} %",
                ha="right" if inside else "left",
                va="center",
                fontsize=13,
                weight="bold",
                color="white" if inside and colour in (GREEN, "#8a8a8a") else INK,
            )
            axes.text(0, y - 0.31, label, fontsize=12.5, va="bottom", ha="left", color=INK)
        axes.axvspan(bound, 1.16, facecolor="#fbe3da", edgecolor=VERMILION, hatch="//", lw=0)
        axes.axvline(bound, color=VERMILION, lw=2.2)
        axes.set_ylim(len(rows) - 0.55, -0.95)
        axes.set_xlim(0, 1.16)
        axes.set_yticks([])
        axes.set_xticks([])
        axes.spines[:].set_visible(False)
        axes.set_title(title, loc="left", fontsize=14, weight="bold", color=INK)
        axes.text(
            bound + 0.012,
            (len(rows) - 1) / 2,
            "no schedule is here:\ncertified, verified",
            rotation=90,
            fontsize=11.5,
            va="center",
            ha="left",
            color="#8f3b00",
            bbox={"facecolor": "#fbe3da", "edgecolor": "none", "pad": 1.5},
        )
    figure.supxlabel("value collected, of the optimum", fontsize=12.5, color=INK)
    return figure


# --- concepts -------------------------------------------------------------------------------------

FILL = {"a": SKY, "b": ORANGE, "c": "#bfe3d5", "": "white"}
Nodes = list[tuple[str, str]]  # name of the node with its type; a letter per GPU, "." where free


def draw_nodes(axes: Axes, nodes: Nodes, title: str, note: str = "", bad: bool = False) -> None:
    """Draw nodes side by side as rows of GPUs; a GPU shows the job that holds it."""
    x = 0.0
    for name, holders in nodes:
        width = len(holders)
        axes.add_patch(Rectangle((x - 0.1, -0.1), width + 0.2, 1.2, fc="#f2f2f2", ec="#999999"))
        for i, job in enumerate(holders):
            job = "" if job == "." else job
            axes.add_patch(Rectangle((x + i + 0.08, 0.08), 0.84, 0.84, fc=FILL[job], ec=INK))
            axes.text(x + i + 0.5, 0.48, job, ha="center", va="center", fontsize=13, color=INK)
        axes.text(x + width / 2, -0.2, name, ha="center", va="top", fontsize=11, color=INK)
        x += width + 0.6
    axes.text(0, 2.1, title, fontsize=12.5, weight="bold", color=INK, va="top")
    if note:
        colour = VERMILION if bad else "#006b4f"
        axes.text(0, 1.5, note, fontsize=11, color=colour, va="top")
    axes.set_xlim(-0.2, 10.2)
    axes.set_ylim(-0.75, 2.15)
    axes.set_aspect("equal")
    axes.axis("off")


def gang() -> Figure:
    """Four free GPUs that are no place for a gang of four inside a node."""
    figure, (top, below) = new(WIDE, 2.7, 2)
    half = [("n0: V100", "aa.."), ("n1: V100", "bb..")]
    draw_nodes(top, half, "A gang of 4 waits", "4 GPUs are free, but no node has 4", bad=True)
    fits = [("n0: V100", "aabb"), ("n1: V100", "cccc")]
    draw_nodes(below, fits, "The same jobs, placed well", "gang c runs inside n1")
    return figure


def models() -> Figure:
    """Draw what one job may hold in a round under the three models of parallelism."""
    figure, panels = new(WIDE, 4.0, 3)
    nodes = ("n0: V100", "n1: P100")
    for axes, held, title, note in zip(
        panels,
        (("aa..", "...."), ("aabb", "aa.."), ("aabb", "aa..")),
        ("single_type", "mixed", "forked"),
        (
            "a gang of 2, on one type",
            "a gang of 4: as fast as its slowest type",
            "two copies of a gang of 2, a node each",
        ),
        strict=True,
    ):
        draw_nodes(axes, list(zip(nodes, held, strict=True)), title, note)
    return figure


def hall() -> Figure:
    """Gangs that admit only V100 compete for the V100; those that admit both, for all."""
    figure, (top, below) = new(WIDE, 2.7, 2)
    right = [("V100: c = 4", "aabb"), ("P100: c = 4", "cc..")]
    wrong = [("V100: c = 4", "aabb"), ("P100: c = 4", "....")]
    draw_nodes(top, right, "a, b: V100 only; c: both", "V100: 2 + 2 <= 4; both: 2 + 2 + 2 <= 8")
    draw_nodes(
        below,
        wrong,
        "a, b and a third: V100 only",
        "2 + 2 + 2 > 4: impossible, with 4 GPUs free",
        bad=True,
    )
    return figure


def prices() -> Figure:
    """Dual prices over time, and the GPUs in use, of a proved optimum."""
    instance = generate("small_uniform", seed=2)
    dual = hadaropt.solve(instance, "configuration_lp")
    best = hadaropt.solve(instance, work_limit=20_000)
    assert best.status == "proved" and dual.prices is not None
    figure, (top, below) = new(WIDE, 4.0, 2, sharex=True)
    rounds = range(instance.num_rounds)
    names = instance.cluster.accelerators
    used = [[0] * len(names) for _ in rounds]
    for runs in best.schedule.jobs:
        for allocation in runs:
            for _, r, count in allocation.gpus:
                used[allocation.round][r] += count
    for r, (name, colour) in enumerate(zip(names, (BLUE, VERMILION, GREEN), strict=False)):
        shown = [float(dual.prices[t, name]) for t in rounds]
        top.stairs(shown, color=colour, lw=2, label=name, ls=("-", "--", ":")[r])
        below.stairs(
            [row[r] / instance.cluster.pooled_capacity[r] for row in used],
            color=colour,
            lw=2,
            ls=("-", "--", ":")[r],
        )
    top.set_ylabel("price of a GPU", fontsize=11)
    top.legend(frameon=False, fontsize=11)
    below.set_ylabel("share in use", fontsize=11)
    below.set_xlabel("round", fontsize=11)
    below.set_ylim(0, 1.05)
    for axes in (top, below):
        tidy(axes)
    return figure


PICTURES = {"one_run": one_run, "gang": gang, "models": models, "hall": hall, "prices": prices}


def main(names: list[str]) -> None:
    """Draw the pictures of those names, or all."""
    matplotlib.rcParams |= {"svg.hashsalt": "hadaropt", "hatch.linewidth": 0.6}
    matplotlib.rcParams["font.family"] = "DejaVu Sans"
    OUT.mkdir(exist_ok=True)
    for name in names or list(PICTURES):
        file = OUT / f"{name}.svg"
        PICTURES[name]().savefig(file, metadata={"Date": None, "Creator": None})
        print(file.relative_to(ROOT), f"{file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
