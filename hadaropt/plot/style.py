"""What the figures share: looks that colour-blind readers tell apart, and the missing extra."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hadaropt.errors import MissingExtraError, printable
from hadaropt.io.files import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours; lines differ in dashes, points in markers and bars in hatching as well,
# so that the figures survive a grey print.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#7F7F7F"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
# P. Tol's muted colours, for contestants without prices of their own.
WINE, INDIGO, OLIVE, TEAL, SAND = "#882255", "#332288", "#999933", "#44AA99", "#DDCC77"
ROSE, BROWN = "#CC6677", "#8C510A"
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")

PAGE = 1.4
"""Height over width of a printed page."""
MOST_CHARACTERS = 60
ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"

Dashes = str | tuple[float, tuple[float, ...]]
SOLID, DASHED, DOTTED, DASHDOT = (
    "-",
    (0.0, (5.0, 1.6)),
    (0.0, (1.2, 1.4)),
    (0.0, (6, 1.5, 1.2, 1.5)),
)
LONG: Dashes = (0.0, (9.0, 1.5, 1.2, 1.5, 1.2, 1.5))
FINE: Dashes = (0.0, (2.6, 1.2))
DASHES: tuple[Dashes, ...] = (SOLID, DASHED, DASHDOT, DOTTED)


@dataclass(frozen=True)
class Look:
    """How a policy is drawn, the same in every figure."""

    colour: str
    dashes: Dashes
    marker: str


# Prices of one theorem share a colour; every other contestant has one of its own; schedulers that
# plan every round again have long dashes.
LOOKS = {
    "primal_dual:zero_start": Look(BLUE, SOLID, "o"),
    "primal_dual:exponential": Look(VERMILION, SOLID, "s"),
    "primal_dual:exponential_paper": Look(VERMILION, DASHED, "D"),
    "primal_dual:telescoped": Look(GREEN, SOLID, "^"),
    "primal_dual:last_unit": Look(GREEN, DASHED, "v"),
    "primal_dual:threshold": Look(PURPLE, SOLID, "P"),
    "primal_dual:linear": Look(ORANGE, SOLID, "X"),
    "primal_dual:step": Look(SKY, DASHDOT, "p"),
    "fifo": Look(BLACK, SOLID, "<"),
    "greedy_density": Look(BROWN, DASHED, ">"),
    "random": Look(GREY, DOTTED, "*"),
    "rolling_horizon": Look(TEAL, DASHDOT, "h"),
    "round:hadar": Look(WINE, LONG, "d"),
    "round:hadar:exact": Look(ROSE, LONG, "8"),
    "round:hadare": Look(INDIGO, LONG, "4"),
    "round:hadare:utility": Look("#6699CC", LONG, "H"),
    "round:gavel:max_min_fairness_perf": Look(OLIVE, LONG, "1"),
    "round:tiresias": Look(SAND, LONG, "2"),
    "round:yarn": Look("#661100", LONG, "3"),
}


def looks(policies: Iterable[str]) -> dict[str, Look]:
    """Return a look for each policy; those that are not known take what is left, in order.

    Examples
    --------
    >>> looks(["mine", "fifo", "yours"])["fifo"].dashes
    '-'
    """
    given: dict[str, Look] = {}
    others = 0
    for name in dict.fromkeys(policies):
        if name in LOOKS:
            given[name] = LOOKS[name]
            continue
        dashes = (FINE, DOTTED, DASHDOT, DASHED)[others // len(COLOURS) % 4]
        given[name] = Look(COLOURS[others % len(COLOURS)], dashes, "oDsv^"[others % 5])
        others += 1
    return given


def short(policy: str) -> str:
    """Return the name for a figure, where the family of the prices goes without saying.

    Examples
    --------
    >>> short("primal_dual:zero_start")
    'zero_start'
    """
    return policy.removeprefix("primal_dual:")


def literal(text: str) -> str:
    r"""Return what a figure must be given to show `text` as it is written.

    A figure would read ``$...$`` as a formula, leave labels that begin with ``_`` out of legends,
    and break lines at control characters. Long texts are cut in the middle. Every text that holds
    a name goes through here, once.

    Examples
    --------
    >>> print(literal("cost$5 to $9"))
    cost\$5 to \$9
    >>> literal("")
    '""'
    """
    shown = printable(text) or '""'
    if len(shown) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        shown = f"{shown[:half]}\N{HORIZONTAL ELLIPSIS}{shown[1 - half :]}"
    hidden = ZERO_WIDTH if shown.startswith("_") else ""
    return hidden + shown.replace("$", r"\$")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that belongs to no window.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError("plot", "matplotlib") from error
    return Figure(figsize=(width, height), layout="constrained")


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes to draw on: those given, or those of a new figure."""
    return new_figure(width, height).subplots() if ax is None else ax


def figure_of(axes: Axes) -> Figure:
    """Return the figure that the axes belong to."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure


def save_figure(drawn: Axes | tuple[Axes, ...], file: Path) -> Path:
    """Write the figure of the axes (the suffix names the format) and return the file."""
    with writing(file) as draft:
        figure_of(drawn[0] if isinstance(drawn, tuple) else drawn).savefig(draft, dpi=150)
    return file


def tidy(axes: Axes, grid: str = "both") -> None:
    """Leave out what says nothing: two spines; grid lines behind the data, light.

    Marks show whole numbers: without an offset or a power of ten at the end of the axis.
    """
    from matplotlib.ticker import ScalarFormatter

    for axis in (axes.xaxis, axes.yaxis):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, ScalarFormatter):
            formatter.set_useOffset(False)
            formatter.set_powerlimits((-4, 9))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="0.92", linewidth=0.7)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def mark_x(axes: Axes, marks: Iterable[tuple[float, str]]) -> None:
    """Label the x axis at these places as far as it shows them: (value, label)."""
    low, high = axes.get_xlim()
    inside = [(value, label) for value, label in marks if low <= value <= high]
    axes.set_xticks([value for value, _ in inside], [label for _, label in inside])
    axes.minorticks_off()


def legend_below(*panels: Axes) -> None:
    """Put one legend of the panels under their figure: it covers nothing, whatever the size.

    Long names get fewer columns, and many rows a higher figure, so that the panels keep theirs.
    """
    figure = figure_of(panels[0])
    entries: dict[str, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    if entries:
        width, height = figure.get_size_inches()
        longest = max(len(line) for name in entries for line in name.split("\n"))
        columns = max(1, int(width / max(2.3, 0.45 + 0.062 * longest)))
        rows = -(-len(entries) // columns)
        figure.set_size_inches(width, height + 0.17 * max(0, rows - 6))
        figure.legend(
            list(entries.values()),
            list(entries),
            loc="outside lower center",
            ncols=columns,
            fontsize="small",
            frameon=False,
            handlelength=3.0,
        )
