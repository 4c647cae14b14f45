"""One example for each page of ``--help``; a test parses them all."""

from __future__ import annotations

EXAMPLES: dict[tuple[str, ...], str] = {
    (): "hadaropt solve examples/tiny.json",
    ("solve",): "hadaropt solve examples/tiny.json -o best.json --certificate best.cert.json",
    ("online",): "hadaropt online examples/tiny.json --policy primal_dual --price zero_start",
    ("simulate",): "hadaropt simulate trace.csv --scheduler hadar --cluster V100=5x4,P100=5x4",
    ("compare",): "hadaropt compare workload.json --schedulers hadar,tiresias -o compared",
    ("models",): "hadaropt models examples/tiny.json --time-limit 60",
    ("check",): "hadaropt check examples/tiny.json best.json",
    ("verify",): "hadaropt verify examples/tiny.json best.cert.json",
    ("explain",): "hadaropt explain examples/tiny.json b --price linear",
    ("theorem",): "hadaropt theorem T7",
    ("generate",): "hadaropt generate small_uniform --seed 1 -o small.json",
    ("export",): "hadaropt export examples/tiny.json -o tiny.mps",
    ("doctor",): "hadaropt doctor --warm",
    ("train",): "hadaropt train --demo --tasks digits,diabetes --steps 3000 -o trained",
    ("bench",): "hadaropt bench ratio --seeds 5 -o ratios",
    ("bench", "ratio"): "hadaropt bench ratio --policies fifo,random --seeds 5 -o ratios",
    ("bench", "schedulers"): "hadaropt bench schedulers --schedulers hadar,yarn --seeds 3",
    ("bench", "run"): "hadaropt bench run experiment.toml -o results",
    ("bench", "rerun"): "hadaropt bench rerun results/manifest.json",
    ("bench", "runtime"): "hadaropt bench runtime --rows P1,P8 --sizes quick",
    ("adversary",): "hadaropt adversary --policy fifo --time-limit 20 -o worst",
    ("report",): "hadaropt report ratios -o report.html",
    ("plot",): "hadaropt plot gantt examples/tiny.json best.json -o gantt.png",
    ("plot", "gantt"): "hadaropt plot gantt examples/tiny.json best.json -o gantt.png",
    ("plot", "trajectories"): "hadaropt plot trajectories examples/tiny.json -o run.svg",
    ("plot", "anytime"): "hadaropt plot anytime examples/tiny.json -o anytime.pdf",
    ("trace",): "hadaropt trace inspect trace.csv",
    ("trace", "inspect"): "hadaropt trace inspect trace.csv --cluster V100=5x4 -o trace.png",
    ("trace", "fetch"): "hadaropt trace fetch NAME -o traces",
}
"""Command -> how it may be called."""
