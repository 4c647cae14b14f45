"""What an audit says, in sentences; each carries its assumption."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from hadaropt.auditing.any_type import AnyType
from hadaropt.auditing.log import Log
from hadaropt.auditing.replay import MEANING
from hadaropt.auditing.report import Audit
from hadaropt.auditing.whatif import Change, WhatIf
from hadaropt.auditing.worth import Worth
from hadaropt.errors import printable
from hadaropt.figures import counted
from hadaropt.traces.formats.slurm import LOCAL

NOTICEABLE = Fraction(1, 20)
"""Share of the GPU time from which on jobs that do not count are named beside the headline."""

ALMOST = Fraction(999, 1000)
"""Shares above it would read as 100.0 % or more, which says nothing."""

UNITS = {"h": 3600, "min": 60, "s": 1}

LICENCES = {
    "philly-csv": "Microsoft Philly, CC-BY-4.0 (Jeon et al., ATC 2019)",
    "philly-json": "Microsoft Philly, CC-BY-4.0 (Jeon et al., ATC 2019)",
    "helios": "SenseTime Helios, CC-BY-4.0 (HeliosData)",
    "acme-seren": "Shanghai AI Lab Acme, CC-BY-4.0 (AcmeTrace)",
    "acme-kalos": "Shanghai AI Lab Acme, CC-BY-4.0 (AcmeTrace)",
    "pai-tasks": "Alibaba PAI 2020, CC-BY-4.0 (clusterdata)",
    "pai-jobs": "Alibaba PAI 2020, CC-BY-4.0 (clusterdata)",
    "openb": "Alibaba openb 2023 (clusterdata, terms on its own page)",
    "itp": "Microsoft ITP, MIT",
}


def assumed(log: Log) -> str:
    """Return what each job keeps of its record."""
    typed = not log.common and all(job.kind is not None for job in log.jobs)
    return f"its recorded {'GPU type, ' if typed else ''}gang and speed"


def headline(audit: Audit) -> str:
    """Return the one sentence."""
    log, recorded = audit.log, audit.recorded
    own = assumed(log)
    if recorded is None:
        least = hours(log.seconds(audit.least_waiting / audit.jobs), down=True)
        name, best = audit.best
        if best.waiting == 0:
            return (
                "The log has no starts, so there is no recorded schedule to judge. On this cluster "
                f"nobody need have waited: {name} gives each job {own} at once."
            )
        reached = hours(log.seconds(Fraction(best.waiting, audit.jobs)))
        return (
            f"The log has no starts, so there is no recorded schedule to judge. No schedule that "
            f"gives each job {own} has a mean waiting below {least}; {name} reaches {reached}."
        )
    if audit.misfits:
        return (
            "The recorded schedule does not fit the cluster, so no share of its waiting is "
            f"given: {misfit_lines(audit)[0]}."
        )
    waited = hours(log.seconds(Fraction(recorded.waiting, recorded.jobs)))
    if recorded.waiting == 0:
        return f"Nobody waited ({counted(recorded.jobs, 'job')}): there is nothing to save."
    assert audit.avoidable is not None
    reached_share, most = audit.avoidable
    on = "this cluster"
    if log.origin == "inferred":
        on = "as many GPUs as the log ever held at once"
    if log.enlarged:
        on = "this cluster, with more GPUs while more were held,"
    if most <= 0:
        return (
            f"The jobs waited {waited} on average, and no schedule that gives each job {own}"
            f" on {on} could have avoided any of it, whatever it knew."
        )
    others = len(log.jobs) > audit.jobs
    name = f"{audit.best[0]}, with the other jobs out of its way," if others else audit.best[0]
    if reached_share == 1:
        return (
            f"The jobs waited {waited} on average, and nobody need have: {name} gives each job "
            f"{own} on {on} and avoids all of it."
        )
    if most > ALMOST:
        much = "all" if most == 1 else f"more than {percent(ALMOST)}"
        text = (
            f"The jobs waited {waited} on average. It is not excluded that a schedule that gives "
            f"each job {own} on {on} could have avoided {much} of it"
        )
    else:
        text = (
            f"The jobs waited {waited} on average. No schedule that gives each job {own} on "
            f"{on} could have avoided more than {percent(most, up=True)} of the waiting, whatever "
            "it knew"
        )
    if reached_share > 0:
        return f"{text}; {name} avoids {percent(reached_share)}."
    return f"{text}; none of the schedulers tried here avoids any."


def early_lines(audit: Audit) -> list[str]:
    """Return what must be known beside the headline: who is not in it, and what it pools."""
    log, lines = audit.log, []
    share = log.unfinished_share
    if share >= NOTICEABLE:
        lines.append(
            f"What did not finish ({counted(len(log.jobs) - audit.jobs, 'job')}) held "
            f"{percent(share)} of the GPU time and is out of the way here, so that more may seem "
            "avoidable than was: `--count all` keeps it."
        )
    if untyped := log.untyped:
        have = "has" if len(untyped) == 1 else "have"
        lines.append(
            f"{len(untyped):,} of {counted(len(log.jobs), 'job')} {have} no one GPU type (first: "
            f"{printable(untyped[0].name)}), so all GPUs are one pool here and types are not told "
            "apart: `--untyped drop` leaves such jobs out."
        )
    return lines


def more_lines(audit: Audit) -> list[str]:
    """Return what else is to be known, and what else is certified."""
    lines = early_lines(audit)
    share = audit.avoidable_in_one_piece
    most = None if audit.avoidable is None else audit.avoidable[1]
    if share is not None and most is not None and share < most and share <= ALMOST:
        lines.append(
            f"Every job ran in one piece; no schedule without preemption, at the same assumption, "
            f"could have avoided more than {percent(max(Fraction(0), share), up=True)}."
        )
    if audit.recorded is not None and audit.idle is not None:
        gpu_hours = audit.idle / 3600
        what = f"{float(gpu_hours):,.1f} GPU-hours" if audit.idle else "No GPU"
        lines.append(
            f"{what} stood idle while somebody waited who would have fitted (by count: scattered "
            "free GPUs count as free)."
        )
    if audit.any_type is not None:
        lines.append(_any_type_line(audit, audit.any_type))
    if audit.worth is not None:
        lines.append(_worth_line(audit.worth))
    if audit.worth_left_out is not None:
        lines.append(f"The total utility is left out: {audit.worth_left_out}.")
    lines.extend(change_lines(audit, change) for change in audit.changes)
    return lines


def _any_type_line(audit: Audit, own: AnyType) -> str:
    """Return what holds where jobs may run on any type, and what is reached there."""
    log = audit.log
    text = (
        f"If jobs may run on any type, with their recorded gangs and at {own.assumed.text}, no "
        f"schedule has a mean JCT below {hours(own.mean_jct, down=True)}"
    )
    if audit.recorded is not None:
        jct = log.seconds(Fraction(audit.recorded.jct, audit.recorded.jobs))
        text += f" (recorded: {hours(jct)})"
    reached = {name: mean for name, (mean, _) in own.reached.items()}
    for name, found in audit.schedulers.items():
        reached[f"{name}, on recorded types,"] = log.seconds(Fraction(found.jct, found.jobs))
    name, mean = min(reached.items(), key=lambda item: item[1])
    return f"{text}; {name} reaches {hours(mean)}."


def _worth_line(own: Worth) -> str:
    name, reached = max(own.rules.items(), key=lambda item: item[1])
    bound = math.ceil(own.bound * 100) / 100
    text = (
        f"In rounds of {float(own.round_seconds):g} s the recorded schedule has the total utility "
        f"{float(own.recorded):,.2f}; by a certified bound no schedule of these jobs, at the same "
        f"assumption, has more than {bound:,.2f}"
    )
    if own.recorded:
        times = math.ceil(own.bound / own.recorded * 1000) / 1000
        text += f" ({times:.3f} times as much)"
    return f"{text}; {name} reaches {float(reached):,.2f}."


def change_lines(audit: Audit, found: WhatIf) -> str:
    """Return the sentence of one change."""
    log, count = audit.log, audit.jobs

    def mean(ticks: Fraction | int, *, up: bool = False, down: bool = False) -> str:
        return hours(log.seconds(Fraction(ticks) / count), up=up, down=down)

    if found.change.pool is not None and found.change.pool not in log.pools:
        still = "no job is known to have run on this type: at recorded speeds it stands idle"
        return f"{change_words(found.change)}: {still}.{_any_type_after(audit, found)}"
    least = max(Fraction(0), found.floor - found.service)
    text = (
        f"{change_words(found.change)}: mean waiting no lower than {mean(least, down=True)} in any "
        f"schedule; {found.first} reaches {mean(found.total - found.service)}"
    )
    text += "".join(f"; {name} did not complete every job" for name in found.incomplete)
    other = _any_type_after(audit, found)
    if found.least_by_price is None:
        return f"{text}.{other}"
    by_price = found.least_by_price
    if found.change.nodes < 0:
        alone = mean(max(Fraction(0), by_price - found.service), down=True)
        return f"{text} (no lower than {alone} by the price of the GPUs taken alone).{other}"
    name, own = audit.best
    best = Fraction(audit.service + own.waiting)
    logged = best
    if audit.recorded is not None and not audit.misfits:
        logged = Fraction(audit.service + audit.recorded.waiting)
    by_node, without, in_all = (
        log.seconds(Fraction(ticks) / count)
        for ticks in (best - by_price, logged - best, logged - by_price)
    )
    unit = unit_of((by_node, without, in_all))
    speeds = " at recorded speeds" if audit.any_type is not None else ""
    text += (
        f". By the price of these GPUs, the least possible mean JCT{speeds} falls by at most "
        f"{in_unit(by_node, unit, up=True)} ({name}, the best that is known without the change, "
        "minus what none is below with it)"
    )
    if audit.recorded is not None and not audit.misfits:
        text += f"; against the log any schedule saves at most {in_unit(in_all, unit, up=True)}"
        if without > 0:
            text += f", of which {in_unit(without, unit)} need no change: {name} saves them without"
    return f"{text}.{other}"


def change_words(change: Change) -> str:
    """Return a change in words, with its option.

    Examples
    --------
    >>> change_words(Change("add=H100:1x8", "H100", 1, 8, kind="H100"))
    'One more node of 8 H100 (add=H100:1x8)'
    """
    kind = "GPUs" if change.kind.upper() == "GPU" else change.kind
    nodes = abs(change.nodes)
    if change.nodes > 0:
        which = "One more node" if nodes == 1 else f"{nodes:,} more nodes, each"
        words = f"{which} of {change.gpus:,} {kind}"
    elif change.nodes < 0:
        which = "One node" if nodes == 1 else f"{nodes:,} nodes, each"
        words = f"{which} of {change.gpus:,} {kind}, taken away"
    elif change.gangs is not None:
        words = f"No gang wider than {change.gangs:,}"
    else:
        words = f"Jobs that come {float(change.load):g} times as fast"
    return f"{words} ({change.text})"


def _any_type_after(audit: Audit, found: WhatIf) -> str:
    """Return what holds after a change where jobs may run on any type, evaluated again."""
    if found.any_type_left_out is not None:
        return f" Not at assumed speeds: {found.any_type_left_out}."
    own = found.any_type
    if own is None:
        return ""
    text = (
        f" On any type, at {own.assumed.text}, then no schedule has a mean JCT below "
        f"{hours(own.mean_jct, down=True)}"
    )
    if audit.any_type is not None:
        text += f" (before: {hours(audit.any_type.mean_jct, down=True)})"
    seconds = audit.log.seconds
    reached = {
        f"{name}, on recorded types,": seconds(Fraction(ends - found.submits, audit.jobs))
        for name, ends in found.schedulers.items()
    }
    reached |= {name: mean for name, (mean, _) in own.reached.items()}
    name, least = min(reached.items(), key=lambda item: item[1])
    text += f"; {name} reaches {hours(least)}"
    text += "".join(f"; {name} did not complete every job" for name in own.incomplete)
    return f"{text}."


def misfit_lines(audit: Audit) -> list[str]:
    """Return where the recorded schedule does not fit."""
    seconds = audit.log.seconds
    return [
        f"{own.place} has {own.gpus:,} GPUs, and up to {own.held:,} are held at once "
        f"(at {clock(audit, own.worst)}; first at {clock(audit, own.first)}; more than there are "
        f"for {hours(seconds(own.ticks))} in all)"
        for own in audit.misfits
    ]


def rules(audit: Audit) -> list[tuple[str, str]]:
    """Return each rule of the table of schedules, and what it does."""
    return [(name, text) for name, text in MEANING.items() if name in audit.schedulers]


def assumptions(audit: Audit) -> list[str]:
    """Return what the answer rests on."""
    log = audit.log
    lines = [
        f"Each job keeps {assumed(log)}: what it held its GPUs for is what it needs. The recorded "
        "speed of a job that was spread over nodes need not be its greatest.",
        "The bounds let jobs be paused, moved and slowed at no cost, and let any free GPUs of a "
        "type hold a gang; limits, quotas, reservations and maintenance that the log does not show "
        "are not known to them.",
        "The rules run the jobs in continuous time on pooled GPUs; shortest, smallest and "
        "preemptive know how long jobs take.",
        "Percentiles are reported, never bounded.",
    ]
    if not log.statuses:
        lines.append("The log does not say how jobs ended: every job counts as finished.")
    elif log.everyone:
        lines.append(
            "Failed, cancelled and cut jobs count, as if what they held their GPUs for were all "
            "that they needed: the bound holds under that condition."
        )
    else:
        lines.append(
            "Jobs that failed, were cancelled or were cut by the ends of the window are left out "
            "of all sums, and of the bounds, which only makes these hold for more schedules. In "
            "the recorded schedule they held GPUs all the same."
        )
    rows = sum(log.left_out.values())
    if rows:
        lines.append(
            f"What is left out ({counted(rows, 'row')}, counted by reason) holds no GPUs here: not "
            "in the recorded schedule, not in an inferred cluster, and in no rule."
        )
    lines += [
        f"Not left out ({counted(count, 'row')}, {reason}): part of a job of the log, which holds "
        "GPUs here as it did."
        for reason, count in log.merged.items()
    ]
    if audit.any_type is not None:
        lines.extend(note[:1].upper() + note[1:] for note in audit.any_type.assumed.notes)
    if audit.worth is not None:
        lines.append(
            "The utility is that of completing in the round in which a job completes, counted from "
            "the round of its submission; every job counts as many iterations as its service has "
            "whole rounds, and what completes later than any schedule here is worth nothing."
        )
    if log.origin == "inferred":
        sizes = ", ".join(f"{size:,} {pool}" for pool, size in log.pools.items())
        lines.append(
            f"The cluster is inferred: the most GPUs that were ever held at once ({sizes})."
        )
    if log.common:
        lines.append("The log does not give one type for every job, so that all GPUs are one pool.")
    if log.enlarged:
        more = ", ".join(
            f"up to {log.enlarged[pool]:,} {pool} more, for {hours(log.seconds(own.above))}"
            for pool, own in log.over_time.items()
            if own.above
        )
        lines.append(
            "What the log records does not fit the cluster: while more GPUs were held than there "
            f"are, those count as there ({more or 'nodes only'}), and nodes are given up. Bounds "
            "and rules have them too; gangs wider than the cluster stay where they were recorded "
            "in the rules, and the bounds place them anew."
        )
    if log.calendar == LOCAL:
        lines.append(
            "Times are local without a zone, taken as written: an hour of summer time may be "
            "missing or double. The option --zone names the zone."
        )
    if log.recorded and all(job.submit == job.attempts[0][0] for job in log.jobs):
        lines.append(
            "Every job starts when it is submitted: the log may not hold submit times at all."
        )
    if log.format in LICENCES:
        lines.append(f"Source of the log: {LICENCES[log.format]}.")
    return lines


def percent(share: Fraction, *, up: bool = False) -> str:
    """Return a share in per cent to one decimal, rounded down, or up for what bounds from above.

    Examples
    --------
    >>> percent(Fraction(1, 3)), percent(Fraction(1, 3), up=True)
    ('33.3 %', '33.4 %')
    """
    tenths = math.ceil(share * 1000) if up else math.floor(share * 1000)
    return f"{tenths / 10:.1f} %"


def hours(seconds: Fraction, *, up: bool = False, down: bool = False) -> str:
    """Return seconds for reading: in seconds, minutes or hours."""
    return in_unit(seconds, unit_of([seconds]), up=up, down=down)


def unit_of(times: Iterable[Fraction]) -> str:
    """Return the unit in which times are read side by side: h, min or s.

    The largest of which the longest time has two, or a smaller one where a time that is not 0 would
    be less than a hundredth of it.

    Examples
    --------
    >>> unit_of([Fraction(7200), Fraction(60)]), unit_of([Fraction(7200), Fraction(20)])
    ('h', 'min')
    """
    sizes = [abs(time) for time in times if time]
    longest, shortest = max(sizes, default=Fraction(0)), min(sizes, default=Fraction(0))
    fits = (name for name, n in UNITS.items() if longest >= 2 * n and shortest * 100 >= n)
    return next(fits, "s")


def in_unit(seconds: Fraction, unit: str, *, up: bool = False, down: bool = False) -> str:
    """Return seconds in a unit, to two decimals."""
    scaled = seconds * 100 / UNITS[unit]
    rounded = math.ceil(scaled) if up else math.floor(scaled) if down else round(scaled)
    return f"{rounded / 100:,.2f} {unit}"


def clock(audit: Audit, ticks: int) -> str:
    """Return a time on the clock of the log, in words."""
    from datetime import datetime, timedelta

    seconds = audit.log.epoch + audit.log.seconds(ticks)
    if audit.log.calendar is None:
        return f"{float(seconds):,.0f} s"
    return f"{datetime(1970, 1, 1) + timedelta(seconds=math.floor(seconds)):%Y-%m-%d %H:%M:%S}"
