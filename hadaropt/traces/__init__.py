"""Workloads from public traces: one loader per original format.

`read_trace` reads a file in the format in which it was published and counts every row that it
leaves out; `to_workload` gives the jobs models, throughputs and iterations; `inspect_trace` says
what the trace asks of a cluster; `fetch_trace` downloads a public trace.
"""

from hadaropt.errors import TraceError
from hadaropt.traces.conversion import idle_types, to_workload
from hadaropt.traces.fetch import PUBLIC_TRACES, PublicTrace, fetch_trace
from hadaropt.traces.inspection import TraceInspection, inspect_trace
from hadaropt.traces.registry import format_names, read_trace
from hadaropt.traces.report import render_inspection
from hadaropt.traces.thinning import thin_trace
from hadaropt.traces.trace import Trace, TraceJob

__all__ = [
    "PUBLIC_TRACES",
    "PublicTrace",
    "Trace",
    "TraceError",
    "TraceInspection",
    "TraceJob",
    "fetch_trace",
    "format_names",
    "idle_types",
    "inspect_trace",
    "read_trace",
    "render_inspection",
    "thin_trace",
    "to_workload",
]
