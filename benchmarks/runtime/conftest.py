"""The runtime suite: every test is one row, family, size and way of doing it.

    python -m pytest benchmarks/runtime [--sizes quick|small|full] [--rows P1,P7]
        [--benchmark-json=FILE]

``hadaropt bench runtime`` does that and prints the table. Seconds are processor time of this
process unless a row measures other processes; what is measured is also asserted to be right.
"""

from __future__ import annotations

import statistics

import pytest

from .families import FAMILIES


def pytest_addoption(parser):
    parser.addoption("--sizes", choices=("quick", "small", "full"), default="quick")
    parser.addoption("--rows", default="", help="comma-separated, such as P1,P7 (all if none)")
    parser.addoption("--families", default=",".join(FAMILIES), help="comma-separated")


def pytest_configure(config):
    config.addinivalue_line("markers", "row(name, work, quick, small, full): a row of the table")


def pytest_generate_tests(metafunc):
    row = metafunc.definition.get_closest_marker("row")
    if row is None:
        return
    if "size" in metafunc.fixturenames:
        metafunc.parametrize("size", row.kwargs[metafunc.config.getoption("sizes")])
    if "family" in metafunc.fixturenames:
        metafunc.parametrize("family", metafunc.config.getoption("families").split(","))


def pytest_collection_modifyitems(config, items):
    wanted = {name for name in config.getoption("rows").split(",") if name}
    if wanted:
        items[:] = [i for i in items if i.get_closest_marker("row").args[0] in wanted]


@pytest.fixture
def choose(request):
    """Return what a test takes at the chosen sizes: ``choose(quick, small, full)``."""
    place = ("quick", "small", "full").index(request.config.getoption("sizes"))
    return lambda *choices: choices[place]


@pytest.fixture
def full(choose) -> bool:
    return choose(False, False, True)


@pytest.fixture
def record(request, benchmark):
    """Measure a function and note which place of the table it fills.

    ``own(result)`` gives the seconds where the function measures itself; ``facts`` of the last
    result (a gap, a count) go into the table as they are.
    """
    row = request.node.get_closest_marker("row")
    given = getattr(request.node, "callspec", None)
    place = {} if given is None else given.params

    def measure(function, *, way="hadaropt", rounds=3, own=None, facts=lambda result: {}):
        results = []
        rounds = 1 if request.config.getoption("sizes") == "quick" else rounds
        benchmark.pedantic(lambda: results.append(function()), rounds=rounds, iterations=1)
        name, work = row.args
        benchmark.group = name
        benchmark.extra_info |= {
            "row": name,
            "work": work,
            "family": place.get("family", ""),
            "size": place.get("size", 1),
            "way": way,
            **facts(results[-1]),
        }
        if own is not None:
            benchmark.extra_info["seconds"] = statistics.median(map(own, results))
        return results[-1]

    return measure
