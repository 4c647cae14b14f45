"""``hadaropt bench``: its commands, put together."""

from __future__ import annotations

from cyclopts import App

from hadaropt.cli.bench.experiment import rerun, run
from hadaropt.cli.bench.ratio import ratio
from hadaropt.cli.bench.runtime import runtime
from hadaropt.cli.bench.schedulers import schedulers

bench = App(name="bench", help="Benchmarks: ratios, schedulers, experiments, running times.")
for command in (ratio, schedulers, run, rerun, runtime):
    bench.command(command)
