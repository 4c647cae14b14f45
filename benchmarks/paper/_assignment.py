"""Which model of the throughput table a job of a trace gets, by other rules than a draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from hadaropt.traces.throughputs import measured
from hadaropt.traces.trace import TraceJob

ONE_MODEL = "ResNet-50 (batch size 64)"
RULES = ("drawn", "one model", "long gain most", "long gain least")


def assign(jobs: Sequence[TraceJob], rule: str) -> list[TraceJob]:
    """Return the jobs with models.

    Parameters
    ----------
    jobs : sequence of TraceJob
    rule : {"drawn", "one model", "long gain most", "long gain least"}
        ``drawn`` leaves them without one, for `hadaropt.traces.to_workload` to draw. ``one model``
        gives `ONE_MODEL` to all, so that jobs differ in size only. The last two go through the jobs
        of each gang size from the shortest to the longest, and through the models by how much
        faster they are on a V100 than on a K80, up or down.

    Raises
    ------
    ValueError
        If there is no such rule.
    """
    if rule not in RULES:
        raise ValueError(f"rule = {rule!r}, must be one of {', '.join(RULES)}")
    if rule == "drawn":
        return list(jobs)
    if rule == "one model":
        return [replace(job, model=ONE_MODEL) for job in jobs]
    models: dict[str, str] = {}
    for gang in {job.num_gpus for job in jobs}:
        alike = [job for job in jobs if job.num_gpus == gang]
        alike.sort(key=lambda job: (job.duration_seconds or 0, job.name))
        choices = _by_gain(gang)
        if rule == "long gain least":
            choices.reverse()
        for i, job in enumerate(alike):
            models[job.name] = choices[i * len(choices) // len(alike)]
    return [replace(job, model=models[job.name]) for job in jobs]


def _by_gain(gang: int) -> list[str]:
    """Return the models that run on both types, from the least to the largest gain."""
    table = measured()
    gains: list[tuple[Fraction, str]] = []
    at = gang if table.model_types(gang) else 1  # linear scaling from one GPU
    for model in table.model_types(at):
        speed = table.throughput(model, at)
        if speed.get("V100") and speed.get("K80"):
            gains.append((speed["V100"] / speed["K80"], model))
    return [model for _, model in sorted(gains)]
