"""From an instance to sparse arrays, in the form that is exact for it."""

from __future__ import annotations

from typing import Literal, get_args

from hadaropt.errors import one_of, shown
from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.modes.plans import Form
from hadaropt.offline.compact.divisible import divisible_is_exact
from hadaropt.offline.compact.hall import HallModel, hall_model
from hadaropt.offline.compact.node import NodeModel, node_model

FormChoice = Literal["auto", "hall", "divisible", "node"]
"""Which integer program; ``auto``: the smallest one that is exact (see `exact_form`)."""


def exact_form(instance: Instance, form: FormChoice = "auto") -> Form:
    """Return the form to use: the first of ``hall``, ``divisible`` and ``node`` that is exact.

    Raises
    ------
    ValueError
        If the form asked for is not exact here, naming the job and why.
    """
    if form not in get_args(FormChoice):
        raise ValueError(f"form = {shown(form)}, {one_of(str(form), get_args(FormChoice))}")
    if form == "node":
        return "node"
    divisible = divisible_is_exact(instance)
    if form == "divisible":
        if not divisible:
            raise ValueError(
                'form = "divisible", must be "node" here: it takes nodes of one type each, gang '
                "sizes that divide each other, and no copies"
            )
        return "divisible"
    for j, job in enumerate(instance.jobs):
        if not is_pooled(instance, j):
            if form == "auto":
                return "divisible" if divisible else "node"
            reason = "may run as copies"
            if instance.max_copies(j) == 1:
                reason = f"is slowed to {job.spread_factor} when it spans nodes"
            raise ValueError(f'form = "hall", must be "node" here: jobs[{j}] {reason}')
    return "hall"


def assemble(instance: Instance, form: FormChoice = "auto") -> HallModel | NodeModel:
    """Return the integer program of an instance as sparse arrays.

    ``max sum_j,f (U_j(f) - U_j(f+1)) done_jf`` over the columns and rows described in the modules
    `hadaropt.offline.compact.time_index`, ``hall`` and ``node`` beside it. ``.linear`` is the
    program, ``.linear.relaxed()`` its LP relaxation and ``.linear.relaxed().dual()`` the dual of
    that.

    Parameters
    ----------
    instance : Instance
    form : {"auto", "hall", "divisible", "node"}
        See `exact_form`.

    Raises
    ------
    SolverError
        If an exact range cannot be held in the solver's floats.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    >>> assemble(Instance(Cluster.of({"n": {"V100": 1}}), (job,), 3, 1)).linear.shape
    (13, 8)
    """
    chosen = exact_form(instance, form)
    if chosen == "node":
        return node_model(instance)
    return hall_model(instance, divisible=chosen == "divisible")
