"""Rules that the whole repository keeps."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import networkx
import pytest

import hadaropt

ROOT = Path(__file__).parents[1]
SOLVERS = ("highspy", "numba", "scipy", "pulp")

FIRST_AND_IN_ORDER = """
import os, sys
import hadaropt
names = sys.argv[1].split(",")
failed = []
for name in names:
    child = os.fork()
    if child == 0:
        try:
            assert getattr(hadaropt, name) is getattr(hadaropt, name)
        except BaseException as error:
            print(name, repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    failed += [name] * (os.waitpid(child, 0)[1] != 0)
assert not failed, failed
first = [getattr(hadaropt, name) for name in names]
again = [getattr(hadaropt, name) for name in names]
assert all(x is y for x, y in zip(first, again, strict=True))
"""

BLOCKED = """
import importlib, importlib.abc, pkgutil, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pulp", "models", "tests"}:
            raise ModuleNotFoundError(f"blocked: {name}", name=name)

sys.meta_path.insert(0, Refuse())
import hadaropt
assert hadaropt.__file__.startswith(sys.argv[1]), hadaropt.__file__
names = [m.name for m in pkgutil.walk_packages(hadaropt.__path__, "hadaropt.")]
assert "hadaropt.schedule" in names
for name in names:
    if not name.startswith("hadaropt.bench.runtime_suite"):  # it compares with pulp
        importlib.import_module(name)
for name in hadaropt.__all__:
    getattr(hadaropt, name)
assert hadaropt.theorems["T7"].hypotheses
for name in ("pulp", "models"):
    assert name not in sys.modules
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        assert "blocked" in str(error)
"""


def python(code: str, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done


def loaded_by(statement: str, names: tuple[str, ...]) -> list[str]:
    code = f"import sys\n{statement}\nprint(*sorted(set({names!r}) & set(sys.modules)))"
    return python(code).stdout.split()


def tracked_files() -> list[Path]:
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0 or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout: there are no tracked files to look at")
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_import_hadaropt_is_light():
    heavy = ("numpy", "msgspec", "networkx", *SOLVERS)
    assert loaded_by("import hadaropt", heavy) == []


def test_the_loader_of_the_test_above_sees_what_is_loaded():
    assert loaded_by("import hadaropt, numpy", ("numpy", *SOLVERS)) == ["numpy"]


def test_certificates_load_no_solver_and_no_compiled_code():
    statement = "import hadaropt.certificates; from hadaropt import certify, verify"
    assert loaded_by(statement, SOLVERS) == []


def test_the_verifying_command_loads_no_solver(tmp_path):
    statement = (
        "from hadaropt.cli import main\n"
        f"try: main(['verify', {str(tmp_path / 'absent')!r}, 'x'])\n"
        "except SystemExit as stop: assert stop.code == 4"
    )
    assert loaded_by(statement, SOLVERS) == []


@pytest.mark.parametrize("step", [1, -1])
def test_public_names_import_in_any_order(step):
    """Each first in a process of its own; then all in one process, twice, in both orders."""
    python(FIRST_AND_IN_ORDER, ",".join(hadaropt.__all__[::step]))


def test_public_names_are_listed():
    assert sorted(dir(hadaropt)) == sorted(hadaropt.__all__)
    assert len(set(hadaropt.__all__)) == len(hadaropt.__all__)
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = hadaropt.absent


def test_no_module_shares_a_name_with_a_public_function():
    for name in hadaropt.__all__:
        if not isinstance(getattr(hadaropt, name), type(sys)):
            assert importlib.util.find_spec(f"hadaropt.{name}") is None, name


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed, so no wheel can be built here")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    options = ["--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(ROOT)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(command + options, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_library_only(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    folders = {name.partition("/")[0] for name in names}
    assert folders == {"hadaropt", f"hadaropt-{hadaropt.__version__}.dist-info"}
    assert "hadaropt/py.typed" in names
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_works_without_models_and_pulp(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    site = str(tmp_path / "site")
    python(BLOCKED, site, cwd=tmp_path, env=os.environ | {"PYTHONPATH": site})


FROM_THE_WHEEL = """
import sys
from pathlib import Path
from hadaropt.bench.results.experiment import experiment_folder, experiment_names, find_experiment
from hadaropt.bench.runtime import suite_folder

site = Path(sys.argv[1])
assert experiment_folder().is_relative_to(site) and suite_folder().is_relative_to(site)
for name in experiment_names():
    find_experiment(name, {"seeds": 1})
print(*experiment_names())
"""


def test_experiments_and_the_runtime_suite_are_in_the_wheel(wheel, tmp_path):
    """(To run them from there would compile every kernel anew.)"""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    environment = os.environ | {"PYTHONPATH": str(site), "PYTEST_ADDOPTS": ""}
    done = python(FROM_THE_WHEEL, str(site), cwd=tmp_path, env=environment)
    kept = sorted(path.stem for path in (ROOT / "benchmarks/competitive_ratio").glob("*.toml"))
    assert done.stdout.split() == kept
    shipped = {path.name for path in (site / "hadaropt/bench/runtime_suite").glob("test_*.py")}
    assert shipped == {path.name for path in (ROOT / "benchmarks/runtime").glob("test_*.py")}
    pytest.importorskip("pytest_benchmark", reason="the extra bench is not installed")
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    command += ["--rows", "P7,P13", str(site / "hadaropt/bench/runtime_suite")]
    listed = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert listed.returncode == 0, listed.stdout
    assert "test_online[200-six-class]" in listed.stdout
    assert "test_build" not in listed.stdout


def test_the_sdist_holds_models_tests_and_proofs(tmp_path):
    sdist = pytest.importorskip("hatchling.builders.sdist", reason="hatchling is not installed")
    import tarfile

    (built,) = sdist.SdistBuilder(str(ROOT)).build(directory=str(tmp_path))
    with tarfile.open(built) as archive:
        folders = {"/".join(name.split("/")[1:2]) for name in archive.getnames()}
    for name in ("hadaropt", "models", "tests", "benchmarks", "proofs", "examples"):
        assert name in folders or not (ROOT / name).exists()
    assert {"hadaropt", "tests", "Makefile", "LICENSE", "README.md"} <= folders


INDEX = re.compile(r"https?://[^\s\"']*(?:pypi|simple\b|registry)|--(?:extra-)?index-url", re.I)
MACHINE_PATH = re.compile(r"(?<![\w.~/\-])/(?:home|root|Users|work|farm|opt|mnt)/\w")


def offences(text: str) -> list[str]:
    return [match[0] for rule in (INDEX, MACHINE_PATH) for match in rule.finditer(text)]


def test_tracked_files_name_no_index_and_no_machine():
    found = {}
    for path in tracked_files():
        if not path.is_file() or path.suffix in (".gz", ".png"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if path == Path(__file__):
            text = text.partition("INDEX = ")[0]
        if bad := offences(text):
            found[str(path.relative_to(ROOT))] = bad
    assert found == {}


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("pip install --index-url https://pypi.example/simple x", True),
        ("https://host.example/simple/", True),
        ("file = '/home/me/x.json'", True),
        ("see https://example.org/a/root/b and docs/work/x", False),
        ("a simple case", False),
    ],
)
def test_the_rule_of_the_test_above(text, bad):
    assert bool(offences(text)) is bad


def test_each_extra_is_part_of_dev_and_each_dependency_is_used():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    included = re.search(r"\[([a-z,]+)\]", extras["dev"][0])
    assert included is not None
    assert set(included[1].split(",")) == set(extras) - {"dev", "docs", "peers"}
    sources = "\n".join(path.read_text() for path in (ROOT / "hadaropt").rglob("*.py"))
    for requirement in project["dependencies"]:
        package = re.split(r"[^a-z-]", requirement)[0]
        name = {"python-flint": "flint"}.get(package, package)
        assert re.search(rf"^\s*(?:import|from) {name}\b", sources, re.M), name


def test_make_names_the_package_to_install():
    done = subprocess.run(
        ["make", "check-python", "PYTHON=false"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")},
    )
    assert done.returncode != 0
    assert "apt install python3" in done.stderr


def test_make_help_names_every_target():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.M)
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    assert phony is not None and set(phony[1].split()) == targets
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True)
    assert set(re.findall(r"^make ([a-z-]+)  ", done.stdout, re.M)) == targets


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules each of which imports, through others, every other."""
    graph = networkx.DiGraph([(one, other) for one in imports for other in imports[one]])
    return sorted(
        sorted(part) for part in networkx.strongly_connected_components(graph) if len(part) > 1
    )


def test_no_modules_import_each_other():
    """Imports inside functions count; those by name, at run time, are not seen."""
    grimp = pytest.importorskip("grimp", reason="import-linter is not installed")
    graph = grimp.build_graph("hadaropt")
    found = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert "hadaropt.io" in found["hadaropt.cli.common.inputs"]  # within a function
    assert circles(found) == []


def test_the_rule_of_the_test_above_finds_circles():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
