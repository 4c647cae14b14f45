"""One set of names: what a command takes, Python takes, and the other way round."""

import pytest

from hadaropt import (
    Cluster,
    Instance,
    Job,
    Workload,
    WorkloadJob,
    run_online,
    run_rounds,
    theorems,
)
from hadaropt.bench.ratio.calibrated import Calibrated
from hadaropt.bench.ratio.policy_text import policy_content, policy_from_text
from hadaropt.bench.results.experiment import experiment, experiment_names, find_experiment
from hadaropt.cli.entry import make_app, pages
from hadaropt.cli.online import FAMILIES as POLICY_FAMILIES
from hadaropt.errors import HadaroptError, InstanceError, TraceError
from hadaropt.forking.training.options import Options
from hadaropt.forking.training.planned import planned
from hadaropt.forking.training.tasks.registry import TASK_NAMES, make_task
from hadaropt.generate.registry import FAMILIES, find_family, generate, generate_workload
from hadaropt.names import known_name, spelled
from hadaropt.offline.compact.formulation import exact_form
from hadaropt.offline.methods import METHODS, find_method
from hadaropt.policies import PRICE_NAMES, PrimalDual, Random, find_policy, policy_names
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import BUILT_IN, make_scheduler
from hadaropt.simulate.scheduler_text import scheduler_from_text
from hadaropt.traces.registry import format_names, read_trace
from hadaropt.utility import Linear

CLUSTER = Cluster.of({"n0": {"V100": 1}})
ONE_JOB = Instance(CLUSTER, [Job("a", 0, 1, 600, {"V100": 1}, Linear(10, 1))], 4, 360)
WORKLOAD = Workload(CLUSTER, [WorkloadJob("a", 0, 1, 600, {"V100": 1})])


def hyphened(name: str) -> str:
    return name.replace("_", "-")


def valued(objective: str) -> object:
    return RoundProblem.of_workload(WORKLOAD, objective=objective)


IN_PYTHON = {
    "--method": find_method,
    "--parallelism": lambda name: Instance(CLUSTER, ONE_JOB.jobs, 4, parallelism=name),
    "--pool": lambda name: PrimalDual(pool=name),
    "--form": lambda name: exact_form(ONE_JOB, name),
    "--optimiser": lambda name: Options(optimiser=name),
    "--program": find_method,
}
"""Option -> what takes its names in Python, where a bad name is an error too."""
OF_COMMANDS = {
    ("simulate", "--objective"): valued,
    ("compare", "--objective"): valued,
    ("bench schedulers", "--objective"): valued,
    ("train", "--plan"): lambda name: planned(name, round_seconds=1),
}
NOT_NAMES = {  # answers to a question of one command; Python has a function or a flag for each
    ("audit", "--capacity"),
    ("audit", "--count"),
    ("audit", "--untyped"),
    ("adversary", "--objective"),
    ("bench runtime", "--sizes"),
}


def choices():
    for path, page in pages(make_app()):
        if page.default_command is not None:
            for argument in page.assemble_argument_collection():
                for choice in argument.get_choices() or ():
                    yield " ".join(path), argument.name, choice


WITHOUT_NAME = {("train", "--plan", "proportional")}  # a function of its own
CHOICES = [found for found in choices() if found[:2] not in NOT_NAMES and found not in WITHOUT_NAME]


def test_the_walk_sees_the_commands():
    assert {path for path, _, _ in CHOICES} >= {"solve", "export", "train", "bench schedulers"}
    assert {found[:2] for found in choices()} >= NOT_NAMES
    assert len(CHOICES) > 50


@pytest.mark.parametrize(("path", "option", "name"), CHOICES)
def test_python_takes_every_choice_of_a_command(path, option, name):
    take = OF_COMMANDS.get((path, option)) or IN_PYTHON[option]
    take(name)
    with pytest.raises((ValueError, HadaroptError), match="must be"):
        take(f"no_{name}")


def test_hyphens_do_in_python_as_on_the_command_line():
    assert find_method("configuration-lp") == "configuration_lp"
    assert IN_PYTHON["--parallelism"]("single-type").parallelism == "single_type"
    assert valued("effective-throughput") == valued("effective_throughput")


def test_methods_of_the_command_are_those_of_python():
    taken = [name for path, option, name in CHOICES if (path, option) == ("solve", "--method")]
    assert taken == list(METHODS)


@pytest.mark.parametrize("name", list(dict.fromkeys((*POLICY_FAMILIES, *policy_names()))))
def test_policies(name):
    run = run_online(ONE_JOB, hyphened(name))
    assert find_policy(hyphened(name)) == find_policy(name) == run.policy
    assert 0 < run.value == run_online(ONE_JOB, name).value
    assert policy_content(hyphened(name))["policy"] == run.policy


