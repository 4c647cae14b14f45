"""From an instance to sparse arrays, in the form that is exact for it."""

from __future__ import annotations

from typing import Literal

from hadaropt.instance import Instance
from hadaropt.offline.hall import HallModel, hall_model
from hadaropt.offline.node import NodeModel, node_model
from hadaropt.offline.plans import Form, pooled_is_exact

FormChoice = Literal["auto", "hall", "node"]


def exact_form(instance: Instance, form: FormChoice = "auto") -> Form:
    """Return the form to use: by default ``hall`` where it is exact, else ``node``.

    Raises
    ------
    ValueError
        If ``hall`` is asked for and node identity matters, naming the job and why.
    """
    if form not in ("auto", "hall", "node"):
        raise ValueError(f'form = "{form}", must be one of auto, hall, node')
    if form == "node":
        return "node"
    for j, job in enumerate(instance.jobs):
        if not pooled_is_exact(instance, j):
            if form == "auto":
                return "node"
            reason = "may run as copies"
            if instance.max_copies(j) == 1:
                reason = f"is slowed to {job.spread_factor} when it spans nodes"
            raise ValueError(f'form = "hall", must be "node" here: jobs[{j}] {reason}')
    return "hall"


def assemble(instance: Instance, form: FormChoice = "auto") -> HallModel | NodeModel:
    """Return the integer program of an instance as sparse arrays.

    ``max sum_j,f (U_j(f) - U_j(f+1)) done_jf`` over the columns and rows described in `windows`,
    `hall` and `node`. ``.linear`` is the program, ``.linear.relaxed()`` its LP relaxation and
    ``.linear.relaxed().dual()`` the dual of that.

    Parameters
    ----------
    instance : Instance
    form : {"auto", "hall", "node"}
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
    return hall_model(instance) if exact_form(instance, form) == "hall" else node_model(instance)
