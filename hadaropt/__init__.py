"""Scheduling deep-learning jobs on mixed accelerators: optima, online algorithms, certificates.

Names are loaded when they are first used, so that ``import hadaropt`` stays fast.
"""

from __future__ import annotations

import importlib
import sys

if sys.platform in ("win32", "cygwin", "emscripten", "wasi"):
    raise ImportError(
        f"hadaropt needs Linux or macOS, and this is {sys.platform}; on Windows it runs within WSL"
    )

from hadaropt.importing import hold_signals_in_imports

hold_signals_in_imports()
TYPE_CHECKING = False  # as in typing, which takes longer to load than all of this
__version__ = "0.1.0"

_HOME = {
    "Cluster": "hadaropt.instance",
    "Job": "hadaropt.instance",
    "Instance": "hadaropt.instance",
    "Workload": "hadaropt.workload",
    "WorkloadJob": "hadaropt.workload",
    "Schedule": "hadaropt.schedule",
    "Allocation": "hadaropt.schedule",
    "check_schedule": "hadaropt.schedule",
    "read_instance": "hadaropt.io",
    "write_instance": "hadaropt.io",
    "read_workload": "hadaropt.io",
    "write_workload": "hadaropt.io",
    "read_schedule": "hadaropt.io",
    "write_schedule": "hadaropt.io",
    "instance_sha256": "hadaropt.io",
    "solve": "hadaropt.offline.methods",
    "solve_ilp": "hadaropt.offline.compact.solve",
    "solve_lp": "hadaropt.offline.compact.solve",
    "solve_dual": "hadaropt.offline.compact.solve",
    "sensitivity": "hadaropt.offline.sensitivity",
    "audit": "hadaropt.auditing.report",
    "run_online": "hadaropt.online.run",
    "run_rounds": "hadaropt.simulate.rounds",
    "ForkJob": "hadaropt.forking.planning.problem",
    "ForkProblem": "hadaropt.forking.planning.problem",
    "plan_round": "hadaropt.forking.planning.planner",
    "Result": "hadaropt.results",
    "OnlineRun": "hadaropt.results",
    "RoundRun": "hadaropt.results",
    "Status": "hadaropt.results",
    "Termination": "hadaropt.results",
    "Prices": "hadaropt.results",
    "certify": "hadaropt.certificates",
    "verify": "hadaropt.certificates",
    "theorems": "hadaropt.theory",
    "HadaroptError": "hadaropt.errors",
    "InstanceError": "hadaropt.errors",
    "ScheduleError": "hadaropt.errors",
    "CertificateError": "hadaropt.errors",
    "SolverError": "hadaropt.errors",
}
_RENAMED = {
    "solve_configuration_lp": 'solve(instance, method="configuration_lp")',
    "lagrangian_bound": 'solve(instance, method="lagrangian")',
    "branch_and_price": 'solve(instance, method="branch_and_price")',
}
_MODULES = ("policies", "testing", "utility")

# Not `testing`, which needs an extra: whoever takes or looks at all names has not asked for it.
__all__ = ["__version__", *_HOME, "policies", "utility"]

if TYPE_CHECKING:
    from hadaropt import policies as policies
    from hadaropt import testing as testing
    from hadaropt import utility as utility
    from hadaropt.auditing.report import audit as audit
    from hadaropt.certificates import certify as certify
    from hadaropt.certificates import verify as verify
    from hadaropt.errors import CertificateError as CertificateError
    from hadaropt.errors import HadaroptError as HadaroptError
    from hadaropt.errors import InstanceError as InstanceError
    from hadaropt.errors import ScheduleError as ScheduleError
    from hadaropt.errors import SolverError as SolverError
    from hadaropt.forking.planning.planner import plan_round as plan_round
    from hadaropt.forking.planning.problem import ForkJob as ForkJob
    from hadaropt.forking.planning.problem import ForkProblem as ForkProblem
    from hadaropt.instance import Cluster as Cluster
    from hadaropt.instance import Instance as Instance
    from hadaropt.instance import Job as Job
    from hadaropt.io import instance_sha256 as instance_sha256
    from hadaropt.io import read_instance as read_instance
    from hadaropt.io import read_schedule as read_schedule
    from hadaropt.io import read_workload as read_workload
    from hadaropt.io import write_instance as write_instance
    from hadaropt.io import write_schedule as write_schedule
    from hadaropt.io import write_workload as write_workload
    from hadaropt.offline.compact.solve import solve_dual as solve_dual
    from hadaropt.offline.compact.solve import solve_ilp as solve_ilp
    from hadaropt.offline.compact.solve import solve_lp as solve_lp
    from hadaropt.offline.methods import solve as solve
    from hadaropt.offline.sensitivity import sensitivity as sensitivity
    from hadaropt.online.run import run_online as run_online
    from hadaropt.results import OnlineRun as OnlineRun
    from hadaropt.results import Prices as Prices
    from hadaropt.results import Result as Result
    from hadaropt.results import RoundRun as RoundRun
    from hadaropt.results import Status as Status
    from hadaropt.results import Termination as Termination
    from hadaropt.schedule import Allocation as Allocation
    from hadaropt.schedule import Schedule as Schedule
    from hadaropt.schedule import check_schedule as check_schedule
    from hadaropt.simulate.rounds import run_rounds as run_rounds
    from hadaropt.theory import theorems as theorems
    from hadaropt.workload import Workload as Workload
    from hadaropt.workload import WorkloadJob as WorkloadJob


if not TYPE_CHECKING:  # a type checker shall find names that do not exist

    def __getattr__(name: str) -> object:
        if name in _HOME:
            value = getattr(importlib.import_module(_HOME[name]), name)
        elif name in _MODULES:
            value = importlib.import_module(f"hadaropt.{name}")
        else:
            from hadaropt.renamed import missing_name

            raise missing_name("hadaropt", name, _RENAMED)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