def test_primal_dual_alone_has_the_default_price():
    assert find_policy("primal_dual") == PrimalDual().name
    assert policy_from_text("primal-dual[m=2]") == PrimalDual(m=2)


@pytest.mark.parametrize(
    "policy",
    [PrimalDual("step", pool="node", U="1/2", m=2), Random(3), Calibrated(PrimalDual("linear"))],
)
def test_the_name_in_a_table_makes_the_policy(policy):
    assert policy_from_text(policy.name) == policy


@pytest.mark.parametrize("name", PRICE_NAMES)
def test_prices(name):
    assert PrimalDual(hyphened(name)) == PrimalDual(name)


@pytest.mark.parametrize("name", BUILT_IN)
def test_schedulers(name):
    assert make_scheduler(hyphened(name)).name == make_scheduler(name).name == name
    assert scheduler_from_text(hyphened(name)) == (name, None)
    assert policy_from_text(f"round:{hyphened(name)}").name == f"round:{name}"
    assert policy_content(f"round:{hyphened(name)}")["policy"] == f"round:{name}"


def test_a_scheduler_runs_by_its_hyphened_name():
    run = run_rounds(ONE_JOB, "hadar:finish-time-fairness")
    assert run.scheduler == "hadar:finish_time_fairness"


@pytest.mark.parametrize("name", FAMILIES)
def test_families(name):
    assert find_family(hyphened(name)) == find_family(name)
    assert generate(hyphened(name), seed=1, num_jobs=6).name == f"{name}-1"


def test_families_of_workloads():
    made = generate_workload("gavel-like", seed=1, num_jobs=2)
    assert made == generate_workload("gavel_like", seed=1, num_jobs=2)


@pytest.mark.parametrize("name", experiment_names())
def test_experiments(name):
    assert find_experiment(hyphened(name), {}) == find_experiment(name, {})


@pytest.mark.parametrize("baseline", ["primal_dual", "primal-dual:zero-start"])
def test_a_baseline_may_be_spelled_otherwise_than_in_the_list(baseline):
    document = {"policies": ["fifo", "primal_dual:zero_start"], "families": ["six-class"]}
    made = experiment({**document, "baseline": baseline, "parallelism": ["single-type"]})
    assert made.baseline == "primal_dual:zero_start"
    assert made.document["parallelism"] == ["single_type"]
    with pytest.raises(InstanceError, match=r"^baseline = .*must be one of fifo, primal"):
        experiment({**document, "baseline": "greedy_density"})


def test_tasks_of_training():
    pytest.importorskip("sklearn", reason="the extra train is not installed")
    assert make_task("digits").name == "digits"
    assert [spelled(name.replace("-", "_"), TASK_NAMES) for name in TASK_NAMES] == list(TASK_NAMES)


def test_formats_of_traces(tmp_path):
    (tmp_path / "no.csv").write_text("a,b\n1,2\n")
    for name in format_names():
        for text in (name, name.replace("-", "_")):
            with pytest.raises(TraceError, match=f"for format '{name}'"):
                read_trace(tmp_path / "no.csv", format=text)
    with pytest.raises(TraceError, match=r'^format = "phily".*did you mean "philly'):
        read_trace(tmp_path / "no.csv", format="phily")


def test_theorems_in_small_letters():
    for id in theorems:
        assert theorems[id.lower()] is theorems[id.upper()] is theorems[id]
        assert id.lower() in theorems
    assert "T0" not in theorems and len(set(map(str.lower, theorems))) == len(theorems)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("zero-start", "zero_start"),
        ("zero_start", "zero_start"),
        ("six_class", "six-class"),
        ("zero start", None),
        ("zero", None),
        ("", None),
    ],
)
def test_hyphens_and_underscores_are_alike(text, name):
    assert spelled(text, ["zero_start", "six-class"]) == name


def test_a_name_that_is_written_exactly_comes_first():
    assert spelled("a-b", ["a_b", "a-b"]) == "a-b"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("zero", '"zero", must be one of zero_start, step; did you mean "zero_start"?'),
        (3, "3, must be one of zero_start, step"),
        (None, "None, must be one of zero_start, step"),
    ],
)
def test_an_unknown_name_is_told_place_value_and_rule(name, said):
    with pytest.raises(InstanceError) as bad:
        known_name("price", name, ("zero_start", "step"))
    assert str(bad.value) == f"price = {said}"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: run_online(ONE_JOB, "primal_duel"),
        lambda: run_rounds(ONE_JOB, "hadar:fair"),
        lambda: PrimalDual("zero start"),
        lambda: PrimalDual(pool="nodes"),
        lambda: valued("jcts"),
        lambda: IN_PYTHON["--parallelism"]("mixt"),
    ],
)
def test_unknown_names_are_errors_with_the_nearest(wrong):
    with pytest.raises(InstanceError, match="must be one of") as caught:
        wrong()
    assert "did you mean" in str(caught.value)
