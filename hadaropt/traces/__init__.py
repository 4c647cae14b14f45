"""Workloads from public traces: one loader per original format."""

from hadaropt.traces.errors import TraceError
from hadaropt.traces.registry import format_names, read_trace
from hadaropt.traces.trace import Trace, TraceJob

__all__ = ["Trace", "TraceError", "TraceJob", "format_names", "read_trace"]
