"""An inspection as a table of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from textwrap import wrap

from hadaropt.errors import printable
from hadaropt.figures import counted
from hadaropt.traces.conversion import idle_warning
from hadaropt.traces.inspection import DAY, HOUR, TraceInspection
from hadaropt.traces.trace import one_type

_SHOWN = 8


def render_inspection(inspection: TraceInspection) -> str:
    """Return the figures as plain text, at most 100 characters wide.

    Numbers are rounded for reading only; the inspection holds them exactly.
    """
    trace = inspection.trace
    lines = [f"{printable(trace.source)}: {trace.format}"]
    for rule in trace.conventions:
        lines += wrap(rule, 98, initial_indent="  - ", subsequent_indent="    ")
    lines += ["", f"rows           {trace.rows:>9,}", f"kept           {len(trace.jobs):>9,}"]
    lines += [f"dropped        {count:>9,}  {reason}" for reason, count in trace.lost.items()]
    lines += [
        f"merged         {count:>9,}  {reason}: part of its job"
        for reason, count in trace.merged.items()
    ]
    if not trace.jobs:
        return "\n".join([*lines, "", "no jobs"]) + "\n"
    lines += ["", *_load(inspection), "", *_times(inspection), "", *_gangs(inspection), ""]
    lines += [f"status         {_inline(inspection.by_status)}"]
    lines += [f"GPU types      {_inline(inspection.by_gpu_type)}"]
    lines += ["", *_hours(inspection)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _load(inspection: TraceInspection) -> Iterable[str]:
    cluster = inspection.cluster
    sizes = cluster.gpus_by_type.items()
    default = " (the default: --cluster names yours)" if inspection.default_cluster else ""
    yield "cluster        " + ", ".join(f"{count} {kind}" for kind, count in sizes) + default
    if inspection.idle_types:
        yield from wrap(
            idle_warning(inspection.idle_types),
            98,
            initial_indent="warning        ",
            subsequent_indent=" " * 15,
        )
    yield f"GPU-hours      {_number(inspection.gpu_seconds / HOUR)}"
    if inspection.total_load is None:
        yield "offered load   all jobs arrive at once"
    else:
        load = _percent(inspection.total_load)
        what = "GPU-hours of the jobs over those of all GPUs while jobs arrive"
        yield f"offered load   {load}: {what}"
        yield from _recorded(inspection)
        if inspection.offered_load and (inspection.speeds_given or not inspection.recorded_gpus):
            fastest = _loads(inspection.offered_load)
            yield f"  by type      {fastest} if each job runs on its fastest type"
            yield f"  on one type  {_loads(inspection.load_alone)} if all jobs run on that type"
            yield f"               (speeds of models drawn at seed {inspection.model_seed})"
    jobs, share = inspection.over_a_day
    yield f"over 24 h      {counted(jobs, 'job')}, {_percent(share)} of the GPU-hours"
    yield f"unschedulable  {counted(len(inspection.unschedulable), 'job')}"
    for name, reason in inspection.unschedulable[:_SHOWN]:
        yield f"  {printable(name)}: {reason}"
    if len(inspection.unschedulable) > _SHOWN:
        yield f"  and {len(inspection.unschedulable) - _SHOWN:,} more"
    yield (
        f"wide gangs     {counted(inspection.wider_than_node, 'job')} wider than any node, "
        f"{inspection.wider_than_type:,} wider than any type"
    )


def _recorded(inspection: TraceInspection) -> Iterable[str]:
    """Yield the load of each type by the jobs that ran on it, where the trace has types."""
    if not inspection.recorded_gpus:
        return
    loads = inspection.recorded_load
    there = {kind.lower() for kind in loads}
    if loads:
        yield f"  by type      {_loads(loads)} by the types on which jobs ran"
    elsewhere = {k: n for k, n in inspection.recorded_gpus.items() if k.lower() not in there}
    if elsewhere:
        most = sorted(elsewhere, key=lambda kind: -elsewhere[kind])
        gpus = ", ".join(f"{_number(elsewhere[k])} {printable(k)}" for k in most[:_SHOWN])
        more = f" and {len(most) - _SHOWN} more types" if len(most) > _SHOWN else ""
        text = f"not in this cluster, GPUs asked for on average: {gpus}{more}"
        yield from wrap(text, 98, initial_indent=" " * 15, subsequent_indent=" " * 15)
    if untyped := sum(not one_type(job.gpu_type) for job in inspection.trace.jobs):
        yield f"               {counted(untyped, 'job')} without one type, in none of these"


def _times(inspection: TraceInspection) -> Iterable[str]:
    calendar = inspection.trace.calendar
    yield f"arrivals over  {_span(inspection.span_seconds)}"
    yield f"clock          {calendar or 'since the start of the trace'}"
    percents = tuple(inspection.durations)
    yield " " * 14 + "".join(f"{'p' + str(p):>9}" for p in percents)
    for title, values in (
        ("duration s", inspection.durations),
        ("interarr. s", inspection.interarrivals),
    ):
        if values:
            yield f"{title:14}" + "".join(f"{_short(values[p]):>9}" for p in percents)


def _gangs(inspection: TraceInspection) -> Iterable[str]:
    total_jobs, total = len(inspection.trace.jobs), inspection.gpu_seconds
    yield f"{'gang size':14}{'jobs':>9}{'share':>9}{'GPU-hours':>12}{'share':>9}"
    for gang, (jobs, work) in inspection.by_gpus.items():
        share = _percent(work / total) if total else "-"
        yield (
            f"{gang:<14}{jobs:>9,}{_percent(Fraction(jobs, total_jobs)):>9}"
            f"{_number(work / HOUR):>12}{share:>9}"
        )


def _hours(inspection: TraceInspection) -> Iterable[str]:
    yield "arrivals by hour of the day"
    for start in (0, 12):
        hours = range(start, start + 12)
        yield "  hour " + "".join(f"{hour:>7}" for hour in hours)
        yield "  jobs " + "".join(f"{inspection.by_hour[hour]:>7,}" for hour in hours)


def _inline(counts: Mapping[str, int]) -> str:
    text = ", ".join(
        f"{printable(name)} {count:,}" for name, count in list(counts.items())[:_SHOWN]
    )
    return text + (f", and {len(counts) - _SHOWN} more" if len(counts) > _SHOWN else "")


def _loads(loads: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{kind} {_percent(load)}" for kind, load in loads.items())


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f} %"


def _number(value: Fraction) -> str:
    """Return a number for reading: about three digits, thousands separated."""
    size = float(value)
    if value.denominator == 1 or abs(size) >= 100:
        return f"{size:,.0f}"
    return f"{size:.1f}" if abs(size) >= 10 else f"{size:.2f}"


def _short(value: Fraction) -> str:
    """Return a number in at most seven characters."""
    for least, unit, suffix in ((10**9, 10**9, "G"), (10**6, 10**6, "M"), (10**5, 1000, "k")):
        if value >= least:
            return _number(value / unit) + suffix
    return _number(value)


def _span(seconds: Fraction) -> str:
    for size, unit in ((DAY, "days"), (HOUR, "hours")):
        if seconds >= 2 * size:
            return f"{_number(seconds / size)} {unit}"
    return f"{_number(seconds)} s"
