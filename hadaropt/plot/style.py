"""What the figures share: colours that colour-blind readers tell apart, and the missing extra."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours; lines differ in dashes, points in markers and bars in hatching as well,
# so that the figures survive a grey print.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")


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


def save_figure(figure: Figure, file: Path) -> Path:
    """Write the figure (the suffix names the format) and return the file."""
    figure.savefig(file, dpi=150)
    return file
