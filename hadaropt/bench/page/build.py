"""From a results folder to the page."""

from __future__ import annotations

from hadaropt.bench.page.chosen import chosen_section
from hadaropt.bench.page.html import Section, page
from hadaropt.bench.page.instances import Instances
from hadaropt.bench.page.listings import run_section, worst_section
from hadaropt.bench.page.paired import defined, paired_section, suites_of
from hadaropt.bench.page.results import Results
from hadaropt.bench.page.schedulers import scheduler_section
from hadaropt.bench.page.sections import (
    certificate_section,
    hardness_section,
    profile_section,
    ratio_section,
    runtime_section,
)
from hadaropt.bench.page.theorems import theorem_section


def build_page(results: Results, *, run: str | None = None) -> str:
    """Return the report as HTML: one file that opens offline and prints.

    Parameters
    ----------
    results : Results
    run : str, optional
        The run to show in detail, FAMILY:SEED:PARALLELISM:POLICY; the worst primal-dual one by
        default.

    Raises
    ------
    ResultsError
        If ``run`` names no cell.
    MissingExtraError
        If matplotlib is not installed.
    """
    sections: list[Section] = [run_section(results)]
    cells = results.cells
    if cells:
        found = defined(results)
        instances = Instances(suites_of(found))
        stated = theorem_section(cells)
        sections += [
            ratio_section(cells, instances),
            *([paired_section(cells, found)] if found is not None and found.compares else []),
            profile_section(cells, instances),
            hardness_section(cells, instances),
            certificate_section(cells),
            *([stated] if stated is not None else []),
            runtime_section(cells),
            chosen_section(cells, instances, run),
            worst_section(cells, instances),
        ]
    if results.simulated:
        sections.append(scheduler_section(results.simulated, results.manifest))
    kinds = {
        "Ratios of policies against the offline optimum.": cells,
        "Round schedulers on whole workloads.": results.simulated,
    }
    about = (
        f"{' '.join(kind for kind, rows in kinds.items() if rows)} Figures are as in the results "
        "folder; what is missing there is said and not filled in."
    )
    return page(f"Report: {results.name}", about, sections)
