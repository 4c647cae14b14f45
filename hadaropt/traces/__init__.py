"""Workloads from public traces: one loader per original format.

`read_trace` reads a file in the format in which it was published and counts every row that it
leaves out; `to_workload` gives the jobs models, throughputs and iterations.
"""

from hadaropt.errors import TraceError
from hadaropt.traces.conversion import to_workload
from hadaropt.traces.inspection import TraceInspection, inspect_trace
from hadaropt.traces.registry import format_names, read_trace
from hadaropt.traces.report import render
from hadaropt.traces.trace import Trace, TraceJob

__all__ = [
    "Trace",
    "TraceError",
    "TraceInspection",
    "TraceJob",
    "format_names",
    "inspect_trace",
    "read_trace",
    "render",
    "to_workload",
]
